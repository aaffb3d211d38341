// Votes of GL_EXT_shader_group_vote.
// RUN: airfoil opt %s --passes ''
#version 310 es
#extension GL_EXT_shader_group_vote : require
precision highp float;
flat in int n;
out vec4 o;
void main() {
    o = vec4(anyInvocationEXT(n > 0));
    // CHECK: = vote_any
    o += vec4(allInvocationsEXT(n > 0));
    // CHECK: = vote_all
    o += vec4(allInvocationsEqualEXT(n > 0));
    // CHECK: = vote_ieq
}

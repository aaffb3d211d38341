// Votes of GL_ARB_shader_group_vote.
// RUN: airfoil opt %s --passes ''
#version 450
#extension GL_ARB_shader_group_vote : require
flat in int n;
out vec4 o;
void main() {
    o = vec4(anyInvocationARB(n > 0));
    // CHECK: = vote_any
    o += vec4(allInvocationsARB(n > 0));
    // CHECK: = vote_all
    o += vec4(allInvocationsEqualARB(n > 0));
    // CHECK: = vote_ieq
}

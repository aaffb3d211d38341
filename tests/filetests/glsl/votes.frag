// Votes of GLSL 4.60.
// RUN: airfoil opt %s --passes ''
#version 460
flat in int n;
out vec4 o;
void main() {
    o = vec4(anyInvocation(n > 0));
    // CHECK: = vote_any
    o += vec4(allInvocations(n > 0));
    // CHECK: = vote_all
    o += vec4(allInvocationsEqual(n > 0));
    // CHECK: = vote_ieq
}

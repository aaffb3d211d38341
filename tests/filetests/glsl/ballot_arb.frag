// Ballots of GL_ARB_shader_ballot.
// RUN: airfoil opt %s --passes ''
#version 450
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_gpu_shader_int64 : require
flat in int n;
out vec4 o;
void main() {
    o = vec4(unpackUint2x32(ballotARB(n > 0)).xyxy);
    // CHECK: = ballot
    o += vec4(readInvocationARB(n, 3u));
    // CHECK: = read_invocation
    o += vec4(readFirstInvocationARB(n));
    // CHECK: = read_first_invocation
}

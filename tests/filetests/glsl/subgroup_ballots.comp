// Ballots and broadcasts of a subgroup.
// RUN: airfoil opt %s --passes ''
#version 460
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { vec4 f; uvec4 u; uint x; bool b; };
void main() {
    { u = subgroupBallot(b); }
    // CHECK: 1x1 {{.*}} = ine
    // CHECK: 32x4 {{.*}} = ballot
    { b = subgroupInverseBallot(u); }
    // CHECK: 1x1 {{.*}} = inverse_ballot
    // CHECK: 32x1 {{.*}} = b2i
    { b = subgroupBallotBitExtract(u, x); }
    // CHECK: 1x1 {{.*}} = ballot_bit_extract
    // CHECK: 32x1 {{.*}} = b2i
    { x = subgroupBallotBitCount(u); }
    // CHECK: 32x1 {{.*}} = ballot_bit_count_reduce
    { x = subgroupBallotInclusiveBitCount(u); }
    // CHECK: 32x1 {{.*}} = ballot_bit_count_inclusive
    { x = subgroupBallotExclusiveBitCount(u); }
    // CHECK: 32x1 {{.*}} = ballot_bit_count_exclusive
    { x = subgroupBallotFindLSB(u); }
    // CHECK: 32x1 {{.*}} = ballot_find_lsb
    { x = subgroupBallotFindMSB(u); }
    // CHECK: 32x1 {{.*}} = ballot_find_msb
    { f = subgroupBroadcast(f, 3); }
    // CHECK: 32x4 {{.*}} = read_invocation
    { f = subgroupBroadcastFirst(f); }
    // CHECK: 32x4 {{.*}} = read_first_invocation
}

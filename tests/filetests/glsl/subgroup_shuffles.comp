// Shuffles of a subgroup.
// RUN: airfoil opt %s --passes ''
#version 460
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_rotate : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { vec4 f; uvec4 u; uint x; bool b; };
void main() {
    { f = subgroupShuffle(f, x); }
    // CHECK: 32x4 {{.*}} = shuffle
    { f = subgroupShuffleXor(f, x); }
    // CHECK: 32x4 {{.*}} = shuffle_xor
    { f = subgroupShuffleUp(f, x); }
    // CHECK: 32x4 {{.*}} = shuffle_up
    { f = subgroupShuffleDown(f, x); }
    // CHECK: 32x4 {{.*}} = shuffle_down
    { f = subgroupClusteredRotate(f, x, 4u); }
    // CHECK: 32x1 {{.*}} = load_subgroup_invocation
    // CHECK: 32x1 {{.*}} = iadd
    // CHECK: 32x1 {{.*}} = iand
    // CHECK: 32x1 {{.*}} = iand
    // CHECK: 32x1 {{.*}} = ior
    // CHECK: 32x4 {{.*}} = shuffle
}

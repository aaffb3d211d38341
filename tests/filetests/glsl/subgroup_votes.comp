// Votes of a subgroup.
// RUN: airfoil opt %s --passes ''
#version 460
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { vec4 f; uvec4 u; uint x; bool b; };
void main() {
    { b = subgroupElect(); }
    // CHECK: 1x1 {{.*}} = elect
    // CHECK: 32x1 {{.*}} = b2i
    { b = subgroupAll(b); }
    // CHECK: 1x1 {{.*}} = ine
    // CHECK: 1x1 {{.*}} = vote_all
    // CHECK: 32x1 {{.*}} = b2i
    { b = subgroupAny(b); }
    // CHECK: 1x1 {{.*}} = ine
    // CHECK: 1x1 {{.*}} = vote_any
    // CHECK: 32x1 {{.*}} = b2i
    { b = subgroupAllEqual(f); }
    // CHECK: 1x1 {{.*}} = vote_feq
    // CHECK: 32x1 {{.*}} = b2i
    { b = subgroupAllEqual(x); }
    // CHECK: 1x1 {{.*}} = vote_ieq
    // CHECK: 32x1 {{.*}} = b2i
}

// Reductions and scans of a subgroup.
// RUN: airfoil opt %s --passes ''
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { vec4 f; uvec4 u; uint x; bool b; };
void main() {
    { f = subgroupAdd(f); }
    // CHECK: 32x4 {{.*}} = reduce {{.*}} reduce=fadd
    { x = subgroupMin(x); }
    // CHECK: 32x1 {{.*}} = reduce {{.*}} reduce=umin
    { f = subgroupInclusiveMul(f); }
    // CHECK: 32x4 {{.*}} = inclusive_scan {{.*}} reduce=fmul
    { x = subgroupExclusiveXor(x); }
    // CHECK: 32x1 {{.*}} = exclusive_scan {{.*}} reduce=ixor
    { x = subgroupClusteredOr(x, 4); }
    // CHECK: 32x1 {{.*}} = reduce {{.*}} reduce=ior cluster=4
}

// Quads.
// RUN: airfoil opt %s --passes ''
#version 460
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_EXT_shader_quad_control : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { vec4 f; uvec4 u; uint x; bool b; };
void main() {
    { f = subgroupQuadBroadcast(f, 1); }
    // CHECK: 32x4 {{.*}} = quad_broadcast
    { f = subgroupQuadSwapHorizontal(f); }
    // CHECK: 32x4 {{.*}} = quad_swap_horizontal
    { f = subgroupQuadSwapVertical(f); }
    // CHECK: 32x4 {{.*}} = quad_swap_vertical
    { f = subgroupQuadSwapDiagonal(f); }
    // CHECK: 32x4 {{.*}} = quad_swap_diagonal
    { b = subgroupQuadAll(b); }
    // CHECK: 1x1 {{.*}} = ine
    // CHECK: 1x1 {{.*}} = quad_vote_all
    // CHECK: 32x1 {{.*}} = b2i
    { b = subgroupQuadAny(b); }
    // CHECK: 1x1 {{.*}} = ine
    // CHECK: 1x1 {{.*}} = quad_vote_any
    // CHECK: 32x1 {{.*}} = b2i
}

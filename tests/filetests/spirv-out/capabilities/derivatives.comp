// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// CHECK: OpCapability ComputeDerivativeGroupQuadsKHR
#version 460
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 4, local_size_y = 2) in;
layout(derivative_group_quadsNV) in;
layout(binding = 0) buffer B { float a; };
void main() { a = dFdx(a); }

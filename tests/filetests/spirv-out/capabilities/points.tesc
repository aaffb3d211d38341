// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// CHECK: OpCapability TessellationPointSize
#version 460
layout(vertices = 1) out;
void main() { gl_out[gl_InvocationID].gl_PointSize = 2.0; }

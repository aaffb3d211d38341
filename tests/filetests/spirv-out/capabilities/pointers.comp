// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// CHECK: OpCapability Int64
// CHECK: OpCapability PhysicalStorageBufferAddresses
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference) buffer R { int n; };
layout(push_constant) uniform P { R r; };
void main() { r.n = 1; }

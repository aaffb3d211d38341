// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// CHECK: OpCapability Float16
// CHECK: OpCapability StorageInputOutput16
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(location = 0) in f16vec4 a;
layout(location = 0) out f16vec4 c;
void main() { c = a + a; }

// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// RUN[OLD]: airfoil compile %s -O0 --to spvasm
// CHECK: OpCapability Float16
// CHECK: OpCapability StorageBuffer16BitAccess
// CHECK: OpCapability StorageBuffer8BitAccess
// OLD: OpCapability Float16
// OLD: OpCapability UniformAndStorageBuffer16BitAccess
// OLD: OpCapability UniformAndStorageBuffer8BitAccess
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 1) buffer B { int8_t a; float16_t b; float c; int d; } s;
void main() { s.c = float(s.b); s.d = int(s.a); }

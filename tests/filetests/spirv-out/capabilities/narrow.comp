// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// CHECK: OpCapability Float16
// CHECK: OpCapability Int8
// CHECK: OpCapability StorageBuffer16BitAccess
// CHECK: OpCapability UniformAndStorageBuffer16BitAccess
// CHECK: OpCapability StoragePushConstant16
// CHECK: OpCapability StorageBuffer8BitAccess
// CHECK: OpCapability UniformAndStorageBuffer8BitAccess
// CHECK: OpCapability StoragePushConstant8
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) uniform U { int8_t a; float16_t b; } u;
layout(binding = 1) buffer B { int8_t a; float16_t b; } s;
layout(push_constant) uniform P { int8_t a; float16_t b; } p;
void main() { s.a = u.a + p.a; s.b = u.b + p.b; }

// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// CHECK: OpCapability Float16
// CHECK: OpCapability Int16
// CHECK: OpCapability Int8
// CHECK: OpCapability GroupNonUniform
// CHECK: OpCapability GroupNonUniformClustered
#version 460
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { int a; };
shared S { int8_t x; float16_t y; } s;
void main() { s.x = int8_t(a); s.y = float16_t(a); barrier(); a = subgroupClusteredAdd(int(s.x), 4) + int(s.y); }

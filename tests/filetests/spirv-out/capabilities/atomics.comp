// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// CHECK: OpCapability Float16
// CHECK: OpCapability Int64
// CHECK: OpCapability Int64Atomics
// CHECK: OpCapability StorageBuffer16BitAccess
// CHECK: OpCapability AtomicFloat32MinMaxEXT
// CHECK: OpCapability AtomicFloat16MinMaxEXT
// CHECK: OpCapability AtomicFloat32AddEXT
// CHECK: OpCapability AtomicFloat16AddEXT
#version 460
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { float16_t a; float b; uint64_t d; };
void main() {
    atomicAdd(a, 1.0hf);
    atomicMax(a, 1.0hf);
    atomicAdd(b, 1.0);
    atomicMin(b, 1.0);
    atomicAdd(d, 1ul);
}

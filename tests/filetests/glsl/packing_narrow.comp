// Bits of 8-bit and 16-bit values.
// RUN: airfoil opt %s --passes ''
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_AMD_gpu_shader_half_float : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B {
    uint a;
    int b;
};
void main() {
    a = packFloat2x16(f16vec2(a, b));
    // CHECK: pack_32_2x16
    b = packInt2x16(i16vec2(a, b));
    // CHECK: pack_32_2x16
    b = float16BitsToInt16(float16_t(b));
    // CHECK: store_deref
    b = pack16(i8vec2(a, b));
    // CHECK: store_deref
    b = pack32(i8vec4(b));
    // CHECK: store_deref
}

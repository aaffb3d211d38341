// Bits of 64-bit values.
// RUN: airfoil opt %s --passes ''
#version 450
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B {
    double d;
    int64_t i;
    uvec2 u;
    ivec2 s;
};
void main() {
    i = doubleBitsToInt64(d);
    // CHECK: store_deref
    i = packInt2x32(s);
    // CHECK: pack_64_2x32
    u = unpackUint2x32(doubleBitsToUint64(d));
    // CHECK: unpack_64_2x32
}

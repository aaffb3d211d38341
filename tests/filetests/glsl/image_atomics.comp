// Atomic operations on images, wrapping increments and floats included.
// RUN: airfoil opt %s --passes ''
#version 450
#extension GL_NV_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 1) in;
layout(binding = 0, r32ui) uniform uimage2D u;
layout(binding = 1, r32f) uniform image2D f;
void main() {
    imageAtomicAnd(u, ivec2(0), 1u);
    // CHECK: image_atomic {{.*}} op=iand
    imageAtomicOr(u, ivec2(0), 1u);
    // CHECK: image_atomic {{.*}} op=ior
    imageAtomicXor(u, ivec2(0), 1u);
    // CHECK: image_atomic {{.*}} op=ixor
    imageAtomicMin(u, ivec2(0), 1u);
    // CHECK: image_atomic {{.*}} op=umin
    imageAtomicMax(u, ivec2(0), 1u);
    // CHECK: image_atomic {{.*}} op=umax
    imageAtomicExchange(u, ivec2(0), 1u);
    // CHECK: image_atomic {{.*}} op=xchg
    imageAtomicExchange(f, ivec2(0), 1.0);
    // CHECK: image_atomic {{.*}} op=xchg
    imageAtomicMin(f, ivec2(0), 1.0);
    // CHECK: image_atomic {{.*}} op=fmin
    imageAtomicMax(f, ivec2(0), 1.0);
    // CHECK: image_atomic {{.*}} op=fmax
}

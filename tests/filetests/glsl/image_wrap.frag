// Increments and decrements that wrap are not supported.
// RUN: not airfoil opt %s 2>&1
// CHECK: error[E1201]: imageAtomicIncWrap is not supported
#version 420
#extension GL_EXT_shader_image_load_store : require
layout(r32ui) uniform uimage2D u;
void main() {
    imageAtomicIncWrap(u, ivec2(0), 7u);
    imageAtomicDecWrap(u, ivec2(0), 7u);
}

// RUN[PLAIN]: airfoil compile %s --to ll --target macos14
// RUN[ROBUST]: airfoil compile %s --to ll --target macos14 --robust
// Robust accesses compare indices with the sizes of buffers and images.
// PLAIN-NOT: air.get_width_texture_2d
// ROBUST: @air.get_width_texture_2d
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer A {
    uint a[];
};
layout(r32ui, binding = 1) uniform uimage2D i;
void main() {
    a[gl_LocalInvocationIndex] = imageLoad(i, ivec2(gl_LocalInvocationIndex)).x;
}

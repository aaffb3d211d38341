#version 450
// Interleaves the bits of two numbers and back.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = i * 4099u & 0xffffu, y = i * 77u + 5u;
    uvec2 v = uvec2(x, y & 0xffffu);
    v = (v | v << 8) & 0x00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0fu;
    v = (v | v << 2) & 0x33333333u;
    v = (v | v << 1) & 0x55555555u;
    o[i] = v.x | v.y << 1;
}

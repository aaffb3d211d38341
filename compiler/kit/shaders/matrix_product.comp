#version 450
// Product of two matrices of four by four.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint row = i >> 2, column = i & 3u;
    float sum = 0.0;
    for (uint k = 0u; k < 4u; k++) sum += a[row * 4u + k] * a[16u + k * 4u + column];
    o[i] = sum;
}

#version 450
// Lengths of Collatz sequences.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint n = i * 7u + 27u, length = 0u;
    for (; n != 1u && length < 500u; length++) n = (n & 1u) == 0u ? n >> 1 : n * 3u + 1u;
    o[i] = length;
}

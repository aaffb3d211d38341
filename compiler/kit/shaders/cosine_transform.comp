#version 450
// A discrete cosine transform of eight values.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    float sum = 0.0;
    uint block = i & 8u, k = i & 7u;
    for (uint n = 0u; n < 8u; n++) sum += a[block + n] * cos(3.14159265 / 8.0 * (float(n) + 0.5) * float(k));
    o[i] = floor(sum * 256.0 + 0.5);
}

#version 450
// Transposes by way of shared memory.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };
shared float tile[4][5];
void main() {
    uint i = gl_LocalInvocationIndex;
    tile[i >> 2][i & 3u] = a[i];
    barrier();
    o[i] = tile[i & 3u][i >> 2];
}

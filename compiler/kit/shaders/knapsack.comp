#version 450
// Dynamic programming in an array of an invocation.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint best[17];
    for (int k = 0; k < 17; k++) best[k] = 0u;
    for (uint item = 1u; item <= 4u; item++) {
        uint weight = (item * 3u + i) % 7u + 1u, value = item * 5u + i;
        for (int c = 16; c >= int(weight); c--) best[c] = max(best[c], best[c - int(weight)] + value);
    }
    o[i] = best[16];
}

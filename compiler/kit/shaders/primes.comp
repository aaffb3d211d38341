#version 450
// A sieve in the bits of one word.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint candidate = i * 2u + 3u;
    bool prime = true;
    for (uint d = 3u; d * d <= candidate; d += 2u) if (candidate % d == 0u) { prime = false; break; }
    o[i] = prime ? candidate : 0u;
}

#version 450
// FNV-1a over the bytes of four words.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint hash = 2166136261u;
    for (uint k = 0u; k < 4u; k++) {
        uint word = floatBitsToUint(a[i * 4u + k]);
        for (uint b = 0u; b < 32u; b += 8u) hash = (hash ^ ((word >> b) & 255u)) * 16777619u;
    }
    o[i] = hash;
}

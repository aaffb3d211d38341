#version 450
// Inclusive sums by Hillis and Steele.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };
shared float s[16];
void main() {
    uint i = gl_LocalInvocationIndex;
    s[i] = a[i];
    barrier();
    for (uint n = 1u; n < 16u; n <<= 1) {
        float other = i >= n ? s[i - n] : 0.0;
        barrier();
        s[i] += other;
        barrier();
    }
    o[i] = s[i];
}

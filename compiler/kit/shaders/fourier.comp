#version 450
// A transform of 16 complex values, radix 2.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };
shared float re[16];
shared float im[16];
void main() {
    uint i = gl_LocalInvocationIndex;
    uint r = bitfieldReverse(i) >> 28;
    re[i] = a[r]; im[i] = a[r + 16u];
    barrier();
    for (uint half_size = 1u; half_size < 16u; half_size <<= 1) {
        uint k = i & (half_size - 1u), base = (i & ~(half_size * 2u - 1u)) + k;
        bool low = (i & half_size) == 0u;
        float angle = -3.14159265 * float(k) / float(half_size);
        vec2 w = vec2(cos(angle), sin(angle));
        vec2 e = vec2(re[base], im[base]), f = vec2(re[base + half_size], im[base + half_size]);
        vec2 t = vec2(w.x * f.x - w.y * f.y, w.x * f.y + w.y * f.x);
        vec2 own = low ? e + t : e - t;
        barrier();
        re[i] = own.x; im[i] = own.y;
        barrier();
    }
    o[i] = floor(re[i] * 64.0 + 0.5); o[i + 16u] = floor(im[i] * 64.0 + 0.5);
}

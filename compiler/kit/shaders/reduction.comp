#version 450
// Sum, minimum and maximum of 64 values.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };
shared vec3 s[16];
void main() {
    uint i = gl_LocalInvocationIndex;
    vec3 own = vec3(0.0, a[i], a[i]);
    for (uint k = 0u; k < 4u; k++) {
        float x = a[i * 4u + k];
        own = vec3(own.x + x, min(own.y, x), max(own.z, x));
    }
    s[i] = own;
    barrier();
    for (uint n = 8u; n > 0u; n >>= 1) {
        if (i < n) s[i] = vec3(s[i].x + s[i + n].x, min(s[i].y, s[i + n].y), max(s[i].z, s[i + n].z));
        barrier();
    }
    if (i == 0u) { o[0] = s[0].x; o[1] = s[0].y; o[2] = s[0].z; }
}

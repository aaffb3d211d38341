#version 450
// Iterations until a point escapes.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    vec2 c = vec2(float(i & 3u), float(i >> 2)) * vec2(0.75, 0.5) - vec2(2.0, 0.75);
    vec2 z = vec2(0.0);
    uint n = 0u;
    while (n < 64u && dot(z, z) < 4.0) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        n++;
    }
    o[i] = n;
}

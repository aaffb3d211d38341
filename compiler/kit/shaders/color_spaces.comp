#version 450
// RGB to HSV and back.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    vec3 c = clamp(abs(vec3(a[i], a[i + 16u], a[i + 32u])) * 0.15, 0.0, 1.0);
    float high = max(c.r, max(c.g, c.b)), low = min(c.r, min(c.g, c.b)), d = high - low;
    float hue = d == 0.0 ? 0.0 : high == c.r ? mod((c.g - c.b) / d, 6.0) : high == c.g ? (c.b - c.r) / d + 2.0 : (c.r - c.g) / d + 4.0;
    vec3 k = clamp(abs(mod(hue + vec3(0.0, 4.0, 2.0), 6.0) - 3.0) - 1.0, 0.0, 1.0);
    vec3 back = high - d + d * k;
    o[i] = hue; o[i + 16u] = floor(back.x * 255.0 + 0.5); o[i + 32u] = floor(back.y * 255.0 + 0.5); o[i + 48u] = floor(back.z * 255.0 + 0.5);
}

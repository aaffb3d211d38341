#version 450
// Points that two bones move.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    vec4 at = vec4(a[i], a[i + 16u], a[i + 32u], 1.0);
    float weight = fract(abs(a[i + 48u]));
    mat4 first = mat4(1.0), second = mat4(0.5);
    first[3] = vec4(1.0, 2.0, 3.0, 1.0);
    second[0].y = 0.25;
    vec4 moved = first * at * weight + second * at * (1.0 - weight);
    o[i] = moved.x; o[i + 16u] = moved.y; o[i + 32u] = moved.z; o[i + 48u] = moved.w;
}

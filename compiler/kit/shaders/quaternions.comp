#version 450
// Rotations by quaternions.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    vec4 q = normalize(vec4(a[i], a[i + 16u], a[i + 32u], 4.0));
    vec3 v = vec3(1.0, 2.0, 3.0);
    vec3 t = 2.0 * cross(q.xyz, v);
    vec3 r = v + q.w * t + cross(q.xyz, t);
    o[i] = r.x; o[i + 16u] = r.y; o[i + 32u] = r.z;
}

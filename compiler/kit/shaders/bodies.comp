#version 450
// A step of bodies that attract each other.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    vec3 at = vec3(a[i], a[i + 16u], a[i + 32u]);
    vec3 force = vec3(0.0);
    for (uint k = 0u; k < 16u; k++) {
        vec3 d = vec3(a[k], a[k + 16u], a[k + 32u]) - at;
        float r = dot(d, d) + 0.5;
        force += d / (r * sqrt(r));
    }
    vec3 next = at + force * 0.01;
    o[i] = next.x; o[i + 16u] = next.y; o[i + 32u] = next.z;
}

#version 450
// Spheres against six planes, compacted.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };
shared uint count;
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i == 0u) count = 0u;
    barrier();
    const vec4 planes[6] = vec4[6](vec4(1, 0, 0, 3), vec4(-1, 0, 0, 3), vec4(0, 1, 0, 3), vec4(0, -1, 0, 3), vec4(0, 0, 1, 3), vec4(0, 0, -1, 3));
    vec3 at = vec3(a[i], a[i + 16u], a[i + 32u]);
    bool inside = true;
    for (int k = 0; k < 6; k++) inside = inside && dot(planes[k].xyz, at) + planes[k].w > -0.25;
    if (inside) atomicAdd(count, 1u);
    barrier();
    o[i] = inside ? i + 1u : 0u;
    if (i == 0u) o[16] = count;
}

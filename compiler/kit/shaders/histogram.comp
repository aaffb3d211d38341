#version 450
// Counts of values in eight bins.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };
shared uint bins[8];
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i < 8u) bins[i] = 0u;
    barrier();
    for (uint k = 0u; k < 4u; k++) atomicAdd(bins[uint(clamp(a[i * 4u + k] * 0.5 + 4.0, 0.0, 7.0))], 1u);
    barrier();
    if (i < 8u) o[i] = bins[i];
}

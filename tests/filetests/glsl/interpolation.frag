// Interpolation of inputs.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = interpolateAtCentroid(a); }
    // CHECK: 32x4 {{.*}} = interp_deref_at_centroid
    { r = interpolateAtSample(a, 1); }
    // CHECK: 32x4 {{.*}} = interp_deref_at_sample
    { r = interpolateAtOffset(a, vec2(0.25)); }
    // CHECK: 32x4 {{.*}} = interp_deref_at_offset
}

// Noise is zero.
// RUN: airfoil opt %s --passes ''
#version 450 compatibility
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = vec4(noise1(a), noise3(a)); }
    // CHECK: 32x4 {{.*}} = const 0, 0, 0, 0
}

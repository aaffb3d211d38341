// Derivatives.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = dFdx(a); }
    // CHECK: 32x4 {{.*}} = fddx
    { r = dFdy(a); }
    // CHECK: 32x4 {{.*}} = fddy
    { r = fwidth(a); }
    // CHECK: 32x4 {{.*}} = fddx
    // CHECK: 32x4 {{.*}} = fddy
    // CHECK: 32x4 {{.*}} = fabs
    // CHECK: 32x4 {{.*}} = fabs
    // CHECK: 32x4 {{.*}} = fadd
    { r = dFdxFine(a); }
    // CHECK: 32x4 {{.*}} = fddx_fine
    { r = dFdyCoarse(a); }
    // CHECK: 32x4 {{.*}} = fddy_coarse
}

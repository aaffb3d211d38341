// Exponentials.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = pow(a, a.wzyx); }
    // CHECK: 32x4 {{.*}} = fpow
    { r = exp(a); }
    // CHECK: 32x4 {{.*}} = fexp
    { r = log(a); }
    // CHECK: 32x4 {{.*}} = flog
    { r = exp2(a); }
    // CHECK: 32x4 {{.*}} = fexp2
    { r = log2(a); }
    // CHECK: 32x4 {{.*}} = flog2
    { r = sqrt(a); }
    // CHECK: 32x4 {{.*}} = fsqrt
    { r = inversesqrt(a); }
    // CHECK: 32x4 {{.*}} = frsq
}

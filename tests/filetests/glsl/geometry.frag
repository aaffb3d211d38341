// Geometric functions.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = vec4(length(a)); }
    // CHECK: 32x1 {{.*}} = fdot4
    // CHECK: 32x1 {{.*}} = fsqrt
    { r = vec4(distance(a, a.wzyx)); }
    // CHECK: 32x4 {{.*}} = fsub
    // CHECK: 32x1 {{.*}} = fdot4
    // CHECK: 32x1 {{.*}} = fsqrt
    { r = vec4(dot(a, a.wzyx)); }
    // CHECK: 32x1 {{.*}} = fdot4
    { r.xyz = cross(a.xyz, a.yzw); }
    // CHECK: 32x3 {{.*}} = fmul
    // CHECK: 32x3 {{.*}} = fmul
    // CHECK: 32x3 {{.*}} = fsub
    // CHECK: 32x1 {{.*}} = undef
    // CHECK: 32x4 {{.*}} = vec4
    { r = normalize(a); }
    // CHECK: 32x1 {{.*}} = fdot4
    // CHECK: 32x1 {{.*}} = frsq
    // CHECK: 32x4 {{.*}} = fmul
    { r = faceforward(a, a.wzyx, a); }
    // CHECK: 32x1 {{.*}} = fdot4
    // CHECK: 1x1 {{.*}} = flt
    // CHECK: 32x4 {{.*}} = fneg
    // CHECK: 32x4 {{.*}} = bcsel
    { r = reflect(a, a.wzyx); }
    // CHECK: 32x1 {{.*}} = fdot4
    // CHECK: 32x1 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = fsub
    { r = refract(a, a.wzyx, 0.5); }
    // CHECK: 32x1 {{.*}} = fdot4
    // CHECK: 32x1 {{.*}} = fmul
    // CHECK: 32x1 {{.*}} = fsub
    // CHECK: 32x1 {{.*}} = fmul
    // CHECK: 32x1 {{.*}} = fsub
    // CHECK: 32x1 {{.*}} = fsqrt
    // CHECK: 32x1 {{.*}} = fmul
    // CHECK: 32x1 {{.*}} = fadd
    // CHECK: 32x4 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = fsub
    // CHECK: 1x1 {{.*}} = flt
    // CHECK: 32x4 {{.*}} = bcsel
}

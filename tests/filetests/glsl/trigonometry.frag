// Angles and trigonometry.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = radians(a); }
    // CHECK: 32x4 {{.*}} = fmul
    { r = degrees(a); }
    // CHECK: 32x4 {{.*}} = fmul
    { r = sin(a); }
    // CHECK: 32x4 {{.*}} = fsin
    { r = cos(a); }
    // CHECK: 32x4 {{.*}} = fcos
    { r = tan(a); }
    // CHECK: 32x4 {{.*}} = ftan
    { r = asin(a); }
    // CHECK: 32x4 {{.*}} = fasin
    { r = acos(a); }
    // CHECK: 32x4 {{.*}} = facos
    { r = atan(a); }
    // CHECK: 32x4 {{.*}} = fatan
    { r = atan(a, a.x * vec4(2)); }
    // CHECK: 32x4 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = fatan2
    { r = sinh(a); }
    // CHECK: 32x4 {{.*}} = fsinh
    { r = cosh(a); }
    // CHECK: 32x4 {{.*}} = fcosh
    { r = tanh(a); }
    // CHECK: 32x4 {{.*}} = ftanh
    { r = asinh(a); }
    // CHECK: 32x4 {{.*}} = fasinh
    { r = acosh(a); }
    // CHECK: 32x4 {{.*}} = facosh
    { r = atanh(a); }
    // CHECK: 32x4 {{.*}} = fatanh
}

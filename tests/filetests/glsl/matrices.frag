// Functions of matrices.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
layout(binding = 0) uniform U { mat4 m; mat2x3 n; mat2 k; };
void main() {
    { r = matrixCompMult(m, m)[0]; }
    // CHECK: 32x4 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = fmul
    { r = outerProduct(a, a)[1]; }
    // CHECK: 32x4 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = fmul
    { r.xy = transpose(n)[0]; }
    // CHECK: 32x2 {{.*}} = vec2
    // CHECK: 32x2 {{.*}} = vec2
    // CHECK: 32x2 {{.*}} = vec2
    // CHECK: 32x1 {{.*}} = undef
    // CHECK: 32x4 {{.*}} = vec4
    { r = vec4(determinant(k)); }
    // CHECK: 32x1 {{.*}} = fmul
    // CHECK: 32x1 {{.*}} = fmul
    // CHECK: 32x1 {{.*}} = fsub
    { r.xy = inverse(k)[0]; }
    // CHECK: 32x1 {{.*}} = fmul
    // CHECK: 32x1 {{.*}} = fmul
    // CHECK: 32x1 {{.*}} = fsub
    // CHECK: 32x1 {{.*}} = frcp
    // CHECK: 32x1 {{.*}} = fneg
    // CHECK: 32x2 {{.*}} = vec2
    // CHECK: 32x2 {{.*}} = fmul
    // CHECK: 32x1 {{.*}} = fneg
    // CHECK: 32x2 {{.*}} = vec2
    // CHECK: 32x2 {{.*}} = fmul
    // CHECK: 32x4 {{.*}} = vec4
}

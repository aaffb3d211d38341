// Functions with out parameters.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { vec4 w; r = modf(a, w) + w; }
    // CHECK: 32x4 {{.*}} = ftrunc
    // CHECK: 32x4 {{.*}} = fsub
    // CHECK: 32x4 {{.*}} = fadd
    { ivec4 e; r = frexp(a, e) + vec4(e); }
    // CHECK: 32x4 {{.*}} = frexp_sig
    // CHECK: 32x4 {{.*}} = frexp_exp
    // CHECK: 32x4 {{.*}} = i2f
    // CHECK: 32x4 {{.*}} = fadd
    { uvec4 c; r = vec4(uaddCarry(u, u, c) + c); }
    // CHECK: 32x4 {{.*}} = iadd
    // CHECK: 32x4 {{.*}} = uadd_carry
    // CHECK: 32x4 {{.*}} = iadd
    // CHECK: 32x4 {{.*}} = u2f
    { uvec4 c; r = vec4(usubBorrow(u, u.x * uvec4(2), c) + c); }
    // CHECK: 32x4 {{.*}} = imul
    // CHECK: 32x4 {{.*}} = isub
    // CHECK: 32x4 {{.*}} = usub_borrow
    // CHECK: 32x4 {{.*}} = iadd
    // CHECK: 32x4 {{.*}} = u2f
    { uvec4 h, l; umulExtended(u, u, h, l); r = vec4(h + l); }
    // CHECK: 32x4 {{.*}} = umul_high
    // CHECK: 32x4 {{.*}} = imul
    // CHECK: 32x4 {{.*}} = iadd
    // CHECK: 32x4 {{.*}} = u2f
    { ivec4 h, l; imulExtended(i, i, h, l); r = vec4(h + l); }
    // CHECK: 32x4 {{.*}} = imul_high
    // CHECK: 32x4 {{.*}} = imul
    // CHECK: 32x4 {{.*}} = iadd
    // CHECK: 32x4 {{.*}} = i2f
}

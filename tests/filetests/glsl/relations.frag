// Relations of vectors.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = vec4(lessThan(a, a.wzyx)); }
    // CHECK: 1x4 {{.*}} = flt
    // CHECK: 32x4 {{.*}} = b2f
    { r = vec4(lessThanEqual(i, i.wzyx)); }
    // CHECK: 1x4 {{.*}} = ige
    // CHECK: 32x4 {{.*}} = b2f
    { r = vec4(greaterThan(u, u.wzyx)); }
    // CHECK: 1x4 {{.*}} = ult
    // CHECK: 32x4 {{.*}} = b2f
    { r = vec4(greaterThanEqual(a, a.wzyx)); }
    // CHECK: 1x4 {{.*}} = fge
    // CHECK: 32x4 {{.*}} = b2f
    { r = vec4(equal(i, i.wzyx)); }
    // CHECK: 1x4 {{.*}} = ieq
    // CHECK: 32x4 {{.*}} = b2f
    { r = vec4(notEqual(a, a.wzyx)); }
    // CHECK: 1x4 {{.*}} = fneu
    // CHECK: 32x4 {{.*}} = b2f
    { r = vec4(any(lessThan(a, vec4(1)))); }
    // CHECK: 1x4 {{.*}} = flt
    // CHECK: 1x1 {{.*}} = bany4
    // CHECK: 32x1 {{.*}} = b2f
    { r = vec4(all(lessThan(a, vec4(1)))); }
    // CHECK: 1x4 {{.*}} = flt
    // CHECK: 1x1 {{.*}} = ball4
    // CHECK: 32x1 {{.*}} = b2f
    { r = vec4(not(lessThan(a, vec4(1)))); }
    // CHECK: 1x4 {{.*}} = flt
    // CHECK: 1x4 {{.*}} = inot
    // CHECK: 32x4 {{.*}} = b2f
}

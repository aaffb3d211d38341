// GL_AMD_shader_trinary_minmax.
// RUN: airfoil opt %s --passes ''
#version 460
#extension GL_AMD_shader_trinary_minmax : require
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = min3(a, a.wzyx, a.yyyy); }
    // CHECK: 32x4 {{.*}} = fmin
    // CHECK: 32x4 {{.*}} = fmin
    { r = vec4(max3(i, i.wzyx, i.yyyy)); }
    // CHECK: 32x4 {{.*}} = imax
    // CHECK: 32x4 {{.*}} = imax
    // CHECK: 32x4 {{.*}} = i2f
    { r = vec4(mid3(u, u.wzyx, u.yyyy)); }
    // CHECK: 32x4 {{.*}} = umax
    // CHECK: 32x4 {{.*}} = umin
    // CHECK: 32x4 {{.*}} = umin
    // CHECK: 32x4 {{.*}} = umax
    // CHECK: 32x4 {{.*}} = u2f
}

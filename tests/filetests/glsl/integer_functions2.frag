// GL_INTEL_shader_integer_functions2.
// RUN: airfoil opt %s --passes ''
#version 460
#extension GL_INTEL_shader_integer_functions2 : require
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = vec4(countLeadingZeros(u)); }
    // CHECK: 32x4 {{.*}} = ufind_msb
    // CHECK: 32x4 {{.*}} = isub
    // CHECK: 32x4 {{.*}} = u2f
    { r = vec4(countTrailingZeros(u)); }
    // CHECK: 32x4 {{.*}} = find_lsb
    // CHECK: 32x4 {{.*}} = umin
    // CHECK: 32x4 {{.*}} = u2f
    { r = vec4(absoluteDifference(i, i.wzyx)); }
    // CHECK: 32x4 {{.*}} = imin
    // CHECK: 32x4 {{.*}} = imax
    // CHECK: 32x4 {{.*}} = isub
    // CHECK: 32x4 {{.*}} = u2f
    { r = vec4(addSaturate(u, u)); }
    // CHECK: 32x4 {{.*}} = uadd_sat
    // CHECK: 32x4 {{.*}} = u2f
    { r = vec4(subtractSaturate(i, i)); }
    // CHECK: 32x4 {{.*}} = isub_sat
    // CHECK: 32x4 {{.*}} = i2f
    { r = vec4(average(u, u.wzyx)); }
    // CHECK: 32x4 {{.*}} = uhadd
    // CHECK: 32x4 {{.*}} = u2f
    { r = vec4(averageRounded(i, i.wzyx)); }
    // CHECK: 32x4 {{.*}} = irhadd
    // CHECK: 32x4 {{.*}} = i2f
    { r = vec4(multiply32x16(i, i)); }
    // CHECK: 16x4 {{.*}} = u2u
    // CHECK: 32x4 {{.*}} = i2i
    // CHECK: 32x4 {{.*}} = imul
    // CHECK: 32x4 {{.*}} = i2f
}

// GL_EXT_integer_dot_product.
// RUN: airfoil opt %s --passes ''
#version 460
#extension GL_EXT_integer_dot_product : require
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = vec4(dotEXT(u.xy, u.zw)); }
    // CHECK: 32x2 {{.*}} = imul
    // CHECK: 32x1 {{.*}} = iadd
    // CHECK: 32x1 {{.*}} = u2f
    { r = vec4(dotPacked4x8EXT(i.x, i.y)); }
    // CHECK: 8x4 {{.*}} = unpack_32_4x8
    // CHECK: 32x4 {{.*}} = i2i
    // CHECK: 8x4 {{.*}} = unpack_32_4x8
    // CHECK: 32x4 {{.*}} = i2i
    // CHECK: 32x4 {{.*}} = imul
    // CHECK: 32x1 {{.*}} = iadd
    // CHECK: 32x1 {{.*}} = iadd
    // CHECK: 32x1 {{.*}} = iadd
    // CHECK: 32x1 {{.*}} = i2f
    { r = vec4(dotAccSatEXT(i.xy, i.zw, 7)); }
    // CHECK: 32x2 {{.*}} = imul
    // CHECK: 32x1 {{.*}} = iadd
    // CHECK: 32x1 {{.*}} = iadd_sat
    // CHECK: 32x1 {{.*}} = i2f
    { r = vec4(dotPacked4x8AccSatEXT(u.x, u.y, 7u)); }
    // CHECK: 8x4 {{.*}} = unpack_32_4x8
    // CHECK: 32x4 {{.*}} = u2u
    // CHECK: 8x4 {{.*}} = unpack_32_4x8
    // CHECK: 32x4 {{.*}} = u2u
    // CHECK: 32x4 {{.*}} = imul
    // CHECK: 32x1 {{.*}} = iadd
    // CHECK: 32x1 {{.*}} = iadd
    // CHECK: 32x1 {{.*}} = iadd
    // CHECK: 32x1 {{.*}} = uadd_sat
    // CHECK: 32x1 {{.*}} = u2f
}

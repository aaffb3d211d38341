// Packing.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = vec4(packUnorm2x16(a.xy)); }
    // CHECK: 32x1 {{.*}} = pack_unorm_2x16
    // CHECK: 32x1 {{.*}} = u2f
    { r = vec4(packSnorm2x16(a.xy)); }
    // CHECK: 32x1 {{.*}} = pack_snorm_2x16
    // CHECK: 32x1 {{.*}} = u2f
    { r = vec4(packUnorm4x8(a)); }
    // CHECK: 32x1 {{.*}} = pack_unorm_4x8
    // CHECK: 32x1 {{.*}} = u2f
    { r = vec4(packSnorm4x8(a)); }
    // CHECK: 32x1 {{.*}} = pack_snorm_4x8
    // CHECK: 32x1 {{.*}} = u2f
    { r = vec4(packHalf2x16(a.xy)); }
    // CHECK: 32x1 {{.*}} = pack_half_2x16
    // CHECK: 32x1 {{.*}} = u2f
    { r.xy = unpackUnorm2x16(u.x); }
    // CHECK: 32x2 {{.*}} = unpack_unorm_2x16
    // CHECK: 32x1 {{.*}} = undef
    // CHECK: 32x4 {{.*}} = vec4
    { r.xy = unpackSnorm2x16(u.x); }
    // CHECK: 32x2 {{.*}} = unpack_snorm_2x16
    // CHECK: 32x4 {{.*}} = vec4
    { r = unpackUnorm4x8(u.x); }
    // CHECK: 32x4 {{.*}} = unpack_unorm_4x8
    { r = unpackSnorm4x8(u.x); }
    // CHECK: 32x4 {{.*}} = unpack_snorm_4x8
    { r.xy = unpackHalf2x16(u.x); }
    // CHECK: 32x2 {{.*}} = unpack_half_2x16
    // CHECK: 32x4 {{.*}} = vec4
    { r = vec4(packDouble2x32(u.xy)); }
    // CHECK: 64x1 {{.*}} = pack_64_2x32
    // CHECK: 32x1 {{.*}} = f2f
}

// Functions of integers.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
void main() {
    { r = vec4(bitfieldExtract(i, 1, 2)); }
    // CHECK: 32x4 {{.*}} = ibitfield_extract
    // CHECK: 32x4 {{.*}} = i2f
    { r = vec4(bitfieldExtract(u, 1, 2)); }
    // CHECK: 32x4 {{.*}} = ubitfield_extract
    // CHECK: 32x4 {{.*}} = u2f
    { r = vec4(bitfieldInsert(i, i.wzyx, 1, 2)); }
    // CHECK: 32x4 {{.*}} = bitfield_insert
    // CHECK: 32x4 {{.*}} = i2f
    { r = vec4(bitfieldReverse(u)); }
    // CHECK: 32x4 {{.*}} = bitfield_reverse
    // CHECK: 32x4 {{.*}} = u2f
    { r = vec4(bitCount(u)); }
    // CHECK: 32x4 {{.*}} = bit_count
    // CHECK: 32x4 {{.*}} = i2f
    { r = vec4(findLSB(u)); }
    // CHECK: 32x4 {{.*}} = find_lsb
    // CHECK: 32x4 {{.*}} = i2f
    { r = vec4(findMSB(i)); }
    // CHECK: 32x4 {{.*}} = ifind_msb
    // CHECK: 32x4 {{.*}} = i2f
    { r = vec4(findMSB(u)); }
    // CHECK: 32x4 {{.*}} = ufind_msb
    // CHECK: 32x4 {{.*}} = i2f
}

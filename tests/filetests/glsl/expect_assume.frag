// Hints are dropped.
// RUN: airfoil opt %s --passes ''
#version 450
#extension GL_EXT_expect_assume : require
flat in int n;
out vec4 o;
void main() {
    assumeEXT(n > 3);
    o = vec4(expectEXT(n, 4));
    // CHECK: i2f
    // CHECK: store_deref
}

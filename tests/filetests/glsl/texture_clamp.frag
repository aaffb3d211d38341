// Lookups with a lower bound of the level are not supported.
// RUN: not airfoil opt %s 2>&1
// CHECK: error[E0631]: extension GL_ARB_sparse_texture_clamp is not supported
#version 450
#extension GL_ARB_sparse_texture_clamp : require
uniform sampler2D s;
out vec4 o;
void main() {
    o = textureClampARB(s, vec2(0.5), 1.0);
}

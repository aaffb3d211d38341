// Whether all samples of a texel are equal.
// RUN: airfoil opt %s --passes ''
#version 450
#extension GL_EXT_shader_samples_identical : require
uniform sampler2DMS s;
out vec4 o;
void main() {
    o = vec4(textureSamplesIdenticalEXT(s, ivec2(0)));
    // CHECK: store_deref
}

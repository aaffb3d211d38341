// Shadow samplers of GL_EXT_shadow_samplers.
// RUN: airfoil opt %s --passes ''
#version 100
#extension GL_EXT_shadow_samplers : require
precision mediump float;
uniform lowp sampler2DShadow s;
void main() {
    gl_FragColor = vec4(shadow2DEXT(s, vec3(0.5)));
    // CHECK: tex 2d float32 shadow
    gl_FragColor += vec4(shadow2DProjEXT(s, vec4(1)));
    // CHECK: tex 2d float32 shadow
}

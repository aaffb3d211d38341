// Levels and gradients of GL_EXT_shader_texture_lod.
// RUN: airfoil opt %s --passes ''
#version 100
#extension GL_EXT_shader_texture_lod : require
precision mediump float;
uniform sampler2D b;
uniform samplerCube d;
void main() {
    gl_FragColor = texture2DLodEXT(b, vec2(0.5), 1.0);
    // CHECK: txl 2d
    gl_FragColor += texture2DProjGradEXT(b, vec3(1), vec2(0.1), vec2(0.1));
    // CHECK: txd 2d
    gl_FragColor += textureCubeGradEXT(d, vec3(1), vec3(0.1), vec3(0.1));
    // CHECK: txd cube
}

// Levels and gradients of GL_ARB_shader_texture_lod.
// RUN: airfoil opt %s --passes ''
#version 120
#extension GL_ARB_shader_texture_lod : require
uniform sampler1D a;
uniform sampler2D b;
uniform sampler2DShadow f;
void main() {
    gl_FragColor = texture2DLod(b, vec2(0.5), 1.0);
    // CHECK: txl 2d
    gl_FragColor += texture1DGradARB(a, 0.5, 0.1, 0.1);
    // CHECK: txd 1d
    gl_FragColor += texture2DProjGradARB(b, vec3(1), vec2(0.1), vec2(0.1));
    // CHECK: txd 2d
    gl_FragColor += shadow2DGradARB(f, vec3(0.5), vec2(0.1), vec2(0.1));
    // CHECK: txd 2d float32 shadow
}

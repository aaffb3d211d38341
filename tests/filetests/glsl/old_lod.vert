// Lookups with a level of detail before GLSL 1.30, in vertex shaders.
// RUN: airfoil opt %s --passes ''
#version 120
uniform sampler1D a;
uniform sampler2D b;
uniform sampler3D c;
uniform samplerCube d;
uniform sampler1DShadow e;
uniform sampler2DShadow f;
void main() {
    gl_Position = texture1DLod(a, 0.5, 1.0);
    // CHECK: txl 1d
    gl_Position += texture1DProjLod(a, vec2(1), 1.0);
    // CHECK: txl 1d
    gl_Position += texture2DLod(b, vec2(0.5), 1.0);
    // CHECK: txl 2d
    gl_Position += texture2DProjLod(b, vec3(1), 1.0);
    // CHECK: txl 2d
    gl_Position += texture3DLod(c, vec3(0.5), 1.0);
    // CHECK: txl 3d
    gl_Position += texture3DProjLod(c, vec4(1), 1.0);
    // CHECK: txl 3d
    gl_Position += textureCubeLod(d, vec3(1), 1.0);
    // CHECK: txl cube
    gl_Position += shadow1DLod(e, vec3(0.5), 1.0);
    // CHECK: txl 1d float32 shadow
    gl_Position += shadow1DProjLod(e, vec4(1), 1.0);
    // CHECK: txl 1d float32 shadow
    gl_Position += shadow2DLod(f, vec3(0.5), 1.0);
    // CHECK: txl 2d float32 shadow
    gl_Position += shadow2DProjLod(f, vec4(1), 1.0);
    // CHECK: txl 2d float32 shadow
}

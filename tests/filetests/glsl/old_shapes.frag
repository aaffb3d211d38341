// Lookups of the first versions of GLSL: one and three dimensions, rectangles and shadows.
// RUN: airfoil opt %s --passes ''
#version 120
#extension GL_ARB_texture_rectangle : require
uniform sampler1D a;
uniform sampler3D c;
uniform sampler1DShadow e;
uniform sampler2DShadow f;
uniform sampler2DRect g;
uniform sampler2DRectShadow h;
void main() {
    gl_FragColor = texture1D(a, 0.5);
    // CHECK: tex 1d
    gl_FragColor += texture3D(c, vec3(0.5));
    // CHECK: tex 3d
    gl_FragColor += texture3DProj(c, vec4(1));
    // CHECK: tex 3d
    gl_FragColor += shadow1D(e, vec3(0.5));
    // CHECK: tex 1d float32 shadow
    gl_FragColor += shadow2DProj(f, vec4(1));
    // CHECK: tex 2d float32 shadow
    gl_FragColor += texture2DRect(g, vec2(5));
    // CHECK: tex rect
    gl_FragColor += texture2DRectProj(g, vec3(1));
    // CHECK: tex rect
    gl_FragColor += shadow2DRect(h, vec3(1));
    // CHECK: tex rect float32 shadow
}

// Lookups of GL_EXT_texture_array.
// RUN: airfoil opt %s --passes ''
#version 120
#extension GL_EXT_texture_array : require
uniform sampler1DArray a;
uniform sampler2DArray b;
uniform sampler2DArrayShadow c;
void main() {
    gl_FragColor = texture1DArray(a, vec2(0.5));
    // CHECK: tex 1d float32 array
    gl_FragColor += texture2DArray(b, vec3(0.5));
    // CHECK: tex 2d float32 array
    gl_FragColor += vec4(shadow2DArray(c, vec4(0.5)));
    // CHECK: tex 2d float32 array shadow
}

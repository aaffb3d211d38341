// Lookups of GL_EXT_gpu_shader4.
// RUN: airfoil opt %s --passes ''
#version 120
#extension GL_EXT_gpu_shader4 : require
uniform sampler1D a;
uniform sampler2D b;
uniform sampler3D c;
void main() {
    gl_FragColor = texture1DOffset(a, 0.5, 1);
    // CHECK: tex 1d float32 {{.*}} offset=
    gl_FragColor += texture2DLodOffset(b, vec2(0.5), 1.0, ivec2(1));
    // CHECK: txl 2d float32 {{.*}} offset=
    gl_FragColor += texelFetch2D(b, ivec2(1), 0);
    // CHECK: txf 2d
    gl_FragColor += texture3DGrad(c, vec3(0.5), vec3(0.1), vec3(0.1));
    // CHECK: txd 3d
}

// Texture functions of GLSL 1.20.
// RUN: airfoil opt %s --passes ''
#version 120
uniform sampler2D s;
uniform sampler1DShadow d;
varying vec4 a;
void main() {
    { gl_FragColor = texture2D(s, a.xy); }
    // CHECK: 32x4 {{.*}} = tex 2d float32 texture={{.*}} sampler={{.*}} coord=
    { gl_FragColor = texture2DProj(s, a); }
    // CHECK: 32x4 {{.*}} = tex 2d float32 texture={{.*}} sampler={{.*}} coord={{.*}} projector=
    { gl_FragColor = shadow1D(d, a.xyz); }
    // CHECK: 32x1 {{.*}} = tex 1d float32 shadow texture={{.*}} sampler={{.*}} coord={{.*}} comparator=
    // CHECK: 32x4 {{.*}} = vec4
}

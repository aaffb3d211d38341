#version 100
// RUN: airfoil compile %s -O0 --to ll
// `gl_LastFragData` is an argument of the function; it was undefined.
// CHECK: @fragment_main(<4 x float> [[c:%[a-z0-9]+]]
// CHECK: extractelement <4 x float> [[c]], i64 1
// RUN[O2]: airfoil compile %s -O2 --to ll
// O2: @fragment_main(<4 x float> [[d:%[a-z0-9]+]])
// O2: extractelement <4 x float> [[d]], i64 1
// O2: fmul
#extension GL_EXT_shader_framebuffer_fetch : require
precision highp float;
void main() { gl_FragColor = gl_LastFragData[0].yzwx * 0.5; }

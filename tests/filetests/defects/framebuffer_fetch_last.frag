#version 100
// RUN: airfoil compile %s -O0 --to ll
// `gl_LastFragData` is an argument of the function; it was undefined.
// CHECK: @fragment_main(<4 x float> %v0)
// RUN[O2]: airfoil compile %s -O2 --to ll
// O2: @fragment_main(<4 x float> %v0)
// O2: fmul <4 x float>
#extension GL_EXT_shader_framebuffer_fetch : require
precision highp float;
void main() { gl_FragColor = gl_LastFragData[0].yzwx * 0.5; }

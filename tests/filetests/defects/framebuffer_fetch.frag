#version 300 es
// RUN: airfoil compile %s -O0 --to ll
// An `inout` output starts with the colour of its attachment, which is an argument of the function; it was undefined.
// CHECK: define <4 x float> @fragment_main(<4 x float> [[c:%[a-z0-9]+]])
// CHECK: extractelement <4 x float> [[c]], i64 3
// CHECK: !"air.render_target"
// RUN[O2]: airfoil compile %s -O2 --to ll
// O2: define <4 x float> @fragment_main(<4 x float> [[d:%[a-z0-9]+]])
// O2: extractelement <4 x float> [[d]], i64 3
// O2-NOT: <4 x float> undef, <4 x float>
// O2: @llvm.fmuladd.v4f32(
#extension GL_EXT_shader_framebuffer_fetch : require
precision highp float;
layout(location = 0) inout vec4 c;
void main() { c = c * 0.5 + 0.25; }

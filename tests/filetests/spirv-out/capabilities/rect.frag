// RUN: airfoil compile %s -O0 --to spvasm
// CHECK: OpCapability ImageRect
// CHECK: OpCapability SampledRect
#version 460
layout(binding = 0) uniform sampler2DRect t;
layout(binding = 1, r32f) uniform image2DRect i;
layout(location = 0) out vec4 c;
void main() { c = texture(t, vec2(1.0)) + imageLoad(i, ivec2(0)); }

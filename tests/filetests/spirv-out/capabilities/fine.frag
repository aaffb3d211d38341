// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// CHECK: OpCapability Float64
// CHECK: OpCapability DerivativeControl
#version 460
layout(location = 0) flat in double d;
layout(location = 0) out vec4 c;
void main() { c = dFdxFine(gl_FragCoord) + vec4(float(d * 2.0lf)); }

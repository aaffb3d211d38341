#version 450
// RUN: airfoil compile %s -O0 --vulkan --to ll
// Defect 13: an array that is only read is a constant variable, not memory that each invocation fills.
// CHECK: addrspace(2) constant [3 x <2 x float>] [<2 x float> <float 1.000000e+00, float 2.000000e+00>, <2 x float> <float 3.000000e+00, float 4.000000e+00>, <2 x float> <float 5.000000e+00, float 6.000000e+00>]
// CHECK-NOT: = alloca
// CHECK: load <2 x float>, <2 x float> addrspace(2)*
// RUN[O2]: airfoil compile %s -O2 --vulkan --to ll
// O2: addrspace(2) constant [3 x <2 x float>] [<2 x float> <float 1.000000e+00, float 2.000000e+00>, <2 x float> <float 3.000000e+00, float 4.000000e+00>, <2 x float> <float 5.000000e+00, float 6.000000e+00>]
// O2-NOT: = alloca
// O2: load <2 x float>, <2 x float> addrspace(2)*
layout(location = 0) flat in int i;
layout(location = 0) out vec4 o;
const vec2 p[3] = vec2[](vec2(1, 2), vec2(3, 4), vec2(5, 6));
void main() { o = vec4(p[i], p[(i + 1) % 3]); }

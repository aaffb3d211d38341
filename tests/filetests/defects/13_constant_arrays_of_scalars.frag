#version 450
// RUN: airfoil compile %s -O0 --vulkan --to ll
// The elements of a constant array may be numbers, zeros, and arrays of them.
// CHECK: constant [3 x float] [float -1.000000e+00, float 0.000000e+00, float 2.500000e+00]
// CHECK: constant [2 x [2 x i32]] [{{.*}}[2 x i32] [i32 -7, i32 9]]
// CHECK-NOT: = alloca
layout(location = 0) flat in int i;
layout(location = 0) out vec4 o;
const float a[3] = float[](-1.0, 0.0, 2.5);
const int b[2][2] = int[][](int[](0, 0), int[](-7, 9));
void main() { o = vec4(a[i], b[i & 1][i >> 1], 0.0, 1.0); }

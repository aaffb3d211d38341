// RUN: airfoil compile %s --vulkan -O2 --to spvasm
// RUN[GIVEN]: airfoil compile %s --vulkan -O2 --spec 3=7 --to spvasm
// RUN[AIR]: airfoil compile %s --vulkan --function-constants --to ll
// RUN[CLOSED]: airfoil compile %s --vulkan --to ll
// Specialization constants of GLSL stay open, apart from those on which the size of an array depends.
// CHECK: OpDecorate %N SpecId 3
// CHECK: OpDecorate %scale SpecId 4
// CHECK: OpDecorate %flip SpecId 5
// CHECK-NOT: SpecId 6
// CHECK: %N = OpSpecConstant %int 4
// CHECK: %scale = OpSpecConstant %float 2
// CHECK: %flip = OpSpecConstantFalse %bool
// CHECK: %zero = OpSpecConstant %uint 0
// CHECK: OpShiftLeftLogical %uint %N %uint_1
// CHECK: OpLoopMerge
// GIVEN-NOT: SpecId 3
// GIVEN: OpDecorate %scale SpecId 4
// AIR: air.function_constant
// CLOSED-NOT: air.function_constant
#version 450
layout(constant_id = 3) const int N = 4;
layout(constant_id = 4) const float scale = 2.0;
layout(constant_id = 5) const bool flip = false;
layout(constant_id = 7) const uint zero = 0u;
layout(constant_id = 6) const int SIZE = 3;
const int M = N * 2 + 1;
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 c;
float table[SIZE];

void main() {
    const float k = scale * 3.0;
    for (int i = 0; i < SIZE; ++i)
        table[i] = v[i];
    c = v * k;
    for (int i = 0; i < M; ++i)
        c += v * float(i);
    if (flip)
        c = c.wzyx;
    c.x += table[N & 1] + float(zero);
}

// Arrays of resources without a size whose index varies stay without one; constant indices give the size.
// RUN: airfoil opt %s --vulkan --passes ''
#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(set=0, binding=0) buffer B { vec4 v; } b[];
// CHECK: ssbo B { vec4 v @0 }[] b
layout(set=0, binding=1) uniform U { vec4 v; } u[];
// CHECK: ubo U { vec4 v @0 }[] u
layout(set=0, binding=2) uniform sampler2D varying_index[];
// CHECK: uniform sampled(2d float32)[] varying_index
layout(set=0, binding=3) uniform sampler2D constant_index[];
// CHECK: uniform sampled(2d float32)[4] constant_index
layout(location=0) flat in int i;
layout(location=0) out vec4 c;
void main() {
    c = b[nonuniformEXT(i)].v + u[nonuniformEXT(i)].v;
    c += texture(varying_index[nonuniformEXT(i)], vec2(0.5)) + texture(constant_index[3], vec2(0.5));
}

// RUN: airfoil opt %s --vulkan --passes ''
// Indices into a block, constant indices, coordinates and unmarked indices do not mark an access.
// CHECK-NOT: non_uniform
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(binding = 0) uniform texture2D t[4];
layout(binding = 1) uniform sampler s;
layout(binding = 2) uniform sampler2D ts[4];
layout(binding = 3, rgba8) uniform readonly image2D im[2];
layout(binding = 4) buffer B {
    vec4 v;
    vec4 w[4];
} b[2];
layout(binding = 5) uniform U {
    vec4 v;
} u[2];
layout(location = 0) flat in int i;
layout(location = 0) out vec4 o;
void main() {
    o = b[0].w[nonuniformEXT(i)];
    o += texture(ts[i], vec2(nonuniformEXT(i)));
    o += texture(ts[nonuniformEXT(2)], vec2(0)) + b[i].v;
}

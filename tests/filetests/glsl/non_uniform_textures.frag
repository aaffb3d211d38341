// RUN: airfoil opt %s --vulkan --passes ''
// Lookups in textures that differ within a subgroup are marked.
// CHECK-COUNT-4: non_uniform texture=
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
    o = texture(sampler2D(t[nonuniformEXT(i)], s), vec2(0));
    o += texture(ts[nonuniformEXT(i) + 1], vec2(0));
    o += texture(nonuniformEXT(ts[i]), vec2(0));
    nonuniformEXT int j = i;
    o += texture(ts[j], vec2(0));
}

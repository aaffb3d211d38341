// RUN: airfoil opt %s --vulkan --passes ''
// Accesses to resources that differ within a subgroup are marked.
// CHECK: image_load {{.*}} access={{.*}}non_uniform
// CHECK-COUNT-3: load_deref {{.*}} access={{.*}}non_uniform
// CHECK: store_deref {{.*}} access={{.*}}non_uniform
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
    o = imageLoad(im[nonuniformEXT(i)], ivec2(0));
    o += b[nonuniformEXT(i)].v;
    o += b[nonuniformEXT(uint(i) + 1u)].w[2];
    o += u[nonuniformEXT(i)].v;
    b[nonuniformEXT(i)].v.x = 1.0;
}

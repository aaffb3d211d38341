// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// CHECK: OpCapability UniformBufferArrayDynamicIndexing
// CHECK: OpCapability SampledImageArrayDynamicIndexing
// CHECK: OpCapability StorageBufferArrayDynamicIndexing
// CHECK: OpCapability StorageImageArrayDynamicIndexing
// CHECK: OpCapability InputAttachment
// CHECK: OpCapability SampledBuffer
// CHECK: OpCapability ImageBuffer
// CHECK: OpCapability ShaderNonUniform
// CHECK: OpCapability InputAttachmentArrayDynamicIndexing
// CHECK: OpCapability UniformTexelBufferArrayDynamicIndexing
// CHECK: OpCapability StorageTexelBufferArrayDynamicIndexing
// CHECK: OpCapability UniformBufferArrayNonUniformIndexing
// CHECK: OpCapability SampledImageArrayNonUniformIndexing
// CHECK: OpCapability StorageBufferArrayNonUniformIndexing
// CHECK: OpCapability StorageImageArrayNonUniformIndexing
// CHECK: OpCapability InputAttachmentArrayNonUniformIndexing
// CHECK: OpCapability UniformTexelBufferArrayNonUniformIndexing
// CHECK: OpCapability StorageTexelBufferArrayNonUniformIndexing
#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(set = 0, binding = 0) uniform U { vec4 v; } u[4];
layout(set = 0, binding = 1) buffer B { vec4 v; } b[4];
layout(set = 0, binding = 2) uniform sampler2D s[];
layout(set = 0, binding = 3, r32f) uniform image2D i[4];
layout(set = 0, binding = 4) uniform samplerBuffer t[4];
layout(set = 0, binding = 5, r32f) uniform imageBuffer j[4];
layout(input_attachment_index = 0, set = 0, binding = 6) uniform subpassInput p[4];
layout(push_constant) uniform P { int same; };
layout(location = 0) flat in int each;
layout(location = 0) out vec4 c;
void main() {
    int n = each;
    c = u[same].v + b[same].v + texture(s[same], vec2(0.0)) + imageLoad(i[same], ivec2(0)) + texelFetch(t[same], 0)
        + imageLoad(j[same], 0) + subpassLoad(p[same]);
    c += u[nonuniformEXT(n)].v + b[nonuniformEXT(n)].v + texture(s[nonuniformEXT(n)], vec2(0.0)) + imageLoad(i[nonuniformEXT(n)], ivec2(0)) + texelFetch(t[nonuniformEXT(n)], 0)
        + imageLoad(j[nonuniformEXT(n)], 0) + subpassLoad(p[nonuniformEXT(n)]);
}

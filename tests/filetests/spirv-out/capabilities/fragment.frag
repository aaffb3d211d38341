// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// CHECK: OpCapability ImageGatherExtended
// CHECK: OpCapability ClipDistance
// CHECK: OpCapability CullDistance
// CHECK: OpCapability SampleMaskPostDepthCoverage
// CHECK: OpCapability StencilExportEXT
#version 460
#extension GL_ARB_shader_stencil_export : require
#extension GL_ARB_post_depth_coverage : require
#extension GL_ARB_sparse_texture_clamp : enable
layout(early_fragment_tests, post_depth_coverage) in;
layout(binding = 0) uniform sampler2D t;
layout(location = 0) in vec2 p;
layout(location = 0) out vec4 c;
in float gl_ClipDistance[1];
in float gl_CullDistance[1];
void main() {
    gl_FragStencilRefARB = 1;
    c = textureGatherOffset(t, p, ivec2(int(p.x), 1)) * float(gl_SampleMaskIn[0]) + gl_ClipDistance[0] + gl_CullDistance[0];
}

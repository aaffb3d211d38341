// RUN: airfoil opt %s --vulkan --passes ''
// Input attachments are fetched at the pixel of the fragment.
// CHECK: uniform texture(subpass float32) color set=1 binding=2 offset=3
// CHECK: uniform texture(subpass_ms uint32) ids binding=4 offset=1
// CHECK: [[at:%[0-9]+]] = const 0, 0
// CHECK: = txf subpass float32 texture={{%[0-9]+}} coord=[[at]] lod=%
// CHECK: = txf_ms subpass_ms uint32 texture={{%[0-9]+}} coord=%
#version 450
layout(input_attachment_index = 3, set = 1, binding = 2) uniform subpassInput color;
layout(input_attachment_index = 1, binding = 4) uniform usubpassInputMS ids;
layout(location = 0) out vec4 o;
void main() {
    o = subpassLoad(color) + vec4(subpassLoad(ids, 5));
}

// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// Transform feedback of two vertex streams.
// CHECK: OpCapability GeometryPointSize
// CHECK: OpCapability TransformFeedback
// CHECK: OpCapability GeometryStreams
#version 460
layout(points) in;
layout(points, max_vertices = 2) out;
layout(stream = 1, location = 0, xfb_buffer = 1, xfb_offset = 4, xfb_stride = 16) out float extra;
layout(stream = 0, location = 1, xfb_buffer = 0, xfb_offset = 0) out vec2 first;
void main() {
    gl_PointSize = 1.0;
    gl_Position = vec4(0.0);
    first = vec2(1.0);
    EmitStreamVertex(0);
    extra = 1.0;
    EmitStreamVertex(1);
}

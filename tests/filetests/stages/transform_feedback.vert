// RUN: airfoil link %s --transform-feedback -o - | airfoil dis -
// A vertex shader whose outputs are captured writes them to a buffer.
// CHECK-LABEL: @vertex_main(
// CHECK: fmul
// CHECK: store <4 x float>
// CHECK: !"air.buffer"
// CHECK-LABEL: @fragment_main(
// --- a.vert
#version 450 core
layout(location = 0) in vec4 p;
layout(xfb_buffer = 0, xfb_offset = 0, location = 0) out vec4 kept;
void main() {
    gl_Position = p;
    kept = p * 2.0;
}
// --- a.frag
#version 450 core
layout(location = 0) in vec4 kept;
out vec4 color;
void main() {
    color = kept;
}

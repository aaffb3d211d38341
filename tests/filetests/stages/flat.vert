// RUN: airfoil link %s -o - | airfoil dis -
// Integers are not interpolated.
// CHECK: !"air.vertex_output", !"user([[which:locn[0-9]+]])", !"air.arg_type_name", !"int2"
// CHECK: !"air.fragment_input", !"user([[which]])", !"air.flat", !"air.arg_type_name", !"int2"
// --- a.vert
#version 450 core
layout(location = 0) in vec4 p;
flat out ivec2 which;
void main() {
    gl_Position = p;
    which = ivec2(p.xy);
}
// --- a.frag
#version 450 core
flat in ivec2 which;
out vec4 color;
void main() {
    color = vec2(which).xyxy;
}

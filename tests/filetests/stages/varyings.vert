// RUN: airfoil link %s -o - | airfoil dis -
// Both ends of a varying have the same name, type and number of components.
// CHECK-LABEL: define <{ <4 x float>, {{.*}} }> @vertex_main(
// CHECK: !"air.vertex_output", !"user([[uv:locn[0-9]+]])", !"air.arg_type_name", !"float2", !"air.arg_name", !"uv"
// CHECK-LABEL: define <4 x float> @fragment_main(<2 x float> %a0)
// CHECK: !"air.fragment_input", !"user([[uv]])", {{.*}}!"float2"
// --- a.vert
#version 450 core
layout(location = 0) in vec4 p;
out vec2 uv;
out float unused;
void main() {
    gl_Position = p;
    uv = p.xy;
    unused = p.z;
}
// --- a.frag
#version 450 core
in vec2 uv;
out vec4 color;
void main() {
    color = uv.xyxy;
}

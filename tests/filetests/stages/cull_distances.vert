// RUN: airfoil link %s -o - | airfoil dis -
// Metal lacks cull distances: the fragment shader discards primitives whose vertices all have a negative one.
// CHECK-LABEL: @vertex_main(
// CHECK: !"user([[flags:locn[0-9]+]])", !"air.arg_type_name", !"float4", !"air.arg_name", !"cull_flags0"
// CHECK-LABEL: @fragment_main(
// CHECK: @air.discard_fragment()
// CHECK: !"user([[flags]])"
// --- a.vert
#version 450 core
layout(location = 0) in vec4 p;
out float gl_CullDistance[1];
void main() {
    gl_Position = p;
    gl_CullDistance[0] = p.x;
}
// --- a.frag
#version 450 core
out vec4 color;
void main() {
    color = vec4(1);
}

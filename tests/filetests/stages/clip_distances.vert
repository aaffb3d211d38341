// RUN: airfoil link %s -o - | airfoil dis -
// The fragment shader reads the distances that the vertex shader writes as varyings.
// CHECK: !"air.vertex_output", !"user([[d:[^"]*]])", !"air.arg_type_name", !"float4", !"air.arg_name", !"clip_distances0"
// CHECK: !"air.clip_distance", !"air.clip_distance_array_size", i32 2
// CHECK-LABEL: @fragment_main(
// CHECK: !"air.fragment_input", !"user([[d]])"
// --- a.vert
#version 450 core
layout(location = 0) in vec4 p;
out float gl_ClipDistance[2];
void main() {
    gl_Position = p;
    gl_ClipDistance[0] = p.x;
    gl_ClipDistance[1] = p.y;
}
// --- a.frag
#version 450 core
in float gl_ClipDistance[2];
out vec4 color;
void main() {
    color = vec4(gl_ClipDistance[0], gl_ClipDistance[1], 0, 1);
}

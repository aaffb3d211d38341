// RUN: airfoil link %s -o - | airfoil dis -
// A geometry shader becomes a mesh function, the vertex shader a kernel.
// CHECK: !air.kernel = 
// CHECK: call void @air.set_position_mesh(
// CHECK: !air.mesh = 
// CHECK: !"air.mesh_vertex_data", i32 {{[0-9]+}}, !"user([[tint:locn[0-9]+]])"
// CHECK-LABEL: @fragment_main(
// CHECK: !"air.fragment_input", !"user([[tint]])"
// --- a.vert
#version 450 core
layout(location = 0) in vec4 p;
out vec4 c;
void main() {
    gl_Position = p;
    c = p;
}
// --- a.geom
#version 450 core
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
in vec4 c[];
out vec4 tint;
void main() {
    for (int n = 0; n < 3; n++) {
        gl_Position = gl_in[0].gl_Position + vec4(n, n & 1, 0, 0);
        tint = c[0];
        EmitVertex();
    }
}
// --- a.frag
#version 450 core
in vec4 tint;
out vec4 color;
void main() {
    color = tint;
}

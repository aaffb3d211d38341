// Vertices of the geometry stage.
// RUN: airfoil opt %s --passes ''
#version 460
layout(points) in;
layout(points, max_vertices = 2) out;
void main() {
    { EmitVertex(); }
    // CHECK: emit_vertex
    { EndPrimitive(); }
    // CHECK: end_primitive
    { EmitStreamVertex(1); }
    // CHECK: emit_vertex stream=1
    { EndStreamPrimitive(1); }
    // CHECK: end_primitive stream=1
}

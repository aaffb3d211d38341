// RUN: airfoil opt %s --passes ''
// RUN[IO]: airfoil opt %s --passes O2
// Elements of an array of blocks with a location follow each other.
// CHECK: struct B { vec4 a precision=mediump, float c }
// CHECK: in B[2] B location=3
// IO: io=5 
// IO: io=(3 slots=4) 
#version 450
layout(location = 3) in B {
    mediump vec4 a;
    float c;
} v[2];
uniform int i;
layout(location = 0) out vec4 o;
void main() {
    o = v[1].a * v[i].c;
}

// RUN: airfoil opt %s --passes ''
// RUN[IO]: airfoil opt %s --passes O2
// Members of a block that are interpolated in different ways are inputs of their own, one per element.
// CHECK: in int n location=3 flat
// CHECK-NEXT: in vec4 a location=4 noperspective
// CHECK-NEXT: in float c location=5
// CHECK-NEXT: in int n.1 location=6 flat
// CHECK-NEXT: in vec4 a.1 location=7 noperspective
// CHECK-NEXT: in float c.1 location=8
// IO: io=7 
// IO: io=8 
#version 450
layout(location = 3) in B {
    flat int n;
    noperspective vec4 a;
    float c;
} v[2];
uniform int i;
layout(location = 0) out vec4 o;
void main() {
    o = v[1].a * v[i].c;
}

// The fixed-function position.
// RUN: airfoil opt %s --passes ''
#version 120
void main() {
    gl_Position = ftransform();
    // CHECK: load_deref
    // CHECK: fmul
}

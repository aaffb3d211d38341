#version 450
// RUN: airfoil compile %s --clip-planes 1 --to ll
// Defect 3: only enabled distances clip (OpenGL 4.6 section 13.7), so that the function returns 0.0 for the others.
// CHECK: [[x:%v[0-9]+]] = insertvalue [2 x float] undef, float {{%v[0-9]+}}, 0
// CHECK-NEXT: insertvalue [2 x float] [[x]], float 0.000000e+00, 1
// RUN[ALL]: airfoil compile %s --to ll
// ALL: insertvalue [2 x float] {{%v[0-9]+}}, float {{%v[0-9]+}}, 1
layout(location = 0) in vec4 p;
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main() {
    gl_ClipDistance[0] = p.x;
    gl_ClipDistance[1] = p.y;
    gl_Position = p;
}

// RUN[PLAIN]: airfoil compile %s --to ll
// RUN[FLIP]: airfoil compile %s --to ll --flip-y
// RUN[FLIP_ALIAS]: airfoil compile %s --to ll --flip-vert-y
// RUN[HALF]: airfoil compile %s --to ll --half-z
// RUN[HALF_ALIAS]: airfoil compile %s --to ll --fixup-clipspace
// RUN[KERNEL]: airfoil compile %s --to ll --flip-y --half-z --vertex-kernel
// RUN[LINES]: airfoil compile %s --to ll --points no
// RUN[LINES_NONE]: airfoil compile %s --to ll --points no
// The last stage before rasterisation converts positions to the clip space of Metal, and writes a point size if points are
// drawn.
// PLAIN-NOT: fsub
// PLAIN-NOT: fneg
// PLAIN-NOT: 5.000000e-01
// PLAIN: !"air.point_size"
// FLIP: fsub {{.*}}float -0.000000e+00
// FLIP-NOT: 5.000000e-01
// FLIP_ALIAS: fsub {{.*}}float -0.000000e+00
// HALF-NOT: -0.000000e+00
// HALF: 5.000000e-01
// HALF_ALIAS: 5.000000e-01
// KERNEL-NOT: -0.000000e+00
// KERNEL-NOT: 5.000000e-01
// KERNEL: !air.kernel
// LINES: !"air.position"
// LINES_NONE-NOT: air.point_size
#version 450
layout(location = 0) in vec4 p;
void main() {
    gl_Position = p;
    gl_PointSize = 3.0;
}

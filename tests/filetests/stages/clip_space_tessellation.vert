// RUN: airfoil compile %s --flip-y --half-z --points no -o - | airfoil dis -
// The evaluation stage is the last one: its positions are converted, not those of the vertex stage.
// CHECK-LABEL: target datalayout
// CHECK-NOT: -0.000000e+00
// CHECK-NOT: 5.000000e-01
// CHECK: !air.kernel
// CHECK-LABEL: target datalayout
// CHECK: -0.000000e+00
// CHECK: 5.000000e-01
// CHECK-NOT: air.point_size
// CHECK: !air.fragment
// --- a.vert
#version 450
layout(location = 0) in vec4 p;
void main() {
    gl_Position = p;
    gl_PointSize = 3.0;
}
// --- a.tese
#version 450
layout(triangles) in;
void main() {
    gl_Position = gl_in[0].gl_Position * gl_TessCoord.x;
    gl_PointSize = 2.0;
}
// --- a.frag
#version 450
layout(location = 0) out vec4 c;
void main() {
    c = gl_FragCoord + dFdy(gl_FragCoord.x) + (gl_FrontFacing ? 0.0 : gl_PointCoord.y);
}

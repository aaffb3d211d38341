// RUN[PLAIN]: airfoil compile %s --to ll
// RUN[FLIP]: airfoil compile %s --to ll --flip-window=600
// RUN[DRIVER]: airfoil compile %s --to ll --flip-window
// Window coordinates are mirrored, with the given height or that of the driver.
// PLAIN-NOT: 6.000000e+02
// FLIP: 6.000000e+02
// DRIVER: !"air.arg_name", !"driver"
#version 450
layout(location = 0) out vec4 c;
void main() {
    c = gl_FragCoord + dFdy(gl_FragCoord.x) + (gl_FrontFacing ? 0.0 : gl_PointCoord.y);
}

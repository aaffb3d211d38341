// RUN: not airfoil link %s -o - 2>&1
// Types of the two ends of a varying must match.
// CHECK: error[E
// CHECK-SAME: `uv`
// --- a.vert
#version 450 core
layout(location = 0) in vec4 p;
out vec2 uv;
void main() {
    gl_Position = p;
    uv = p.xy;
}
// --- a.frag
#version 450 core
in vec3 uv;
out vec4 color;
void main() {
    color = uv.xyzx;
}

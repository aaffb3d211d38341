// RUN: airfoil link %s -o - | airfoil dis -
// The distances follow the varyings of the program, and then the flags of culling.
// CHECK-LABEL: @vertex_main(
// CHECK: "user(locn1)"
// CHECK: "user(locn2)"
// CHECK: "user(locn4)"
// CHECK: air.clip_distance
// CHECK-LABEL: @fragment_main(
// CHECK: @air.discard_fragment
// CHECK: "user(locn1)"
// CHECK: "user(locn2)"
// CHECK: "user(locn4)"
// --- a.vert
#version 450
layout(location = 3) in vec4 p;
layout(location = 1) out vec2 uv;
out gl_PerVertex {
    vec4 gl_Position;
    float gl_ClipDistance[2];
    float gl_CullDistance[1];
};
void main() {
    uv = p.xy;
    gl_ClipDistance[0] = p.x;
    gl_ClipDistance[1] = 1.0;
    gl_CullDistance[0] = p.y;
    gl_Position = p;
}
// --- a.frag
#version 450
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 c;
in float gl_ClipDistance[2];
void main() {
    c = vec4(uv, gl_ClipDistance[0], gl_ClipDistance[1]);
}

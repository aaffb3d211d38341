#version 450
layout(location = 0) in vec4 p;
layout(location = 0, xfb_buffer = 1) out Captured {
    layout(xfb_offset = 4, xfb_stride = 48) vec3 a;
    float skipped;
    layout(xfb_offset = 16) mat2 m;
    layout(xfb_offset = 32) int i[3];
} captured[2];
layout(location = 14, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 8) out Plain { vec2 v; } plain;
void main() {
    gl_Position = p;
    for (int n = 0; n < 2; n++) {
        captured[n].a = p.xyz + float(n);
        captured[n].skipped = p.x;
        captured[n].m = mat2(p) * float(n + 1);
        captured[n].i = int[3](n, n + 1, n + 2);
    }
    plain.v = p.zw;
}

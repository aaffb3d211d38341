#version 450
layout(location = 0) out vec3 tint;

void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    tint = vec3(corner, 0.5);
    gl_Position = vec4(corner * 1.6 - 0.8, 0.5, 1.0);
}

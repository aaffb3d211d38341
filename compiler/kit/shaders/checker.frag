#version 450
// A smooth checkerboard.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec2 w = sin(uv * 12.566);
    color = vec4(vec3(0.5 + 0.5 * clamp(w.x * w.y * 2.0, -1.0, 1.0)), 1.0);
}

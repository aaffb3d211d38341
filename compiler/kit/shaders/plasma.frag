#version 450
// Sums of waves.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    float v = sin(uv.x * 6.0) + sin(uv.y * 5.0 + 1.0) + sin((uv.x + uv.y) * 4.0) + cos(length(uv - 0.5) * 9.0);
    color = vec4(0.5 + 0.125 * v, 0.5 + 0.125 * cos(v), 0.5, 1.0);
}

#version 450
// Fragments that are discarded in a loop.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    float d = 1.0;
    for (int k = 0; k < 4; k++) { d -= 0.125; if (uv.x + uv.y * 0.5 > d + 1.0) discard; }
    color = vec4(uv, d, 1.0);
}

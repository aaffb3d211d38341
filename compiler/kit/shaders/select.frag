#version 450
// Nested conditions without branches.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec3 c = uv.x < 0.25 ? vec3(1.0, 0.0, 0.0) : uv.x < 0.5 ? vec3(0.0, 1.0, 0.0) : uv.y < 0.75 ? vec3(0.0, 0.0, 1.0) : vec3(1.0);
    color = vec4(c * 0.75, 1.0);
}

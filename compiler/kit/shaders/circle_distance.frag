#version 450
// Distance to a circle and a box.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec2 at = uv * 2.0 - 1.0;
    float circle = length(at - vec2(0.25, 0.1)) - 0.4;
    vec2 q = abs(at + vec2(0.3, 0.2)) - vec2(0.3, 0.2);
    float box = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0);
    float d = min(circle, box);
    color = vec4(vec3(clamp(0.5 + d, 0.0, 1.0)), 1.0);
}

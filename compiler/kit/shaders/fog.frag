#version 450
// Exponential fog over a gradient.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, binding = 0) uniform Params { vec4 p[4]; };
void main() {
    float far = uv.y * uv.y * 4.0;
    color = vec4(mix(p[0].rgb, p[1].rgb, exp(-far * 0.75)), 1.0);
}

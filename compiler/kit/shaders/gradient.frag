#version 450
// A gradient of three colours.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, binding = 0) uniform Params { vec4 p[4]; };
void main() {
    vec3 low = p[0].rgb, mid = p[1].rgb, high = p[2].rgb;
    color = vec4(uv.y < 0.5 ? mix(low, mid, uv.y * 2.0) : mix(mid, high, uv.y * 2.0 - 1.0), 1.0);
}

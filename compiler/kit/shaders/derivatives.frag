#version 450
// The slope of a smooth function.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    float h = uv.x * uv.x + uv.y * 0.5;
    color = vec4(clamp(vec2(dFdx(h), dFdy(h)) * 8.0, 0.0, 1.0), fwidth(h) * 4.0, 1.0);
}

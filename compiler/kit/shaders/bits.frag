#version 450
// A pattern of integer operations on coordinates.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint v = (at.x ^ at.y) * 8u & 255u;
    color = vec4(float(v) / 255.0, float(at.x & at.y) / 31.0, float(bitCount(at.x * at.y)) / 10.0, 1.0);
}

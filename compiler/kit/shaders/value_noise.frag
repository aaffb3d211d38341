#version 450
// Noise of an integer hash, interpolated.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
float corner(ivec2 c) {
    uint h = uint(c.x) * 0x9e3779b1u ^ uint(c.y) * 0x85ebca6bu;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    return float(h >> 8 & 255u) / 255.0;
}
void main() {
    vec2 at = uv * 6.0, cell = floor(at), f = smoothstep(0.0, 1.0, at - cell);
    ivec2 c = ivec2(cell);
    float v = mix(mix(corner(c), corner(c + ivec2(1, 0)), f.x), mix(corner(c + ivec2(0, 1)), corner(c + ivec2(1, 1)), f.x), f.y);
    color = vec4(v, v * 0.5, 1.0 - v, 1.0);
}

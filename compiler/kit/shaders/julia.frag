#version 450
// A smooth potential around a Julia set.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec2 z = uv * 3.0 - 1.5;
    float d = 0.0;
    for (int n = 0; n < 5; n++) { z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + vec2(-0.4, 0.3); d += exp(-dot(z, z)); }
    color = vec4(d * 0.2, d * 0.1, 0.5, 1.0);
}

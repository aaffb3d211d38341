#version 450
// Escape times as a grey value.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec2 c = uv * vec2(3.0, 2.0) - vec2(2.25, 1.0), z = vec2(0.0);
    int n = 0;
    for (; n < 24 && dot(z, z) < 4.0; n++) z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    color = vec4(vec3(float(n) / 24.0), 1.0);
}

#version 450
// Edges of a texture.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(binding = 1) uniform sampler2D image;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy) / 2;
    float m[9];
    for (int k = 0; k < 9; k++) m[k] = texelFetch(image, clamp(at + ivec2(k % 3 - 1, k / 3 - 1), ivec2(0), ivec2(15)), 0).g;
    vec2 g = vec2(m[2] + 2.0 * m[5] + m[8] - m[0] - 2.0 * m[3] - m[6], m[6] + 2.0 * m[7] + m[8] - m[0] - 2.0 * m[1] - m[2]);
    color = vec4(clamp(abs(g) * 0.25, 0.0, 1.0), 0.0, 1.0);
}

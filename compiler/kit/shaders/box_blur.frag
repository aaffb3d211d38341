#version 450
// Nine texels.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(binding = 1) uniform sampler2D image;
void main() {
    vec3 sum = vec3(0.0);
    for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) sum += texelFetch(image, clamp(ivec2(gl_FragCoord.xy) / 2 + ivec2(x, y), ivec2(0), ivec2(15)), 0).rgb;
    color = vec4(sum / 9.0, 1.0);
}

#version 450
// A texture less its mean.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(binding = 1) uniform sampler2D image;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy) / 2;
    vec3 own = texelFetch(image, at, 0).rgb, mean = vec3(0.0);
    for (int k = 0; k < 4; k++) mean += 0.25 * texelFetch(image, clamp(at + ivec2(k & 1, k >> 1) * 2 - 1, ivec2(0), ivec2(15)), 0).rgb;
    color = vec4(clamp(own + 0.5 * (own - mean), 0.0, 1.0), 1.0);
}

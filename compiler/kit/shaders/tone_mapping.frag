#version 450
// A filmic curve.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(binding = 1) uniform sampler2D image;
void main() {
    vec3 c = texelFetch(image, ivec2(gl_FragCoord.xy) / 2, 0).rgb * 3.0;
    color = vec4(clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0), 1.0);
}

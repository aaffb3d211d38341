#version 450
// A texture that darkens towards the edges.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(binding = 1) uniform sampler2D image;
void main() {
    vec2 d = uv - 0.5;
    color = vec4(texelFetch(image, ivec2(gl_FragCoord.xy) / 2, 0).rgb * (1.0 - dot(d, d)), 1.0);
}

#version 450
// Quantised levels of brightness.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, binding = 0) uniform Params { vec4 p[4]; };
layout(binding = 1) uniform sampler2D image;
void main() {
    float y = dot(texelFetch(image, ivec2(gl_FragCoord.xy) / 2, 0).rgb, vec3(0.25, 0.5, 0.25));
    color = vec4(vec3(mix(y, y * y, p[0].x)), 1.0);
}

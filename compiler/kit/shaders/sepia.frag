#version 450
// A colour matrix on a texture.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(binding = 1) uniform sampler2D image;
void main() {
    vec3 c = texture(image, uv).rgb;
    color = vec4(mat3(0.393, 0.349, 0.272, 0.769, 0.686, 0.534, 0.189, 0.168, 0.131) * c * 0.7, 1.0);
}

#version 450
// Four lamps in a loop.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, binding = 0) uniform Params { vec4 p[4]; };
void main() {
    vec3 n = normalize(vec3(uv - 0.5, 0.6)), sum = vec3(0.05);
    for (int k = 0; k < 4; k++) {
        vec3 h = normalize(normalize(p[k].xyz) + vec3(0.0, 0.0, 1.0));
        sum += p[k].rgb * pow(max(dot(n, h), 0.0), 16.0) * 0.4;
    }
    color = vec4(sum, 1.0);
}

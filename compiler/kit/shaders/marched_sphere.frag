#version 450
// A sphere by sphere tracing.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec3 eye = vec3(0.0, 0.0, -3.0), ray = normalize(vec3(uv * 2.0 - 1.0, 2.0));
    float t = 0.0;
    for (int k = 0; k < 24; k++) t += (length(eye + ray * t) - 1.0) * 0.9;
    vec3 n = normalize(eye + ray * min(t, 4.0));
    color = vec4(0.5 + 0.25 * n, 1.0);
}

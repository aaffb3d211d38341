#version 450
// A microfacet model.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, binding = 0) uniform Params { vec4 p[4]; };
void main() {
    vec3 n = normalize(vec3(uv - 0.5, 0.9)), v = vec3(0.0, 0.0, 1.0), l = normalize(p[0].xyz), h = normalize(v + l);
    float rough = 0.4, alpha = rough * rough;
    float nh = max(dot(n, h), 0.0), nl = max(dot(n, l), 0.0), nv = max(dot(n, v), 0.01), vh = max(dot(v, h), 0.0);
    float b = nh * nh * (alpha * alpha - 1.0) + 1.0;
    float d = alpha * alpha / (3.14159 * b * b), k = (rough + 1.0) * (rough + 1.0) / 8.0;
    float g = nl / (nl * (1.0 - k) + k) * nv / (nv * (1.0 - k) + k);
    vec3 f = mix(vec3(0.04), p[1].rgb, 0.5) + 0.5 * pow(1.0 - vh, 5.0);
    color = vec4(clamp(f * d * g * 0.5 + p[1].rgb * nl * 0.3, 0.0, 1.0), 1.0);
}

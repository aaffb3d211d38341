#version 450
// A light with a highlight on a bumpy surface.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, binding = 0) uniform Params { vec4 p[4]; };
void main() {
    vec3 n = normalize(vec3(uv - 0.5, 0.75)), l = normalize(p[0].xyz), v = vec3(0.0, 0.0, 1.0);
    float diffuse = max(dot(n, l), 0.0), highlight = pow(max(dot(reflect(-l, n), v), 0.0), 8.0);
    color = vec4(p[1].rgb * diffuse + p[2].rgb * highlight * 0.5, 1.0);
}

#version 450
// Structures in arrays, passed to functions.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
struct Disc { vec2 at; float radius; vec3 tint; };
void add(Disc d, inout vec3 sum) { sum += d.tint * exp(-length(uv - d.at) / d.radius); }
void main() {
    Disc discs[3] = Disc[3](Disc(vec2(0.3), 0.2, vec3(1, 0, 0)), Disc(vec2(0.6, 0.4), 0.3, vec3(0, 1, 0)), Disc(vec2(0.5, 0.8), 0.1, vec3(0, 0, 1)));
    vec3 sum = vec3(0.1);
    for (int k = 0; k < 3; k++) add(discs[k], sum);
    color = vec4(clamp(sum, 0.0, 1.0), 1.0);
}

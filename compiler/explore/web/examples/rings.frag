#version 330 core
// Rings around a moving centre, with a glow where two families meet.
in vec2 uv;

uniform float time;
uniform float rings;
uniform vec3 tint;

out vec4 color;

float ring(vec2 p, float count) {
    float r = length(p);
    return smoothstep(0.35, 0.5, abs(fract(r * count - 0.2 * time) - 0.5));
}

void main() {
    vec2 p = uv * 2.0 - 1.0;
    vec2 drift = 0.4 * vec2(cos(time * 0.7), sin(time * 0.9));
    float a = ring(p - drift, 2.0 + 8.0 * rings);
    float b = ring(p + drift, 3.0 + 6.0 * rings);
    float glow = exp(-2.5 * dot(p, p));
    vec3 shade = mix(vec3(0.05, 0.07, 0.12), tint, a * 0.7 + b * 0.3);
    color = vec4(shade + 0.35 * glow * a * b, 1.0);
}

#version 330 core
// A sphere over a plane, found by sphere tracing: a loop whose length differs from pixel to pixel.
in vec2 uv;

uniform float time;
uniform vec3 sun_color;
uniform vec3 light;
uniform bool shadows;

out vec4 color;

float scene(vec3 p) {
    float ball = length(p - vec3(0.0, 0.6 + 0.25 * sin(time), 0.0)) - 0.6;
    return min(ball, p.y);
}

float walk(vec3 from, vec3 along, float limit) {
    float t = 0.02;
    for (int i = 0; i < 48 && t < limit; i++) {
        float d = scene(from + along * t);
        if (d < 0.002)
            return t;
        t += d;
    }
    return -1.0;
}

vec3 normal(vec3 p) {
    const vec2 e = vec2(0.002, 0.0);
    return normalize(vec3(scene(p + e.xyy) - scene(p - e.xyy), scene(p + e.yxy) - scene(p - e.yxy),
                          scene(p + e.yyx) - scene(p - e.yyx)));
}

void main() {
    vec3 eye = vec3(0.0, 1.1, 3.2);
    vec3 along = normalize(vec3(uv * 2.0 - 1.0, -1.8));
    vec3 shade = mix(vec3(0.55, 0.68, 0.85), vec3(0.16, 0.27, 0.45), uv.y);
    float t = walk(eye, along, 12.0);
    if (t > 0.0) {
        vec3 p = eye + along * t;
        vec3 to_light = normalize(light * 4.0 - 1.0);
        float lit = max(dot(normal(p), to_light), 0.0);
        if (shadows && lit > 0.0 && walk(p, to_light, 6.0) > 0.0)
            lit *= 0.25;
        float check = mod(floor(p.x * 2.0) + floor(p.z * 2.0), 2.0);
        vec3 ground = p.y < 0.01 ? vec3(0.25 + 0.4 * check) : vec3(0.85, 0.35, 0.2);
        shade = mix(ground * (0.15 + lit * sun_color), shade, smoothstep(4.0, 12.0, t));
    }
    color = vec4(sqrt(shade), 1.0);
}

#version 330 core
// Water under a sky: ripples from noise, Fresnel reflection of a cube map, foam on the crests.
in vec3 place;
in vec3 normal;

uniform vec3 eye;
uniform float time;
uniform samplerCube sky;
uniform sampler2D foam;
uniform struct Water {
    vec3 deep;
    vec3 shallow;
    float ripple;
    float crest;
} water;

out vec4 color;

float hash(vec2 p) {
    return fract(sin(dot(p, vec2(127.1, 311.7))) * 43758.5453);
}

float noise(vec2 p) {
    vec2 cell = floor(p), f = smoothstep(0.0, 1.0, fract(p));
    return mix(mix(hash(cell), hash(cell + vec2(1.0, 0.0)), f.x),
               mix(hash(cell + vec2(0.0, 1.0)), hash(cell + vec2(1.0, 1.0)), f.x), f.y);
}

// Several octaves, each turned against the one before.
float ripples(vec2 p) {
    const mat2 turn = mat2(1.6, 1.2, -1.2, 1.6);
    float sum = 0.0, weight = 0.5;
    for (int octave = 0; octave < 4; octave++) {
        sum += weight * noise(p);
        p = turn * p + time;
        weight *= 0.5;
    }
    return sum;
}

void main() {
    float h = ripples(place.xz * 3.0);
    vec3 n = normalize(normal + water.ripple * vec3(dFdx(h), 0.0, dFdy(h)));
    vec3 view = normalize(eye - place);
    float fresnel = 0.02 + 0.98 * pow(1.0 - max(dot(n, view), 0.0), 5.0);
    vec3 body = mix(water.deep, water.shallow, clamp(0.5 + place.y, 0.0, 1.0));
    vec3 surface = mix(body, texture(sky, reflect(-view, n)).rgb, fresnel);
    if (place.y > water.crest) {
        surface += texture(foam, place.xz + 0.1 * n.xz).rgb * (place.y - water.crest);
    }
    color = vec4(surface, 1.0);
}

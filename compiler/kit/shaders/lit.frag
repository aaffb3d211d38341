#version 450
// A textured surface under one sun and any number of lamps.
layout(location = 0) in vec3 world_normal;
layout(location = 1) in vec2 texture_uv;

struct Lamp {
    vec4 direction;
    vec4 color;
};

layout(set = 0, binding = 1) uniform Lights {
    vec4 sun_direction;
    vec4 sun_color;
    Lamp lamps[8];
    int lamp_count;
    float cutoff;
} lights;

layout(set = 1, binding = 0) uniform sampler2D albedo;

layout(location = 0) out vec4 color;

void main() {
    vec4 surface = texture(albedo, texture_uv);
    if (surface.a < lights.cutoff) {
        discard;
    }
    vec3 n = normalize(world_normal);
    vec3 light = lights.sun_color.rgb * max(dot(n, -lights.sun_direction.xyz), 0.0);
    for (int i = 0; i < lights.lamp_count; i++) {
        light += lights.lamps[i].color.rgb * max(dot(n, -lights.lamps[i].direction.xyz), 0.0);
    }
    color = vec4(surface.rgb * light, surface.a);
}

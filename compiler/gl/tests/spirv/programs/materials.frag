#version 450
struct Layer { sampler2D map; float gain; vec2 shift; };
struct Material { vec4 tint; sampler2D base; Layer layers[2]; bool on; samplerCube sky; ivec2 range; };
struct Maps { sampler2DArray layers; usampler2D counts[2]; };
layout(location = 0) in vec3 at;
layout(location = 1) in vec4 shade;
layout(location = 3) uniform Material material;
layout(location = 40) uniform Material list[2];
layout(location = 100) uniform Maps maps;
layout(location = 1) uniform int number;
layout(location = 120, binding = 30) uniform sampler2D alone;
layout(location = 0) out vec4 color;

vec4 sum(Maps m, vec3 where) {
    if (where.x < 0.0) return vec4(texelFetch(m.counts[1], ivec2(0), 0));
    return textureLod(m.layers, where, 0.0);
}

void main() {
    color = shade * material.tint * texture(material.base, at.xy) + texture(alone, at.yz);
    for (int i = 0; i < 2; i++) {
        color += texture(material.layers[i].map, at.xy + material.layers[i].shift) * material.layers[i].gain;
        color += textureLod(list[i].layers[number & 1].map, at.xy, 0.0) * list[i].layers[1].gain;
        if (list[i].on) color += textureLod(list[i].sky, at, 0.0) * list[i].tint;
    }
    color += sum(maps, at) + vec4(list[1].range, material.range);
}

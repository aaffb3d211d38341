#version 450
// Structures with textures, in arrays and in each other.
struct Layer { sampler2D map; float gain; vec2 shift; };
struct Material { vec4 tint; sampler2D base; Layer layers[2]; bool on; samplerCube sky; ivec2 range; };
layout(location = 0) in vec3 position;
layout(location = 40) uniform Material list[2];
layout(location = 1) uniform int number;
layout(location = 0) out vec3 at;
layout(location = 1) out vec4 shade;
void main() {
    gl_Position = vec4(position, 1.0);
    at = position;
    shade = textureLod(list[number & 1].layers[1].map, position.xy + list[1].layers[number & 1].shift, 0.0);
    if (list[0].on) shade += list[number & 1].tint;
}

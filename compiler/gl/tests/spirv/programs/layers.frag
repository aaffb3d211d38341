#version 450
struct Layer { sampler2D map[2]; vec4 tint; sampler2D base; bool on; };
struct Stack { float gain; Layer layers[2]; };
layout(location = 5) uniform Stack stacks[2];
layout(location = 2) uniform int number;
layout(location = 0) out vec4 color;

vec4 base(Layer layer) {
    if (!layer.on) return vec4(0.0);
    return texelFetch(layer.base, ivec2(0), 0) * layer.tint;
}

void main() {
    color.x = texelFetch(stacks[1].layers[0].map[1], ivec2(0), 0).x * stacks[1].gain;
    color.y = texelFetch(stacks[number].layers[1 - number].map[number], ivec2(0), 0).x;
    color.z = base(stacks[0].layers[1]).x + base(stacks[1].layers[1]).x;
    color.w = base(stacks[0].layers[number]).y;
}

#version 450
layout(location = 0) in vec2 coordinate;
layout(location = 1) in flat uint number;
layout(location = 8) uniform float scale[3];
struct Light { vec3 direction; ivec2 range[2]; bool on; };
layout(location = 20) uniform Light lights[2];
layout(location = 30, binding = 2) uniform sampler2D maps[2];
layout(location = 40, binding = 4, r32ui) uniform coherent uimage2D counts;
layout(location = 33) uniform bvec2 enabled = bvec2(true, false);
layout(binding = 0, offset = 4) uniform atomic_uint hits;
layout(binding = 0, offset = 8) uniform atomic_uint more[2];
layout(binding = 0, std140) uniform Common { vec4 tint; mat3 rotation; } common_block;
layout(binding = 3, std430) buffer Results { vec4 first; layout(row_major) mat2x3 m[2]; float rest[]; };
layout(location = 0) out vec4 color;
layout(constant_id = 3) const int factor = 2;
void main() {
    Light light = lights[1];
    color = texture(maps[1], coordinate) * scale[2] * float(factor) + vec4(light.direction, 1.0);
    color += common_block.tint + vec4(common_block.rotation[1], float(number)) + vec4(m[1][1], rest[2]);
    if (light.on && enabled.x || lights[0].on) {
        color.x += float(atomicCounterIncrement(hits)) + float(atomicCounter(more[1]));
        color.y += float(light.range[1].y);
    }
    imageAtomicAdd(counts, ivec2(0), 1u);
    first = color;
}

#version 450
layout(location = 0) in vec4 position;
layout(location = 3) uniform mat4 transform;
layout(location = 8) uniform float scale[3];
layout(location = 12, binding = 1) uniform sampler2D height;
layout(binding = 0, std140) uniform Common { vec4 tint; mat3 rotation; } common_block;
layout(location = 0) out vec2 coordinate;
layout(location = 1) out flat uint number;
void main() {
    gl_Position = transform * position * scale[1];
    gl_Position.z += textureLod(height, vec2(0.5), 0.0).x * common_block.tint.w;
    coordinate = position.xy * 0.5 + 0.5;
    number = uint(gl_VertexID);
}

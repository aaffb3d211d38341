#version 450
// Transforms a mesh and hands its normal, in world space, to lit.frag.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;

layout(set = 0, binding = 0) uniform Camera {
    mat4 view_projection;
    mat4 model;
} camera;

layout(location = 0) out vec3 world_normal;
layout(location = 1) out vec2 texture_uv;

void main() {
    world_normal = mat3(camera.model) * normal;
    texture_uv = uv;
    gl_Position = camera.view_projection * (camera.model * vec4(position, 1.0));
}

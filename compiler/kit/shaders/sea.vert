#version 330 core
// A grid that rolls like the sea; sea.frag lights it. OpenGL: uniforms need no block.
in vec2 grid;

uniform mat4 view_projection;
uniform float time;
uniform vec4 waves[4]; // direction, length, height

out vec3 place;
out vec3 normal;

void main() {
    float height = 0.0;
    vec2 slope = vec2(0.0);
    for (int i = 0; i < waves.length(); i++) {
        vec4 wave = waves[i];
        float angle = (dot(wave.xy, grid) + time * sqrt(9.81 * wave.z)) / wave.z;
        height += wave.w * sin(angle);
        slope += wave.xy * (wave.w / wave.z * cos(angle));
    }
    place = vec3(grid.x, height, grid.y);
    normal = normalize(vec3(-slope.x, 1.0, -slope.y));
    gl_Position = view_projection * vec4(place, 1.0);
}

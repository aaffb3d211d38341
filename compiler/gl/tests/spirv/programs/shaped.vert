#version 450
layout(location = 0) in vec4 position;
layout(location = 0) out Data { vec2 uv; flat int id; } data;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };
void main() {
    gl_Position = position;
    gl_PointSize = 1.0;
    data.uv = position.xy;
    data.id = gl_VertexID;
}

#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in Data { vec2 uv; flat int id; } data[];
layout(location = 0) out vec4 shade;
layout(location = 2) uniform vec4 shift;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_in[];
out gl_PerVertex { vec4 gl_Position; };
void main() {
    for (int i = 0; i < 3; ++i) {
        gl_Position = gl_in[i].gl_Position + shift;
        shade = vec4(data[i].uv, float(data[i].id), 1.0);
        EmitVertex();
    }
    EndPrimitive();
}

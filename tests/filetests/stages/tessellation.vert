// RUN: airfoil link %s -o - | airfoil dis -
// All five stages of a GLSL program.
// CHECK-COUNT-3: !air.kernel = 
// CHECK: !air.mesh = 
// CHECK: !air.fragment = 
// --- a.vert
#version 450 core
layout(location = 0) in vec4 p;
void main() {
    gl_Position = p;
}
// --- a.tesc
#version 450 core
layout(vertices = 3) out;
void main() {
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 2.0;
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
}
// --- a.tese
#version 450 core
layout(triangles) in;
void main() {
    gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y;
}
// --- a.geom
#version 450 core
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
void main() {
    for (int n = 0; n < 3; n++) {
        gl_Position = gl_in[n].gl_Position;
        EmitVertex();
    }
}
// --- a.frag
#version 450 core
out vec4 color;
void main() {
    color = vec4(1);
}

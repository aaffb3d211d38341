// RUN: airfoil run %s
// RUN[O2]: airfoil run -O 2 %s
// RUN[LINK]: airfoil link %s -o - | airfoil dis -
// Defect 25: 120 scalars are 30 of 31 locations (OpenGL 4.6 section 11.1.2.1 counts components).
// CHECK: 360.0
// CHECK: 2119.0
// O2: 360.0
// O2: 2119.0
// LINK: call void @air.set_position_mesh(
// --- a.vert
#version 450
out float f[4][30];
void fill(out float row[30], float first) {
    for (int j = 0; j < 30; j++)
        row[j] = first + float(j);
}
void main() {
    gl_Position = vec4(0.0);
    for (int i = 0; i < 3; i++)
        fill(f[i], float(1000 * gl_VertexID + 30 * i));
    for (int j = 0; j < 30; j++)
        f[3][j] = float(1000 * gl_VertexID + 90 + j);
}
// --- a.geom
#version 450
layout(triangles) in;
layout(points, max_vertices = 1) out;
in float f[][4][30];
out vec2 result;
void main() {
    float right = 0.0;
    for (int v = 0; v < 3; v++)
        for (int i = 0; i < 4; i++) {
            float row[30] = f[v][i];
            for (int j = 0; j < 30; j++)
                if (row[j] == float(1000 * v + 30 * i + j) && f[v][i][j] == row[j])
                    right += 1.0;
        }
    gl_Position = vec4(0.0);
    result = vec2(right, f[2][3][29]);
    EmitVertex();
}

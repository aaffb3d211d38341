// RUN[NONE]: airfoil compile %s --to ll
// RUN[PLANES]: airfoil compile %s --to ll --clip-planes 5 --clip-planes-binding 4
// RUN[BINDING]: not airfoil compile %s --to ll --clip-planes 5 2>&1
// User clip planes are state: planes 0 to 2, of which the second one has no effect.
// NONE-NOT: air.clip_distance
// PLANES: !"air.clip_distance", !"air.clip_distance_array_size", i32 3
// BINDING: gl_ClipPlane
#version 120
void main() {
    gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex;
    gl_FrontColor = gl_Color;
    gl_Position = ftransform();
}

// RUN[BITS16]: airfoil compile %s --to ll --vertex-kernel --index-bits 16
// RUN[BITS32]: airfoil compile %s --to ll --vertex-kernel --index-bits 32
// A kernel that reads vertex indices has the index buffer as an argument.
// BITS16: load i16
// BITS16: !"stage_indices"
// BITS32: load i32, i32 addrspace(1)*
// BITS32: !"stage_indices"
#version 460
void main() {
    gl_Position = vec4(gl_VertexID, gl_InstanceID, 0, 1);
}

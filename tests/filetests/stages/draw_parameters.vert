// RUN[METAL]: airfoil compile %s --to ll
// RUN[DRIVER]: airfoil compile %s --to ll --driver-base-vertex
// RUN[DRIVER_NONE]: airfoil compile %s --to ll --driver-base-vertex
// The index of the draw is in a block of the driver; so is the base vertex on request.
// METAL: !"air.arg_name", !"draw"
// METAL: !"air.base_vertex"
// DRIVER: !"air.arg_name", !"draw"
// DRIVER_NONE-NOT: air.base_vertex
#version 460
void main() {
    gl_Position = vec4(gl_DrawID, gl_BaseVertex, 0, 1);
}

// The clock of a subgroup.
// RUN: airfoil opt %s --passes ''
#version 460
#extension GL_ARB_shader_clock : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { uvec2 x; };
void main() {
    { x = clock2x32ARB(); }
    // CHECK: 32x2 {{.*}} = shader_clock memory=subgroup
}

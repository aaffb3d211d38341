// Gathers with four offsets.
// RUN: airfoil opt %s --passes ''
#version 450
uniform sampler2D s;
out vec4 o;
void main() {
    o = textureGatherOffsets(s, vec2(0.5), ivec2[](ivec2(0), ivec2(1), ivec2(2), ivec2(3)));
    // CHECK: tg4 2d float32 {{.*}} offsets=
}

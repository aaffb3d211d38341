// Level queries of GL_ARB_texture_query_lod.
// RUN: airfoil opt %s --passes ''
#version 150
#extension GL_ARB_texture_query_lod : require
uniform sampler2D s;
out vec4 o;
void main() {
    o = textureQueryLOD(s, vec2(0.5)).xyxy;
    // CHECK: lod 2d
}

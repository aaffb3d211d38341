// The number of samples of an image.
// RUN: airfoil opt %s --passes ''
#version 450
#extension GL_ARB_shader_texture_image_samples : require
layout(local_size_x = 1) in;
layout(binding = 0, r32ui) uniform uimage2DMS u;
layout(binding = 1) buffer B {
    int n;
};
void main() {
    n = imageSamples(u);
    // CHECK: = image_samples
}

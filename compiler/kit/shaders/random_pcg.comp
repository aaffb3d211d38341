#version 450
// The generator PCG.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint state = i * 747796405u + 2891336453u;
    for (int k = 0; k < 4; k++) {
        state = state * 747796405u + 2891336453u;
        uint word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
        o[i * 4u + uint(k)] = (word >> 22) ^ word;
    }
}

#version 450
// A kernel of five taps with clamped ends.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    const float taps[5] = float[5](0.0625, 0.25, 0.375, 0.25, 0.0625);
    float sum = 0.0;
    for (int k = -2; k <= 2; k++) sum += taps[k + 2] * a[clamp(int(i) + k, 0, 63)];
    o[i] = sum;
}

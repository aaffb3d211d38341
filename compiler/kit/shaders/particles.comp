#version 450
// Particles that bounce off a floor.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    float height = abs(a[i]) + 0.5, speed = a[i + 16u] * 0.25;
    for (int step = 0; step < 20; step++) {
        speed -= 0.0981;
        height += speed * 0.125;
        if (height < 0.0) { height = -height; speed = -speed * 0.75; }
    }
    o[i] = height; o[i + 16u] = speed;
}

#version 450
// A generation of Conway's game on a torus of four by four.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = i & 3u, y = i >> 2, alive = 0u;
    for (uint dy = 3u; dy <= 5u; dy++)
        for (uint dx = 3u; dx <= 5u; dx++)
            if (dx != 4u || dy != 4u) alive += uint(a[((y + dy) & 3u) * 4u + ((x + dx) & 3u)] > 0.0);
    o[i] = uint(alive == 3u || (alive == 2u && a[i] > 0.0));
}

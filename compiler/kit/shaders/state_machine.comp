#version 450
// A machine with a switch per step.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint state = i & 3u, sum = 0u;
    for (uint step = 0u; step < 12u; step++) {
        switch (state) {
            case 0u: sum += 3u; state = (sum & 1u) != 0u ? 1u : 2u; break;
            case 1u: sum ^= step; state = 3u; break;
            case 2u: sum = sum * 5u + i; // falls through
            default: state = (state + 3u) & 3u; break;
        }
    }
    o[i] = sum;
}

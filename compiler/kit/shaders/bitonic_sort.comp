#version 450
// Sorts 16 values.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { float o[256]; };
shared float s[16];
void main() {
    uint i = gl_LocalInvocationIndex;
    s[i] = a[i];
    barrier();
    for (uint k = 2u; k <= 16u; k <<= 1) {
        for (uint j = k >> 1; j > 0u; j >>= 1) {
            uint other = i ^ j;
            float x = s[i], y = s[other];
            bool up = (i & k) == 0u;
            barrier();
            if (other > i) {
                bool exchange = (x > y) == up;
                s[i] = exchange ? y : x;
                s[other] = exchange ? x : y;
            }
            barrier();
        }
    }
    o[i] = s[i];
}

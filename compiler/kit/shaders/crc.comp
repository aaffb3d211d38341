#version 450
// CRC-32, bit by bit.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float a[64]; };
layout(std430, binding = 1) buffer Out { uint o[256]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint crc = ~0u;
    uint word = floatBitsToUint(a[i]);
    for (int k = 0; k < 32; k++) {
        uint bit = (crc ^ word) & 1u;
        crc = (crc >> 1) ^ (bit * 0xedb88320u);
        word >>= 1;
    }
    o[i] = ~crc;
}

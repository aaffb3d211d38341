// Clocks of the device.
// RUN: airfoil opt %s --passes ''
#version 450
#extension GL_EXT_shader_realtime_clock : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B {
    uvec2 a;
    uint64_t b;
};
void main() {
    a = clockRealtime2x32EXT();
    // CHECK: = shader_clock
    b = clockRealtimeEXT();
    // CHECK: = shader_clock
}

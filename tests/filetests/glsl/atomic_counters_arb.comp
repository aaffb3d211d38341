// Operations on atomic counters as an extension.
// RUN: airfoil opt %s --passes ''
#version 450
#extension GL_ARB_shader_atomic_counter_ops : require
layout(local_size_x = 1) in;
layout(binding = 0, offset = 4) uniform atomic_uint c;
layout(binding = 0, std430) buffer B {
    uint n;
};
void main() {
    n = atomicCounterAddARB(c, 1u);
    // CHECK: deref_atomic
    n = atomicCounterSubtractARB(c, 1u);
    // CHECK: deref_atomic
    n = atomicCounterMinARB(c, 1u);
    // CHECK: deref_atomic {{.*}} op=umin
    n = atomicCounterMaxARB(c, 1u);
    // CHECK: deref_atomic {{.*}} op=umax
    n = atomicCounterAndARB(c, 1u);
    // CHECK: deref_atomic {{.*}} op=iand
    n = atomicCounterOrARB(c, 1u);
    // CHECK: deref_atomic {{.*}} op=ior
    n = atomicCounterXorARB(c, 1u);
    // CHECK: deref_atomic {{.*}} op=ixor
    n = atomicCounterExchangeARB(c, 1u);
    // CHECK: deref_atomic {{.*}} op=xchg
    n = atomicCounterCompSwapARB(c, 1u, 2u);
    // CHECK: deref_atomic_swap
}

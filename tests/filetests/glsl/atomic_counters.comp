// Operations on atomic counters.
// RUN: airfoil opt %s --passes ''
#version 460
layout(local_size_x = 1) in;
layout(binding = 0, offset = 4) uniform atomic_uint c;
layout(binding = 0, std430) buffer B {
    uint n;
};
void main() {
    n = atomicCounter(c);
    // CHECK: deref_atomic {{.*}} op=load
    n = atomicCounterAdd(c, 1u);
    // CHECK: deref_atomic
    n = atomicCounterSubtract(c, 1u);
    // CHECK: deref_atomic
    n = atomicCounterMin(c, 1u);
    // CHECK: deref_atomic {{.*}} op=umin
    n = atomicCounterMax(c, 1u);
    // CHECK: deref_atomic {{.*}} op=umax
    n = atomicCounterAnd(c, 1u);
    // CHECK: deref_atomic {{.*}} op=iand
    n = atomicCounterOr(c, 1u);
    // CHECK: deref_atomic {{.*}} op=ior
    n = atomicCounterXor(c, 1u);
    // CHECK: deref_atomic {{.*}} op=ixor
    n = atomicCounterExchange(c, 1u);
    // CHECK: deref_atomic {{.*}} op=xchg
    n = atomicCounterCompSwap(c, 1u, 2u);
    // CHECK: deref_atomic_swap
}

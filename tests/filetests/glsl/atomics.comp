// Atomics on memory and atomic counters.
// RUN: airfoil opt %s --passes ''
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { int x; uint y; };
shared int z;
layout(binding = 1, offset = 4) uniform atomic_uint c;
void main() {
    { atomicAdd(x, 1); }
    // CHECK: 32x1 {{.*}} = deref_atomic {{.*}} memory=device
    { atomicMin(x, 2); }
    // CHECK: 32x1 {{.*}} = deref_atomic {{.*}} op=imin memory=device
    { atomicMax(y, 2u); }
    // CHECK: 32x1 {{.*}} = deref_atomic {{.*}} op=umax memory=device
    { atomicExchange(z, 3); }
    // CHECK: 32x1 {{.*}} = deref_atomic {{.*}} op=xchg memory=device
    { atomicCompSwap(z, 3, 4); }
    // CHECK: 32x1 {{.*}} = deref_atomic_swap {{.*}} op=cmpxchg memory=device
    { atomicCounterIncrement(c); }
    // CHECK: 32x1 {{.*}} = deref_atomic {{.*}} memory=device
    { y = atomicCounterDecrement(c); }
    // CHECK: 32x1 {{.*}} = deref_atomic {{.*}} memory=device
    // CHECK: 32x1 {{.*}} = isub
}

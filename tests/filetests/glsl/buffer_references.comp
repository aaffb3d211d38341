// RUN: airfoil opt %s --vulkan --passes ''
// A list in memory that addresses link: casts, members, elements, and an atomic operation.
// CHECK: block Node { uint64 next @0, uint[4 stride=4] items @8 }
// CHECK: deref_cast
// CHECK: deref_struct
// CHECK: load_deref
// CHECK: deref_cast
// CHECK: deref_array
// CHECK: store_deref
// CHECK: deref_atomic
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node {
    Node next;
    uint items[4];
};
layout(push_constant) uniform P {
    Node head;
} p;
void main() {
    Node n = p.head.next;
    n.items[1] = p.head.items[2];
    atomicAdd(n.items[3], 1u);
}

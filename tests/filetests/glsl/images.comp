// Storage images.
// RUN: airfoil opt %s --passes ''
#version 460
layout(local_size_x = 1) in;
layout(binding = 0, r32ui) uniform uimage2D m;
layout(binding = 1, rgba8) uniform image3D n;
void main() {
    { uvec4 x = imageLoad(m, ivec2(1, 2)); imageStore(m, ivec2(0), x); }
    // CHECK: 32x4 {{.*}} = image_load {{.*}} dim=2d format=r32ui dest_type=uint32
    // CHECK: image_store {{.*}} dim=2d format=r32ui src_type=uint32
    { ivec3 x = imageSize(n); imageStore(n, x, vec4(1)); }
    // CHECK: 32x3 {{.*}} = image_size {{.*}} dim=3d
    // CHECK: image_store {{.*}} dim=3d format=rgba8 src_type=float32
    { imageAtomicAdd(m, ivec2(3), 1u); }
    // CHECK: 32x1 {{.*}} = image_atomic {{.*}} dim=2d format=r32ui memory=device
    { imageAtomicCompSwap(m, ivec2(3), 1u, 2u); }
    // CHECK: 32x1 {{.*}} = image_atomic_swap {{.*}} op=cmpxchg dim=2d format=r32ui memory=device
}

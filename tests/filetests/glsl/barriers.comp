// Barriers.
// RUN: airfoil opt %s --passes ''
#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 4) in;
void main() {
    { barrier(); }
    // CHECK: barrier execution=workgroup memory=workgroup modes=shared semantics=acquire|release
    { memoryBarrier(); }
    // CHECK: barrier memory=device modes=ssbo|shared|image|global semantics=acquire|release
    { memoryBarrierBuffer(); }
    // CHECK: barrier memory=device modes=ssbo|global semantics=acquire|release
    { memoryBarrierImage(); }
    // CHECK: barrier memory=device modes=image semantics=acquire|release
    { memoryBarrierShared(); }
    // CHECK: barrier memory=workgroup modes=shared semantics=acquire|release
    { groupMemoryBarrier(); }
    // CHECK: barrier memory=workgroup modes=ssbo|shared|image|global semantics=acquire|release
    { subgroupBarrier(); }
    // CHECK: barrier execution=subgroup memory=subgroup modes=ssbo|shared|image|global semantics=acquire|release
    { subgroupMemoryBarrierShared(); }
    // CHECK: barrier memory=subgroup modes=shared semantics=acquire|release
    { controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease); }
    // CHECK: barrier execution=workgroup memory=workgroup modes=shared semantics=acquire|release
}

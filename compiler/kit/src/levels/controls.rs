//! Programs of some cases in Metal's language, by the start of the case's name. Functions and indices are those of the compiled libraries.

const CONTROLS: &[(&str, &str)] = &[
    ("kernel-thread-position-in-grid", "kernel void compute_main(device uint *o [[buffer(1)]], uint i [[thread_position_in_grid]]) { o[i] = i; }"),
    (
        "threadgroup-memory",
        "kernel void compute_main(device uint *o [[buffer(1)]], uint i [[thread_index_in_threadgroup]]) {
    threadgroup uint row[16];
    row[i] = i * 3;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    o[i] = row[15 - i];
}",
    ),
    (
        "texture-2d-float",
        "kernel void compute_main(device uint *o [[buffer(1)]], texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], uint i [[thread_index_in_threadgroup]]) {
    float4 v = t.sample(s, float2(float(i) / 16 + 0.03, 0.3), level(0));
    for (uint k = 0; k < 4; k++) { o[4 * i + k] = as_type<uint>(v[k]); }
}",
    ),
    (
        "image-write-2d-uint",
        "kernel void compute_main(device uint *o [[buffer(1)]], texture2d<uint, access::write> t [[texture(0)]], uint i [[thread_index_in_threadgroup]]) {
    t.write(uint4(i * 1000), uint2(i & 3, i >> 2));
    o[i] = i;
}",
    ),
    (
        "fused-air",
        "kernel void compute_main(device const float *a [[buffer(0)]], device uint *o [[buffer(1)]], uint i [[thread_index_in_threadgroup]]) {
    o[i] = as_type<uint>(fma(a[i], a[i + 16], a[i + 32]));
}",
    ),
    (
        "simd-vote-air",
        "kernel void compute_main(device uint *o [[buffer(1)]], uint i [[thread_index_in_threadgroup]]) {
    o[i] = uint(simd_any(i == 3)) + 2 * uint(simd_all(i < 16));
    o[i + 16] = uint((simd_vote::vote_t)simd_ballot((i & 1) == 1)) & 0xffff;
}",
    ),
    (
        "target-rgba32f",
        "struct V { float4 p [[position]]; float2 uv; };
vertex V vertex_main(uint n [[vertex_id]]) {
    float2 uv = float2(n & 1, n >> 1) * 2;
    float2 at = uv * 2 - 1;
    return V { float4(at.x, -at.y, 0.5, 1), uv };
}
fragment float4 fragment_main(V v [[stage_in]]) { return float4(v.p.xy, -1, 0.5); }",
    ),
    (
        "derivatives-air",
        "struct V { float4 p [[position]]; float2 uv; };
vertex V vertex_main(uint n [[vertex_id]]) {
    float2 uv = float2(n & 1, n >> 1) * 2;
    float2 at = uv * 2 - 1;
    return V { float4(at.x, -at.y, 0.5, 1), uv };
}
fragment float4 fragment_main(V v [[stage_in]]) { return float4(dfdx(v.uv.x) * 8, dfdy(v.uv.y) * 8, fwidth(v.uv.x) * 8, 1); }",
    ),
    (
        "blend-alpha",
        "struct V { float4 p [[position]]; float2 uv; };
vertex V vertex_main(uint n [[vertex_id]]) {
    float2 uv = float2(n & 1, n >> 1) * 2;
    float2 at = uv * 2 - 1;
    return V { float4(at.x, -at.y, 0.5, 1), uv };
}
fragment float4 fragment_main(V v [[stage_in]]) { return float4(v.uv, 0.5, 0.25); }",
    ),
];

/// The control of a case.
pub fn of(name: &str) -> Option<String> {
    let (_, text) = CONTROLS.iter().find(|c| name.starts_with(c.0))?;
    Some(format!("#include <metal_stdlib>\nusing namespace metal;\n{text}\n"))
}

#version 430
// Replaces the counts of primitives by their exclusive prefix sums, and updates the counters: one workgroup.
layout(local_size_x = 256) in;

layout(std430, binding = 0) buffer Counts {
    uvec4 counts[];
};

layout(std430, binding = 1) buffer Counters {
    uvec4 limit, written, generated, first, vertices;
};

layout(std140, binding = 0) uniform Sums {
    uint records;
    uint primitive_vertices;
};

shared uvec4 sums[256];

void main() {
    // Consecutive records of each invocation.
    uint lane = gl_LocalInvocationIndex;
    uint each = records / 256u + uint(records % 256u != 0u);
    uint start = min(lane * each, records), end = min(start + each, records);
    uvec4 own = uvec4(0u);
    for (uint i = start; i < end; i++)
        own += counts[i];
    sums[lane] = own;
    barrier();
    for (uint step = 1u; step < 256u; step *= 2u) {
        uvec4 other = lane >= step ? sums[lane - step] : uvec4(0u);
        barrier();
        sums[lane] += other;
        barrier();
    }
    uvec4 before = sums[lane] - own;
    for (uint i = start; i < end; i++) {
        uvec4 count = counts[i];
        counts[i] = before;
        before += count;
    }
    if (lane == 255u) {
        uvec4 total = sums[lane], old = written;
        first = old;
        generated += total;
        uvec4 now = old + min(total, max(limit, old) - old);
        written = now;
        vertices = now * primitive_vertices;
    }
}

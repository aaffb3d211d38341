#version 450
// Mean of a row of values, RADIUS to both sides, by way of workgroup memory.
layout(local_size_x = 64) in;
layout(constant_id = 3) const int RADIUS = 4;

layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly buffer Result { float result[]; };
layout(push_constant) uniform Size { uint count; } size;

shared float row[64];

void main() {
    uint at = gl_GlobalInvocationID.x;
    int own = int(gl_LocalInvocationID.x);
    row[own] = at < size.count ? source[at] : 0.0;
    barrier();
    float sum = 0.0;
    int first = max(own - RADIUS, 0);
    int last = min(own + RADIUS, 63);
    for (int i = first; i <= last; i++) {
        sum += row[i];
    }
    if (at < size.count) {
        result[at] = sum / float(last - first + 1);
    }
}

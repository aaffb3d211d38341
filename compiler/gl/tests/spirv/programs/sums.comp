#version 450
layout(local_size_x_id = 1, local_size_y = 2) in;
layout(local_size_x = 4) in;
layout(constant_id = 7) const float weight = 0.5;
layout(constant_id = 8) const bool twice = false;
layout(binding = 1, std430) buffer Sums { float sums[]; };
layout(location = 4) uniform uvec3 base;
shared float parts[4];
void main() {
    parts[gl_LocalInvocationIndex & 3u] = weight;
    barrier();
    sums[gl_GlobalInvocationID.x + base.y] = parts[0] * (twice ? 2.0 : 1.0) + float(gl_WorkGroupSize.x);
}

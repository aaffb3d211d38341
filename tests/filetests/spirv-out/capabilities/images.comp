// RUN: airfoil compile %s --vulkan -O0 --to spvasm
// CHECK: OpCapability Int64
// CHECK: OpCapability Int64Atomics
// CHECK: OpCapability StorageImageMultisample
// CHECK: OpCapability ImageCubeArray
// CHECK: OpCapability Sampled1D
// CHECK: OpCapability Image1D
// CHECK: OpCapability SampledCubeArray
// CHECK: OpCapability SampledBuffer
// CHECK: OpCapability ImageBuffer
// CHECK: OpCapability ImageMSArray
// CHECK: OpCapability StorageImageExtendedFormats
// CHECK: OpCapability ImageQuery
// CHECK: OpCapability StorageImageReadWithoutFormat
// CHECK: OpCapability StorageImageWriteWithoutFormat
// CHECK: OpCapability Int64ImageEXT
#version 460
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 1) in;
layout(binding = 0, r32f) uniform image1D line;
layout(binding = 1, r32f) uniform imageBuffer texels;
layout(binding = 2, r32f) uniform imageCubeArray cubes;
layout(binding = 3, r32f) uniform image2DMS samples;
layout(binding = 4, r32f) uniform image2DMSArray layers;
layout(binding = 5) uniform readonly image2D unknown;
layout(binding = 6) uniform writeonly image2D result;
layout(binding = 7, rg16f) uniform image2D extended;
layout(binding = 8, r64ui) uniform u64image2D wide;
layout(binding = 9) uniform sampler1D t1;
layout(binding = 10) uniform samplerBuffer tb;
layout(binding = 11) uniform samplerCubeArray tc;
void main() {
    vec4 v = imageLoad(line, 0) + imageLoad(texels, 0) + imageLoad(cubes, ivec3(0)) + imageLoad(samples, ivec2(0), 1)
        + imageLoad(layers, ivec3(0), 1) + imageLoad(unknown, ivec2(0)) + imageLoad(extended, ivec2(0))
        + textureLod(t1, 0.5, 0.0) + texelFetch(tb, 1) + textureLod(tc, vec4(1.0), 0.0) + vec4(textureSize(t1, 0));
    imageAtomicAdd(wide, ivec2(0), 1ul);
    imageStore(result, ivec2(0), v);
}

//! L2: one case per role of the metadata: arguments of kernels, resources, attributes, varyings, results.

mod graphics;
mod textures;

use super::text::{floats, kernel};
use crate::metal::Family;
use crate::recipe::{Given, Recipe, Resource, Source, Work, pattern};
use airfoil::air::select::ArgumentBuffers;
use airfoil::interp::texture::{Format, Sampler};
use airfoil::ir::Dim;

fn with_data(recipe: Recipe) -> Recipe {
    recipe.words(0, &floats()).zeros(1, 1024)
}

/// Built-in arguments of kernels: name of the role, value, extensions.
const BUILT_IN: &[(&str, &str, &str)] = &[
    ("thread-position-in-grid", "gl_GlobalInvocationID.x", ""),
    ("thread-position-in-threadgroup", "gl_LocalInvocationID.x + 100u * gl_LocalInvocationID.y", ""),
    ("threadgroup-position-in-grid", "gl_WorkGroupID.x + 7u", ""),
    ("threadgroups-per-grid", "gl_NumWorkGroups.x * 3u + gl_NumWorkGroups.z", ""),
    ("thread-index-in-threadgroup", "gl_LocalInvocationIndex + 5u", ""),
    (
        "thread-index-in-simdgroup",
        "gl_SubgroupInvocationID",
        "#extension GL_KHR_shader_subgroup_basic : require\n",
    ),
    (
        "simdgroup-index-in-threadgroup",
        "gl_SubgroupID + 1u",
        "#extension GL_KHR_shader_subgroup_basic : require\n",
    ),
    ("simdgroups-per-threadgroup", "gl_NumSubgroups", "#extension GL_KHR_shader_subgroup_basic : require\n"),
    ("threads-per-simdgroup", "gl_SubgroupSize", "#extension GL_KHR_shader_subgroup_basic : require\n"),
];

fn kernels(list: &mut Vec<Recipe>) {
    for &(name, value, extensions) in BUILT_IN {
        let body = format!("o[gl_GlobalInvocationID.x] = {value};");
        let recipe = Recipe::compute(
            2,
            &format!("kernel-{name}"),
            &format!("the kernel argument {name}"),
            &kernel(extensions, "", &body),
        );
        list.push(with_data(recipe).with(|r| {
            r.work = Work::Compute([4, 1, 1]);
            // Simdgroups of 32 threads are those of Apple's GPUs.
            r.family = (!extensions.is_empty()).then_some(Family::APPLE4);
        }));
    }
    list.push(with_data(Recipe::compute(
        2,
        "threadgroup-memory",
        "threadgroup memory and a barrier",
        &kernel("", "shared uint row[16];", "row[i] = i * 3u; barrier(); o[i] = row[15u - i];"),
    )));
    list.push(with_data(Recipe::compute(
        2,
        "constant-table",
        "a constant array in address space 2",
        &kernel(
            "",
            "const uint table[8] = uint[8](3u, 1u, 4u, 1u, 5u, 9u, 2u, 6u);",
            "o[i] = table[(i * 5u) & 7u];",
        ),
    )));
    list.push(with_data(
        Recipe::compute(
            2,
            "uniform-block",
            "a uniform block with arrays and matrices",
            &kernel(
                "",
                "layout(std140, binding = 2) uniform U { mat3 m; float f[3]; vec3 v; uint n; } u;",
                "o[i] = floatBitsToUint((u.m * u.v).x + u.f[i % 3u] + float(u.n));",
            ),
        )
        .give(
            2,
            Resource::Uniform(
                (0..32u32)
                    .flat_map(|n| if n == 27 { 7u32.to_le_bytes() } else { (n as f32 * 0.5).to_le_bytes() })
                    .collect(),
            ),
        ),
    ));
    list.push(with_data(
        Recipe::compute(
            2,
            "push-constants",
            "push constants",
            &kernel(
                "",
                "layout(push_constant) uniform P { uvec4 p; float q; };",
                "o[i] = p[i & 3u] + uint(q);",
            ),
        )
        .with(|r| r.push = [1u32, 2, 3, 4, 8.0f32.to_bits()].iter().flat_map(|w| w.to_le_bytes()).collect()),
    ));
    list.push(with_data(
        Recipe::compute(
            2,
            "buffer-sizes",
            "the length of an open array",
            &kernel(
                "",
                "layout(std430, binding = 2) readonly buffer L { uvec2 l[]; };",
                "o[i] = uint(l.length()) + l[i].y;",
            ),
        )
        .words(2, &(0..48).collect::<Vec<u32>>()),
    ));
    list.push(with_data(
        Recipe::compute(
            2,
            "buffer-array",
            "an array of buffers",
            &kernel(
                "",
                "layout(std430, binding = 2) readonly buffer L { uint l[4]; } several[3];",
                "o[i] = several[0].l[i & 3u] + several[1].l[i & 3u] * 10u + several[2].l[i & 3u] * 100u;",
            ),
        )
        .with(|r| {
            for element in 0..3u32 {
                let bytes = (0..4u32).flat_map(|n| (n + element).to_le_bytes()).collect();
                r.given.push(Given { set: 0, binding: 2, element, resource: Resource::Storage(bytes) });
            }
        }),
    ));
    list.push(with_data(Recipe::compute(
        2,
        "read-write-buffer",
        "a buffer that is read and written",
        &kernel("", "", "o[i] = o[i + 16u] + 1u; o[i + 16u] = i;"),
    )));
    list.push(
        with_data(Recipe::compute(
            2,
            "three-dimensions",
            "threadgroups and threads in three dimensions",
            "#version 450
        layout(local_size_x = 2, local_size_y = 3, local_size_z = 2) in;
        layout(std430, binding = 1) buffer Out { uint o[256]; };
        void main() {
            uvec3 g = gl_GlobalInvocationID, n = gl_NumWorkGroups * gl_WorkGroupSize;
            o[(g.z * n.y + g.y) * n.x + g.x] = g.x | g.y << 8 | g.z << 16;
        }",
        ))
        .with(|r| r.work = Work::Compute([2, 2, 1])),
    );
}

/// Argument buffers take addresses of resources, which need tier 2.
fn argument_buffers(list: &mut Vec<Recipe>) {
    let text = "#version 450
        layout(local_size_x = 4) in;
        layout(std430, set = 0, binding = 0) buffer Out { uint o[16]; };
        layout(std430, set = 0, binding = 1) readonly buffer In { uint a[4]; } ins[2];
        layout(set = 0, binding = 2) uniform texture2D t;
        layout(set = 0, binding = 3) uniform sampler s;
        void main() {
            uint i = gl_LocalInvocationIndex;
            o[i] = ins[0].a[i] + 10u * ins[1].a[3u - i];
            o[i + 4u] = floatBitsToUint(textureLod(sampler2D(t, s), vec2(float(i) / 4.0 + 0.125, 0.5), 0.0).x);
        }";
    list.push(
        Recipe::compute(2, "argument-buffer", "a descriptor set as an argument buffer", text)
            .zeros(0, 64)
            .with(|r| {
                for element in 0..2u32 {
                    let bytes = (0..4u32).flat_map(|n| (n * n + element).to_le_bytes()).collect();
                    r.given.push(Given { set: 0, binding: 1, element, resource: Resource::Storage(bytes) });
                }
                r.family = Some(Family::APPLE6);
                r.configure = Some(|o| o.air.bindings.argument_buffers = ArgumentBuffers::All);
            })
            .give(2, Resource::Texture(pattern(Dim::D2, Format::Rgba32f, [4, 4, 1], 1, 1), false, None))
            .give(3, Resource::Sampler(Sampler::default())),
    );
}

/// A kernel with function constants, given and left out.
const CONSTANTS: &str = "
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 1 1 1
    OpName %count \"count\"
    OpName %scale \"scale\"
    OpDecorate %count SpecId 3
    OpDecorate %scale SpecId 0
    OpDecorate %words ArrayStride 4
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %block Block
    OpDecorate %out DescriptorSet 0
    OpDecorate %out Binding 0
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32
    %count = OpSpecConstant %uint 4
    %scale = OpSpecConstant %float 1.5
    %c0 = OpConstant %uint 0
    %c1 = OpConstant %uint 1
    %words = OpTypeRuntimeArray %uint
    %block = OpTypeStruct %words
    %p_block = OpTypePointer StorageBuffer %block
    %p_uint = OpTypePointer StorageBuffer %uint
    %out = OpVariable %p_block StorageBuffer
    %fn = OpTypeFunction %void
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %a0 = OpAccessChain %p_uint %out %c0 %c0
    OpStore %a0 %count
    %f = OpConvertUToF %float %count
    %g = OpFMul %float %f %scale
    %gi = OpBitcast %uint %g
    %a1 = OpAccessChain %p_uint %out %c0 %c1
    OpStore %a1 %gi
    OpReturn
    OpFunctionEnd";

/// A kernel with function constants.
pub fn constants(level: u32, name: &str, title: &str, values: &[(u32, u64)]) -> Recipe {
    Recipe::new(level, name, title, Source::Spirv(CONSTANTS.to_owned()), Work::Compute([1; 3]))
        .zeros(0, 16)
        .with(|r| r.constants = values.to_vec())
}

/// Adds the recipes.
pub fn add(list: &mut Vec<Recipe>) {
    kernels(list);
    argument_buffers(list);
    list.push(constants(
        2,
        "function-constants",
        "function constants with values",
        &[(0, u64::from(0.25f32.to_bits())), (3, 9)],
    ));
    textures::textures(list);
    textures::images(list);
    graphics::vertices(list);
    graphics::fragments(list);
}

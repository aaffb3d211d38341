//! Compute shaders: blocks in workgroup memory that alias each other, and derivatives in groups of 2 x 2 invocations. Executed as
//! read and after the passes of both levels.

use airfoil::glsl::{ProgramOptions, Source};
use airfoil::passes::manager::Manager;
use airfoil::{OptLevel, ReadOptions, Shader, Stage};
use airfoil_interp::{Binding, Config, Program, Resources, Space, System};

/// The words of the storage block at binding 0 after a workgroup.
fn run(shader: &Shader, words: usize) -> Vec<u32> {
    let mut resources = Resources::new();
    let buffer = resources.add_buffer(vec![0; 4 * words]);
    let binding = Binding::Buffer { buffer, offset: 0, size: None };
    resources.bind(Space::Storage, 0, 0, 0, binding);
    let mut program = Program::new(shader, Config::default()).unwrap();
    program.compute(&mut resources, &System::new(), [1, 1, 1]).unwrap();
    resources.buffers[buffer].bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect()
}

/// The result of a shader as it is read and after each level.
fn results(shader: &Shader, words: usize) -> Vec<Vec<u32>> {
    let mut list = vec![run(shader, words)];
    for level in [OptLevel::O0, OptLevel::O2] {
        let mut shader = shader.clone();
        let pipeline = airfoil::air::plan::pipeline(level, shader.form);
        let _ = Manager::default().run(pipeline, &mut shader).unwrap();
        list.push(run(&shader, words));
    }
    list
}

fn spirv(text: &str) -> Shader {
    let words = airfoil_spirv_asm::assemble(text, &airfoil_spirv_asm::Options::default()).unwrap();
    airfoil::steps::read_spirv(&words, &ReadOptions::default()).unwrap()
}

const COUNT: usize = 20;

/// Two blocks in workgroup memory, with the array at offset 0 of one and at offset 4 of the other.
fn workgroup_blocks(code: &str) -> String {
    let values: String = (0..COUNT).map(|n| format!("%u{n} = OpConstant %uint {n}\n")).collect();
    let list: String = (0..COUNT).map(|n| format!(" %u{n}")).collect();
    format!(
        "OpCapability Shader
        OpCapability WorkgroupMemoryExplicitLayoutKHR
        OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %a %b %out
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %array ArrayStride 4
        OpDecorate %A Block
        OpMemberDecorate %A 0 Offset 0
        OpDecorate %B Block
        OpMemberDecorate %B 0 Offset 4
        OpDecorate %a Aliased
        OpDecorate %b Aliased
        OpDecorate %out DescriptorSet 0
        OpDecorate %out Binding 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %count = OpConstant %uint {COUNT}
        %array = OpTypeArray %uint %count
        {values}
        %list = OpConstantComposite %array {list}
        %A = OpTypeStruct %array
        %B = OpTypeStruct %array
        %whole = OpConstantComposite %A %list
        %pa = OpTypePointer Workgroup %A
        %pb = OpTypePointer Workgroup %B
        %pw = OpTypePointer Workgroup %array
        %po = OpTypePointer StorageBuffer %A
        %ps = OpTypePointer StorageBuffer %array
        %a = OpVariable %pa Workgroup
        %b = OpVariable %pb Workgroup
        %out = OpVariable %po StorageBuffer
        %main = OpFunction %void None %fn
        %l = OpLabel
        %from = OpAccessChain %pw %a %u0
        %to = OpAccessChain %pw %b %u0
        %result = OpAccessChain %ps %out %u0
        OpStore %a %whole
        {code}
        OpReturn
        OpFunctionEnd"
    )
}

/// SPV_KHR_workgroup_memory_explicit_layout: the blocks begin at the same byte, so that a write to one changes the other.
#[test]
fn workgroup_blocks_alias() {
    // Word n + 1 of the first block is element n of the second.
    let shader = spirv(&workgroup_blocks("%v = OpLoad %array %to\nOpStore %result %v"));
    for words in results(&shader, COUNT) {
        // The last element is beyond the written ones.
        assert!((0..COUNT - 1).all(|n| words[n] == n as u32 + 1), "{words:?}");
    }
}

/// A copy of a whole block to one that overlaps it reads everything before it writes.
#[test]
fn workgroup_blocks_are_copied_as_a_whole() {
    for copy in ["%v = OpLoad %array %from\nOpStore %to %v", "OpCopyMemory %to %from"] {
        let code = format!("{copy}\n%w = OpLoad %array %from\nOpStore %result %w");
        for words in results(&spirv(&workgroup_blocks(&code)), COUNT) {
            let expected: Vec<u32> = (0..COUNT as u32).map(|n| n.saturating_sub(1)).collect();
            assert_eq!(words, expected, "{copy}");
        }
    }
}

fn compute(group: &str, size: [u32; 3], code: &str) -> Shader {
    let [x, y, z] = size;
    let text = format!(
        "#version 450\n#extension GL_KHR_compute_shader_derivatives : require\n\
         layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}, {group}) in;\n\
         layout(std430, binding = 0) buffer B {{ uint list[]; }};\nvoid main() {{ {code} }}\n"
    );
    let sources = [Source { name: "a.comp", stage: Stage::Compute, text: &text }];
    airfoil::steps::read_glsl(&sources, &ProgramOptions::default()).unwrap().shaders.remove(0)
}

/// GL_KHR_compute_shader_derivatives: in groups of 2 x 2, neighbours in x and y differ by one in the position in the workgroup.
#[test]
fn derivatives_of_groups_of_2_x_2() {
    let code = "vec3 p = vec3(gl_LocalInvocationID) * vec3(1.0, 10.0, 100.0);
        vec3 dx = dFdx(p), dy = dFdy(p);
        list[gl_LocalInvocationIndex] = uint(dx.x + dx.y + dx.z) | uint(dy.x + dy.y + dy.z) << 8u
            | (gl_LocalInvocationID.x + gl_LocalInvocationID.y * 16u + gl_LocalInvocationID.z * 256u) << 16u;";
    for size in [[2, 2, 1], [4, 2, 1], [6, 4, 1], [8, 4, 2]] {
        let invocations = size.iter().product::<u32>() as usize;
        for words in results(&compute("derivative_group_quadsKHR", size, code), invocations) {
            for (index, word) in (0u32..).zip(words) {
                let [x, y, z] = [index % size[0], index / size[0] % size[1], index / size[0] / size[1]];
                let at = x + y * 16 + z * 256;
                assert_eq!(word, 1 | 10 << 8 | at << 16, "{size:?} {index}");
            }
        }
    }
}

/// In linear groups four invocations that follow each other are a group, whatever their position.
#[test]
fn derivatives_of_linear_groups() {
    let code = "float p = float(gl_LocalInvocationIndex);
        list[gl_LocalInvocationIndex] = uint(dFdx(p)) | uint(dFdy(p)) << 8u;";
    for size in [[4, 1, 1], [3, 4, 1], [2, 2, 3]] {
        let invocations = size.iter().product::<u32>() as usize;
        for words in results(&compute("derivative_group_linearKHR", size, code), invocations) {
            assert_eq!(words, vec![1 | 2 << 8; invocations]);
        }
    }
}

/// A workgroup that does not consist of whole groups is an error in SPIR-V too (SPV_KHR_compute_shader_derivatives).
#[test]
fn derivative_groups_of_spirv_are_whole() {
    let module = |group: &str, size: &str| {
        let text = format!(
            "OpCapability Shader
            OpCapability ComputeDerivativeGroup{group}KHR
            OpExtension \"SPV_KHR_compute_shader_derivatives\"
            OpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main \"main\"
            OpExecutionMode %main LocalSize {size}
            OpExecutionMode %main DerivativeGroup{group}KHR
            %void = OpTypeVoid
            %fn = OpTypeFunction %void
            %main = OpFunction %void None %fn
            %l = OpLabel
            OpReturn
            OpFunctionEnd"
        );
        let words = airfoil_spirv_asm::assemble(&text, &airfoil_spirv_asm::Options::default()).unwrap();
        airfoil::steps::read_spirv(&words, &ReadOptions::default())
            .map(|shader| shader.info.quad_groups)
            .map_err(|errors| errors.to_string())
    };
    assert_eq!(module("Quads", "4 2 1"), Ok(true));
    assert_eq!(module("Linear", "4 1 1"), Ok(false));
    assert!(module("Quads", "4 3 1").unwrap_err().contains("expected an even workgroup size in x and y"));
    assert!(module("Linear", "3 1 1").unwrap_err().contains("expected a workgroup of a multiple of 4"));
}

//! Specialisation constants of SPIR-V that become function constants: with values and without.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

mod support;

use airfoil::{CompileOptions, Compiler, OptLevel, Output};
use airfoil_cpu::{Bindings, Config, Constants, Function, Launch};
use airfoil_interp::{Binding, Resources};
use support::words;

/// Writes a number, a float times it, a flag, a vector's sum, a small and a wide number, and values computed from them.
const MODULE: &str = "
    OpCapability Shader
    OpCapability Int64
    OpCapability Int16
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 1 1 1
    OpName %count \"count\"
    OpName %scale \"scale\"
    OpDecorate %count SpecId 3
    OpDecorate %scale SpecId 0
    OpDecorate %flag SpecId 10
    OpDecorate %wide SpecId 11
    OpDecorate %small SpecId 12
    OpDecorate %length SpecId 13
    OpDecorate %words ArrayStride 4
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %block Block
    OpDecorate %out DescriptorSet 0
    OpDecorate %out Binding 0
    %void = OpTypeVoid
    %bool = OpTypeBool
    %uint = OpTypeInt 32 0
    %int = OpTypeInt 32 1
    %ushort = OpTypeInt 16 0
    %ulong = OpTypeInt 64 0
    %float = OpTypeFloat 32
    %uvec3 = OpTypeVector %uint 3
    %count = OpSpecConstant %uint 4
    %scale = OpSpecConstant %float 1.5
    %flag = OpSpecConstantTrue %bool
    %wide = OpSpecConstant %ulong 4294967298
    %small = OpSpecConstant %ushort 7
    %length = OpSpecConstant %uint 2
    %c0 = OpConstant %uint 0
    %c1 = OpConstant %uint 1
    %c2 = OpConstant %uint 2
    %c3 = OpConstant %uint 3
    %c4 = OpConstant %uint 4
    %c5 = OpConstant %uint 5
    %c6 = OpConstant %uint 6
    %c32 = OpConstant %ulong 32
    %twice = OpSpecConstantOp %uint IMul %count %c2
    %more = OpSpecConstantOp %bool UGreaterThan %twice %c5
    %chosen = OpSpecConstantOp %uint Select %more %twice %c1
    %triple = OpSpecConstantComposite %uvec3 %count %twice %c3
    %second = OpSpecConstantOp %uint CompositeExtract %triple 1
    %local = OpTypeArray %uint %length
    %words = OpTypeRuntimeArray %uint
    %block = OpTypeStruct %words
    %p_block = OpTypePointer StorageBuffer %block
    %p_uint = OpTypePointer StorageBuffer %uint
    %p_local = OpTypePointer Function %local
    %p_one = OpTypePointer Function %uint
    %out = OpVariable %p_block StorageBuffer
    %fn = OpTypeFunction %void
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %array = OpVariable %p_local Function
    %a0 = OpAccessChain %p_uint %out %c0 %c0
    OpStore %a0 %count
    %f = OpConvertUToF %float %count
    %g = OpFMul %float %f %scale
    %gi = OpBitcast %uint %g
    %a1 = OpAccessChain %p_uint %out %c0 %c1
    OpStore %a1 %gi
    %b = OpSelect %uint %flag %chosen %c0
    %a2 = OpAccessChain %p_uint %out %c0 %c2
    OpStore %a2 %b
    %high = OpShiftRightLogical %ulong %wide %c32
    %h = OpUConvert %uint %high
    %s = OpUConvert %uint %small
    %hs = OpIAdd %uint %h %s
    %a3 = OpAccessChain %p_uint %out %c0 %c3
    OpStore %a3 %hs
    %x = OpCompositeExtract %uint %triple 0
    %sum = OpIAdd %uint %x %second
    %a4 = OpAccessChain %p_uint %out %c0 %c4
    OpStore %a4 %sum
    %l0 = OpAccessChain %p_one %array %c0
    OpStore %l0 %length
    %l = OpLoad %uint %l0
    %a5 = OpAccessChain %p_uint %out %c0 %c5
    OpStore %a5 %l
    OpReturn
    OpFunctionEnd";

fn compile(level: OptLevel, target: &str, spec: Vec<(u32, u64)>) -> Output {
    let words = airfoil_spirv_asm::assemble(MODULE, &airfoil_spirv_asm::Options::default())
        .unwrap_or_else(|e| panic!("{e:?}"));
    let mut options = CompileOptions::default().level(level);
    options.read.keep_spec_constants = true;
    options.read.spec = spec;
    options.air.target = target.parse().unwrap();
    Compiler::new(options).compile_spirv(&words).unwrap_or_else(|e| panic!("{e:?}"))
}

fn run(library: &[u8], constants: &[(u32, u64)]) -> Vec<u32> {
    let constants: Constants = constants.iter().copied().collect();
    let function = Function::with_constants(library, None, &constants).unwrap();
    let mut resources = Resources::new();
    let mut bindings = Bindings::default();
    let buffer = resources.add_buffer(vec![0; 24]);
    bindings.buffers.insert(0, Binding::Buffer { buffer, offset: 0, size: None });
    let launch = Launch { groups: [1, 1, 1], threads: [1, 1, 1] };
    function.kernel(&mut resources, &bindings, launch, &Config::default()).unwrap();
    words(&resources.buffers[buffer].bytes)
}

#[test]
fn values_and_defaults() {
    for (level, target) in
        [(OptLevel::O0, "macos11"), (OptLevel::O2, "macos14"), (OptLevel::O2, "macos10.13")]
    {
        let output = compile(level, target, Vec::new());
        let library = &output.metallib;
        assert_eq!(run(library, &[]), [4, 6f32.to_bits(), 8, 8, 12, 2], "{target}");
        let some = run(library, &[(3, 2), (0, u64::from(0.25f32.to_bits()))]);
        assert_eq!(some, [2, 0.5f32.to_bits(), 1, 8, 6, 2], "{target}");
        let others = run(library, &[(10, 0), (11, 5 << 32), (12, 65535), (3, 10)]);
        assert_eq!(others, [10, 15f32.to_bits(), 0, 65540, 30, 2], "{target}");
    }
}

#[test]
fn values_that_are_given_early_are_not_open() {
    let output = compile(OptLevel::O2, "macos14", vec![(3, 1), (10, 0)]);
    let indices: Vec<u16> = output.functions[0].reflection.constants.iter().map(|c| c.index).collect();
    assert_eq!(indices, [0, 11, 12]);
    assert_eq!(run(&output.metallib, &[(3, 9), (12, 0)]), [1, 1.5f32.to_bits(), 0, 1, 3, 2]);
}

#[test]
fn reflection_and_container_list_them() {
    let output = compile(OptLevel::O2, "macos14", Vec::new());
    let json = output.functions[0].reflection.to_json();
    assert!(
        json.contains(
            r#""constants":[{"index":0,"name":"scale","type":"float","default":1.5},{"index":3,"name":"count","type":"uint","default":4},{"index":10,"name":"constant10","type":"bool","default":true},{"index":11,"name":"constant11","type":"ulong","default":4294967298},{"index":12,"name":"constant12","type":"ushort","default":7}]"#
        ),
        "{json}"
    );
    let library = airfoil::air::metallib::read(&output.metallib).unwrap();
    let report = library.report().to_string();
    assert!(report.contains("constants    0  float scale"), "{report}");
    assert!(report.contains("3  uint count"), "{report}");
    let module = airfoil::air::bitcode::read(library.functions[0].bitcode().unwrap()).unwrap();
    let found = airfoil::air::inspect::inspect(&module).constants;
    let count = found.iter().find(|c| c.name == "count").unwrap();
    assert_eq!(
        (count.index, count.ty.as_str(), count.notes.as_slice()),
        (Some(3), "uint", &["optional".to_owned()][..])
    );
}

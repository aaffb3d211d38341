//! Exported functions of SPIR-V as visible functions, called with values.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

mod support;

use airfoil::{CompileOptions, Compiler, Errors, OptLevel, Output};
use airfoil_cpu::{Bindings, Config, Function, Role};
use airfoil_interp::Resources;

/// `mix_up(v, x, n)` is v * x + n in the first three components, and x in the last if n is not negative.
const MODULE: &str = "
    OpCapability Shader
    OpCapability Linkage
    OpMemoryModel Logical GLSL450
    OpName %v \"v\"
    OpName %x \"x\"
    OpDecorate %mix LinkageAttributes \"mix_up\" Export
    OpDecorate %other LinkageAttributes \"one\" Export
    %float = OpTypeFloat 32
    %int = OpTypeInt 32 1
    %bool = OpTypeBool
    %vec3 = OpTypeVector %float 3
    %vec4 = OpTypeVector %float 4
    %one = OpConstant %float 1
    %zero = OpConstant %int 0
    %nought = OpConstant %float 0
    %fn = OpTypeFunction %vec4 %vec3 %float %int
    %fn1 = OpTypeFunction %float
    %mix = OpFunction %vec4 None %fn
    %v = OpFunctionParameter %vec3
    %x = OpFunctionParameter %float
    %n = OpFunctionParameter %int
    %entry = OpLabel
    %scaled = OpVectorTimesScalar %vec3 %v %x
    %f = OpConvertSToF %float %n
    %fff = OpCompositeConstruct %vec3 %f %f %f
    %sum = OpFAdd %vec3 %scaled %fff
    %negative = OpSLessThan %bool %n %zero
    OpSelectionMerge %end None
    OpBranchConditional %negative %early %end
    %early = OpLabel
    %r0 = OpCompositeConstruct %vec4 %sum %nought
    OpReturnValue %r0
    %end = OpLabel
    %r1 = OpCompositeConstruct %vec4 %sum %x
    OpReturnValue %r1
    OpFunctionEnd
    %other = OpFunction %float None %fn1
    %e = OpLabel
    OpReturnValue %one
    OpFunctionEnd";

fn compile(text: &str, function: Option<&str>, level: OptLevel) -> Result<Output, Errors> {
    let words = airfoil_spirv_asm::assemble(text, &Default::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let mut options = CompileOptions::default().level(level);
    options.read.function = function.map(str::to_owned);
    Compiler::new(options).compile_spirv(&words)
}

#[test]
fn a_function_is_called_with_values() {
    for level in [OptLevel::O0, OptLevel::O2] {
        let output = compile(MODULE, Some("mix_up"), level).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(
            (output.functions[0].reflection.stage.name(), output.functions[0].reflection.entry.as_str()),
            ("visible", "mix_up")
        );
        let names: Vec<(&str, &str)> = output.functions[0]
            .reflection
            .inputs
            .iter()
            .map(|i| (i.name.as_str(), i.type_name.as_str()))
            .collect();
        assert_eq!(names, [("v", "float3"), ("x", "float"), ("argument2", "int")]);
        let library = airfoil::air::metallib::read(&output.metallib).unwrap();
        assert_eq!(library.functions[0].entry.kind.to_string(), "visible");
        let function = Function::of_library(&output.metallib, None).unwrap();
        assert_eq!(function.entry().stage, "visible");
        let inputs =
            |lane: usize, _: usize, argument: &airfoil_cpu::Argument, out: &mut [u64]| match argument.role {
                Role::Value(0) => out.copy_from_slice(&[1f32, 2.0, 3.0].map(|x| u64::from(x.to_bits()))),
                Role::Value(1) => out[0] = u64::from(0.5f32.to_bits()),
                Role::Value(2) => out[0] = if lane == 0 { 4 } else { u64::from(-1i32 as u32) },
                ref other => panic!("{other:?}"),
            };
        let (r, b) = (&mut Resources::new(), Bindings::default());
        let results = function.invoke(r, &b, &Config::default(), 2, &inputs).unwrap();
        let floats =
            |n: usize| results[n].outputs[0].iter().map(|&x| f32::from_bits(x as u32)).collect::<Vec<_>>();
        assert_eq!(floats(0), [4.5, 5.0, 5.5, 0.5]);
        assert_eq!(floats(1), [-0.5, 0.0, 0.5, 0.0]);
    }
}

#[test]
fn functions_are_chosen_by_name_or_refused() {
    let message =
        |text: &str, name: Option<&str>| compile(text, name, OptLevel::O2).unwrap_err()[0].message.clone();
    assert!(message(MODULE, None).contains(r#"several functions are exported: "mix_up", "one""#));
    assert!(message(MODULE, Some("two")).contains("no exported function is called"));
    let one = MODULE.replace("OpDecorate %mix LinkageAttributes \"mix_up\" Export", "");
    let output = compile(&one, None, OptLevel::O2).unwrap();
    assert_eq!(output.functions[0].reflection.entry, "one");
    assert!(output.functions[0].reflection.inputs.is_empty());
    let flags = one.replace("%fn1 = OpTypeFunction %float", "%fn1 = OpTypeFunction %bool").replace(
        "%other = OpFunction %float None %fn1\n    %e = OpLabel\n    OpReturnValue %one",
        "%other = OpFunction %bool None %fn1\n    %e = OpLabel\n    %u = OpUndef %bool\n    OpReturnValue %u",
    );
    assert!(message(&flags, None).contains("the result of the exported function one has the type"));
}

#[test]
fn what_is_not_an_argument_is_refused_by_name() {
    let text = MODULE
        .replace("OpDecorate %mix", "OpName %tint \"tint\"\nOpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpDecorate %tint DescriptorSet 0\nOpDecorate %tint Binding 0\nOpDecorate %mix")
        .replace("%fn = ", "%block = OpTypeStruct %float\n%pb = OpTypePointer Uniform %block\n%pf = OpTypePointer Uniform %float\n%tint = OpVariable %pb Uniform\n%fn = ")
        .replace("%f = OpConvertSToF %float %n", "%at = OpAccessChain %pf %tint %zero\n%f = OpLoad %float %at");
    let refused = compile(&text, Some("mix_up"), OptLevel::O2).unwrap_err()[0].message.clone();
    assert!(refused.contains("this one uses `tint`"), "{refused}");
}

//! Defects of SPIR-V modules that are compiled alone or together.

use airfoil::passes::manager::Manager;
use airfoil::steps::{PlanOptions, compile_plan, emit, lower, read_spirv};
use airfoil::{AirOptions, Diagnostic, OptLevel, ReadOptions, Shader};

/// Reads SPIR-V assembly.
fn read(text: &str) -> Shader {
    let words = airfoil_spirv_asm::assemble(text, &airfoil_spirv_asm::Options::default()).unwrap();
    read_spirv(&words, &ReadOptions::default()).unwrap()
}

/// Compiles the stages of a program; the LLVM text of each function.
fn compile(mut shaders: Vec<Shader>) -> Result<Vec<String>, Vec<Diagnostic>> {
    let air = AirOptions { target: "macos14".parse().unwrap(), ..AirOptions::default() };
    let options = PlanOptions::new(OptLevel::O2);
    let plan = compile_plan(&shaders, &options);
    let layouts = lower(&mut shaders, &plan, &options, &mut Manager::default())?;
    Ok(emit(&shaders, layouts, &air)?.iter().map(|stage| stage.to_ll()).collect())
}

/// A geometry shader that writes clip distances, cull distances or both.
fn geometry(clip: bool, cull: bool) -> String {
    let mut text = "OpCapability Geometry
        OpCapability ClipDistance
        OpCapability CullDistance
        OpMemoryModel Logical GLSL450
        OpEntryPoint Geometry %main \"main\" %out
        OpExecutionMode %main InputPoints
        OpExecutionMode %main Invocations 1
        OpExecutionMode %main OutputPoints
        OpExecutionMode %main OutputVertices 1
        OpMemberDecorate %block 0 BuiltIn Position
        OpMemberDecorate %block 1 BuiltIn ClipDistance
        OpMemberDecorate %block 2 BuiltIn CullDistance
        OpDecorate %block Block
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
        %vec4 = OpTypeVector %float 4
        %i0 = OpConstant %int 0
        %i1 = OpConstant %int 1
        %i2 = OpConstant %int 2
        %f1 = OpConstant %float 1
        %one = OpConstantComposite %vec4 %f1 %f1 %f1 %f1
        %array = OpTypeArray %float %i2
        %block = OpTypeStruct %vec4 %array %array
        %pb = OpTypePointer Output %block
        %pv = OpTypePointer Output %vec4
        %pf = OpTypePointer Output %float
        %out = OpVariable %pb Output
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %p = OpAccessChain %pv %out %i0
        OpStore %p %one
        "
    .to_string();
    for (written, member) in [(clip, "%i1"), (cull, "%i2")] {
        if written {
            text += &format!(
                "%d{} = OpAccessChain %pf %out {member} %i1\nOpStore %d{} %f1\n",
                &member[2..],
                &member[2..]
            );
        }
    }
    text + "OpEmitVertex\nOpEndPrimitive\nOpReturn\nOpFunctionEnd\n"
}

/// A mesh shader that writes cull distances.
fn mesh() -> &'static str {
    "OpCapability MeshShadingEXT
    OpCapability CullDistance
    OpExtension \"SPV_EXT_mesh_shader\"
    OpMemoryModel Logical GLSL450
    OpEntryPoint MeshEXT %main \"main\" %out
    OpExecutionModeId %main LocalSizeId %u1 %u1 %u1
    OpExecutionMode %main OutputTrianglesEXT
    OpExecutionMode %main OutputVertices 3
    OpExecutionMode %main OutputPrimitivesEXT 1
    OpMemberDecorate %block 0 BuiltIn Position
    OpMemberDecorate %block 1 BuiltIn CullDistance
    OpDecorate %block Block
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %float = OpTypeFloat 32
    %uint = OpTypeInt 32 0
    %vec4 = OpTypeVector %float 4
    %u0 = OpConstant %uint 0
    %u1 = OpConstant %uint 1
    %u3 = OpConstant %uint 3
    %f1 = OpConstant %float 1
    %array = OpTypeArray %float %u1
    %block = OpTypeStruct %vec4 %array
    %blocks = OpTypeArray %block %u3
    %pb = OpTypePointer Output %blocks
    %pf = OpTypePointer Output %float
    %out = OpVariable %pb Output
    %main = OpFunction %void None %fn
    %entry = OpLabel
    OpSetMeshOutputsEXT %u3 %u1
    %d = OpAccessChain %pf %out %u1 %u1 %u0
    OpStore %d %f1
    OpReturn
    OpFunctionEnd"
}

#[test]
fn defect_2_cull_distances_of_geometry_and_mesh_shaders_compiled_alone() {
    let clip = compile(vec![read(&geometry(true, false))]).unwrap();
    assert!(clip[0].contains("air.clip_distance"), "{}", clip[0]);
    for module in [&*geometry(false, true), &geometry(true, true), mesh()] {
        let errors = compile(vec![read(module)]).unwrap_err();
        assert_eq!((errors[0].code, &*errors[0].message), ("E0504", "Metal has no cull distances"));
    }
    // The fragment shader discards the primitives that the distances cull.
    let fragment = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\"
        OpExecutionMode %main OriginUpperLeft\n%void = OpTypeVoid\n%fn = OpTypeFunction %void
        %main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd";
    let both = compile(vec![read(&geometry(true, true)), read(fragment)]).unwrap();
    assert!(both[0].contains("cull_flags0") && both[1].contains("cull_flags0"), "{}", both[0]);
}

/// A compute shader with 64-bit atomic operations on a buffer.
fn atomics(code: &str) -> String {
    format!(
        "OpCapability Shader
        OpCapability Int64
        OpCapability Int64Atomics
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpMemberDecorate %block 1 Offset 8
        OpDecorate %buffer DescriptorSet 0
        OpDecorate %buffer Binding 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %ulong = OpTypeInt 64 0
        %int = OpTypeInt 32 1
        %i0 = OpConstant %int 0
        %i1 = OpConstant %int 1
        %bits = OpConstant %ulong 81985529216486895
        %block = OpTypeStruct %ulong %ulong
        %pb = OpTypePointer StorageBuffer %block
        %pu = OpTypePointer StorageBuffer %ulong
        %buffer = OpVariable %pb StorageBuffer
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %p = OpAccessChain %pu %buffer %i0
        %q = OpAccessChain %pu %buffer %i1
        {code}
        OpReturn
        OpFunctionEnd"
    )
}

#[test]
fn defect_24_bitwise_atomics_of_64_bits_on_buffers() {
    for (op, air) in [("OpAtomicAnd", "and"), ("OpAtomicOr", "or"), ("OpAtomicXor", "xor")] {
        let ll = &compile(vec![read(&atomics(&format!("%r = {op} %ulong %p %i1 %i0 %bits")))]).unwrap()[0];
        let calls = ll.matches(&format!("call i32 @air.atomic.global.{air}.")).count();
        assert_eq!(calls, 2, "{ll}");
    }
    // A result would show one half before the other, and other operations do not work on halves.
    for code in [
        "%r = OpAtomicOr %ulong %p %i1 %i0 %bits\nOpStore %q %r",
        "%r = OpAtomicIAdd %ulong %p %i1 %i0 %bits",
        "%r = OpAtomicOr %ulong %p %i1 %i0 %bits\n%s = OpAtomicXor %ulong %p %i1 %i0 %bits",
    ] {
        let errors = compile(vec![read(&atomics(code))]).unwrap_err();
        assert_eq!(errors[0].code, "E0503", "{code}");
    }
}

/// Elements of an array of arrays follow each other; elements of an array of blocks are captured by consecutive buffers, and each
/// member has an offset of its own.
#[test]
fn transform_feedback_of_arrays_of_arrays_and_of_blocks() {
    let text = "OpCapability Shader
        OpCapability TransformFeedback
        OpMemoryModel Logical GLSL450
        OpEntryPoint Vertex %main \"main\" %list %blocks
        OpExecutionMode %main Xfb
        OpDecorate %list Location 4
        OpDecorate %list XfbBuffer 0
        OpDecorate %list XfbStride 32
        OpDecorate %list Offset 4
        OpDecorate %block Block
        OpDecorate %blocks Location 12
        OpDecorate %blocks XfbBuffer 1
        OpDecorate %blocks XfbStride 24
        OpMemberDecorate %block 0 Offset 8
        OpMemberDecorate %block 1 Offset 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %float = OpTypeFloat 32
        %vec4 = OpTypeVector %float 4
        %vec2 = OpTypeVector %float 2
        %uint = OpTypeInt 32 0
        %one = OpConstant %uint 1
        %two = OpConstant %uint 2
        %floats = OpTypeArray %float %two
        %lists = OpTypeArray %floats %two
        %pl = OpTypePointer Output %lists
        %p2 = OpTypePointer Output %vec2
        %list = OpVariable %pl Output
        %block = OpTypeStruct %vec4 %vec2
        %array = OpTypeArray %block %two
        %pb = OpTypePointer Output %array
        %blocks = OpVariable %pb Output
        %f1 = OpConstant %float 1
        %pair = OpConstantComposite %vec2 %f1 %f1
        %main = OpFunction %void None %fn
        %l = OpLabel
        %c = OpAccessChain %p2 %blocks %one %one
        OpStore %c %pair
        OpReturn
        OpFunctionEnd";
    let captured = |text: &str| -> Vec<String> {
        let words = airfoil_spirv_asm::assemble(text, &airfoil_spirv_asm::Options::default()).unwrap();
        let outputs = airfoil::spirv::transform_feedback(&words, &ReadOptions::default()).unwrap();
        let word = |o: &airfoil::spirv::XfbOutput| {
            format!("{}/{}+{} {}.{}*{}", o.buffer, o.stride, o.offset, o.slot, o.component, o.components)
        };
        outputs.iter().map(word).collect()
    };
    let list = ["0/32+4 4.0*1", "0/32+8 5.0*1", "0/32+12 6.0*1", "0/32+16 7.0*1"];
    let blocks = ["1/24+8 12.0*4", "1/24+0 13.0*2", "2/24+8 14.0*4", "2/24+0 15.0*2"];
    assert_eq!(captured(text), [list, blocks].concat());
    // An array of arrays of blocks counts all elements.
    let text = text.replace(
        "%pb = OpTypePointer Output %array",
        "%arrays = OpTypeArray %array %two\n%pb = OpTypePointer Output %arrays",
    );
    let text = text.replace("%blocks %one %one", "%blocks %one %one %one");
    let more = ["3/24+8 16.0*4", "3/24+0 17.0*2", "4/24+8 18.0*4", "4/24+0 19.0*2"];
    assert_eq!(captured(&text), [list, blocks, more].concat());
}

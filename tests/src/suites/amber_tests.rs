//! Scripts that pass, fail and are skipped.

use super::{Options, read_beside, run};
use crate::engine::levels::Levels;
use crate::report::Verdict;
use airfoil::OptLevel;
use std::path::Path;

fn verdict(name: &str, text: &str) -> Verdict {
    verdict_at(name, text, Levels::One(OptLevel::O0))
}

fn verdict_at(name: &str, text: &str, levels: Levels) -> Verdict {
    let path = std::env::temp_dir().join(format!("airfoil-{}-{name}.amber", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let verdict = run(&path, &Options { levels, ..Options::default() });
    std::fs::remove_file(&path).unwrap();
    verdict
}

const DOUBLES: &str = "#!amber
SHADER compute double GLSL
#version 450
layout(set = 0, binding = 0) buffer B { int data[]; };
void main() { data[gl_GlobalInvocationID.x] *= 2; }
END
BUFFER b DATA_TYPE int32 DATA 1 2 3 END
BUFFER c DATA_TYPE int32 SIZE 3 SERIES_FROM 4 INC_BY 4
PIPELINE compute p
  ATTACH double
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
REPEAT 2
  RUN p 3 1 1
END
EXPECT b EQ_BUFFER c
EXPECT b IDX 4 EQ 8 12
";

#[test]
fn compute_scripts_pass_and_fail() {
    assert_eq!(verdict("pass", DOUBLES), Verdict::Passed);
    let reason = "line 17: b: byte 4: 8 Equal 9 does not hold";
    assert_eq!(verdict("fail", &DOUBLES.replace("EQ 8", "EQ 9")), Verdict::Failed(reason.into()));
}

#[test]
fn directives_at_the_start_of_a_shader_are_part_of_it() {
    let code = "#version 450 core
#extension GL_KHR_shader_subgroup_basic : enable
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint data[]; };
void main() { data[gl_GlobalInvocationID.x] = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID; }
";
    let rest = "END
BUFFER b DATA_TYPE uint32 SIZE 64 FILL 77
BUFFER c DATA_TYPE uint32 SIZE 64 SERIES_FROM 0 INC_BY 1
PIPELINE compute p
  ATTACH ids
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT b EQ_BUFFER c
";
    let script = format!("#!amber\nSHADER compute ids GLSL\n{code}{rest}");
    assert_eq!(verdict("directives", &script), Verdict::Passed);
    let script =
        format!("#!amber\nVIRTUAL_FILE ids.comp\n{code}END\nSHADER compute ids GLSL FILE ids.comp\n{rest}");
    assert_eq!(verdict("virtual", &script.replacen("END\nBUFFER", "BUFFER", 1)), Verdict::Passed);
}

#[test]
fn wide_exponents_are_not_cut() {
    let code = "OpCapability Shader
OpCapability Int64
%ext = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %buf
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 8
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 32
OpDecorate %results ArrayStride 4
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%long = OpTypeInt 64 1
%float = OpTypeFloat 32
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c4 = OpConstant %uint 4
%one = OpConstant %float 1
%array = OpTypeArray %long %c4
%results = OpTypeArray %float %c4
%block = OpTypeStruct %array %results
%p_block = OpTypePointer StorageBuffer %block
%p_long = OpTypePointer StorageBuffer %long
%p_float = OpTypePointer StorageBuffer %float
%buf = OpVariable %p_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
";
    let mut script = format!("#!amber\nSHADER compute ldexp SPIRV-ASM TARGET_ENV spv1.4\n{code}");
    for (i, index) in ["%c0", "%c1", "%c2", "%c3"].iter().enumerate() {
        script += &format!(
            "%pe{i} = OpAccessChain %p_long %buf %c0 {index}\n%e{i} = OpLoad %long %pe{i}\n%r{i} = OpExtInst %float %ext Ldexp %one %e{i}\n%pr{i} = OpAccessChain %p_float %buf %c1 {index}\nOpStore %pr{i} %r{i}\n"
        );
    }
    script = script.replace("%one = ", "%c2 = OpConstant %uint 2\n%c3 = OpConstant %uint 3\n%one = ");
    // The low words of the first two are 0 and 1.
    script += "OpReturn
OpFunctionEnd
END
BUFFER b DATA_TYPE int64 DATA -4294967296 4294967297 3 -2 0 0 END
PIPELINE compute p
  ATTACH ldexp
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
BUFFER want DATA_TYPE uint32 DATA 0 0xffffffff 1 1 3 0 -2 -1 0 0x7f800000 0x41000000 0x3e800000 END
EXPECT b EQ_BUFFER want
";
    let script = script.replace(" -2 -1 0 0x7f", " 0xfffffffe 0xffffffff 0 0x7f");
    assert_eq!(verdict("ldexp", &script), Verdict::Passed);
}

#[test]
fn rectangles_are_drawn() {
    let text = "#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f GLSL
#version 450
layout(location = 0) out vec4 c;
void main() { c = vec4(gl_FragCoord.x < 4.0 ? 1.0 : 0.0, dFdx(gl_FragCoord.x), 0.0, 1.0); }
END
BUFFER fb FORMAT B8G8R8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 8 8
  BIND BUFFER fb AS color LOCATION 0
END
CLEAR_COLOR p 0 0 255 255
CLEAR p
RUN p DRAW_RECT POS 2 2 SIZE 4 4
EXPECT fb IDX 2 2 SIZE 2 4 EQ_RGBA 255 255 0 255
EXPECT fb IDX 4 2 SIZE 2 4 EQ_RGB 0 255 0
EXPECT fb IDX 0 0 SIZE 8 2 EQ_RGBA 0 0 255 255
EXPECT fb IDX 6 0 SIZE 2 8 EQ_RGBA 0 0 255 255
";
    assert_eq!(verdict("rect", text), Verdict::Passed);
}

#[test]
fn patches_are_tessellated() {
    let script = "#!amber
SHADER vertex v GLSL
#version 450
layout(location = 0) in vec2 place;
void main() { gl_Position = vec4(place, 0.0, 1.0); }
END
SHADER tessellation_control c GLSL
#version 450
layout(vertices = 3) out;
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_TessLevelOuter[0] = 2.0; gl_TessLevelOuter[1] = 2.0; gl_TessLevelOuter[2] = 2.0; gl_TessLevelInner[0] = 1.0;
}
END
SHADER tessellation_evaluation e GLSL
#version 450
layout(triangles) in;
layout(location = 0) out float height;
void main() {
  gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
  height = gl_TessCoord.x;
}
END
SHADER fragment f GLSL
#version 450
layout(location = 0) in float height;
layout(location = 0) out vec4 color;
void main() { color = vec4(height < 0.5 ? 1.0 : 0.0, 1.0, 0.0, 1.0); }
END
BUFFER places DATA_TYPE vec2<float> DATA -1 -1  3 -1  -1 3 END
BUFFER fb FORMAT B8G8R8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH c
  ATTACH e
  ATTACH f
  PATCH_CONTROL_POINTS 3
  FRAMEBUFFER_SIZE 8 8
  VERTEX_DATA places LOCATION 0
  BIND BUFFER fb AS color LOCATION 0
END
CLEAR_COLOR p 0 0 255 255
CLEAR p
RUN p DRAW_ARRAY AS PATCH_LIST START_IDX 0 COUNT 3
EXPECT fb IDX 0 0 SIZE 2 2 EQ_RGB 0 255 0
EXPECT fb IDX 6 6 SIZE 2 2 EQ_RGB 255 255 0
";
    assert_eq!(verdict("patches", script), Verdict::Passed);
    let Verdict::Failed(reason) = verdict("triangles", &script.replace("PATCH_LIST", "TRIANGLE_LIST")) else {
        panic!("it must fail");
    };
    assert!(reason.contains("only patches"), "{reason}");
    let Verdict::Failed(reason) = verdict("five", &script.replace("POINTS 3", "POINTS 2")) else {
        panic!("it must fail");
    };
    assert!(reason.contains("whole patches"), "{reason}");
}

#[test]
fn what_is_not_there_is_skipped() {
    let text = DOUBLES.replace("DATA 1 2 3 END", "SIZE 3 FILE BINARY nothing.bin");
    assert_eq!(verdict("file", &text), Verdict::Skipped("the file nothing.bin is not there".into()));
    assert!(read_beside(Path::new("/tmp"), "../etc/passwd").is_err());
    let text = DOUBLES.replace("EXPECT b IDX", "EXPECT z IDX");
    assert_eq!(verdict("name", &text), Verdict::Failed("parse: 17:8: unknown buffer `z`".into()));
}

/// Sum over a pointer that walks through two arrays; it is also kept in a variable, compared and subtracted.
const WALK: &str = "OpCapability Shader
OpCapability VariablePointersStorageBuffer
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %buf
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %array ArrayStride 4
OpDecorate %p_int ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 20
OpMemberDecorate %block 2 Offset 40
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%c0 = OpConstant %int 0
%c1 = OpConstant %int 1
%c2 = OpConstant %int 2
%c3 = OpConstant %int 3
%c4 = OpConstant %int 4
%c5 = OpConstant %int 5
%c99 = OpConstant %int 99
%array = OpTypeArray %int %c5
%block = OpTypeStruct %array %array %array
%p_block = OpTypePointer StorageBuffer %block
%p_int = OpTypePointer StorageBuffer %int
%pp_int = OpTypePointer Function %p_int
%null = OpConstantNull %p_int
%step_fn = OpTypeFunction %p_int %p_int %int
%buf = OpVariable %p_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%kept = OpVariable %pp_int Function
OpStore %kept %null
%start = OpAccessChain %p_int %buf %c0 %c0
OpBranch %loop
%loop = OpLabel
%p = OpPhi %p_int %start %entry %q %cont
%i = OpPhi %int %c0 %entry %i1 %cont
%sum = OpPhi %int %c0 %entry %sum1 %cont
OpLoopMerge %end %cont None
OpBranch %body
%body = OpLabel
%x = OpLoad %int %p
%sum1 = OpIAdd %int %sum %x
%i1 = OpIAdd %int %i %c1
OpStore %kept %p
OpBranch %cont
%cont = OpLabel
%q = OpFunctionCall %p_int %step %p %i
%more = OpSLessThan %bool %i1 %c3
OpBranchConditional %more %loop %end
%end = OpLabel
%r0 = OpAccessChain %p_int %buf %c2 %c0
OpStore %r0 %sum1
%last = OpLoad %p_int %kept
OpStore %last %c99
%b3 = OpAccessChain %p_int %buf %c1 %c3
%same = OpPtrEqual %bool %last %b3
%s1 = OpSelect %int %same %c1 %c0
%r1 = OpAccessChain %p_int %buf %c2 %c1
OpStore %r1 %s1
%none = OpPtrNotEqual %bool %last %null
%s2 = OpSelect %int %none %c1 %c0
%r2 = OpAccessChain %p_int %buf %c2 %c2
OpStore %r2 %s2
%d = OpPtrDiff %int %q %last
%r3 = OpAccessChain %p_int %buf %c2 %c3
OpStore %r3 %d
OpReturn
OpFunctionEnd
%step = OpFunction %p_int None %step_fn
%from = OpFunctionParameter %p_int
%n = OpFunctionParameter %int
%inside = OpLabel
%jump = OpIEqual %bool %n %c1
%other = OpAccessChain %p_int %buf %c1 %c3
%next = OpPtrAccessChain %p_int %from %c1
%to = OpSelect %p_int %jump %other %next
OpReturnValue %to
OpFunctionEnd
";

#[test]
fn pointers_are_values() {
    let script = |code: &str| {
        format!(
            "#!amber
SHADER compute walk SPIRV-ASM TARGET_ENV spv1.4
{code}END
BUFFER b DATA_TYPE int32 DATA 1 2 3 4 5 10 20 30 40 50 7 7 7 7 7 END
PIPELINE compute p
  ATTACH walk
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT b IDX 0 EQ 1 2 3 4 5 10 20 30 99 50 43 1 1 1 7
"
        )
    };
    assert_eq!(verdict("walk", &script(WALK)), Verdict::Passed);
    assert_eq!(verdict_at("walk-2", &script(WALK), Levels::Both), Verdict::Passed);
    // The same pointer is not the same any more.
    let Verdict::Failed(reason) =
        verdict(
            "other",
            &script(&WALK.replace(
                "%b3 = OpAccessChain %p_int %buf %c1 %c3",
                "%b3 = OpAccessChain %p_int %buf %c1 %c2",
            )),
        )
    else {
        panic!("it must fail");
    };
    assert!(reason.contains("byte 44: 0 Equal 1"), "{reason}");
    // Without the capability, pointers are not values.
    let plain = WALK.replace("OpCapability VariablePointersStorageBuffer\n", "");
    let Verdict::Failed(reason) = verdict("plain", &script(&plain)) else { panic!("it must fail") };
    assert!(reason.contains("is not supported"), "{reason}");
}

#[test]
fn workgroup_memory_starts_with_zeros() {
    let script = "#!amber
SHADER compute zeros GLSL
#version 450
#extension GL_EXT_null_initializer : require
layout(local_size_x = 4) in;
shared struct { uint a[3]; vec2 b; } s = {};
layout(set = 0, binding = 0) buffer B { uint data[]; };
void main() {
  uint n = gl_LocalInvocationID.x;
  data[n] = n < 3 ? s.a[n] : uint(s.b.x + s.b.y);
  barrier();
  s.a[0] = 5; s.b = vec2(6.0);
}
END
BUFFER b DATA_TYPE uint32 SIZE 4 FILL 9
PIPELINE compute p
  ATTACH zeros
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 2 1 1
EXPECT b IDX 0 EQ 0 0 0 0
";
    assert_eq!(verdict("zeros", script), Verdict::Passed);
    assert_eq!(verdict_at("zeros-2", script, Levels::Both), Verdict::Passed);
}

/// A pipeline that draws one colour, half opaque, with more state.
fn half_opaque(buffers: &str, state: &str, commands: &str) -> String {
    format!(
        "#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f GLSL
#version 430
layout(location = 0) out vec4 c;
void main() {{ c = vec4(0.5, 0.0, 0.25, 0.5); }}
END
BUFFER fb FORMAT R8G8B8A8_UNORM
{buffers}
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 4 4
{state}
END
{commands}"
    )
}

#[test]
fn colours_are_blended() {
    let state = "  BIND BUFFER fb AS color LOCATION 0
  BLEND
    SRC_COLOR_FACTOR src_alpha
    DST_COLOR_FACTOR one
    COLOR_OP OP
    SRC_ALPHA_FACTOR one
    DST_ALPHA_FACTOR one
    ALPHA_OP max
  END";
    let commands = "CLEAR_COLOR p 0 255 0 64
CLEAR p
RUN p DRAW_RECT POS 0 0 SIZE 2 4
EXPECT fb IDX 0 0 SIZE 2 4 EQ_RGBA 64 255 32 128
EXPECT fb IDX 2 0 SIZE 2 4 EQ_RGBA 0 255 0 64
";
    let text = half_opaque("", state, commands);
    assert_eq!(verdict("blend", &text.replace("COLOR_OP OP", "COLOR_OP add")), Verdict::Passed);
    let failed = verdict("blend-fails", &text.replace("COLOR_OP OP", "COLOR_OP subtract"));
    assert!(matches!(&failed, Verdict::Failed(why) if why.contains("is 64.0 0.0 32.0 128.0")), "{failed:?}");
    let skipped = verdict("blend-advanced", &text.replace("COLOR_OP OP", "COLOR_OP hsl_color"));
    assert_eq!(skipped, Verdict::Skipped("not modelled: blending by hsl_color".into()));
}

#[test]
fn stencil_values_mark_what_is_drawn() {
    for format in ["D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT", "S8_UINT"] {
        let buffers = format!("BUFFER ds FORMAT {format}");
        let state = "  BIND BUFFER fb AS color LOCATION 0
  BIND BUFFER ds AS depth_stencil
  STENCIL front_and_back
    TEST on
    COMPARE_OP COMPARE
    REFERENCE 4
    PASS_OP increment_and_clamp
  END";
        // Where the first draw went, 3 became 4.
        let commands = "DERIVE_PIPELINE q FROM p
  STENCIL front_and_back
    COMPARE_OP equal
  END
END
CLEAR_COLOR p 0 0 0 0
CLEAR_STENCIL p 3
CLEAR p
RUN p DRAW_RECT POS 0 0 SIZE 4 2
EXPECT fb IDX 0 0 SIZE 4 2 EQ_RGBA 128 0 64 128
CLEAR_COLOR p 0 0 0 0
RUN q DRAW_RECT POS 0 0 SIZE 2 4
EXPECT fb IDX 0 2 SIZE 4 2 EQ_RGBA 0 0 0 0
";
        let text = half_opaque(&buffers, state, commands);
        let passed = verdict(format, &text.replace("COMPARE_OP COMPARE", "COMPARE_OP greater"));
        assert_eq!(passed, Verdict::Passed, "{format}");
        let failed = verdict(format, &text.replace("COMPARE_OP COMPARE", "COMPARE_OP less"));
        assert!(matches!(failed, Verdict::Failed(_)), "{format}");
    }
}

#[test]
fn samples_are_resolved() {
    let buffers = "IMAGE ms FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 4 HEIGHT 4 SAMPLES 4";
    let state = "  BIND BUFFER ms AS color LOCATION 0\n  BIND BUFFER fb AS resolve LOCATION 0";
    // Of the first column's pixels two samples of four are covered.
    let commands = "CLEAR_COLOR p 0 0 0 0
CLEAR p
RUN p DRAW_RECT POS 0.5 0 SIZE 3.5 4
EXPECT fb IDX 0 0 SIZE 1 4 EQ_RGBA 64 0 32 64
EXPECT fb IDX 1 0 SIZE 3 4 EQ_RGBA 128 0 64 128
";
    assert_eq!(verdict("resolve", &half_opaque(buffers, state, commands)), Verdict::Passed);
}

/// Comparisons with a tolerance, and sections of text.
#[test]
fn vkscript_compares_with_tolerances() {
    let script = "[compute shader]
#version 450
layout(binding = 0) buffer B { float data[]; };
void main() { data[0] = 1.004; }
[comment]
any (text
[test]
ssbo 0 subdata float 0 0.0
compute 1 1 1
probe ssbo float 0 0 ~= 1.0
tolerance 1%
probe ssbo float 0 0 ~= 1.0
tolerance 0.005
probe ssbo float 0 0 ~= 1.0
";
    assert_eq!(verdict("near", script), Verdict::Passed);
    for (name, from, to) in [
        ("percent", "1%", "0.1%"),
        ("absolute", "0.005", "0.001"),
        ("exact", "0 ~= 1.0\ntolerance 1%", "0 == 1.0\ntolerance 1%"),
    ] {
        let failed = verdict(name, &script.replace(from, to));
        assert!(matches!(failed, Verdict::Failed(_)), "{name}: {failed:?}");
    }
}

/// Rectangles in pixels, and draws of all vertices of the data.
#[test]
fn vkscript_draws_rectangles_in_pixels() {
    let script = "[require]
framebuffer R8G8B8A8_UNORM
fbsize 8 8
[vertex shader passthrough]
[fragment shader]
#version 450
layout(location = 0) out vec4 o;
void main() { o = vec4(0, 1, 0, 1); }
[test]
clear color 0 0 0 0
clear
draw rect ortho 0 0 4 8
probe rect rgba (0, 0, 4, 8) (0, 1, 0, 1)
probe rect rgba (4, 0, 4, 8) (0, 0, 0, 0)
";
    assert_eq!(verdict("ortho", script), Verdict::Passed);
    assert!(matches!(verdict("clip", &script.replace("rect ortho", "rect")), Verdict::Failed(_)));
}

/// Without a count, a list of triangles has all vertices of the data.
#[test]
fn triangle_lists_end_with_their_data() {
    let script = "#!amber
SHADER vertex v GLSL
#version 450
layout(location = 0) in vec2 p;
void main() { gl_Position = vec4(p, 0.0, 1.0); }
END
SHADER fragment f GLSL
#version 450
layout(location = 0) out vec4 o;
void main() { o = vec4(0.0, 1.0, 0.0, 1.0); }
END
BUFFER places DATA_TYPE vec2<float> DATA
-1 -1  3 -1  -1 3
END
BUFFER fb FORMAT B8G8R8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 8 8
  VERTEX_DATA places LOCATION 0
  BIND BUFFER fb AS color LOCATION 0
END
CLEAR p
RUN p DRAW_ARRAY AS TRIANGLE_LIST
EXPECT fb IDX 0 0 SIZE 8 8 EQ_RGB 0 255 0
";
    assert_eq!(verdict("list", script), Verdict::Passed);
    // Nothing is left after the first triangle.
    let rest = script.replace("TRIANGLE_LIST", "TRIANGLE_LIST START_IDX 3");
    assert!(matches!(verdict("rest", &rest), Verdict::Failed(_)));
}

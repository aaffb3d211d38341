//! `amber`: scripts in AmberScript and VkScript are executed, and what they expect is compared.

use crate::amber::exec::{self, Stop};
use crate::amber::parse;
use crate::corpus;
use crate::engine::Engine;
use crate::engine::interp::Interp;
use crate::report::Verdict;
use airfoil::OptLevel;
use std::io;
use std::path::Path;

/// Endings of the files that the suite takes.
pub const ENDINGS: &[&str] = &["amber", "vkscript"];

/// What executes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineKind {
    /// The interpreter.
    #[default]
    Interp,
}

/// How scripts are executed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How much shaders are optimised for the target; `None` = they are executed as the front ends make them.
    pub level: Option<OptLevel>,
    /// What executes.
    pub engine: EngineKind,
}

/// Runs one script.
pub fn run(path: &Path, options: &Options) -> Verdict {
    let text = match corpus::read_text(path) {
        Ok(text) => text,
        Err(e) => return Verdict::Failed(e.to_string()),
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    // Files lie beside the script.
    let load = |name: &str| -> Option<Vec<u8>> { read_beside(folder, name).ok() };
    let script = match parse(&text, &load) {
        Ok(script) => script,
        Err(fault) if fault.message.ends_with("placeholder of a template") => {
            return Verdict::Skipped("a template, not a script".into());
        }
        Err(fault) => return Verdict::Failed(format!("parse: {fault}")),
    };
    let mut engine: Box<dyn Engine> = match options.engine {
        EngineKind::Interp => Box::<Interp>::default(),
    };
    match exec::run(&script, engine.as_mut(), &exec::Options { level: options.level }) {
        Ok(()) => Verdict::Passed,
        Err(Stop::Skip(reason)) => Verdict::Skipped(reason),
        Err(Stop::Fail(reason)) => Verdict::Failed(reason),
    }
}

/// Reads a file of the folder; names that lead out of it are refused.
fn read_beside(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    use std::path::Component;
    if Path::new(name).components().any(|c| !matches!(c, Component::Normal(_) | Component::CurDir)) {
        return Err(io::Error::other("outside of the script's folder"));
    }
    std::fs::read(folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(name: &str, text: &str) -> Verdict {
        let path = std::env::temp_dir().join(format!("airfoil-{}-{name}.amber", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let verdict = run(&path, &Options::default());
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
        let script = format!(
            "#!amber\nVIRTUAL_FILE ids.comp\n{code}END\nSHADER compute ids GLSL FILE ids.comp\n{rest}"
        );
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
    fn what_is_not_there_is_skipped() {
        let text = DOUBLES.replace("DATA 1 2 3 END", "SIZE 3 FILE BINARY nothing.bin");
        assert_eq!(verdict("file", &text), Verdict::Skipped("the file nothing.bin is not there".into()));
        assert!(read_beside(Path::new("/tmp"), "../etc/passwd").is_err());
        let text = DOUBLES.replace("EXPECT b IDX", "EXPECT z IDX");
        assert_eq!(verdict("name", &text), Verdict::Failed("parse: 17:8: there is no buffer `z`".into()));
    }
}

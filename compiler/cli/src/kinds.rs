//! Types of input and output files, inferred from the extension.

use airfoil::Stage;
use clap::ValueEnum;
use std::path::Path;

/// Type of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InputKind {
    /// SPIR-V module
    Spv,
    /// SPIR-V assembly in the syntax of spirv-as
    Spvasm,
    /// Text form of the IR
    Foil,
    /// Binary form of the IR
    Foilb,
    /// GLSL source of one stage
    Glsl,
    /// Assembly program of OpenGL (ARB_vertex_program, ARB_fragment_program)
    Arb,
}

/// Type of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputKind {
    /// Library that Metal loads
    Metallib,
    /// Bitcode in its wrapper
    Air,
    /// Bare bitcode
    Bc,
    /// AIR as LLVM assembly
    Ll,
    /// Text form of the IR, optimised
    Foil,
    /// Binary form of the IR, optimised
    Foilb,
    /// Reflection: where each resource is
    Json,
    /// SPIR-V module
    Spv,
    /// SPIR-V assembly in the form of spirv-dis
    Spvasm,
}

impl InputKind {
    /// Bytes of this kind begin like `bytes`; for streams, which have no name.
    pub fn of_bytes(bytes: &[u8]) -> InputKind {
        const MAGIC: u32 = 0x0723_0203;
        let spirv = bytes.starts_with(&MAGIC.to_le_bytes()) || bytes.starts_with(&MAGIC.to_be_bytes());
        match spirv {
            true => InputKind::Spv,
            false if airfoil_store::is_stored(bytes) => InputKind::Foilb,
            false if airfoil::arb::target_of(bytes).is_some() => InputKind::Arb,
            false => InputKind::Foil,
        }
    }
}

impl OutputKind {
    const ALL: [OutputKind; 9] = [
        OutputKind::Metallib,
        OutputKind::Air,
        OutputKind::Bc,
        OutputKind::Ll,
        OutputKind::Foil,
        OutputKind::Foilb,
        OutputKind::Json,
        OutputKind::Spv,
        OutputKind::Spvasm,
    ];

    /// The file ending, without dot.
    pub fn ending(self) -> &'static str {
        match self {
            OutputKind::Metallib => "metallib",
            OutputKind::Air => "air",
            OutputKind::Bc => "bc",
            OutputKind::Ll => "ll",
            OutputKind::Foil => "foil",
            OutputKind::Foilb => "foilb",
            OutputKind::Json => "json",
            OutputKind::Spv => "spv",
            OutputKind::Spvasm => "spvasm",
        }
    }

    /// A terminal cannot show it.
    pub fn is_binary(self) -> bool {
        use OutputKind::{Air, Bc, Foilb, Metallib, Spv};
        matches!(self, Metallib | Air | Bc | Foilb | Spv)
    }

    /// It holds one function only.
    pub fn is_one_stage(self) -> bool {
        use OutputKind::{Foilb, Json, Metallib, Spv, Spvasm};
        !matches!(self, Metallib | Foilb | Json | Spv | Spvasm)
    }

    /// It is the IR.
    pub fn is_ir(self) -> bool {
        matches!(self, OutputKind::Foil | OutputKind::Foilb)
    }

    /// It is SPIR-V.
    pub fn is_spirv(self) -> bool {
        matches!(self, OutputKind::Spv | OutputKind::Spvasm)
    }
}

/// Extensions of GLSL sources by stage.
pub const STAGE_ENDINGS: &[(&str, Stage)] = &[
    ("vert", Stage::Vertex),
    ("tesc", Stage::TessControl),
    ("tese", Stage::TessEval),
    ("geom", Stage::Geometry),
    ("frag", Stage::Fragment),
    ("comp", Stage::Compute),
];

/// The stage of a GLSL source by its name: `a.frag`, `a.frag.glsl`, `a_frag.glsl`, `a-frag.glsl`, `frag.glsl`.
pub fn stage_of(path: &Path) -> Option<Stage> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let (stem, apart): (&str, &[char]) = match name.strip_suffix(".glsl") {
        Some(stem) => (stem, &['.', '_', '-']),
        None => (&name, &['.']),
    };
    let word = match stem.rsplit_once(apart) {
        Some((_, word)) => word,
        None if apart.len() > 1 => stem,
        None => return None,
    };
    STAGE_ENDINGS.iter().find(|(ending, _)| *ending == word).map(|(_, stage)| *stage)
}

/// Advice about extensions that inputs cannot have.
const HINTS: &[(&[&str], &str)] = &[
    (&["hlsl"], "HLSL is not supported; compile it to SPIR-V first: dxc -spirv SHADER -Fo SHADER.spv"),
    (&["wgsl"], "WGSL is not supported; compile it to SPIR-V first: naga SHADER SHADER.spv"),
    (&["metallib", "air", "bc"], "this is an output type; `airfoil metallib FILE` shows its content"),
    (&["ll", "json"], "this is an output type"),
];

fn ending(path: &Path) -> Option<String> {
    Some(path.extension()?.to_string_lossy().to_ascii_lowercase())
}

/// The type of an input file, or a message and advice.
pub fn input_kind(path: &Path) -> Result<InputKind, (String, String)> {
    let end = ending(path);
    match end.as_deref() {
        Some("spv") => return Ok(InputKind::Spv),
        Some("spvasm" | "spvas") => return Ok(InputKind::Spvasm),
        Some("foil") => return Ok(InputKind::Foil),
        Some("foilb") => return Ok(InputKind::Foilb),
        Some("glsl") => return Ok(InputKind::Glsl),
        Some("vp" | "fp") => return Ok(InputKind::Arb),
        Some(end) if STAGE_ENDINGS.iter().any(|(ending, _)| *ending == end) => return Ok(InputKind::Glsl),
        _ => {}
    }
    let fault = unknown(path, end.as_deref(), "input");
    let hint = HINTS.iter().find(|(ends, _)| end.as_deref().is_some_and(|e| ends.contains(&e)));
    let advice = match hint {
        Some((_, hint)) => (*hint).to_string(),
        None => "expected .spv, .spvasm, .foil, .foilb, .glsl, .vp, .fp or a stage such as .frag; `--from KIND` selects the type of other names"
            .to_string(),
    };
    Err((fault, advice))
}

/// The type of an output file, or a message and advice.
pub fn output_kind(path: &Path) -> Result<OutputKind, (String, String)> {
    let end = ending(path);
    OutputKind::ALL.into_iter().find(|k| end.as_deref() == Some(k.ending())).ok_or_else(|| {
        let ends: Vec<String> = OutputKind::ALL.iter().map(|k| format!(".{}", k.ending())).collect();
        let advice = format!("expected {}; `--to KIND` selects the type of other names", ends.join(", "));
        (unknown(path, end.as_deref(), "output"), advice)
    })
}

fn unknown(path: &Path, ending: Option<&str>, what: &str) -> String {
    let path = path.display().to_string();
    match ending {
        Some(end) => format!("`{path}`: `.{end}` is not a supported {what} type"),
        None => format!("`{path}`: the {what} type cannot be inferred, because the name has no extension"),
    }
}

/// The name of an output in a folder: the input's, with its kind's ending replaced. The ending for the stage remains:
/// the stages of a program have one name.
pub fn output_name(input: &Path, kind: OutputKind) -> String {
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let stage = ending(input).is_some_and(|end| STAGE_ENDINGS.iter().any(|(ending, _)| *ending == end));
    let known = !stage && input_kind(input).is_ok();
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if known && !stem.is_empty() => stem,
        _ => &name,
    };
    format!("{stem}.{}", kind.ending())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_ending() {
        assert_eq!(input_kind(Path::new("a/b.frag.spv")), Ok(InputKind::Spv));
        assert_eq!(input_kind(Path::new("a.frag.spvasm")), Ok(InputKind::Spvasm));
        assert_eq!(input_kind(Path::new("B.FOIL")), Ok(InputKind::Foil));
        assert_eq!(input_kind(Path::new("x.frag")), Ok(InputKind::Glsl));
        assert_eq!(input_kind(Path::new("x.glsl")), Ok(InputKind::Glsl));
        assert_eq!(input_kind(Path::new("x.vp")), Ok(InputKind::Arb));
        assert_eq!(input_kind(Path::new("x.fp")), Ok(InputKind::Arb));
        assert_eq!(InputKind::of_bytes(b"!!ARBfp1.0\nEND"), InputKind::Arb);
        let (fault, advice) = input_kind(Path::new("x.wgsl")).unwrap_err();
        assert!(fault.contains("`.wgsl` is not a supported input type") && advice.contains("naga"));
        let (fault, advice) = input_kind(Path::new("x")).unwrap_err();
        assert!(fault.contains("no extension") && advice.contains("--from"));
        for kind in OutputKind::ALL {
            assert_eq!(output_kind(Path::new(&format!("x.y.{}", kind.ending()))), Ok(kind));
        }
        assert!(output_kind(Path::new("x.wgsl")).unwrap_err().1.contains(".metallib, .air"));
    }

    #[test]
    fn stages_by_name() {
        let stage = |name: &str| stage_of(Path::new(name));
        for (ending, of) in STAGE_ENDINGS {
            for name in [format!("a.{ending}"), format!("a.b.{ending}.glsl"), format!("d/a_{ending}.glsl")] {
                assert_eq!(stage(&name), Some(*of), "{name}");
            }
        }
        assert_eq!((stage("A.FRAG"), stage("frag.glsl")), (Some(Stage::Fragment), Some(Stage::Fragment)));
        for name in ["frag", "a_frag", "a.glsl", "afrag.glsl", "a.frag.spv", "a.frag.x.glsl"] {
            assert_eq!(stage(name), None, "{name}");
        }
    }

    #[test]
    fn names_of_outputs() {
        assert_eq!(output_name(Path::new("d/old.frag.spv"), OutputKind::Metallib), "old.frag.metallib");
        assert_eq!(output_name(Path::new("d/old.frag"), OutputKind::Ll), "old.frag.ll");
        assert_eq!(output_name(Path::new("d/old.frag.glsl"), OutputKind::Ll), "old.frag.ll");
        assert_eq!(output_name(Path::new("d/old_frag.glsl"), OutputKind::Ll), "old_frag.ll");
        assert_eq!(output_name(Path::new(".spv"), OutputKind::Ll), ".spv.ll");
    }
}

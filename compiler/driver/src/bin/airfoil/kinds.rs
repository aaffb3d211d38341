//! Kinds of input and output, told apart by file ending.

use clap::ValueEnum;
use std::path::Path;

/// What an input holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InputKind {
    /// SPIR-V module
    Spv,
    /// Text form of the IR
    Foil,
}

/// What an output holds.
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
    /// Reflection: where each resource is
    Json,
}

impl InputKind {
    /// Bytes of this kind begin like `bytes`; for streams, which have no name.
    pub fn of_bytes(bytes: &[u8]) -> InputKind {
        const MAGIC: u32 = 0x0723_0203;
        let spirv = bytes.starts_with(&MAGIC.to_le_bytes()) || bytes.starts_with(&MAGIC.to_be_bytes());
        if spirv { InputKind::Spv } else { InputKind::Foil }
    }
}

impl OutputKind {
    const ALL: [OutputKind; 6] = [
        OutputKind::Metallib,
        OutputKind::Air,
        OutputKind::Bc,
        OutputKind::Ll,
        OutputKind::Foil,
        OutputKind::Json,
    ];

    /// The file ending, without dot.
    pub fn ending(self) -> &'static str {
        match self {
            OutputKind::Metallib => "metallib",
            OutputKind::Air => "air",
            OutputKind::Bc => "bc",
            OutputKind::Ll => "ll",
            OutputKind::Foil => "foil",
            OutputKind::Json => "json",
        }
    }

    /// A terminal cannot show it.
    pub fn is_binary(self) -> bool {
        matches!(self, OutputKind::Metallib | OutputKind::Air | OutputKind::Bc)
    }
}

/// What is known about endings that no input may have.
const HINTS: &[(&[&str], &str)] = &[
    (
        &["vert", "frag", "comp", "geom", "tesc", "tese", "glsl"],
        "GLSL source is not read; make SPIR-V of it first: glslangValidator -V SHADER -o SHADER.spv",
    ),
    (&["hlsl"], "HLSL source is not read; make SPIR-V of it first: dxc -spirv SHADER -Fo SHADER.spv"),
    (&["wgsl"], "WGSL source is not read; make SPIR-V of it first: naga SHADER SHADER.spv"),
    (&["spvasm", "spvas"], "assemble it first: spirv-as SHADER.spvasm -o SHADER.spv"),
    (&["metallib", "air", "bc"], "that is an output; `airfoil metallib FILE` shows what is in it"),
    (&["ll", "json"], "that is an output"),
];

fn ending(path: &Path) -> Option<String> {
    Some(path.extension()?.to_string_lossy().to_ascii_lowercase())
}

/// The kind of an input file, or words about why it has none.
pub fn input_kind(path: &Path) -> Result<InputKind, (String, String)> {
    let end = ending(path);
    match end.as_deref() {
        Some("spv") => return Ok(InputKind::Spv),
        Some("foil") => return Ok(InputKind::Foil),
        _ => {}
    }
    let fault = unknown(path, end.as_deref(), "input");
    let hint = HINTS.iter().find(|(ends, _)| end.as_deref().is_some_and(|e| ends.contains(&e)));
    let advice = match hint {
        Some((_, hint)) => (*hint).to_string(),
        None => "inputs end in .spv or .foil; another name needs `--from KIND`".to_string(),
    };
    Err((fault, advice))
}

/// The kind of an output file, or words about why it has none.
pub fn output_kind(path: &Path) -> Result<OutputKind, (String, String)> {
    let end = ending(path);
    OutputKind::ALL.into_iter().find(|k| end.as_deref() == Some(k.ending())).ok_or_else(|| {
        let ends: Vec<String> = OutputKind::ALL.iter().map(|k| format!(".{}", k.ending())).collect();
        let advice = format!("outputs end in {}; another name needs `--to KIND`", ends.join(", "));
        (unknown(path, end.as_deref(), "output"), advice)
    })
}

fn unknown(path: &Path, ending: Option<&str>, what: &str) -> String {
    let path = path.display().to_string();
    match ending {
        Some(end) => format!("`{path}`: `.{end}` is not the ending of an {what}"),
        None => format!("`{path}` has no ending that tells what the {what} is"),
    }
}

/// The name of an output in a folder: the input's, with its kind's ending replaced.
pub fn output_name(input: &Path, kind: OutputKind) -> String {
    let name = input.file_name().unwrap_or_default().to_string_lossy();
    let known = input_kind(input).is_ok();
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
        assert_eq!(input_kind(Path::new("B.FOIL")), Ok(InputKind::Foil));
        let (fault, advice) = input_kind(Path::new("x.frag")).unwrap_err();
        assert!(
            fault.contains("`.frag` is not the ending of an input") && advice.contains("glslangValidator")
        );
        let (fault, advice) = input_kind(Path::new("x")).unwrap_err();
        assert!(fault.contains("no ending") && advice.contains("--from"));
        for kind in OutputKind::ALL {
            assert_eq!(output_kind(Path::new(&format!("x.y.{}", kind.ending()))), Ok(kind));
        }
        assert!(output_kind(Path::new("x.spv")).unwrap_err().1.contains(".metallib, .air"));
    }

    #[test]
    fn names_of_outputs() {
        assert_eq!(output_name(Path::new("d/old.frag.spv"), OutputKind::Metallib), "old.frag.metallib");
        assert_eq!(output_name(Path::new("d/old.frag"), OutputKind::Ll), "old.frag.ll");
        assert_eq!(output_name(Path::new(".spv"), OutputKind::Ll), ".spv.ll");
    }
}

//! Inputs: files and the standard input.

use crate::kinds::InputKind;
use crate::output::words;
use airfoil::{Diagnostic, Place, Stage};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// An input that is named on the command line; its kind is known before it is read.
#[derive(Clone, Debug)]
pub struct Input {
    /// `-` for the standard stream.
    pub path: PathBuf,
    /// Kind; `None` = look at the bytes.
    pub kind: Option<InputKind>,
    /// Stage, if it is GLSL.
    pub stage: Option<Stage>,
}

impl Input {
    /// It is GLSL.
    pub fn is_glsl(&self) -> bool {
        self.kind == Some(InputKind::Glsl)
    }

    /// It is SPIR-V, binary or text.
    pub fn is_spirv(&self) -> bool {
        matches!(self.kind, Some(InputKind::Spv | InputKind::Spvasm))
    }

    /// It is an assembly program of OpenGL.
    pub fn is_arb(&self) -> bool {
        self.kind == Some(InputKind::Arb)
    }

    /// It is the standard stream.
    pub fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Name in messages.
    pub fn name(&self) -> String {
        if self.is_stdin() { "<stdin>".to_string() } else { self.path.display().to_string() }
    }

    /// Reads it.
    ///
    /// # Errors
    /// The file cannot be read, or has another type.
    pub fn read(&self) -> Result<Source, Box<Diagnostic>> {
        let bytes = read_bytes(&self.path)?;
        let found = InputKind::of_bytes(&bytes);
        let kind = self.kind.unwrap_or(found);
        if found == InputKind::Spv && kind != found {
            let what = match kind {
                InputKind::Glsl => "GLSL",
                InputKind::Spvasm => "SPIR-V assembly",
                InputKind::Arb => "an assembly program of OpenGL",
                _ => "a shader in text form (.foil)",
            };
            return Err(Diagnostic::error("E0004", format!("this is a SPIR-V module, not {what}"))
                .help("rename it to .spv, or use `--from spv`")
                .into());
        }
        if kind == InputKind::Spv && kind != found && std::str::from_utf8(&bytes).is_ok() {
            return Err(Diagnostic::error("E0004", "this is text, not a SPIR-V module")
                .help("use `--from foil` for the text form, `--from spvasm` for assembly, `--from glsl` for GLSL")
                .into());
        }
        // A stream has no name; a text that starts with a directive is not IR.
        if self.kind.is_none() && bytes.trim_ascii_start().starts_with(b"#") {
            return Err(Diagnostic::error("E0004", "this appears to be GLSL, but its stage is unknown")
                .help("use `--from glsl --stage STAGE`")
                .into());
        }
        if found == InputKind::Foilb && kind != found {
            return Err(Diagnostic::error("E0004", "this is a shader in binary form")
                .help("rename it to .foilb, or use `--from foilb`")
                .into());
        }
        match (kind, String::from_utf8(bytes)) {
            (InputKind::Foilb, Ok(text)) => Ok(Source::Stored(text.into_bytes())),
            (InputKind::Foilb, Err(e)) => Ok(Source::Stored(e.into_bytes())),
            (InputKind::Spv, Ok(text)) => Ok(Source::Spirv(text.into_bytes())),
            (InputKind::Spv, Err(e)) => Ok(Source::Spirv(e.into_bytes())),
            (InputKind::Spvasm, Ok(text)) => Ok(Source::Assembly(text)),
            (InputKind::Foil, Ok(text)) => Ok(Source::Foil(text)),
            (InputKind::Glsl, Ok(text)) => Ok(Source::Glsl(text)),
            (InputKind::Arb, Ok(text)) => Ok(Source::Arb(text)),
            (InputKind::Foil | InputKind::Spvasm | InputKind::Arb, Err(e)) => {
                let place = Place::Byte(e.utf8_error().valid_up_to());
                Err(Diagnostic::error("E0004", "the text is not valid UTF-8").at(place).into())
            }
            (InputKind::Glsl, Err(e)) => {
                let place = place_of(e.as_bytes(), e.utf8_error().valid_up_to());
                Err(Diagnostic::error("E0004", "the source is not valid UTF-8 (GLSL 4.60 section 3.1)")
                    .at(place)
                    .help("convert the file, comments included")
                    .into())
            }
        }
    }
}

/// Line and column of a byte.
fn place_of(bytes: &[u8], at: usize) -> Place {
    let before = &bytes[..at];
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
    let line = before.iter().filter(|b| **b == b'\n').count() as u32 + 1;
    // The bytes before are valid UTF-8.
    let column = String::from_utf8_lossy(&before[start..]).chars().count() as u32 + 1;
    Place::Text { file: "".into(), line, column }
}

/// The contents of an input.
#[derive(Debug)]
pub enum Source {
    /// A SPIR-V module, unchecked.
    Spirv(Vec<u8>),
    /// SPIR-V as text.
    Assembly(String),
    /// Text of the IR.
    Foil(String),
    /// The IR in binary form, unchecked.
    Stored(Vec<u8>),
    /// GLSL.
    Glsl(String),
    /// An assembly program of OpenGL.
    Arb(String),
}

/// Reads a file, or the standard stream for `-`.
///
/// # Errors
/// It does not exist, is a directory, is empty, or cannot be read.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    let bytes = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else if path.is_dir() {
        return Err(Diagnostic::error("E0002", "this is a directory, not a file")
            .help("name the files in it, such as `FOLDER/*.spv`")
            .into());
    } else {
        fs::read(path)
    };
    let bytes = bytes.map_err(|e| Diagnostic::error("E0001", format!("cannot read: {}", words(&e))))?;
    if bytes.is_empty() {
        return Err(Diagnostic::error("E0003", "the input is empty").into());
    }
    Ok(bytes)
}

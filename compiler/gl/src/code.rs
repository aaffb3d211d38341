//! The code of a program's stages, and its binary form.

use crate::link_options::LinkOptions;
use crate::source::Source;
use airfoil::debug::{self, Key};
use airfoil::glsl::link::Reflection as GlReflection;
use airfoil::ir::{Diagnostic, Named, Stage};
use airfoil::{Reflection, Shader};
use airfoil_cache::Entry;
use serde::{Deserialize, Serialize};

/// A stage of a program.
#[derive(Debug)]
pub(crate) struct StageCode {
    /// The stage in the source.
    pub stage: Stage,
    /// Its code, with everything lowered that no state affects.
    pub shader: Shader,
    /// The reflection of its function for the default state.
    pub reflection: Reflection,
    /// Its key for `AIRFOIL_DEBUG`.
    pub key: Key,
}

/// A cached program whose code is not decoded yet.
#[derive(Debug)]
pub(crate) struct Stored {
    pub entry: Entry,
    /// Length of the file at its end.
    pub file: usize,
}

impl Stored {
    /// The stages.
    pub fn decode(&self) -> Result<Vec<StageCode>, Diagnostic> {
        Ok(decode(&self.entry[self.entry.len() - self.file..])?.1)
    }
}

/// Name of the section.
pub(crate) const SECTION: &str = "program";

/// Everything but the code.
#[derive(Serialize, Deserialize)]
pub(crate) struct Image {
    /// Digest of the options of the device.
    pub device: [u8; 32],
    pub options: LinkOptions,
    pub reflection: GlReflection,
    /// Number of each stage in the source, and the reflection of its function as JSON.
    pub stages: Vec<(u32, String)>,
    /// The sources of a separable program.
    pub sources: Vec<Source>,
}

/// The parts of a stored program.
pub(crate) fn decode(bytes: &[u8]) -> Result<(Image, Vec<StageCode>), Diagnostic> {
    let stored = airfoil_store::restore(bytes)?;
    let mut image: Image = stored.decode(SECTION)?;
    let heads = std::mem::take(&mut image.stages);
    if heads.len() != stored.shaders.len() {
        return Err(damaged("it does not have a reflection for each stage"));
    }
    let code = |(shader, (stage, reflection)): (Shader, (u32, String))| {
        let stage = Stage::from_number(stage).ok_or_else(|| damaged("a stage is unknown"))?;
        let reflection = Reflection::from_json(&reflection).map_err(|e| damaged(&e.to_string()))?;
        let key = debug::restored(&shader);
        Ok(StageCode { stage, shader, reflection, key })
    };
    let stages = stored.shaders.into_iter().zip(heads).map(code).collect::<Result<_, _>>()?;
    Ok((image, stages))
}

fn damaged(what: &str) -> Diagnostic {
    Diagnostic::error("E0110", format!("damaged program: {what}"))
}

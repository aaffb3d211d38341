//! Binary form of programs (`glGetProgramBinary`, disk caches): code, reflection and options in one file of [`airfoil_store`].

use crate::device::Device;
use crate::link_options::LinkOptions;
use crate::log::Log;
use crate::program::{Code, Program, StageCode};
use airfoil::debug;
use airfoil::glsl::link::Reflection as GlReflection;
use airfoil::ir::{Diagnostic, Named, Stage};
use airfoil::transform_feedback::captures;
use airfoil::{Reflection, Shader};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// Name of the section.
const SECTION: &str = "program";

/// Everything but the code.
#[derive(Serialize, Deserialize)]
struct Image {
    /// Digest of the options of the device.
    device: [u8; 32],
    options: LinkOptions,
    reflection: GlReflection,
    /// Number of each stage in the source, and the reflection of its function as JSON.
    stages: Vec<(u32, String)>,
}

impl Program {
    /// Stores the program. The bytes are for the same version of Airfoil and for devices with equal options; shader objects and
    /// warnings are not part of them.
    ///
    /// # Errors
    /// The file would be larger than the address space.
    pub fn store(&self) -> Result<Vec<u8>, Diagnostic> {
        let image = Image {
            device: *self.device().digest(),
            options: self.link_options().clone(),
            reflection: self.reflection().clone(),
            stages: self.code().iter().map(|c| (c.stage.number(), c.reflection.to_json())).collect(),
        };
        if let Some(fault) = &self.loaded().fault {
            return Err(fault.clone());
        }
        let section = airfoil_store::encode(&image)?;
        let shaders: Vec<&Shader> = self.code().iter().map(|c| &c.shader).collect();
        airfoil_store::store(&shaders, &[(SECTION, &section)])
    }
}

impl Device {
    /// Restores a program that [`Program::store`] wrote. Its functions have the same bytes; it cannot be
    /// [linked again](Program::relink).
    ///
    /// # Errors
    /// The bytes are damaged, or were written by another version or for other options.
    pub fn restore(&self, bytes: &[u8]) -> Result<Arc<Program>, Diagnostic> {
        let (image, stages) = decode(bytes)?;
        if image.device != *self.digest() {
            let message = "the program was stored by a device with other options";
            return Err(Diagnostic::error("E0953", message).help("link it again"));
        }
        let Image { options, reflection, .. } = image;
        Ok(Arc::new(Program {
            device: self.clone(),
            objects: None,
            options,
            captures: captures(&reflection.transform_feedback),
            log: Log::default(),
            stages: stages.iter().map(|code| code.stage).collect(),
            code: Code::of(stages, &reflection).into(),
            stored: None,
            reflection,
            depends: OnceLock::new(),
            identity: OnceLock::new(),
        }))
    }
}

/// The stages in the bytes of a program of the cache.
pub(crate) fn decode_stages(bytes: &[u8]) -> Result<Vec<StageCode>, Diagnostic> {
    Ok(decode(bytes)?.1)
}

fn decode(bytes: &[u8]) -> Result<(Image, Vec<StageCode>), Diagnostic> {
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

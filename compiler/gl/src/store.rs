//! Binary form of programs (`glGetProgramBinary`, disk caches): code, reflection and options in one file of [`airfoil_store`].

use crate::code::{Image, SECTION, decode};
use crate::device::Device;
use crate::log::Log;
use crate::program::{Code, Program};
use airfoil::Shader;
use airfoil::ir::{Diagnostic, Named};
use airfoil::transform_feedback::captures;
use std::sync::{Arc, OnceLock};

impl Program {
    /// Stores the program. The bytes are for the same version of Airfoil and for devices with equal options. Shader objects and
    /// warnings are not part of them, but the sources of a separable program are: a pipeline links it again.
    ///
    /// # Errors
    /// The file would be larger than the address space.
    pub fn store(&self) -> Result<Vec<u8>, Diagnostic> {
        let image = Image {
            device: *self.device().digest(),
            options: self.link_options().clone(),
            reflection: self.reflection().clone(),
            stages: self.code().iter().map(|c| (c.stage.number(), c.reflection.to_json())).collect(),
            sources: self.sources(),
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
    /// Restores a program that [`Program::store`] wrote. Its functions have the same bytes. It can be
    /// [linked again](Program::relink), and be part of a [pipeline](Device::pipeline), if it is separable.
    ///
    /// # Errors
    /// The bytes are damaged, or were written by another version or for other options.
    pub fn restore(&self, bytes: &[u8]) -> Result<Arc<Program>, Diagnostic> {
        let (image, stages) = decode(bytes)?;
        if image.device != *self.digest() {
            let message = "the program was stored by a device with other options";
            return Err(Diagnostic::error("E0953", message).help("link it again"));
        }
        let Image { options, reflection, sources, .. } = image;
        Ok(Arc::new(Program {
            device: self.clone(),
            objects: None,
            sources,
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

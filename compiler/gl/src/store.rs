//! Binary form of programs (`glGetProgramBinary`, disk caches): code, reflection and options in one file of [`airfoil_store`].

use crate::budget::Budget;
use crate::code::{Image, SECTION, decode};
use crate::depends::Depends;
use crate::device::Device;
use crate::log::Log;
use crate::program::{Code, Program};
use crate::shader::ShaderObject;
use crate::source::Source;
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
            depends: Depends::default(),
            identity: OnceLock::new(),
            serial: None,
        }))
    }
}

impl Program {
    /// The sources that a stored program has: those of a separable one.
    pub(crate) fn sources(&self) -> Vec<Source> {
        let objects = self.objects().unwrap_or_default();
        let separable = objects.iter().filter(|_| self.link_options().separable);
        let own: Option<Vec<Source>> = separable.map(Source::of).collect();
        if objects.is_empty() { self.sources.clone() } else { own.unwrap_or_default() }
    }

    /// The objects that it was linked from, or their sources compiled again.
    ///
    /// # Errors
    /// It has neither, or an exceeded bound.
    pub(crate) fn linkable_objects(&self, budget: &Budget) -> Result<Vec<ShaderObject>, Log> {
        if let Some(objects) = self.objects() {
            return Ok(objects.to_vec());
        }
        let missing = |message: &str| Log::from(Diagnostic::error("E0954", message));
        if self.sources.is_empty() {
            return Err(missing(
                "a pipeline, or a restored program that is not separable, does not have shader objects to link",
            ));
        }
        let compiled = self.sources.iter().map(|source| {
            let object = source.compile(self.device(), budget);
            object.ok_or_else(|| missing("a source of the restored program does not have its entry point"))
        });
        let objects = compiled.collect::<Result<Vec<_>, _>>()?;
        match objects.iter().find(|object| !object.status()) {
            Some(failed) => Err(failed.log().clone()),
            None => Ok(objects),
        }
    }
}

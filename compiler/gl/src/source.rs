//! Sources of shader objects in stored programs: those of separable programs, which pipelines link again.

use crate::budget::Budget;
use crate::device::Device;
use crate::log::Log;
use crate::program::Program;
use crate::shader::{Module, Origin, ShaderObject};
use crate::specialize::Specialization;
use airfoil::ir::{Diagnostic, Named, Stage};
use serde::{Deserialize, Serialize};

/// The source of a shader object.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Source {
    name: String,
    /// Number of the stage.
    stage: u32,
    text: Text,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Text {
    /// The strings of GLSL.
    Glsl(Vec<String>),
    SpirV(Module),
}

impl Source {
    /// The source of an object of GLSL or SPIR-V; other objects cannot be part of separable programs.
    fn of(object: &ShaderObject) -> Option<Source> {
        let text = match object.origin() {
            Origin::Glsl(strings) => Text::Glsl(strings.iter().map(|s| s.to_string()).collect()),
            Origin::SpirV(module) => Text::SpirV((**module).clone()),
            Origin::Assembly(_) | Origin::Fixed(_) => return None,
        };
        Some(Source { name: object.name().to_owned(), stage: object.stage().number(), text })
    }

    fn compile(&self, device: &Device, budget: &Budget) -> Option<ShaderObject> {
        let stage = Stage::from_number(self.stage)?;
        let object = match &self.text {
            Text::Glsl(strings) => {
                let strings: Vec<&str> = strings.iter().map(String::as_str).collect();
                device.compile_within(&self.name, stage, &strings, budget)
            }
            Text::SpirV(Module { words, entry, constants }) => {
                let of = Specialization { words, entry, constants };
                device.specialize_within(&self.name, stage, &of, budget).ok()?
            }
        };
        Some(object)
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

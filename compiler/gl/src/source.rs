//! Sources of shader objects in stored programs: those of separable programs, which pipelines link again.

use crate::budget::Budget;
use crate::device::Device;
use crate::shader::{Module, Origin, ShaderObject};
use crate::specialize::Specialization;
use airfoil::ir::{Named, Stage};
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
    pub(crate) fn of(object: &ShaderObject) -> Option<Source> {
        let text = match object.origin() {
            Origin::Glsl(strings) => Text::Glsl(strings.iter().map(|s| s.to_string()).collect()),
            Origin::SpirV(module) => Text::SpirV((**module).clone()),
            Origin::Assembly(_) | Origin::Fixed(_) => return None,
        };
        Some(Source { name: object.name().to_owned(), stage: object.stage().number(), text })
    }

    pub(crate) fn compile(&self, device: &Device, budget: &Budget) -> Option<ShaderObject> {
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

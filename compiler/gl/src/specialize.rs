//! Shader objects of SPIR-V modules (OpenGL 4.6 section 7.2, ARB_gl_spirv).

use crate::budget::Budget;
use crate::device::Device;
use crate::shader::{Module, Origin, ShaderObject};
use airfoil::debug;
use airfoil::spirv::{Options, entry_points, spec_constants};
use airfoil::{Errors, Stage, gl_spirv};
use std::fmt;

/// The error `GL_INVALID_VALUE` of `glSpecializeShader`: the state of the shader object does not change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecializeError {
    /// The module does not have an entry point of this name and stage.
    EntryPoint(String, Stage),
    /// The module does not have a specialization constant of this ID.
    Constant(u32),
}

impl fmt::Display for SpecializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecializeError::EntryPoint(name, stage) => {
                write!(f, "the module does not have an entry point `{name}` of the {stage} stage")
            }
            SpecializeError::Constant(id) => {
                write!(f, "the module does not have the specialization constant {id}")
            }
        }
    }
}

impl std::error::Error for SpecializeError {}

/// An entry point of a SPIR-V module with values of its specialization constants.
#[derive(Clone, Copy, Debug, Default)]
pub struct Specialization<'a> {
    /// The module.
    pub words: &'a [u32],
    /// Name of the entry point.
    pub entry: &'a str,
    /// The constants to set: the ID and the bits of each.
    pub constants: &'a [(u32, u32)],
}

impl Device {
    /// Specializes a SPIR-V module (`glShaderBinary` and `glSpecializeShader`). `name` identifies the object in logs.
    ///
    /// Objects of SPIR-V link among themselves and make [pipelines](Device::pipeline) with programs of GLSL. Variables match by
    /// location and binding. Names are in the reflection if the module has them; a resource without name has an empty one.
    ///
    /// A module that is invalid or unsupported gives an object that is not [compiled](ShaderObject::status).
    ///
    /// # Errors
    /// The entry point or a constant does not exist.
    pub fn specialize(
        &self,
        name: &str,
        stage: Stage,
        of: &Specialization<'_>,
    ) -> Result<ShaderObject, SpecializeError> {
        self.specialize_within(name, stage, of, &Budget::default())
    }

    /// The same with bounds. The log of an object that exceeds one has an error of code `E0950`.
    ///
    /// # Errors
    /// As [`Device::specialize`].
    pub fn specialize_within(
        &self,
        name: &str,
        stage: Stage,
        of: &Specialization<'_>,
        budget: &Budget,
    ) -> Result<ShaderObject, SpecializeError> {
        let &Specialization { words, entry, constants } = of;
        let entries = entry_points(words);
        if let Ok(entries) = &entries
            && !entries.iter().any(|(n, s)| n == entry && *s == stage)
        {
            return Err(SpecializeError::EntryPoint(entry.to_owned(), stage));
        }
        let known = spec_constants(words);
        let is_unknown = |&&(id, _): &&(u32, u32)| !known.iter().any(|k| k.id == id);
        if let (Ok(_), Some(&(id, _))) = (&entries, constants.iter().find(is_unknown)) {
            return Err(SpecializeError::Constant(id));
        }
        let watched = debug::module(words);
        let keys = std::slice::from_ref(&watched.key);
        let options = Options {
            entry: Some(entry.to_owned()),
            stage: Some(stage),
            spec: constants.iter().map(|&(id, bits)| (id, u64::from(bits))).collect(),
            stop: budget.stop(),
            ..Options::default()
        };
        let read = || {
            budget.check(0)?;
            let unit = debug::timed("read", keys, || gl_spirv::read(&watched.source, &options))?;
            budget.check(0)?;
            Ok(unit)
        };
        let (unit, list) = match read() {
            Ok(unit) => (Some(unit), Vec::new()),
            Err(list) => (None, Errors::into_vec(list)),
        };
        let digest = self.module_key(name, stage, of);
        let (entry, constants) = (entry.to_owned(), constants.to_vec());
        let origin = Origin::SpirV(Box::new(Module { words: words.to_vec(), entry, constants }));
        Ok(ShaderObject::new(name, stage, unit, list, watched.key, digest, origin))
    }
}

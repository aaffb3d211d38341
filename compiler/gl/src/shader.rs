//! Shader objects.

use crate::assembly::Assembly;
use crate::budget::Budget;
use crate::device::Device;
use crate::fixed::FixedShader;
use crate::log::{Log, name_objects};
use airfoil::arb::Parameter;
use airfoil::debug::{self, Key};
use airfoil::glsl::{self, Unit};
use airfoil::{Diagnostic, Errors, Stage};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A shader object, compiled or not: its creation never fails. Copies share the result.
#[derive(Clone, Debug)]
pub struct ShaderObject(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: String,
    stage: Stage,
    unit: Option<Unit>,
    log: Log,
    key: Key,
    /// Its part of the key of a cached link.
    digest: Option<airfoil_cache::Key>,
    origin: Origin,
}

/// The input that a shader object is made from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// Strings.
    Glsl(Box<[Box<str>]>),
    SpirV(Box<Module>),
    Assembly(Assembly),
    Fixed(Arc<FixedShader>),
}

/// A module with its specialization.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Module {
    pub words: Vec<u32>,
    pub entry: String,
    pub constants: Vec<(u32, u32)>,
}

impl Device {
    /// Compiles GLSL (`glCompileShader`). The strings are read as one text. `name` identifies the object in logs.
    pub fn compile(&self, name: &str, stage: Stage, strings: &[&str]) -> ShaderObject {
        self.compile_within(name, stage, strings, &Budget::default())
    }

    /// The same with bounds. The log of an object that exceeds one has an error of code `E0950`.
    pub fn compile_within(
        &self,
        name: &str,
        stage: Stage,
        strings: &[&str],
        budget: &Budget,
    ) -> ShaderObject {
        let options = self.options();
        let compile = glsl::Options {
            limits: options.limits.clone(),
            es_limits: options.es_limits.clone(),
            enforce_es100_limits: options.workarounds.enforce_es100_limits,
            stop: budget.stop(),
            ..glsl::Options::new(stage)
        };
        let text = if debug::is_on() { strings.concat() } else { String::new() };
        let watched = debug::source(name, stage, &text);
        let replaced: &[&str] = if watched.key.is_some() { &[&watched.source] } else { strings };
        let keys = std::slice::from_ref(&watched.key);
        let compile = || {
            budget.check(0)?;
            let compiled = debug::timed("compile", keys, || glsl::compile(replaced, &compile))?;
            budget.check(0)?;
            Ok(compiled)
        };
        let (unit, list) = match compile() {
            Ok(compiled) => (Some(compiled.unit), compiled.warnings),
            Err(list) => (None, Errors::into_vec(list)),
        };
        let digest = self.shader_key(name, stage, strings);
        let origin = Origin::Glsl(strings.iter().map(|&text| text.into()).collect());
        ShaderObject::new(name, stage, unit, list, watched.key, digest, origin)
    }
}

impl ShaderObject {
    pub(crate) fn new(
        name: &str,
        stage: Stage,
        unit: Option<Unit>,
        mut list: Vec<Diagnostic>,
        key: Key,
        digest: Option<airfoil_cache::Key>,
        origin: Origin,
    ) -> ShaderObject {
        name_objects(&mut list, &[name]);
        let (name, log) = (name.to_owned(), list.into());
        ShaderObject(Arc::new(Inner { name, stage, unit, log, key, digest, origin }))
    }

    /// The contents of each vector of the block of parameters of an assembly program or of fixed functions; none for other objects.
    pub fn parameters(&self) -> &[Parameter] {
        match &self.0.origin {
            Origin::Assembly(facts) => &facts.parameters,
            Origin::Fixed(shader) => &shader.parameters,
            Origin::Glsl(_) | Origin::SpirV(_) => &[],
        }
    }

    /// Facts about the assembly program that it is; `None` for other objects.
    pub fn assembly(&self) -> Option<&Assembly> {
        match &self.0.origin {
            Origin::Assembly(facts) => Some(facts),
            _ => None,
        }
    }

    /// Whether it is a SPIR-V module (`GL_SPIR_V_BINARY`).
    pub fn is_spirv(&self) -> bool {
        matches!(self.0.origin, Origin::SpirV(_))
    }

    /// The input that it was made from.
    pub(crate) fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The stage (`GL_SHADER_TYPE`).
    pub fn stage(&self) -> Stage {
        self.0.stage
    }

    /// Whether it compiled (`GL_COMPILE_STATUS`).
    pub fn status(&self) -> bool {
        self.0.unit.is_some()
    }

    /// The messages of the compile (`GL_INFO_LOG`): warnings too.
    pub fn log(&self) -> &Log {
        &self.0.log
    }

    /// Its key for `AIRFOIL_DEBUG`.
    pub(crate) fn key(&self) -> &Key {
        &self.0.key
    }

    /// A hash of everything that it depends on, if its device has a cache.
    pub(crate) fn digest(&self) -> Option<&airfoil_cache::Key> {
        self.0.digest.as_ref()
    }

    /// The checked shader.
    pub(crate) fn unit(&self) -> Option<&Unit> {
        self.0.unit.as_ref()
    }
}

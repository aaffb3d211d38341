//! Shader objects of assembly programs (ARB_vertex_program, ARB_fragment_program).

use crate::budget::Budget;
use crate::device::Device;
use crate::import::import;
use crate::shader::{Origin, ShaderObject};
use airfoil::arb::{self, Counts, Parameter, Sampler, Source};
use airfoil::debug;
use airfoil::ir::DepthMode;
use airfoil::{Diagnostic, Errors};

pub use airfoil::arb::{StateVector, Target as AssemblyTarget};

/// Facts about an assembly program that its driver requires.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembly {
    /// The contents of each vector of the uniform block that holds the parameters.
    pub parameters: Vec<Parameter>,
    /// The texture image units that are sampled, in ascending order: they are the bindings of the textures.
    pub samplers: Vec<Sampler>,
    /// The position is that of fixed functions (`ARB_position_invariant`): user clip planes apply.
    pub position_invariant: bool,
    /// Resources, as `glGetProgramivARB` reports them.
    pub counts: Counts,
    /// Byte position of the first error (`GL_PROGRAM_ERROR_POSITION_ARB`).
    pub error_position: Option<usize>,
}

impl Device {
    /// Reads an assembly program (`glProgramStringARB`). `name` identifies the object in logs.
    ///
    /// Objects of assembly programs link among themselves, and with fixed functions or GLSL in the other stages. Varyings of the
    /// compatibility profile match by their meaning. [`ShaderObject::parameters`] has the parameters of the program, which are in a
    /// uniform block; [`Program::parameter_block`](crate::Program::parameter_block) finds it in a linked program.
    pub fn assemble(&self, name: &str, target: AssemblyTarget, text: &str) -> ShaderObject {
        self.assemble_within(name, target, text, &Budget::default())
    }

    /// The same with bounds. The log of an object that exceeds one has an error of code `E0950`.
    pub fn assemble_within(
        &self,
        name: &str,
        target: AssemblyTarget,
        text: &str,
        budget: &Budget,
    ) -> ShaderObject {
        let stage = target.stage();
        let watched = debug::source(name, stage, text);
        let replaced = if watched.key.is_some() { &watched.source } else { text };
        let keys = std::slice::from_ref(&watched.key);
        let mut facts = Assembly::default();
        let mut read = || {
            budget.check(0)?;
            if arb::target_of(replaced.as_bytes()) != Some(target) {
                facts.error_position = Some(0);
                let message = format!("expected a program that starts with `{}`", target.header());
                return Err(Diagnostic::error("E1301", message).into());
            }
            let source = Source { name: "", text: replaced };
            let options = arb::Options { depth_mode: DepthMode::State, ..arb::Options::default() };
            let found = debug::timed("assemble", keys, || arb::read(&source, &options));
            let program = found.map_err(|errors| {
                facts.error_position = Some(errors.position);
                Errors::from(errors.diagnostics)
            })?;
            facts.parameters = program.parameters;
            facts.samplers = program.samplers;
            facts.position_invariant = program.position_invariant;
            facts.counts = program.counts;
            let unit = import(program.shader)?;
            budget.check(0)?;
            Ok(unit)
        };
        let (unit, list) = match read() {
            Ok(unit) => (Some(unit), Vec::new()),
            Err(list) => (None, Errors::into_vec(list)),
        };
        let digest = self.shader_key(name, stage, &[text]);
        ShaderObject::new(name, stage, unit, list, watched.key, digest, Origin::Assembly(facts))
    }
}

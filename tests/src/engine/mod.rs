//! What executes shaders for the suites that look at results.
//!
//! Suites bring the resources and compare; an [`Engine`] dispatches and draws. Resources, state and targets are those of the
//! interpreter: plain data that any engine can take.

pub mod air;
pub mod interp;
pub mod levels;
pub mod outputs;

use airfoil::Shader;
use airfoil_interp::pipeline::{Draw, Stages, State, Target};
use airfoil_interp::{Config, Fault, Program, Resources};

/// What executes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineKind {
    /// The interpreter.
    #[default]
    Interp,
    /// AIR, compiled for the host by LLVM.
    Air,
}

/// The stages of a program on an engine. Of `config` AIR takes the size of subgroups.
///
/// # Errors
/// What the engine cannot execute.
pub fn prepare<'s>(
    shaders: &'s [Shader],
    engine: EngineKind,
    config: &Config,
) -> Result<Vec<Box<dyn Stages + 's>>, Fault> {
    if engine == EngineKind::Air {
        let air = airfoil_cpu::Config { simd_size: config.subgroup_size, ..airfoil_cpu::Config::default() };
        return airfoil_cpu::prepare(shaders, &air);
    }
    let prepare = |shader| -> Result<Box<dyn Stages + 's>, Fault> {
        Ok(Box::new(Program::new(shader, config.clone())?))
    };
    shaders.iter().map(prepare).collect()
}

/// Executes shaders. Errors are in words.
pub trait Engine {
    /// Executes workgroups. `subgroup` is a size of subgroups that the caller asks for.
    fn compute(
        &mut self,
        shader: &Shader,
        resources: &mut Resources,
        groups: [u32; 3],
        subgroup: Option<u32>,
    ) -> Result<(), String>;

    /// Draws with the shaders of a pipeline.
    fn draw(
        &mut self,
        shaders: &[Shader],
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        target: &mut Target,
    ) -> Result<(), String>;
}

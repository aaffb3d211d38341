//! What executes shaders for the suites that look at results.
//!
//! Suites bring the resources and compare; an [`Engine`] dispatches and draws. Resources, state and targets are those of the
//! interpreter: plain data that any engine can take.

pub mod interp;
pub mod levels;
pub mod outputs;

use airfoil::Shader;
use airfoil_interp::Resources;
use airfoil_interp::pipeline::{Draw, State, Target};

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

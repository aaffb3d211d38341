//! The interpreter as an engine.

use super::Engine;
use airfoil::Shader;
use airfoil_interp::pipeline::{Draw, Pipeline, State, Target};
use airfoil_interp::{Config, Fault, Program, Resources, System};

/// Executes with `airfoil-interp`.
#[derive(Clone, Debug, Default)]
pub struct Interp {
    /// How; the size of subgroups may be overridden by callers.
    pub config: Config,
}

fn words(fault: Fault) -> String {
    format!("execution: {fault}")
}

impl Engine for Interp {
    fn compute(
        &mut self,
        shader: &Shader,
        resources: &mut Resources,
        groups: [u32; 3],
        subgroup: Option<u32>,
    ) -> Result<(), String> {
        let subgroup_size = subgroup.unwrap_or(self.config.subgroup_size);
        let config = Config { subgroup_size, ..self.config.clone() };
        let mut program = Program::new(shader, config).map_err(words)?;
        program.compute(resources, &System::new(), groups).map_err(words)
    }

    fn draw(
        &mut self,
        shaders: &[Shader],
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        target: &mut Target,
    ) -> Result<(), String> {
        let mut pipeline = Pipeline::new(shaders, &self.config).map_err(words)?;
        pipeline.draw(resources, draw, state, target).map(drop).map_err(words)
    }
}

//! AIR as an engine: shaders are compiled to libraries, whose bytes LLVM compiles for the host.

use super::{Engine, EngineKind, prepare};
use airfoil::Shader;
use airfoil_interp::pipeline::{Draw, Pipeline, State, Target};
use airfoil_interp::{Config, Fault, Resources, System};

/// Executes with `airfoil-cpu`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Air;

fn words(fault: Fault) -> String {
    format!("execution as AIR: {fault}")
}

impl Engine for Air {
    fn compute(
        &mut self,
        shader: &Shader,
        resources: &mut Resources,
        groups: [u32; 3],
        subgroup: Option<u32>,
    ) -> Result<(), String> {
        let config = subgroup
            .map_or_else(Config::default, |subgroup_size| Config { subgroup_size, ..Config::default() });
        for mut program in prepare(std::slice::from_ref(shader), EngineKind::Air, &config).map_err(words)? {
            program.compute(resources, &System::new(), groups).map_err(words)?;
        }
        Ok(())
    }

    fn draw(
        &mut self,
        shaders: &[Shader],
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        target: &mut Target,
    ) -> Result<(), String> {
        let prepared = prepare(shaders, EngineKind::Air, &Config::default()).and_then(Pipeline::of);
        prepared
            .and_then(|mut pipeline| pipeline.draw(resources, draw, state, target))
            .map(drop)
            .map_err(words)
    }
}

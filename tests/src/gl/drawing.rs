//! Programs that are ready to draw or dispatch, on any engine.

use crate::engine::stop::Stop;
use crate::engine::{Engine, EngineKind};
use airfoil::{Shader, Stage};
use airfoil_interp::pipeline::{Draw, Drawn, Pipeline, Stages, State, Target};
use airfoil_interp::run::IoVar;
use airfoil_interp::{Config, Resources, Space, System};
use airfoil_vulkan::{Device, opengl};

/// A program that draws.
pub struct Drawing<'s> {
    stages: Pipeline<'s, Box<dyn Stages + 's>>,
    /// The device that draws instead, and its program.
    driver: Option<(&'static Device, opengl::Program)>,
}

/// The descriptor set of a kind of resource.
pub fn set_of(engine: &Engine, space: Space) -> u32 {
    if engine.kind == EngineKind::Vulkan { opengl::set_of(space) } else { 0 }
}

/// The device of an engine.
fn device(engine: &Engine) -> Result<&'static Device, Stop> {
    engine.device().map_err(|e| Stop::Skip(e.to_string()))
}

impl<'s> Drawing<'s> {
    /// Prepares a program.
    ///
    /// # Errors
    /// The engine cannot execute a shader.
    pub fn new(engine: &Engine, shaders: &'s [Shader], config: &Config) -> Result<Drawing<'s>, Stop> {
        let stages = Pipeline::of(engine.prepare(shaders, config)?)?;
        let driver = match engine.kind {
            EngineKind::Vulkan => Some((device(engine)?, opengl::Program::new(shaders)?)),
            EngineKind::Interp | EngineKind::Air => None,
        };
        Ok(Drawing { stages, driver })
    }

    /// The attributes of the vertex shader.
    pub fn inputs(&self) -> &[IoVar] {
        self.stages.program(Stage::Vertex).map_or(&[], |p| p.inputs())
    }

    /// Whether the program has a stage.
    pub fn has(&self, stage: Stage) -> bool {
        self.stages.program(stage).is_some()
    }

    /// Draws. A driver does not report the primitives of a draw. It has no user clip planes: the program was built with clip distances
    /// instead.
    ///
    /// # Errors
    /// A fault of a shader, or state that the driver cannot express.
    pub fn draw(
        &mut self,
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        target: &mut Target,
    ) -> Result<Option<Drawn>, Stop> {
        let Some((device, program)) = &self.driver else {
            return Ok(Some(self.stages.draw(resources, draw, state, target)?));
        };
        let state = State { clip_planes: [None; 8], ..state.clone() };
        program.draw(device, resources, draw, &state, target)?;
        Ok(None)
    }
}

/// Executes workgroups of a compute shader; `workgroup` replaces the sizes that it leaves open.
///
/// # Errors
/// A fault of the shader, or something that the driver cannot express.
pub fn compute(
    engine: &Engine,
    shader: &Shader,
    config: &Config,
    resources: &mut Resources,
    (groups, workgroup): ([u32; 3], [u32; 3]),
) -> Result<(), Stop> {
    if engine.kind != EngineKind::Vulkan {
        let mut program = engine.kernel(shader, config, workgroup)?;
        return Ok(program.compute(resources, &System::new(), groups)?);
    }
    let mut sized = shader.clone();
    sized.info.workgroup_size.get_or_insert(workgroup);
    let program = opengl::Program::new(std::slice::from_ref(&sized))?;
    Ok(program.compute(device(engine)?, resources, groups)?)
}

//! Programs that are ready to draw or dispatch, on any engine.

use super::program::{Code, Linked};
use super::state::{Parts, split};
use crate::engine::stop::Stop;
use crate::engine::{Engine, EngineKind};
use airfoil::ir::Modes;
use airfoil::{Shader, Stage};
use airfoil_gl::{Budget, DriverValues, StateKey};
use airfoil_interp::pipeline::{Draw, Drawn, Pipeline, Stages, State, Target};
use airfoil_interp::run::{IoVar, variables};
use airfoil_interp::{Binding, Config, Resources, Space, System};
use airfoil_vulkan::{Device, opengl};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use typed_arena::Arena;

/// The shaders of programs that draw.
pub type Shaders = Arena<Vec<Shader>>;

type Prepared<'s> = Pipeline<'s, Box<dyn Stages + 's>>;

/// A program that draws.
pub struct Drawing<'s> {
    linked: &'s Linked,
    shaders: &'s Shaders,
    engine: &'s Engine,
    config: Config,
    inputs: Vec<IoVar>,
    /// The stages for each state.
    stages: HashMap<StateKey, Prepared<'s>>,
    /// Buffer with the values of the state.
    values: Option<usize>,
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
    pub fn new(
        engine: &'s Engine,
        linked: &'s Linked,
        config: &Config,
        shaders: &'s Shaders,
    ) -> Result<Drawing<'s>, Stop> {
        let inputs = |list: &[Shader]| {
            let vertex = list.iter().find(|s| s.stage == Stage::Vertex);
            vertex.map_or_else(Vec::new, |shader| variables(shader, Modes::IN))
        };
        let mut drawing = Drawing {
            linked,
            shaders,
            engine,
            config: config.clone(),
            inputs: Vec::new(),
            stages: HashMap::new(),
            values: None,
            driver: None,
        };
        match &linked.code {
            Code::Shaders(list) => {
                drawing.inputs = inputs(list);
                drawing.stages.insert(StateKey::default(), Pipeline::of(engine.prepare(list, config)?)?);
                if engine.kind == EngineKind::Vulkan {
                    drawing.driver = Some((device(engine)?, opengl::Program::new(list)?));
                }
            }
            Code::Program(program) => {
                let shaders = program.draw_shaders(&StateKey::default(), &Budget::default());
                drawing.inputs = inputs(&shaders.map_err(|faults| Stop::Fail(faults.to_string()))?);
            }
        }
        Ok(drawing)
    }

    /// The attributes of the vertex shader.
    pub fn inputs(&self) -> &[IoVar] {
        &self.inputs
    }

    /// Whether the program has a stage.
    pub fn has(&self, stage: Stage) -> bool {
        self.linked.has(stage)
    }

    /// Draws. With `captures` the vertices that it returns are those of transform feedback. A driver does not report the primitives of
    /// a draw. It has no user clip planes: the program was built with clip distances instead.
    ///
    /// # Errors
    /// A fault of a shader, or state that the driver cannot express.
    pub fn draw(
        &mut self,
        resources: &mut Resources,
        draw: &Draw<'_>,
        (state, captures): (&State, bool),
        target: &mut Target,
    ) -> Result<Option<Drawn>, Stop> {
        if let Some((device, program)) = &self.driver {
            let state = State { clip_planes: [None; 8], ..state.clone() };
            program.draw(device, resources, draw, &state, target)?;
            return Ok(None);
        }
        let Code::Program(program) = &self.linked.code else {
            let Some(stages) = self.stages.get_mut(&StateKey::default()) else { return Ok(None) };
            return Ok(Some(stages.draw(resources, draw, state, target)?));
        };
        let Parts { key, values, rest } = split(state, draw.topology, self.linked.depth_mode, captures);
        let bytes = values.words().into_iter().flat_map(u32::to_le_bytes).collect();
        let buffer = *self.values.get_or_insert_with(|| resources.add_buffer(Vec::new()));
        resources.buffers[buffer].bytes = bytes;
        let block = Binding::Buffer { buffer, offset: 0, size: None };
        resources.bind(Space::Uniform, DriverValues::SET, DriverValues::BINDING, 0, block);
        let stages = match self.stages.entry(program.canonical(&key)) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(free) => {
                let shaders = program.draw_shaders(&key, &Budget::default());
                let shaders = shaders.map_err(|faults| Stop::Fail(faults.to_string()))?;
                let prepared = self.engine.prepare(self.shaders.alloc(shaders), &self.config)?;
                free.insert(Pipeline::of(prepared)?)
            }
        };
        Ok(Some(stages.draw(resources, draw, &rest, target)?))
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

//! Programs that are ready to draw or dispatch, on any engine.
//!
//! A Vulkan driver executes the modules that Airfoil writes from a program of OpenGL. Rows of its framebuffer are those of
//! OpenGL's window, from the bottom up: y of clip space, window coordinates and derivatives agree, and only faces are mirrored,
//! which the pipeline's state undoes. Depths of clip space and the provoking vertex are OpenGL's by extensions.
//! Bindings of each kind of resource get a descriptor set of their own, because OpenGL counts them separately.

use crate::engine::stop::Stop;
use crate::engine::{Engine, EngineKind};
use airfoil::ir::{Modes, Scalar, Shader, Slot, SystemValue, Variable};
use airfoil::{Diagnostic, SpirvOptions, Stage};
use airfoil_interp::pipeline::{Draw, Drawn, Pipeline, Stages, State, Target, Topology};
use airfoil_interp::run::IoVar;
use airfoil_interp::texture::Format;
use airfoil_interp::{Config, Resources, Space, System};
use airfoil_vulkan::{Device, Module};

/// A program that draws.
pub struct Drawing<'s> {
    stages: Pipeline<'s, Box<dyn Stages + 's>>,
    /// The device that draws instead, and its modules.
    driver: Option<(&'static Device, Vec<Module>)>,
}

/// The descriptor set of a kind of resource.
pub fn set_of(engine: &Engine, space: Space) -> u32 {
    match space {
        _ if engine.kind != EngineKind::Vulkan => 0,
        Space::Uniform => 0,
        Space::Storage => 1,
        Space::Texture => 2,
        Space::Image => 3,
    }
}

/// The device of an engine.
fn device(engine: &Engine) -> Result<&'static Device, Stop> {
    engine.device().map_err(|e| Stop::Skip(e.to_string()))
}

/// The module that Airfoil writes from a shader of OpenGL.
fn module(engine: &Engine, shader: &Shader, varyings: &[(Slot, Slot)]) -> Result<Module, Stop> {
    let mut shader = shader.clone();
    let (io, fragment) = (Modes::IN | Modes::OUT, shader.stage == Stage::Fragment);
    for var in shader.vars.values_mut().filter(|v| io.contains(v.mode) && !(fragment && v.mode == Modes::OUT))
    {
        let found = varyings.iter().find(|(old, _)| var.location == Some(*old));
        var.location = found.map(|&(_, new)| new).or(var.location);
    }
    for var in shader.vars.values_mut() {
        let space = match var.mode {
            Modes::UBO => Space::Uniform,
            Modes::SSBO => Space::Storage,
            Modes::UNIFORM => Space::Texture,
            Modes::IMAGE => Space::Image,
            _ => continue,
        };
        var.set = var.binding.map(|_| set_of(engine, space));
    }
    // Rows are counted from the bottom up.
    shader.info.origin_upper_left = true;
    // Instances are drawn one by one, and their index is that of the first instance.
    for var in shader.vars.values_mut().filter(|v| v.system_value == Some(SystemValue::instance_id)) {
        var.system_value = Some(SystemValue::instance_index);
    }
    let words =
        airfoil::to_spirv(&shader, &SpirvOptions::default()).map_err(|faults| not_written(&faults))?;
    Ok(Module { words, stage: shader.stage, entry: shader.name.to_string(), spec: Vec::new() })
}

/// Features of OpenGL that SPIR-V for Vulkan cannot express, by the messages of the writer.
const NOT_IN_VULKAN: &[&str] = &[
    "rectangle textures are not supported",
    "the output `bounding_box` is not supported",
    "an atomic compare and exchange of floats is not supported",
];

fn not_written(faults: &[Diagnostic]) -> Stop {
    let reason = faults.first().map_or("no reason given".into(), ToString::to_string);
    match NOT_IN_VULKAN.iter().find(|feature| reason.contains(*feature)) {
        Some(feature) => Stop::Skip(format!("not in Vulkan: {feature}")),
        None => Stop::Fail(format!("written as SPIR-V: {reason}")),
    }
}

/// Varyings of the compatibility profile, and the number of slots that each takes.
const COMPATIBILITY: [(Slot, u32); 7] = [
    (Slot::CLIP_VERTEX, 1),
    (Slot::COLOR0, 1),
    (Slot::COLOR1, 1),
    (Slot::BACK_COLOR0, 1),
    (Slot::BACK_COLOR1, 1),
    (Slot::FOG, 1),
    (Slot::TEX0, 8),
];

/// Locations for varyings of the compatibility profile: those after the program's own ones.
///
/// # Errors
/// There are too few.
fn locations(programs: &[&dyn Stages]) -> Result<Vec<(Slot, Slot)>, Stop> {
    const MOST: u32 = 32;
    let vars = || programs.iter().flat_map(|p| p.inputs().iter().chain(p.outputs()));
    let end = |v: &IoVar| v.slot.as_generic().map(|n| n + v.num_slots);
    let mut next = vars().filter_map(end).max().unwrap_or(0);
    let mut all = Vec::new();
    for (slot, count) in COMPATIBILITY {
        let own = |n: u32| slot.offset(n);
        let used = |n: &u32| vars().any(|v| Some(v.slot) == own(*n));
        // Variables begin at any of the slots.
        let Some(first) = (0..count).find(used) else { continue };
        for n in first..count {
            all.extend(own(n).zip(Slot::generic(next + n - first)));
        }
        let end = |v: &IoVar| (0..count).find(|&n| own(n) == Some(v.slot)).map(|n| n + v.num_slots - first);
        next += vars().filter_map(end).max().unwrap_or(0);
    }
    if next > MOST && !all.is_empty() {
        return Err(Stop::Skip(format!(
            "not in Vulkan: varyings of the compatibility profile up to location {next}"
        )));
    }
    Ok(all)
}

impl<'s> Drawing<'s> {
    /// Prepares a program.
    ///
    /// # Errors
    /// The engine cannot execute a shader.
    pub fn new(engine: &Engine, shaders: &'s [Shader], config: &Config) -> Result<Drawing<'s>, Stop> {
        let stages = Pipeline::of(engine.prepare(shaders, config)?)?;
        let driver = match engine.kind {
            EngineKind::Vulkan => {
                let stages = shaders.iter().filter_map(|s| stages.program(s.stage)).map(|p| &**p);
                let varyings = locations(&stages.collect::<Vec<_>>())?;
                let modules = shaders.iter().map(|shader| module(engine, shader, &varyings));
                Some((device(engine)?, modules.collect::<Result<Vec<_>, _>>()?))
            }
            EngineKind::Interp | EngineKind::Air => None,
        };
        Ok(Drawing { stages, driver })
    }

    /// The attributes of the vertex shader.
    pub fn inputs(&self) -> &[IoVar] {
        self.shader_stage(Stage::Vertex).map_or(&[], |p| p.inputs())
    }

    /// Whether the program has a stage.
    pub fn has(&self, stage: Stage) -> bool {
        self.shader_stage(stage).is_some()
    }

    fn shader_stage(&self, stage: Stage) -> Option<&(dyn Stages + 's)> {
        self.stages.program(stage).map(|p| &**p)
    }

    /// Draws. A driver does not report what it drew.
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
        if self.driver.is_none() {
            return Ok(Some(self.stages.draw(resources, draw, state, target)?));
        }
        self.check(draw, state)?;
        let formats = target.formats.clone();
        for (n, format) in (0..).zip(&mut target.formats) {
            if *format == Format::Rgba32f {
                *format = self.color_format(n);
            }
        }
        if let Some((device, modules)) = &self.driver {
            // Planes became clip distances.
            let state = State { clip_planes: [None; 8], ..state.clone() };
            device.draw(modules, resources, draw, &state, target)?;
        }
        target.formats = formats;
        Ok(None)
    }

    /// The format of an attachment that keeps the words of the fragment shader.
    fn color_format(&self, location: u32) -> Format {
        let outputs = self.shader_stage(Stage::Fragment).map_or(&[][..], |p| p.outputs());
        let slot = Slot::generic(location);
        match outputs.iter().find(|o| Some(o.slot) == slot).map(|o| o.scalar) {
            Some(Scalar::Int32) => Format::Rgba32i,
            Some(Scalar::Uint32) => Format::Rgba32ui,
            _ => Format::Rgba32f,
        }
    }

    /// Fails for programs and state of OpenGL that Vulkan cannot express.
    fn check(&self, draw: &Draw<'_>, state: &State) -> Result<(), Stop> {
        let skip = |reason: &str| Err(Stop::Skip(format!("not in Vulkan: {reason}")));
        if self.has(Stage::TessEval) && !self.has(Stage::TessControl) {
            return skip("tessellation without a control shader");
        }
        let fragment = self.shader_stage(Stage::Fragment).map(|p| p.shader());
        let reads = |v: &Variable, value, slot| {
            v.system_value == Some(value) || (v.mode == Modes::IN && v.location == Some(slot))
        };
        let point_coord = |v: &Variable| reads(v, SystemValue::point_coord, Slot::POINT_COORD);
        if !state.y_down && fragment.is_some_and(|s| s.vars.values().any(point_coord)) {
            return skip("gl_PointCoord from the upper left");
        }
        let last =
            [Stage::Geometry, Stage::TessEval, Stage::Vertex].iter().find_map(|&s| self.shader_stage(s));
        let Some(last) = last.map(|p| p.shader()) else { return Ok(()) };
        let size = |v: &Variable| v.mode == Modes::OUT && v.location == Some(Slot::POINT_SIZE);
        let points = draw.topology == Topology::Points;
        if points && !state.shader_point_size && last.vars.values().any(size) {
            return skip("a point size that the shader writes but that is not enabled");
        }
        let all = (1u32 << last.info.clip_distances.min(8)) - 1;
        if all & !u32::from(state.clip_distances) != 0 {
            return skip("clip distances that are not enabled");
        }
        Ok(())
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
    Ok(device(engine)?.compute(&module(engine, &sized, &[])?, resources, groups)?)
}

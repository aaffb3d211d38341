//! Programs of OpenGL, as Airfoil writes them for Vulkan.
//!
//! Rows of the framebuffer are those of OpenGL's window, from the bottom up: y of clip space, window coordinates and derivatives
//! agree, and only faces are mirrored, which the pipeline's state undoes. Depths of clip space and the provoking vertex are
//! OpenGL's by extensions. Bindings of each kind of resource get a descriptor set of their own, because OpenGL counts them
//! separately.

use crate::device::Device;
use crate::error::{Error, Res, unsupported};
use crate::module::Module;
use airfoil_interp::pipeline::{Draw, State, Target, Topology};
use airfoil_interp::run::{IoVar, variables};
use airfoil_interp::texture::Format;
use airfoil_interp::{Resources, Space};
use airfoil_ir::{Diagnostic, Modes, Scalar, Shader, Slot, Stage, SystemValue, Variable};

/// The shaders of a program, linked and in form `variables`.
#[derive(Clone, Debug)]
pub struct Program {
    modules: Vec<Module>,
    stages: Vec<Stage>,
    /// Formats of color attachments that keep the words of the fragment shader.
    colors: Vec<(Slot, Format)>,
    /// The fragment shader reads `gl_PointCoord`.
    point_coord: bool,
    /// The last stage before rasterization writes `gl_PointSize`.
    point_size: bool,
    /// Number of clip distances that it writes.
    clip_distances: u8,
}

/// The descriptor set of a kind of resource.
pub fn set_of(space: Space) -> u32 {
    match space {
        Space::Uniform => 0,
        Space::Storage => 1,
        Space::Texture => 2,
        Space::Image => 3,
    }
}

/// Features of OpenGL that SPIR-V for Vulkan cannot express, by the messages of the writer.
const NOT_IN_VULKAN: &[&str] = &[
    "rectangle textures are not supported",
    "the output `bounding_box` is not supported",
    "an atomic compare and exchange of floats is not supported",
];

fn not_written(faults: &[Diagnostic]) -> Error {
    let reason = faults.first().map_or("no reason given".into(), ToString::to_string);
    match NOT_IN_VULKAN.iter().find(|feature| reason.contains(*feature)) {
        Some(feature) => Error::Unsupported(format!("{feature} (in Vulkan)")),
        None => Error::Failed(format!("written as SPIR-V: {reason}")),
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
fn locations(vars: &[IoVar]) -> Res<Vec<(Slot, Slot)>> {
    const MOST: u32 = 32;
    let end = |v: &IoVar| v.slot.as_generic().map(|n| n + v.num_slots);
    let mut next = vars.iter().filter_map(end).max().unwrap_or(0);
    let mut all = Vec::new();
    for (slot, count) in COMPATIBILITY {
        let own = |n: u32| slot.offset(n);
        let used = |n: &u32| vars.iter().any(|v| Some(v.slot) == own(*n));
        // Variables begin at any of the slots.
        let Some(first) = (0..count).find(used) else { continue };
        for n in first..count {
            all.extend(own(n).zip(Slot::generic(next + n - first)));
        }
        let end = |v: &IoVar| (0..count).find(|&n| own(n) == Some(v.slot)).map(|n| n + v.num_slots - first);
        next += vars.iter().filter_map(end).max().unwrap_or(0);
    }
    if next > MOST && !all.is_empty() {
        return unsupported(format!("varyings of the compatibility profile up to location {next}"));
    }
    Ok(all)
}

/// The module that Airfoil writes from a shader.
fn module(shader: &Shader, varyings: &[(Slot, Slot)]) -> Res<Module> {
    let mut shader = shader.clone();
    let (io, fragment) = (Modes::IN | Modes::OUT, shader.stage == Stage::Fragment);
    for var in shader.vars.values_mut() {
        if io.contains(var.mode) && !(fragment && var.mode == Modes::OUT) {
            let found = varyings.iter().find(|(old, _)| var.location == Some(*old));
            var.location = found.map(|&(_, new)| new).or(var.location);
        }
        // Instances are drawn one by one, and their index is that of the first instance.
        if var.system_value == Some(SystemValue::instance_id) {
            var.system_value = Some(SystemValue::instance_index);
        }
        let space = match var.mode {
            Modes::UBO => Space::Uniform,
            Modes::SSBO => Space::Storage,
            Modes::UNIFORM => Space::Texture,
            Modes::IMAGE => Space::Image,
            _ => continue,
        };
        var.set = var.binding.map(|_| set_of(space));
    }
    // Rows are counted from the bottom up.
    shader.info.origin_upper_left = true;
    let words =
        airfoil_spirv_out::write(&shader, &Default::default()).map_err(|faults| not_written(&faults))?;
    Ok(Module { words, stage: shader.stage, entry: shader.name.to_string(), spec: Vec::new() })
}

impl Program {
    /// Writes the modules of a program.
    ///
    /// # Errors
    /// SPIR-V for Vulkan cannot express a shader.
    pub fn new(shaders: &[Shader]) -> Result<Program, Error> {
        let io = |modes| shaders.iter().flat_map(move |s| variables(s, modes));
        let vars: Vec<IoVar> = io(Modes::IN).chain(io(Modes::OUT)).collect();
        let varyings = locations(&vars)?;
        let modules = shaders.iter().map(|shader| module(shader, &varyings)).collect::<Res<Vec<_>>>()?;
        let find = |stage: Stage| shaders.iter().find(|s| s.stage == stage);
        let outputs = find(Stage::Fragment).map(|s| variables(s, Modes::OUT)).unwrap_or_default();
        let format = |o: &IoVar| match o.scalar {
            Scalar::Int32 => (o.slot, Format::Rgba32i),
            Scalar::Uint32 => (o.slot, Format::Rgba32ui),
            _ => (o.slot, Format::Rgba32f),
        };
        let point_coord = |v: &Variable| {
            let input = v.mode == Modes::IN && v.location == Some(Slot::POINT_COORD);
            v.system_value == Some(SystemValue::point_coord) || input
        };
        let size = |v: &Variable| v.mode == Modes::OUT && v.location == Some(Slot::POINT_SIZE);
        let last = [Stage::Geometry, Stage::TessEval, Stage::Vertex].into_iter().find_map(find);
        Ok(Program {
            modules,
            stages: shaders.iter().map(|s| s.stage).collect(),
            colors: outputs.iter().map(format).collect(),
            point_coord: find(Stage::Fragment).is_some_and(|s| s.vars.values().any(point_coord)),
            point_size: last.is_some_and(|s| s.vars.values().any(size)),
            clip_distances: last.map_or(0, |s| s.info.clip_distances.min(8)),
        })
    }

    /// Draws with the rules of OpenGL, or those of Vulkan, as the state selects.
    ///
    /// # Errors
    /// As those of [`Device::draw`], and state of OpenGL that Vulkan cannot express.
    pub fn draw(
        &self,
        device: &Device,
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        target: &mut Target,
    ) -> Result<(), Error> {
        self.check(draw, state)?;
        let formats = target.formats.clone();
        for (n, format) in (0..).zip(&mut target.formats).filter(|(_, f)| **f == Format::Rgba32f) {
            let own = self.colors.iter().find(|c| Slot::generic(n) == Some(c.0));
            *format = own.map_or(*format, |c| c.1);
        }
        let done = device.draw(&self.modules, resources, draw, state, target);
        target.formats = formats;
        done
    }

    /// Executes workgroups.
    ///
    /// # Errors
    /// As those of [`Device::compute`].
    pub fn compute(&self, device: &Device, resources: &mut Resources, groups: [u32; 3]) -> Result<(), Error> {
        match self.modules.as_slice() {
            [module] => device.compute(module, resources, groups),
            _ => unsupported("several shaders as a kernel"),
        }
    }

    /// Fails for programs and state that Vulkan cannot express.
    fn check(&self, draw: &Draw<'_>, state: &State) -> Res<()> {
        let has = |stage| self.stages.contains(&stage);
        if has(Stage::TessEval) && !has(Stage::TessControl) {
            return unsupported("tessellation without a control shader");
        }
        if !state.y_down && self.point_coord {
            return unsupported("gl_PointCoord from the upper left");
        }
        if draw.topology == Topology::Points && !state.shader_point_size && self.point_size {
            return unsupported("a point size that the shader writes but that is not enabled");
        }
        let all = (1u32 << self.clip_distances) - 1;
        if all & !u32::from(state.clip_distances) != 0 {
            return unsupported("clip distances that are not enabled");
        }
        Ok(())
    }
}

//! Runs the commands of a script with a linked program.
//!
//! * `draw.rs`: draws and dispatches. `probe.rs`: the framebuffer. `state.rs`: uniforms and fixed functions.
//! * `buffers.rs`, `textures.rs`: resources. `feedback.rs`: transform feedback.

mod buffers;
mod draw;
mod feedback;
mod probe;
mod state;
mod textures;

use super::command::Command;
use super::script::Script;
use crate::engine::Engine;
use crate::engine::levels::Chance;
use crate::engine::outputs::Outputs;
pub use crate::engine::stop::Stop;
use crate::gl::drawing::{Drawing, Shaders};
use crate::gl::program::Linked;
use crate::gl::uniforms::Uniforms;
use airfoil::Stage;
use airfoil_interp::pipeline::{State, Target, Topology};
use airfoil_interp::texture::Format;
use airfoil_interp::{Config, Resources};
use probe::wanted;
use std::collections::BTreeMap;
pub use textures::depth_mode;
use textures::format_of;

/// Most instructions of a group of invocations.
const MAX_STEPS: u64 = 50_000_000;

fn fail<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Fail(reason.into()))
}

/// The state that commands change.
struct World<'a> {
    script: &'a Script,
    linked: &'a Linked,
    engine: &'a Engine,
    uniforms: Uniforms,
    resources: Resources,
    uniform_buffers: BTreeMap<u32, usize>,
    storage: BTreeMap<u32, usize>,
    counters: BTreeMap<u32, usize>,
    /// Image and sampler by unit.
    textures: BTreeMap<u32, (usize, usize)>,
    /// Unit of the last texture: parameters are its.
    last_unit: u32,
    /// Images by image unit.
    images: BTreeMap<u32, (usize, Option<Format>)>,
    state: State,
    window: Target,
    /// The unit whose texture is drawn to.
    framebuffer: Option<u32>,
    /// All layers of that texture are drawn to.
    layered: bool,
    /// Bytes of the buffers of transform feedback.
    feedback: BTreeMap<u32, Vec<u8>>,
    /// Primitives of the last captured draw.
    primitives: u64,
    clear_color: [f64; 4],
    clear_depth: f64,
    depth_test: bool,
    tolerance: [f64; 4],
    patch_vertices: u32,
    planes: [[f64; 4]; 8],
    enabled_planes: u8,
    /// The uniform buffer that drivers read planes from.
    planes_buffer: Option<usize>,
    block_element: u32,
}

/// Runs a script whose programs are linked; returns the resulting resources.
///
/// # Errors
/// The first failure, or a requirement that is not met.
pub fn run(script: &Script, linked: &Linked, chance: Chance, engine: &Engine) -> Result<Outputs, Stop> {
    let (width, height) = script.size;
    let mut window = Target::new(width, height, 1, 1);
    window.depth = Some(vec![1.0; (width * height) as usize]);
    window.wanted = wanted(script);
    let mut world = World {
        script,
        linked,
        engine,
        uniforms: Uniforms::new(&linked.reflection),
        resources: Resources::new(),
        uniform_buffers: BTreeMap::new(),
        storage: BTreeMap::new(),
        counters: BTreeMap::new(),
        textures: BTreeMap::new(),
        last_unit: 0,
        images: BTreeMap::new(),
        state: State { clamp_colors: true, ..State::new(width, height) },
        window,
        framebuffer: None,
        layered: false,
        feedback: BTreeMap::new(),
        primitives: 0,
        clear_color: [0.0; 4],
        clear_depth: 1.0,
        depth_test: false,
        tolerance: [0.01; 4],
        patch_vertices: 3,
        planes: [[0.0; 4]; 8],
        enabled_planes: 0,
        planes_buffer: None,
        block_element: 0,
    };
    world.matrices([0.0; 6], None);
    world.resources.clock = chance.clock;
    let config = Config {
        max_steps: MAX_STEPS,
        undefined: chance.undefined,
        empty_unbound: true,
        ..Config::default()
    };
    let shaders = Shaders::default();
    let mut pipeline = match linked.has(Stage::Compute) || !linked.has(Stage::Vertex) {
        true => None,
        false => Some(Drawing::new(engine, linked, &config, &shaders)?),
    };
    for (line, command) in &script.commands {
        let done = world.command(command, &mut pipeline, &config);
        done.map_err(|stop| match stop {
            Stop::Fail(reason) => Stop::Fail(format!("line {line}: {reason}")),
            skip => skip,
        })?;
    }
    Ok(world.outputs())
}

impl World<'_> {
    /// The results: resources, captured vertices, and the pixels that were probed.
    fn outputs(self) -> Outputs {
        let mut outputs = Outputs::of(self.resources);
        for (n, bytes) in self.feedback {
            outputs.add_bytes(format!("feedback {n}"), bytes);
        }
        let wanted = self.window.wanted.unwrap_or_default();
        let pixels = self.window.colors.into_iter().flatten().zip(&wanted);
        outputs.add_words("window", pixels.filter(|(_, wanted)| **wanted).map(|(words, _)| words).collect());
        outputs
    }

    fn command(
        &mut self,
        command: &Command,
        pipeline: &mut Option<Drawing<'_>>,
        config: &Config,
    ) -> Result<(), Stop> {
        match command {
            Command::ClearColor(color) => self.clear_color = *color,
            Command::ClearDepth(depth) => self.clear_depth = *depth,
            Command::Clear => self.clear()?,
            Command::Rect { at, ortho, patch, texture } => {
                let (vertices, topology) = self.rectangle(pipeline, *at, *ortho, *patch, *texture);
                self.draw(pipeline, topology, &vertices, 1, false)?;
            }
            Command::Arrays { topology, first, count, instances } => {
                let vertices = self.arrays(pipeline, *first, *count)?;
                let topology = match topology {
                    Topology::Patches(_) => Topology::Patches(self.patch_vertices),
                    other => *other,
                };
                self.draw(pipeline, topology, &vertices, *instances, false)?;
            }
            Command::Uniform { name, shape, values } => self.uniform(name, *shape, values)?,
            Command::Probe { place, color, warn } => {
                if !warn {
                    self.probe(place.as_ref(), color)?;
                }
            }
            Command::ProbeDepth(place, depth) => self.probe_depth(place, *depth)?,
            Command::Tolerance(t) => self.tolerance = *t,
            // The caller judges links.
            Command::LinkSuccess | Command::LinkError | Command::BlockHint | Command::Nothing => {}
            Command::Compute(groups) => self.compute(*groups, [1; 3], config)?,
            Command::ComputeSized(groups, size) => self.compute(*groups, *size, config)?,
            Command::Ssbo(..)
            | Command::SsboData(..)
            | Command::ProbeSsbo(..)
            | Command::Counters(..)
            | Command::Counter(..)
            | Command::ProbeCounter(..) => self.buffer(command)?,
            Command::BlockElement(n) => self.block_element = *n,
            Command::PatchVertices(n) => self.patch_vertices = *n,
            Command::OuterLevels(levels) => self.state.patch_levels.0 = *levels,
            Command::InnerLevels(levels) => self.state.patch_levels.1 = *levels,
            Command::Projection(sides, perspective) => {
                let (w, h) = self.script.size;
                let sides = sides.unwrap_or([0.0, f64::from(w), 0.0, f64::from(h), -1.0, 1.0]);
                self.matrices(sides, Some(*perspective));
            }
            Command::ClipPlane(n, plane) => {
                self.planes[*n] = *plane;
                self.set_floats(&format!("gl_ClipPlane[{n}]"), plane);
                self.set_planes();
            }
            Command::Enable(name, on) => self.enable(name, *on),
            Command::Flat(flat) => self.state.flat_colors = *flat,
            Command::FillRectangles(on) => self.state.fill_rectangle = *on,
            Command::FirstProvokes(first) => self.state.first_provokes = *first,
            Command::Texture { unit, dim, size, level, format, fill } => {
                self.texture(*unit, *dim, *size, *level, format.as_deref(), fill)?;
            }
            Command::TexParameter(name, value) => self.parameter(name, value)?,
            Command::ImageTexture(unit, format) => {
                let Some(&(image, _)) = self.textures.get(unit) else {
                    return fail(format!("unknown texture {unit}"));
                };
                let format = format_of(format).ok_or_else(|| Stop::Skip(format!("the format {format}")))?;
                self.images.insert(*unit, (image, Some(format)));
            }
            Command::FramebufferTexture(unit, layered) => {
                if !self.textures.contains_key(unit) {
                    return fail(format!("unknown texture {unit}"));
                }
                (self.framebuffer, self.layered) = (Some(*unit), *layered);
            }
            Command::Verify(query, want) => {
                let got = self.query(query)?;
                if got != *want {
                    return fail(format!("{query:?} is {got}, not {want}"));
                }
            }
            Command::FeedbackBuffer(buffer, size) => {
                self.feedback.insert(*buffer, vec![0; *size]);
            }
            Command::FeedbackArrays(topology, first, count) => {
                let vertices = self.arrays(pipeline, *first, *count)?;
                match self.draw(pipeline, *topology, &vertices, 1, true)? {
                    Some(drawn) => self.capture(&drawn)?,
                    None => return Err(Stop::Skip("not modelled on drivers: transform feedback".into())),
                }
            }
            Command::ProbeFeedback(shape, buffer, number, want) => {
                self.probe_feedback(*shape, *buffer, *number, *want)?;
            }
            Command::Subroutine(stage, uniform, name) => {
                self.uniforms
                    .set_subroutine(&self.linked.reflection, *stage, uniform, name)
                    .map_err(Stop::Fail)?;
            }
            Command::Unsupported(name) => return Err(Stop::Skip(format!("the command `{name}`"))),
        }
        Ok(())
    }
}

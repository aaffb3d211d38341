//! Runs the commands of a script with a linked program.

use super::command::{Command, Fill, Place};
use super::script::Script;
use super::values::float;
use crate::gl::attributes::{self, Components};
use crate::gl::program::Linked;
use crate::gl::types::{Number, Shape};
use crate::gl::uniforms::Uniforms;
use airfoil::Stage;
use airfoil::ir::{Dim, SystemValue};
use airfoil_glsl::link::reflection::UniformInfo;
use airfoil_interp::pipeline::{Draw, Pipeline, State, Target, Topology};
use airfoil_interp::run::{IoVar, Vertex};
use airfoil_interp::texture::{Color, Compare, Filter, Format, Image, Mip, Sampler, View, Wrap};
use airfoil_interp::{Binding, Config, Fault, Program, Resources, Space, System, Values};
use std::collections::BTreeMap;

/// Most instructions of a group of invocations.
const MAX_STEPS: u64 = 50_000_000;

/// Why a script does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It needs what is not there.
    Skip(String),
    /// It fails, with the reason.
    Fail(String),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fail(fault.to_string())
    }
}

fn fail<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Fail(reason.into()))
}

/// What commands change.
struct World<'a> {
    script: &'a Script,
    linked: &'a Linked,
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
    clear_color: [f64; 4],
    clear_depth: f64,
    depth_test: bool,
    tolerance: [f64; 4],
    patch_vertices: u32,
    planes: [[f64; 4]; 8],
    enabled_planes: u8,
    block_element: u32,
}

/// Runs a script whose programs are linked.
///
/// # Errors
/// What fails first, or what is not there.
pub fn run(script: &Script, linked: &Linked) -> Result<(), Stop> {
    let (width, height) = script.size;
    let mut window = Target::new(width, height, 1, 1);
    window.depth = Some(vec![1.0; (width * height) as usize]);
    window.wanted = wanted(script);
    let mut world = World {
        script,
        linked,
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
        clear_color: [0.0; 4],
        clear_depth: 1.0,
        depth_test: false,
        tolerance: [0.01; 4],
        patch_vertices: 3,
        planes: [[0.0; 4]; 8],
        enabled_planes: 0,
        block_element: 0,
    };
    world.matrices([0.0; 6], None);
    let config = Config { max_steps: MAX_STEPS, ..Config::default() };
    let is_compute = linked.shaders.iter().any(|s| s.stage == Stage::Compute);
    let mut pipeline = match is_compute || linked.shaders.iter().all(|s| s.stage != Stage::Vertex) {
        true => None,
        false => Some(Pipeline::new(&linked.shaders, &config)?),
    };
    for (line, command) in &script.commands {
        let done = world.command(command, &mut pipeline, &config);
        done.map_err(|stop| match stop {
            Stop::Fail(reason) => Stop::Fail(format!("line {line}: {reason}")),
            skip => skip,
        })?;
    }
    Ok(())
}

/// Pixels of a place in a framebuffer: x and y from, and before.
fn pixels(place: Option<&Place>, width: u32, height: u32) -> [u32; 4] {
    let Some(Place { at: [x, y, w, h], relative }) = place else { return [0, 0, width, height] };
    let (sx, sy) = if *relative { (f64::from(width), f64::from(height)) } else { (1.0, 1.0) };
    let side = |from: f64, size: f64, scale: f64, limit: u32| {
        // A pixel at the far edge is the last one.
        let first = ((from * scale) as u32).min(limit.saturating_sub(u32::from(size == 0.0)));
        let count = if size == 0.0 { 1 } else { (size * scale) as u32 };
        (first, first.saturating_add(count).min(limit))
    };
    let (x0, x1) = side(*x, *w, sx, width);
    let (y0, y1) = side(*y, *h, sy, height);
    [x0, y0, x1, y1]
}

/// Pixels of the window that any command looks at; `None` if they cannot be told.
fn wanted(script: &Script) -> Option<Vec<bool>> {
    let (width, height) = script.size;
    let mut list = vec![false; (width * height) as usize];
    for (_, command) in &script.commands {
        let place = match command {
            Command::Probe { place, .. } => place.as_ref(),
            Command::ProbeDepth(place, _) => Some(place),
            _ => continue,
        };
        let [x0, y0, x1, y1] = pixels(place, width, height);
        for y in y0..y1 {
            list[(y * width + x0) as usize..(y * width + x1) as usize].fill(true);
        }
    }
    Some(list)
}

impl World<'_> {
    fn command(
        &mut self,
        command: &Command,
        pipeline: &mut Option<Pipeline<'_>>,
        config: &Config,
    ) -> Result<(), Stop> {
        match command {
            Command::ClearColor(color) => self.clear_color = *color,
            Command::ClearDepth(depth) => self.clear_depth = *depth,
            Command::Clear => self.clear()?,
            Command::Rect { at, ortho, patch, texture } => {
                let (vertices, topology) = self.rectangle(pipeline, *at, *ortho, *patch, *texture);
                self.draw(pipeline, topology, &vertices, 1)?;
            }
            Command::Arrays { topology, first, count, instances } => {
                let vertices = self.arrays(pipeline, *first, *count)?;
                let topology = match topology {
                    Topology::Patches(_) => Topology::Patches(self.patch_vertices),
                    other => *other,
                };
                self.draw(pipeline, topology, &vertices, *instances)?;
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
            Command::FirstProvokes(first) => self.state.first_provokes = *first,
            Command::Texture { unit, size, level, format, fill } => {
                self.texture(*unit, *size, *level, format.as_deref(), fill)?;
            }
            Command::TexParameter(name, value) => self.parameter(name, value)?,
            Command::ImageTexture(unit, format) => {
                let Some(&(image, _)) = self.textures.get(unit) else {
                    return fail(format!("there is no texture {unit}"));
                };
                let format = format_of(format).ok_or_else(|| Stop::Skip(format!("the format {format}")))?;
                self.images.insert(*unit, (image, Some(format)));
            }
            Command::FramebufferTexture(unit) => {
                if !self.textures.contains_key(unit) {
                    return fail(format!("there is no texture {unit}"));
                }
                self.framebuffer = Some(*unit);
            }
            Command::Unsupported(name) => return Err(Stop::Skip(format!("the command `{name}`"))),
        }
        Ok(())
    }

    fn uniform(&mut self, name: &str, shape: Shape, values: &[u64]) -> Result<(), Stop> {
        // Scripts of early drivers write the numbers of booleans as floats.
        let values = self.converted(name, shape, values);
        let r = &self.linked.reflection;
        self.uniforms.set_in(r, name, self.block_element, &values).map(drop).map_err(Stop::Fail)
    }

    /// Numbers in the type of a uniform: floats set truth values too.
    fn converted(&self, name: &str, shape: Shape, values: &[u64]) -> Vec<u64> {
        let found = crate::gl::uniforms::find(&self.linked.reflection.uniforms, name);
        let own = found.and_then(|f| crate::gl::types::shape(f.info.ty));
        match own {
            Some(own) if own.number == Number::Bool => values
                .iter()
                .map(|&v| match shape.number {
                    Number::Float => u64::from(f32::from_bits(v as u32) != 0.0),
                    _ => u64::from(v != 0),
                })
                .collect(),
            _ => values.to_vec(),
        }
    }

    fn set_floats(&mut self, name: &str, values: &[f64]) {
        let bits: Vec<u64> = values.iter().map(|&x| u64::from((x as f32).to_bits())).collect();
        // Programs that do not use it have no such uniform.
        let _ = self.uniforms.set_in(&self.linked.reflection, name, 0, &bits);
    }

    /// Uniforms of the fixed functions: a projection (none: identity), and what never changes.
    fn matrices(&mut self, sides: [f64; 6], perspective: Option<bool>) {
        let identity: Vec<f64> = (0..16).map(|i| if i % 5 == 0 { 1.0 } else { 0.0 }).collect();
        let projection = perspective.map_or(identity.clone(), |p| projection(sides, p).to_vec());
        let inverse = invert(&projection);
        let transpose = |m: &[f64]| -> Vec<f64> { (0..16).map(|i| m[i % 4 * 4 + i / 4]).collect() };
        for (name, matrix, inverse) in [
            ("ModelViewMatrix", &identity, &identity),
            ("ProjectionMatrix", &projection, &inverse),
            ("ModelViewProjectionMatrix", &projection, &inverse),
        ] {
            self.set_floats(&format!("gl_{name}"), matrix);
            self.set_floats(&format!("gl_{name}Inverse"), inverse);
            self.set_floats(&format!("gl_{name}Transpose"), &transpose(matrix));
            self.set_floats(&format!("gl_{name}InverseTranspose"), &transpose(inverse));
        }
        for suffix in ["", "Inverse", "Transpose", "InverseTranspose"] {
            (0..8).for_each(|i| self.set_floats(&format!("gl_TextureMatrix{suffix}[{i}]"), &identity));
        }
        self.set_floats("gl_NormalMatrix", &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        self.set_floats("gl_NormalScale", &[1.0]);
        for (name, value) in [
            ("gl_DepthRange.near", 0.0),
            ("gl_DepthRange.far", 1.0),
            ("gl_DepthRange.diff", 1.0),
            ("gl_Point.size", 1.0),
            ("gl_Point.sizeMax", 2048.0),
            ("gl_Point.fadeThresholdSize", 1.0),
            ("gl_Point.distanceConstantAttenuation", 1.0),
            ("gl_Fog.density", 1.0),
            ("gl_Fog.end", 1.0),
            ("gl_Fog.scale", 1.0),
        ] {
            self.set_floats(name, &[value]);
        }
    }

    fn set_planes(&mut self) {
        self.state.clip_distances = self.enabled_planes;
        for n in 0..8 {
            let on = self.enabled_planes >> n & 1 != 0;
            self.state.clip_planes[n] = on.then_some(self.planes[n]);
        }
    }

    fn enable(&mut self, name: &str, on: bool) {
        match name {
            "GL_VERTEX_PROGRAM_TWO_SIDE" => self.state.two_sided = on,
            "GL_PROGRAM_POINT_SIZE" => self.state.shader_point_size = on,
            "GL_DEPTH_CLAMP" => self.state.depth_clamp = on,
            "GL_DEPTH_TEST" => self.depth_test = on,
            name => {
                let plane =
                    name.strip_prefix("GL_CLIP_PLANE").and_then(|n| n.parse::<u32>().ok()).unwrap_or(0);
                let bit = 1u8.checked_shl(plane).unwrap_or(0);
                self.enabled_planes = self.enabled_planes & !bit | if on { bit } else { 0 };
                self.set_planes();
            }
        }
        self.state.depth_test = self.depth_test.then_some(Compare::Less);
    }

    fn clear(&mut self) -> Result<(), Stop> {
        let color = self.clear_color;
        if let Some(unit) = self.framebuffer {
            let (image, _) = self.texture_of(unit)?;
            self.resources.images[image].fill(0, Color::Float(color));
            return Ok(());
        }
        self.window.clear(0, color.map(|x| (x as f32).to_bits()));
        if let Some(depth) = &mut self.window.depth {
            depth.fill(self.clear_depth as f32);
        }
        Ok(())
    }

    fn texture_of(&self, unit: u32) -> Result<(usize, usize), Stop> {
        self.textures.get(&unit).copied().ok_or_else(|| Stop::Fail(format!("there is no texture {unit}")))
    }

    /// Values that all vertices have where nothing else is said.
    fn defaults(inputs: &[IoVar]) -> Values {
        let mut values = Values::new();
        attributes::set_defaults(inputs, &mut values);
        for input in inputs {
            let initial: &[f64] = match &*input.name {
                "gl_Color" => &[1.0; 4],
                "gl_Normal" => &[0.0, 0.0, 1.0],
                _ => continue,
            };
            attributes::set(input, 0, &Components::Floats(initial.to_vec()), &mut values);
        }
        values
    }

    fn rectangle(
        &self,
        pipeline: &Option<Pipeline<'_>>,
        at: [f64; 4],
        ortho: bool,
        patch: bool,
        texture: Option<[f64; 4]>,
    ) -> (Vec<Vertex>, Topology) {
        let inputs = pipeline.as_ref().and_then(|p| p.program(Stage::Vertex)).map_or(&[][..], |p| p.inputs());
        let [mut x, mut y, mut w, mut h] = at;
        if ortho {
            let (width, height) = (f64::from(self.script.size.0), f64::from(self.script.size.1));
            (x, w) = (-1.0 + 2.0 * (x / width), 2.0 * (w / width));
            (y, h) = (-1.0 + 2.0 * (y / height), 2.0 * (h / height));
        }
        let common = Self::defaults(inputs);
        let named = |names: &[&str]| inputs.iter().any(|i| names.contains(&&*i.name));
        // Whatever its name, attribute 0 is the position, 1 the texture coordinate.
        let at =
            |n: u32| inputs.iter().find(move |i| i.slot.as_generic() == Some(n)).map_or("", |i| &*i.name);
        let first = if named(&["gl_Vertex", "piglit_vertex"]) { "" } else { at(0) };
        let second = if named(&["gl_MultiTexCoord0", "piglit_texcoord"]) { "" } else { at(1) };
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
        let vertices = corners.iter().zip(0u64..).map(|(&(i, k), id)| {
            let mut v = Vertex { inputs: common.clone(), ..Vertex::default() };
            let mut set = |names: &[&str], values: Vec<f64>| {
                for input in inputs.iter().filter(|i| names.contains(&&*i.name)) {
                    attributes::set(input, 0, &Components::Floats(values.clone()), &mut v.inputs);
                }
            };
            set(&["gl_Vertex", "piglit_vertex", first], vec![x + i * w, y + k * h, 0.0, 1.0]);
            if let Some([s, t, sw, th]) = texture {
                set(
                    &["gl_MultiTexCoord0", "piglit_texcoord", second],
                    vec![s + i * sw, t + k * th, 0.0, 1.0],
                );
            }
            v.system.set(SystemValue::vertex_id, [id, 0, 0, 0]);
            v
        });
        let topology = if patch { Topology::Patches(4) } else { Topology::TriangleStrip };
        (vertices.collect(), topology)
    }

    fn arrays(
        &self,
        pipeline: &Option<Pipeline<'_>>,
        first: usize,
        count: usize,
    ) -> Result<Vec<Vertex>, Stop> {
        if count > 1 << 16 {
            return fail(format!("{count} vertices are too many"));
        }
        let inputs = pipeline.as_ref().and_then(|p| p.program(Stage::Vertex)).map_or(&[][..], |p| p.inputs());
        let common = Self::defaults(inputs);
        let mut vertices = Vec::with_capacity(count);
        for n in first..first.saturating_add(count) {
            let mut v = Vertex { inputs: common.clone(), ..Vertex::default() };
            for column in &self.script.columns {
                let Some(row) = column.rows.get(n) else { return fail(format!("there is no vertex {n}")) };
                // Attributes that the program does not use are not there.
                if let Some(input) = inputs.iter().find(|i| *i.name == *column.name) {
                    attributes::set(input, column.index, row, &mut v.inputs);
                }
            }
            v.system.set(SystemValue::vertex_id, [n as u64, 0, 0, 0]);
            vertices.push(v);
        }
        Ok(vertices)
    }

    fn draw(
        &mut self,
        pipeline: &mut Option<Pipeline<'_>>,
        topology: Topology,
        vertices: &[Vertex],
        instances: u32,
    ) -> Result<(), Stop> {
        let Some(pipeline) = pipeline else { return fail("there is no program that draws") };
        self.bind();
        for instance in 0..instances {
            let system = System::new().with(SystemValue::instance_id, u64::from(instance));
            let draw = Draw { topology, vertices, indices: None, system };
            let Some(unit) = self.framebuffer else {
                pipeline.draw(&mut self.resources, &draw, &self.state, &mut self.window)?;
                continue;
            };
            let (image, _) = self.texture_of(unit)?;
            let [width, height, _] = self.resources.images[image].level_size(0);
            let mut target = Target::new(width, height, 1, 1);
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let at = (y * width + x) as usize;
                target.colors[0][at] = match self.resources.images[image].get(0, 0, [x, y, 0], 0) {
                    Some(Color::Float(f)) => f.map(|v| (v as f32).to_bits()),
                    Some(Color::Int(i)) => i.map(|v| v as u32),
                    None => [0; 4],
                };
            }
            let viewport = [0.0, 0.0, f64::from(width), f64::from(height)];
            let state = State { viewport, ..self.state.clone() };
            pipeline.draw(&mut self.resources, &draw, &state, &mut target)?;
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let words = target.colors[0][(y * width + x) as usize];
                let to = &mut self.resources.images[image];
                let color = if to.format.is_integer() {
                    Color::Int(words.map(i64::from))
                } else {
                    Color::Float(words.map(|w| f64::from(f32::from_bits(w))))
                };
                to.set(0, 0, [x, y, 0], 0, color);
            }
        }
        Ok(())
    }

    fn compute(&mut self, groups: [u32; 3], size: [u32; 3], config: &Config) -> Result<(), Stop> {
        let Some(shader) = self.linked.shaders.iter().find(|s| s.stage == Stage::Compute) else {
            return fail("there is no compute shader");
        };
        self.bind();
        let mut program = Program::with_workgroup(shader, config.clone(), size)?;
        Ok(program.compute(&mut self.resources, &System::new(), groups)?)
    }

    /// Binds everything to where the shaders look.
    fn bind(&mut self) {
        let linked = self.linked;
        let r = &linked.reflection;
        self.resources.unbind_all();
        self.uniforms.bind(&mut self.resources, &mut self.uniform_buffers);
        let whole = |buffer| Binding::Buffer { buffer, offset: 0, size: None };
        // Elements of arrays of blocks are numbered from the first one's binding.
        for (blocks, space) in [(&r.uniform_blocks, Space::Uniform), (&r.storage_blocks, Space::Storage)] {
            let buffers = if space == Space::Uniform { &self.uniform_buffers } else { &self.storage };
            for block in blocks {
                let Some(binding) = block.binding else { continue };
                let Some(&buffer) = buffers.get(&binding) else { continue };
                let element = block.name.split_once('[').map_or(0, |(base, _)| {
                    let first = blocks.iter().filter(|b| b.name.split('[').next() == Some(base));
                    binding - first.filter_map(|b| b.binding).min().unwrap_or(binding)
                });
                self.resources.bind(space, 0, binding, 0, whole(buffer));
                self.resources.bind(space, 0, binding - element, element, whole(buffer));
            }
        }
        for counters in &r.atomic_buffers {
            if let Some(&buffer) = self.counters.get(&counters.binding) {
                self.resources.bind(Space::Storage, 0, counters.storage_binding, 0, whole(buffer));
            }
        }
        for info in r.uniforms.iter().filter(|u| u.block.is_none()) {
            let Some(first) = info.binding else { continue };
            let is_image = (0x904C..=0x906C).contains(&info.ty);
            for i in 0..info.array_size.max(1) {
                let unit = self.uniforms.unit(first + i);
                let (space, binding) = if is_image {
                    let Some(&(image, format)) = self.images.get(&unit) else { continue };
                    (Space::Image, Binding::Image { image, level: 0, layer: None, format })
                } else {
                    let Some(&(image, sampler)) = self.textures.get(&unit) else { continue };
                    let view = View::default();
                    (Space::Texture, Binding::Texture { image, view, sampler: Some(sampler) })
                };
                // Elements of arrays of any depth are counted from the first binding of the whole variable.
                let base = base_binding(&r.uniforms, info, first);
                self.resources.bind(space, 0, base, first + i - base, binding.clone());
                self.resources.bind(space, 0, first, i, binding.clone());
                self.resources.bind(space, 0, first + i, 0, binding);
            }
        }
    }

    fn buffer(&mut self, command: &Command) -> Result<(), Stop> {
        let missing = |n: &u32| Stop::Fail(format!("there is no buffer {n}"));
        match command {
            Command::Ssbo(binding, size) => {
                let buffer = self.resources.add_buffer(vec![0; *size]);
                self.storage.insert(*binding, buffer);
            }
            Command::SsboData(binding, at, data) => {
                let buffer = *self.storage.get(binding).ok_or_else(|| missing(binding))?;
                let bytes = &mut self.resources.buffers[buffer].bytes;
                match bytes.get_mut(*at..at.saturating_add(data.len())) {
                    Some(to) => to.copy_from_slice(data),
                    None => return fail("the data does not fit into the buffer"),
                }
            }
            Command::ProbeSsbo(shape, binding, at, compare, want) => {
                let buffer = *self.storage.get(binding).ok_or_else(|| missing(binding))?;
                let bytes = &self.resources.buffers[buffer].bytes;
                let width = shape.bits as usize / 8;
                for (n, &want) in want.iter().enumerate() {
                    let from = at.saturating_add(n * width);
                    let Some(got) = bytes.get(from..from.saturating_add(width)) else {
                        return fail(format!("byte {from} is outside of the buffer"));
                    };
                    let mut raw = [0; 8];
                    raw[..width].copy_from_slice(got);
                    self.compare_numbers(*shape, *compare, u64::from_le_bytes(raw), want, from)?;
                }
            }
            Command::Counters(binding, count) => {
                let buffer = self.resources.add_buffer(vec![0; count * 4]);
                self.counters.insert(*binding, buffer);
            }
            Command::Counter(binding, index, value) => {
                let buffer = *self.counters.get(binding).ok_or_else(|| missing(binding))?;
                let bytes = &mut self.resources.buffers[buffer].bytes;
                match bytes.chunks_exact_mut(4).nth(*index) {
                    Some(to) => to.copy_from_slice(&value.to_le_bytes()),
                    None => return fail(format!("there is no counter {index}")),
                }
            }
            Command::ProbeCounter(binding, index, compare, want) => {
                let buffer = *self.counters.get(binding).ok_or_else(|| missing(binding))?;
                let bytes = self.resources.buffers[buffer].bytes.chunks_exact(4).nth(*index);
                let Some(got) = bytes.and_then(|b| b.try_into().ok()).map(u32::from_le_bytes) else {
                    return fail(format!("there is no counter {index}"));
                };
                if !compare.test(f64::from(got), f64::from(*want)) {
                    return fail(format!("counter {index} is {got}, not {compare:?} {want}"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn compare_numbers(
        &self,
        shape: Shape,
        compare: Compare,
        got: u64,
        want: u64,
        at: usize,
    ) -> Result<(), Stop> {
        let value = |bits: u64| match (shape.number, shape.bits) {
            (Number::Float, 64) => f64::from_bits(bits),
            (Number::Float, _) => f64::from(f32::from_bits(bits as u32)),
            (Number::Int, 32) => f64::from(bits as u32 as i32),
            _ => bits as f64,
        };
        let good = match (shape.number, compare) {
            (Number::Float, Compare::Equal) => (value(got) - value(want)).abs() <= self.tolerance[0],
            (Number::Float, Compare::NotEqual) => (value(got) - value(want)).abs() > self.tolerance[0],
            (_, Compare::Equal) => got == want,
            (_, Compare::NotEqual) => got != want,
            _ => compare.test(value(got), value(want)),
        };
        if good {
            Ok(())
        } else {
            fail(format!("byte {at} is {}, not {compare:?} {}", value(got), value(want)))
        }
    }

    fn pixel(&self, x: u32, y: u32) -> Result<[f64; 4], Stop> {
        if let Some(unit) = self.framebuffer {
            let (image, _) = self.texture_of(unit)?;
            return Ok(match self.resources.images[image].get(0, 0, [x, y, 0], 0) {
                Some(Color::Float(f)) => f,
                Some(Color::Int(i)) => i.map(|v| v as f64),
                None => [0.0; 4],
            });
        }
        let color = self.window.floats(0, x, y, 0).unwrap_or_default();
        // The window has channels from 0 to 1; what is no number becomes 0.
        Ok(color.map(|c| if c.is_nan() { 0.0 } else { f64::from(c.clamp(0.0, 1.0)) }))
    }

    fn probe(&self, place: Option<&Place>, want: &[f64]) -> Result<(), Stop> {
        let (width, height) = match self.framebuffer {
            Some(unit) => {
                let [w, h, _] = self.resources.images[self.texture_of(unit)?.0].level_size(0);
                (w, h)
            }
            None => self.script.size,
        };
        let [x0, y0, x1, y1] = pixels(place, width, height);
        for (x, y) in (y0..y1).flat_map(|y| (x0..x1).map(move |x| (x, y))) {
            let got = self.pixel(x, y)?;
            let near = |((got, want), tolerance): ((&f64, &f64), &f64)| (got - want).abs() <= *tolerance;
            if !got.iter().zip(want).zip(&self.tolerance).all(near) {
                return fail(format!("pixel {x}, {y} is {:?}, not {want:?}", &got[..want.len()]));
            }
        }
        Ok(())
    }

    fn probe_depth(&self, place: &Place, want: f64) -> Result<(), Stop> {
        let (width, height) = self.script.size;
        let [x, y, ..] = pixels(Some(place), width, height);
        let got = self.window.depth.as_ref().and_then(|d| d.get((y * width + x) as usize));
        match got {
            Some(&got) if (f64::from(got) - want).abs() <= self.tolerance[0] => Ok(()),
            got => fail(format!("depth of pixel {x}, {y} is {got:?}, not {want}")),
        }
    }

    fn texture(
        &mut self,
        unit: u32,
        [w, h]: [u32; 2],
        level: u32,
        format: Option<&str>,
        fill: &Fill,
    ) -> Result<(), Stop> {
        let format = match (fill, format) {
            (Fill::Depth, _) => Format::D32f,
            (_, None) => Format::Rgba8,
            (_, Some(name)) => format_of(name).ok_or_else(|| Stop::Skip(format!("the format {name}")))?,
        };
        if level != 0 || w > 4096 || h > 4096 {
            return Err(Stop::Skip("levels of textures set one by one".into()));
        }
        let mut image = Image::new(Dim::D2, format, [w, h, 1], 1, 1, 1)?;
        for (x, y) in (0..h).flat_map(|y| (0..w).map(move |x| (x, y))) {
            let color = match fill {
                Fill::Rgbw => match (x < w.div_ceil(2), y < h.div_ceil(2)) {
                    (true, true) => [1.0, 0.0, 0.0, 1.0],
                    (false, true) => [0.0, 1.0, 0.0, 1.0],
                    (true, false) => [0.0, 0.0, 1.0, 1.0],
                    (false, false) => [1.0; 4],
                },
                Fill::Checkerboard(a, b) => {
                    let square = |i: u32, n: u32| (i / (n / 2).max(1)) & 1;
                    if square(x, w) ^ square(y, h) == 0 { *a } else { *b }
                }
                Fill::Depth => [f64::from(x) / f64::from((w - 1).max(1)), 0.0, 0.0, 1.0],
            };
            image.set(0, 0, [x, y, 0], 0, Color::Float(color));
        }
        let compare = (*fill == Fill::Depth).then_some(Compare::Greater);
        let image = self.resources.add_image(image);
        let sampler = self.resources.add_sampler(Sampler { compare, ..Sampler::default() });
        self.textures.insert(unit, (image, sampler));
        self.last_unit = unit;
        Ok(())
    }

    fn parameter(&mut self, name: &str, value: &str) -> Result<(), Stop> {
        let (_, sampler) = self.texture_of(self.last_unit)?;
        let sampler = &mut self.resources.samplers[sampler];
        let unknown = || Stop::Skip(format!("the texture parameter {name} {value}"));
        match name {
            "min" => {
                (sampler.min, sampler.mip) = match value {
                    "nearest" => (Filter::Nearest, Mip::None),
                    "linear" => (Filter::Linear, Mip::None),
                    "nearest_mipmap_nearest" => (Filter::Nearest, Mip::Nearest),
                    "linear_mipmap_nearest" => (Filter::Linear, Mip::Nearest),
                    "nearest_mipmap_linear" => (Filter::Nearest, Mip::Linear),
                    "linear_mipmap_linear" => (Filter::Linear, Mip::Linear),
                    _ => return Err(unknown()),
                }
            }
            "mag" => {
                sampler.mag = match value {
                    "nearest" => Filter::Nearest,
                    "linear" => Filter::Linear,
                    _ => return Err(unknown()),
                }
            }
            "wrap_s" | "wrap_t" | "wrap_r" => {
                let axis = match name {
                    "wrap_s" => 0,
                    "wrap_t" => 1,
                    _ => 2,
                };
                sampler.wrap[axis] = match value {
                    "repeat" => Wrap::Repeat,
                    "clamp_to_edge" => Wrap::ClampToEdge,
                    "clamp_to_border" => Wrap::ClampToBorder,
                    "mirrored_repeat" => Wrap::MirroredRepeat,
                    _ => return Err(unknown()),
                }
            }
            "compare_func" => {
                let compare = match value {
                    "greater" => Compare::Greater,
                    "gequal" => Compare::GreaterEqual,
                    "less" => Compare::Less,
                    "lequal" => Compare::LessEqual,
                    "equal" => Compare::Equal,
                    "notequal" => Compare::NotEqual,
                    "never" => Compare::Never,
                    "always" => Compare::Always,
                    _ => return Err(unknown()),
                };
                sampler.compare = Some(compare);
            }
            "lod_bias" => sampler.lod_bias = float(value, 32).ok_or_else(unknown)?,
            _ => return Err(unknown()),
        }
        Ok(())
    }
}

/// The first binding of the resources that differ from this one in indices only.
fn base_binding(uniforms: &[UniformInfo], info: &UniformInfo, own: u32) -> u32 {
    let without = |name: &str| -> String {
        let mut depth = 0;
        let keep = |c: &char| {
            depth += i32::from(*c == '[') - i32::from(*c == ']');
            depth == 0 && *c != ']'
        };
        name.chars().filter(keep).collect()
    };
    let name = without(&info.name);
    let like = uniforms.iter().filter(|u| u.ty == info.ty && without(&u.name) == name);
    like.filter_map(|u| u.binding).min().unwrap_or(own).min(own)
}

/// Formats by their names in the API.
fn format_of(name: &str) -> Option<Format> {
    let own = name.strip_prefix("GL_")?.to_ascii_lowercase();
    Format::from_name(&own)
}

/// A projection, columns one after the other (OpenGL 2.1 section 2.11.2).
fn projection([l, r, b, t, n, f]: [f64; 6], perspective: bool) -> [f64; 16] {
    let (w, h, d) = (r - l, t - b, f - n);
    if perspective {
        return [
            2.0 * n / w,
            0.0,
            0.0,
            0.0,
            0.0,
            2.0 * n / h,
            0.0,
            0.0,
            (r + l) / w,
            (t + b) / h,
            -(f + n) / d,
            -1.0,
            0.0,
            0.0,
            -2.0 * f * n / d,
            0.0,
        ];
    }
    [
        2.0 / w,
        0.0,
        0.0,
        0.0,
        0.0,
        2.0 / h,
        0.0,
        0.0,
        0.0,
        0.0,
        -2.0 / d,
        0.0,
        -(r + l) / w,
        -(t + b) / h,
        -(f + n) / d,
        1.0,
    ]
}

/// The inverse of a matrix; the matrix itself if it has none.
fn invert(matrix: &[f64]) -> Vec<f64> {
    let n = 4;
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|r| {
            (0..2 * n)
                .map(|c| if c < n { matrix[c * n + r] } else { f64::from(u8::from(c - n == r)) })
                .collect()
        })
        .collect();
    for c in 0..n {
        let Some(pivot) = (c..n).max_by(|&a, &b| rows[a][c].abs().total_cmp(&rows[b][c].abs())) else {
            break;
        };
        if rows[pivot][c] == 0.0 {
            return matrix.to_vec();
        }
        rows.swap(c, pivot);
        let own: Vec<f64> = rows[c].iter().map(|x| x / rows[c][c]).collect();
        for (r, row) in rows.iter_mut().enumerate() {
            let factor = row[c];
            for (x, o) in row.iter_mut().zip(&own) {
                *x = if r == c { *o } else { *x - factor * o };
            }
        }
    }
    (0..n * n).map(|i| rows[i % n][n + i / n]).collect()
}

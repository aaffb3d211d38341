//! Drawing: vertices through the pipeline onto an image.

use super::args::{Api, Cull, Engine, RunArgs};
use super::attributes::{self, Attributes};
use super::given::{Document, ImageOut, Plane, Size, Source};
use super::indirect::{Call, Indirect};
use super::output_state;
use super::profile;
use super::trace::{Tracer, sink};
use super::vulkan::Driver;
use super::world::World;
use super::{capture, faults, textures};
use crate::load::Loaded;
use crate::random::Random;
use crate::report::Console;
use airfoil::ir::{Modes, Scalar, Slot, SystemValue};
use airfoil::{Diagnostic, Shader, Stage};
use airfoil_interp::pipeline::{ClipDepth, Draw, Pipeline, Stages, State, Target, Topology};
use airfoil_interp::run::{IoVar, Vertex};
use airfoil_interp::texture::{Format, Image};
use airfoil_interp::{System, Values};
use serde_json::Value;

/// Stages of a draw, in order.
const STAGES: [Stage; 5] =
    [Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Geometry, Stage::Fragment];

fn fault(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0040", what.into())
}

/// State of a draw besides the shaders.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The command line.
    pub args: &'a RunArgs,
    /// The file of inputs.
    pub document: &'a Document,
    /// Whose rules the window has.
    pub api: Api,
    /// Names of the inputs of the first stage before passes.
    pub declared: Vec<airfoil::ir::Name>,
    /// Built-in inputs.
    pub system: System,
    /// Numbers of an indirect draw.
    pub indirect: Option<Indirect>,
    /// Where executed instructions are counted.
    pub profile: Option<profile::Shared>,
}

/// Names of the inputs of the first stage.
pub fn declared_inputs(shaders: &[Shader]) -> Vec<airfoil::ir::Name> {
    let first = shaders.iter().min_by_key(|s| STAGES.iter().position(|stage| *stage == s.stage));
    let inputs = first
        .into_iter()
        .flat_map(|s| s.vars.values())
        .filter(|v| v.mode == Modes::IN && v.location.is_some());
    inputs.map(|v| v.name.clone()).collect()
}

/// Draws; returns the image.
pub fn draw(
    loaded: &Loaded,
    setting: &Setting<'_>,
    world: &mut World,
    console: Console,
) -> Result<Drawn, Vec<Diagnostic>> {
    let (args, shaders) = (setting.args, loaded.shaders.as_slice());
    let failed = |f: &airfoil_interp::Fault| vec![faults::diagnostic(f)];
    if args.engine == Engine::Air {
        let programs = airfoil_cpu::prepare(
            shaders,
            &airfoil_cpu::Config { first_provokes: setting.api == Api::Vulkan, ..args.air_config() },
        );
        let pipeline = programs.and_then(Pipeline::of).map_err(|f| failed(&f))?;
        return draw_with(pipeline, None, shaders, setting, world);
    }
    if args.engine == Engine::Vulkan {
        let driver = Driver::new(shaders, args, setting.api == Api::Vulkan)?;
        let pipeline = Pipeline::new(shaders, &args.config()).map_err(|f| failed(&f))?;
        return draw_with(pipeline, Some(&driver), shaders, setting, world);
    }
    let mut pipeline = Pipeline::new(shaders, &args.config()).map_err(|f| failed(&f))?;
    if let Some(which) = args.trace {
        let sink = sink(loaded);
        for stage in STAGES.into_iter().filter(|s| which.has(*s)) {
            if let Some(program) = pipeline.program_mut(stage) {
                program.observe(Box::new(Tracer::new(which, [1; 3], console, &sink)));
            }
        }
    }
    if let Some(counts) = &setting.profile {
        for stage in STAGES {
            if let Some(program) = pipeline.program_mut(stage) {
                program.observe(Box::new(profile::Profiler::new(counts)));
            }
        }
    }
    draw_with(pipeline, None, shaders, setting, world)
}

/// Draws with an engine's pipeline, or by a driver.
fn draw_with<P: Stages>(
    mut pipeline: Pipeline<'_, P>,
    driver: Option<&Driver>,
    shaders: &[Shader],
    setting: &Setting<'_>,
    world: &mut World,
) -> Result<Drawn, Vec<Diagnostic>> {
    let args = setting.args;
    let failed = |f: &airfoil_interp::Fault| vec![faults::diagnostic(f)];
    let Size(width, height) = args.size;
    let mut state = State::new(width, height);
    state.clip_distances = args.clip_distances;
    state.shader_point_size = true;
    state.depth_test = args.depth.map(|c| c.0);
    state.stencil = args.stencil.map(|s| s.0);
    state.blend_constant = std::array::from_fn(|i| args.blend_constant.get(i).copied().unwrap_or(0.0).into());
    state.cull_front = args.cull == Some(Cull::Front);
    state.cull_back = args.cull == Some(Cull::Back);
    if setting.api == Api::Vulkan {
        (state.y_down, state.first_provokes, state.clip_depth) = (true, true, ClipDepth::ZeroToOne);
    }
    let color = |o: &ImageOut| if let Plane::Color(n) = o.plane { n } else { 0 };
    let colors = args.output.iter().map(color).max().unwrap_or(0) as usize + 1;
    state.colors = output_state::colors(&args.blend, colors);
    let mut target = Target::new(width, height, 1, colors);
    let outputs: Vec<IoVar> =
        pipeline.program(Stage::Fragment).map(|p| p.outputs().to_vec()).unwrap_or_default();
    let scalars: Vec<Scalar> = (0..colors as u32).map(|n| scalar_of(&outputs, n)).collect();
    let clear: [f32; 4] =
        std::array::from_fn(|i| args.clear.get(i).copied().unwrap_or(if i == 3 { 1.0 } else { 0.0 }));
    for (n, scalar) in scalars.iter().enumerate() {
        let words = if scalar.is_float() { clear.map(f32::to_bits) } else { clear.map(|x| x as i32 as u32) };
        target.clear(n, words);
    }
    for (format, scalar) in target.formats.iter_mut().zip(&scalars) {
        *format = color_format(*scalar);
    }
    let pixels = width as usize * height as usize;
    target.depth = Some(vec![1.0; pixels]);
    target.stencil = Some(vec![0; pixels]);
    let mut target = target.with_samples(args.samples).map_err(|f| failed(&f))?;

    let first = STAGES.into_iter().find_map(|s| pipeline.program(s));
    let inputs: Vec<IoVar> = first.map(|p| p.inputs().to_vec()).unwrap_or_default();
    let attributes = Attributes::read(&inputs, &setting.declared, setting.document, &args.attribute)?;
    let draws_nothing = pipeline.program(Stage::Fragment).is_none();
    let alone = pipeline.program(Stage::Vertex).is_none();
    let mut indices = indices(args, setting.document).map_err(|e| vec![e])?;
    let call = setting.indirect.as_ref().map(|numbers| numbers.draw(indices.is_some())).transpose();
    let call = call.map_err(|e| vec![e])?;
    if let (Some(call), Some(all)) = (&call, &mut indices) {
        *all = call.indices(all).map_err(|e| vec![e])?;
    }
    let mut random = args.seed.map(|seed| Random::new(seed ^ 0x5eed));
    let (vertices, topology) = if alone {
        (corners(&inputs, &attributes).map_err(|e| vec![e])?, Topology::TriangleStrip)
    } else {
        let count = count(args, call.as_ref(), &inputs, &attributes, indices.as_deref());
        let count = count.map_err(|e| vec![e])?;
        let vertices: Vec<Values> = (0..count)
            .map(|n| {
                let mut values = Values::new();
                attributes.set(&inputs, n, random.as_mut(), &mut values);
                values
            })
            .collect();
        let topology = args.primitive.map_or_else(|| standard_topology(shaders), |p| p.0);
        (vertices, topology)
    };
    let mut primitives = 0;
    let mut captured = Vec::new();
    let instances = call.map_or(args.instances, |call| call.instances);
    // The first vertex index, and the reported base vertex: in Vulkan they are equal.
    let first = call.filter(|_| indices.is_none() && !alone).map_or(0, |call| call.first);
    let vulkan = setting.api == Api::Vulkan;
    let base_vertex =
        call.map_or(0, |c| if indices.is_none() && vulkan { c.first.cast_signed() } else { c.base_vertex });
    for instance in 0..if alone { 1 } else { instances } {
        let vertices: Vec<Vertex> = (0u64..)
            .zip(&vertices)
            .skip(first as usize)
            .map(|(n, inputs)| Vertex {
                inputs: inputs.clone(),
                system: System::new()
                    .with(SystemValue::vertex_id, n)
                    .with(SystemValue::vertex_id_zero_base, n.wrapping_sub(base_vertex as u64) & 0xffff_ffff),
            })
            .collect();
        let mut system = setting.system.clone();
        if instances > 1 {
            system.set(SystemValue::instance_id, [u64::from(instance), 0, 0, 0]);
        }
        if let Some(call) = call {
            system.set(SystemValue::base_vertex, [u64::from(base_vertex.cast_unsigned()), 0, 0, 0]);
            system.set(SystemValue::base_instance, [u64::from(call.base_instance), 0, 0, 0]);
        }
        let draw = Draw { topology, vertices: &vertices, indices: indices.as_deref(), system };
        if let Some(driver) = driver {
            let base = call.filter(|_| vulkan).map_or(0, |call| call.base_instance);
            driver.draw(&mut world.resources, &draw, base.wrapping_add(instance), &state, &mut target)?;
            // Drivers do not count them.
            primitives += u64::from(!draw.vertices.is_empty());
            continue;
        }
        let drawn =
            pipeline.draw(&mut world.resources, &draw, &state, &mut target).map_err(|f| failed(&f))?;
        primitives += drawn.primitives;
        if draws_nothing {
            captured.extend(drawn.captured);
        }
    }
    let last = STAGES[..4].iter().rev().find_map(|s| pipeline.program(*s));
    let last = last.map(|p| p.outputs().to_vec()).unwrap_or_default();
    let steps = STAGES.into_iter().filter_map(|s| pipeline.program(s)).map(Stages::steps).sum();
    Ok(Drawn { target, upside_down: !state.y_down, primitives, steps, last, captured })
}

/// The result of a draw.
#[derive(Debug)]
pub struct Drawn {
    target: Target,
    /// The first row is the lowest.
    upside_down: bool,
    /// Outputs of the last stage before rasterisation, and their values where no fragment shader takes them.
    last: Vec<IoVar>,
    captured: Vec<Values>,
    /// Primitives that were assembled.
    pub primitives: u64,
    /// Instructions, counted once per invocation.
    pub steps: u64,
}

impl Drawn {
    /// A warning about colours that are not defined.
    pub fn warning(&self) -> Option<Diagnostic> {
        let n = self.target.undefined;
        (n != 0).then(|| {
            let what =
                format!("{n} fragments have colours with undefined components, which were not written");
            Diagnostic::warning("E0045", what).help("`--undef zero` gives undefined values bits")
        })
    }

    /// The vertices in JSON.
    pub fn captured(&self) -> String {
        capture::json(&self.last, &self.captured)
    }

    /// The bytes of a file, in the format of its extension; the highest row comes first.
    pub fn encode(&self, out: &ImageOut) -> Result<Vec<u8>, Diagnostic> {
        let Target { width: w, height: h, ref depth, ref stencil, .. } = self.target;
        let path = if out.path.as_os_str() == "-" { "-.png".as_ref() } else { out.path.as_path() };
        // Depths and stencil values have no mean: they are those of the first sample.
        let samples = self.target.samples as usize;
        let (format, texels): (Format, Vec<u8>) = match out.plane {
            Plane::Color(n) => {
                let words = self.target.resolved(n as usize).into_iter().flatten();
                let format = self.target.formats.get(n as usize).copied();
                (format.unwrap_or(Format::Rgba32f), words.flat_map(u32::to_le_bytes).collect())
            }
            Plane::Depth => {
                let depths = depth.iter().flatten().step_by(samples);
                (Format::R32f, depths.flat_map(|d| d.to_le_bytes()).collect())
            }
            Plane::Stencil => {
                let format = if textures::is_png(path) { Format::R8 } else { Format::R8ui };
                (format, stencil.iter().flatten().step_by(samples).copied().collect())
            }
        };
        let mut image =
            Image::new(airfoil::ir::Dim::D2, format, [w, h, 1], 1, 1, 1).map_err(|f| fault(f.message))?;
        let row = w as usize * format.bytes();
        let rows = image.bytes_mut(0).chunks_exact_mut(row);
        for (y, to) in rows.enumerate() {
            let from = if self.upside_down { h as usize - 1 - y } else { y } * row;
            to.copy_from_slice(&texels[from..from + row]);
        }
        textures::encode(&image, path)
    }
}

/// Type of a colour.
fn scalar_of(outputs: &[IoVar], n: u32) -> Scalar {
    let slot = Slot::generic(n);
    let own = outputs.iter().find(|o| Some(o.slot) == slot || o.slot == Slot::FRAG_COLOR);
    own.map_or(Scalar::Float32, |o| o.scalar)
}

/// Format of a colour of this type.
fn color_format(scalar: Scalar) -> Format {
    if scalar.is_float() {
        Format::Rgba32f
    } else if scalar.is_signed() {
        Format::Rgba32i
    } else {
        Format::Rgba32ui
    }
}

/// Default topology: the input of a geometry shader, patches for tessellation, else triangles.
fn standard_topology(shaders: &[Shader]) -> Topology {
    use airfoil::ir::Primitive as P;
    let stage = |s: Stage| shaders.iter().find(|shader| shader.stage == s);
    if stage(Stage::TessEval).is_some() {
        let control = stage(Stage::TessControl).map_or(3, |s| s.info.patch_vertices_out.max(1));
        return Topology::Patches(control);
    }
    match stage(Stage::Geometry).map(|s| s.info.input_primitive) {
        Some(P::Points) => Topology::Points,
        Some(P::Lines) => Topology::Lines,
        Some(P::LinesAdjacency) => Topology::LinesAdjacency,
        Some(P::TrianglesAdjacency) => Topology::TrianglesAdjacency,
        _ => Topology::Triangles,
    }
}

/// Number of vertices.
fn count(
    args: &RunArgs,
    call: Option<&Call>,
    inputs: &[IoVar],
    attributes: &Attributes,
    indices: Option<&[u32]>,
) -> Result<usize, Diagnostic> {
    let there = attributes.count();
    let most = indices.and_then(|list| list.iter().max()).map(|n| *n as usize + 1);
    let end = |call: &Call| (call.first as usize).saturating_add(call.count as usize);
    let drawn = call.filter(|_| indices.is_none()).map(end);
    let asked = args.vertices.map(|n| n as usize).or(drawn).or(most);
    if let (Some(asked), Some(there)) = (asked, there)
        && asked > there
    {
        return Err(fault(format!("{asked} vertices are drawn, but the attributes have {there}")));
    }
    if there.is_none() && args.seed.is_none() && !inputs.is_empty() {
        let names: Vec<&str> = inputs.iter().map(|i| &*i.name).collect();
        return Err(fault(format!(
            "the vertex shader reads {}, and no attribute is given",
            names.join(", ")
        ))
        .help(format!(
            "say `--attribute '{}=[[-1, -1], [3, -1], [-1, 3]]'`, or let `--seed N` make them",
            names[0]
        )));
    }
    let count = asked.or(there).unwrap_or(3);
    if count > 1 << 24 {
        return Err(fault(format!("{count} vertices are too many")));
    }
    Ok(count)
}

/// The corners of the image as vertex shader outputs.
fn corners(inputs: &[IoVar], attributes: &Attributes) -> Result<Vec<Values>, Diagnostic> {
    if let Some(n) = attributes.count().filter(|n| *n != 4) {
        return Err(fault(format!(
            "a fragment shader alone is drawn on four corners, but {n} values are given"
        ))
        .help("their order: x and y both low, x high, y high, both high"));
    }
    let corner = |n: usize| {
        let place = [(n & 1) as f32, (n >> 1) as f32];
        let mut values = Values::new();
        attributes.set(inputs, n, None, &mut values);
        for (i, input) in inputs.iter().enumerate().filter(|(i, _)| !attributes.has(*i)) {
            debug_assert!(i < inputs.len());
            attributes::set_place(input, place, &mut values);
        }
        attributes::set_position(&mut values, place.map(|x| x * 2.0 - 1.0));
        values
    };
    Ok((0..4).map(corner).collect())
}

fn indices(args: &RunArgs, document: &Document) -> Result<Option<Vec<u32>>, Diagnostic> {
    let own = args.indices.as_deref().map(Source::read_json).transpose()?;
    let Some(value) = own.as_ref().or(document.indices()) else { return Ok(None) };
    let number = |v: &Value| v.as_u64().and_then(|n| u32::try_from(n).ok());
    let list = value.as_array().and_then(|list| list.iter().map(number).collect());
    list.map(Some).ok_or_else(|| fault("indices are an array of whole numbers"))
}

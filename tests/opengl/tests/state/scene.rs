//! A draw with both sides of its state.

use crate::programs::{Kind as ProgramKind, Program};
use airfoil_gl::{
    Budget, Device, DriverValues, LinkOptions, Log, Program as Linked, Stage, StateFlags, StateKey,
};
use airfoil_interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::texture::Format;
use airfoil_interp::{Binding, Config, Resources, Space, System};
use airfoil_ir::{Slot, SystemValue};
use airfoil_opengl::{Attribute, Context, Error, Kind, Program as Driven, gl};
use airfoil_tests::gl::uniforms::Uniforms;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Pixels of a row and rows of an image.
pub const SIZE: u32 = 16;

/// The descriptor set of the driver's block.
const DRIVER: u32 = 0xffff;

/// A draw.
pub struct Scene<'a> {
    pub context: &'a Context,
    /// The program, linked by the driver and by Airfoil.
    pub driven: Driven<'a>,
    pub linked: Arc<Linked>,
    /// What state acts on.
    pub kind: ProgramKind,
    /// The attachments.
    pub kinds: Vec<Kind>,
    /// The key of the functions.
    pub key: StateKey,
    pub values: DriverValues,
    /// State of Metal's pipeline.
    pub state: State,
    /// Attributes, with the locations that Airfoil gives them.
    pub attributes: Vec<(u32, Attribute)>,
    /// The uniforms of the interpreter.
    pub uniforms: Option<Uniforms>,
    /// Bits of values that are not defined.
    pub undefined: u64,
}

/// Corners of rectangles: edges do not meet centers of pixels.
fn rectangle(x: [f32; 2], y: [f32; 2], z: f32, turn: bool) -> [[f32; 4]; 6] {
    let at = |x: f32, y: f32| [x / 8.0 - 1.0, y / 8.0 - 1.0, z, 1.0];
    let [a, b, c, d] = [at(x[0], y[0]), at(x[1], y[0]), at(x[0], y[1]), at(x[1], y[1])];
    if turn { [a, c, b, b, c, d] } else { [a, b, c, b, d, c] }
}

/// The positions of the vertices.
pub fn positions(kind: ProgramKind) -> Vec<[f32; 4]> {
    if kind.contains(ProgramKind::POINTS) {
        let points = [(3.25, 4.125, 0.25), (11.125, 3.375, -0.5), (6.375, 12.25, 0.75), (13.25, 12.125, 0.0)];
        return points.iter().map(|&(x, y, z)| [x / 8.0 - 1.0, y / 8.0 - 1.0, z, 1.0]).collect();
    }
    [
        rectangle([0.25, 9.75], [1.25, 15.25], 0.5, false),
        rectangle([5.25, 15.25], [0.75, 7.25], -0.25, true),
        rectangle([6.75, 14.25], [4.25, 14.75], 0.25, false),
    ]
    .concat()
}

/// A vector of multiples of 1/16.
fn vector(n: usize, at: usize) -> [f32; 4] {
    [0, 1, 2, 3].map(|k| (((n + at) * 7 + (k + at) * 5) % 16) as f32 / 16.0)
}

impl<'a> Scene<'a> {
    /// The draw of a program of the table.
    pub fn of_table(context: &'a Context, device: &Device, program: &Program) -> Scene<'a> {
        let names = [("p", 0), ("c", 1), ("d", 2)];
        let attribute_bindings = names.map(|(name, location)| (name.to_owned(), location)).to_vec();
        let options = LinkOptions { attribute_bindings, ..LinkOptions::default() };
        let sources = [(Stage::Vertex, program.vertex), (Stage::Fragment, program.fragment)];
        let linked = link(device, &sources, &options).unwrap_or_else(|log| panic!("{log}"));
        let count = if program.kind.contains(ProgramKind::FIXED) { 1 } else { 2 };
        let shaders: Vec<_> =
            sources[..count].iter().map(|(s, text)| context.compile(*s, text).unwrap()).collect();
        let driven = context.link_with(&shaders, |program| {
            names.iter().for_each(|(name, location)| program.bind_attribute(name, *location));
        });
        assert!(driven.status(), "{}", driven.log());
        let kind = match program.kind {
            k if k.contains(ProgramKind::UINTS) => Kind::Uint,
            k if k.contains(ProgramKind::UNORM) => Kind::Unorm8,
            _ => Kind::Float,
        };
        let count = if program.kind.contains(ProgramKind::ONE) { 2 } else { 1 };
        let mut scene = Scene::new(context, driven, linked, program.kind, vec![kind; count]);
        scene.key.color_attachments = count as u8;
        let positions = positions(program.kind);
        let values = |at: usize| (0..positions.len()).map(|n| vector(n, at)).collect::<Vec<_>>();
        let all = [positions.clone(), values(1), values(4)];
        scene.attributes = (0..).zip(all).map(|(n, values)| (n, Attribute::floats(n, values))).collect();
        scene
    }

    /// A draw without attributes and uniforms, in the state that all draws begin with.
    pub fn new(
        context: &'a Context,
        driven: Driven<'a>,
        linked: Arc<Linked>,
        kind: ProgramKind,
        kinds: Vec<Kind>,
    ) -> Scene<'a> {
        context.reset_state();
        let points = kind.contains(ProgramKind::POINTS);
        let mut key = StateKey { flags: StateFlags::HALF_Z, ..StateKey::default() };
        key.point_size = if points { airfoil_gl::PointSize::State } else { airfoil_gl::PointSize::None };
        // With none enabled, llvmpipe of Mesa 22.3.6 clips by all (OpenGL 4.6 section 13.7; NVIDIA's driver clips by none).
        if kind.contains(ProgramKind::DISTANCES) {
            context.enable(gl::CLIP_DISTANCE2);
            key.clip_enable = 4;
        }
        let values = DriverValues {
            height: SIZE as f32,
            width: SIZE as f32,
            point_size: 1.0,
            point_size_max: 64.0,
            ..DriverValues::default()
        };
        let mut state = State {
            clip_depth: ClipDepth::ZeroToOne,
            clip_distances: 0xff,
            shader_point_size: true,
            first_provokes: true,
            ..State::new(SIZE, SIZE)
        };
        state.depth_test = Some(airfoil_interp::texture::Compare::Less);
        state.depth_write = true;
        Scene {
            context,
            driven,
            linked,
            kind,
            kinds,
            key,
            values,
            state,
            attributes: Vec::new(),
            uniforms: None,
            undefined: 0,
        }
    }

    /// The words of each attachment by the driver.
    pub fn driven(&self) -> Result<Vec<Vec<u32>>, Error> {
        let framebuffer = self.context.framebuffer(SIZE, SIZE, &self.kinds)?;
        self.driven.make_current()?;
        let mode = if self.kind.contains(ProgramKind::POINTS) { gl::POINTS } else { gl::TRIANGLES };
        let attributes: Vec<Attribute> = self.attributes.iter().map(|(_, a)| a.clone()).collect();
        self.context.draw_with(mode, &attributes)?;
        (0..self.kinds.len()).map(|n| framebuffer.read(n)).collect()
    }

    /// The words of each attachment by the interpreter.
    ///
    /// # Errors
    /// The interpreter does not execute the functions.
    pub fn interpreted(&self) -> Result<Vec<Vec<u32>>, String> {
        let of = |stage| self.linked.variant_shader(stage, &self.key, &Budget::default());
        let stages: Vec<Stage> = self.linked.stages().collect();
        let shaders: Vec<_> =
            stages.into_iter().map(|stage| of(stage).map_err(|e| e.to_string())).collect::<Result<_, _>>()?;
        let config = Config { undefined: self.undefined, ..Config::default() };
        let mut pipeline = Pipeline::new(&shaders, &config).map_err(|e| format!("{e:?}"))?;
        let mut target = Target::new(SIZE, SIZE, 1, self.kinds.len());
        let format = |kind: &Kind| match kind {
            Kind::Float => Format::Rgba32f,
            Kind::Unorm8 => Format::Rgba8,
            Kind::Int => Format::Rgba32i,
            Kind::Uint => Format::Rgba32ui,
        };
        target.formats = self.kinds.iter().map(format).collect();
        target.depth = Some(vec![1.0; (SIZE * SIZE) as usize]);
        let mut resources = Resources::new();
        let bytes = self.values.words().iter().flat_map(|w| w.to_le_bytes()).collect();
        let buffer = resources.add_buffer(bytes);
        let whole = Binding::Buffer { buffer, offset: 0, size: None };
        resources.bind(Space::Uniform, DRIVER, DriverValues::BINDING, 0, whole);
        if let Some(uniforms) = &self.uniforms {
            uniforms.bind(&mut resources, &mut BTreeMap::new());
        }
        let count = self.attributes.iter().map(|(_, a)| a.values.len()).min().unwrap_or(0);
        let vertex = |n: usize| {
            let mut v = Vertex::default();
            for (location, attribute) in &self.attributes {
                let slot = Slot::generic(*location).unwrap_or(Slot::POSITION);
                v.inputs.set_words(slot, attribute.values[n]);
            }
            let n = n as u64;
            v.system = System::new()
                .with(SystemValue::vertex_id, n)
                .with(SystemValue::vertex_id_zero_base, n)
                .with(SystemValue::instance_id, 0)
                .with(SystemValue::instance_index, 0);
            v
        };
        let vertices: Vec<Vertex> = (0..count).map(vertex).collect();
        let points = self.kind.contains(ProgramKind::POINTS);
        let topology = if points { Topology::Points } else { Topology::Triangles };
        let draw = Draw { topology, vertices: &vertices, indices: None, system: System::new() };
        let _ =
            pipeline.draw(&mut resources, &draw, &self.state, &mut target).map_err(|e| format!("{e:?}"))?;
        Ok(target.colors.iter().map(|all| all.iter().flatten().copied().collect()).collect())
    }
}

/// Links sources.
pub fn link(device: &Device, sources: &[(Stage, &str)], options: &LinkOptions) -> Result<Arc<Linked>, Log> {
    let objects: Vec<_> = sources.iter().map(|(stage, text)| device.compile("", *stage, &[text])).collect();
    device.link(&objects.iter().collect::<Vec<_>>(), options)
}

/// Pixels that may differ, of an image.
#[derive(Clone, Copy)]
pub enum Tolerance {
    /// None. Floats differ by at most 1/4096, 1/256 with blending, or 1.5/255 of an attachment of 8 bits.
    Roundings,
    /// One of 32, and those that are like a neighbor in the other image: edges and steps are a pixel off. Floats differ by at most
    /// 1/128 of the value, or 1/128.
    Edges,
}

/// The first pixel that differs.
pub fn difference(
    scene: &Scene<'_>,
    expected: &[Vec<u32>],
    found: &[Vec<u32>],
    tolerance: Tolerance,
) -> Option<String> {
    for (n, (expected, found)) in expected.iter().zip(found).enumerate() {
        let integers = matches!(scene.kinds[n], Kind::Uint | Kind::Int);
        let blends = scene.key.blend != airfoil_gl::BlendEquation::None;
        let bound = match (tolerance, scene.kinds[n]) {
            (Tolerance::Edges, _) => 1.0 / 128.0,
            (_, Kind::Unorm8) => 1.5 / 255.0,
            // NVIDIA's driver blends in half precision.
            _ if blends => 1.0 / 256.0,
            _ => 1.0 / 4096.0,
        };
        let edges = matches!(tolerance, Tolerance::Edges);
        let equal = |a: u32, b: u32| match integers {
            true => a == b,
            false => {
                let (a, b) = (f32::from_bits(a), f32::from_bits(b));
                let scale = if edges { a.abs().max(1.0) } else { 1.0 };
                a == b || (a - b).abs() <= bound * scale || (a.is_nan() && b.is_nan())
            }
        };
        let pixel = |image: &[u32], at: usize| [0, 1, 2, 3].map(|k| image[4 * at + k]);
        let same = |a: [u32; 4], b: [u32; 4]| a.iter().zip(b).all(|(a, b)| equal(*a, b));
        let near = |image: &[u32], at: usize, value: [u32; 4]| {
            let (x, y) = (at as i32 % SIZE as i32, at as i32 / SIZE as i32);
            let inside = |n: &i32| (0..SIZE as i32).contains(n);
            let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (x + dx, y + dy)));
            around
                .filter(|(x, y)| inside(x) && inside(y))
                .any(|(x, y)| same(value, pixel(image, (y * SIZE as i32 + x) as usize)))
        };
        let is_wrong = |&at: &usize| {
            let (a, b) = (pixel(expected, at), pixel(found, at));
            !same(a, b) && !(edges && (near(expected, at, b) || near(found, at, a)))
        };
        let all: Vec<usize> = (0..expected.len() / 4).filter(is_wrong).collect();
        let most = if edges { expected.len() / 4 / 32 } else { 0 };
        if all.len() > most {
            let at = all[0];
            let show = |words: [u32; 4]| match integers {
                true => format!("{words:?}"),
                false => format!("{:?}", words.map(f32::from_bits)),
            };
            return Some(format!(
                "{} pixels of attachment {n}, the first at {}, {}: {}, found {}",
                all.len(),
                at as u32 % SIZE,
                at as u32 / SIZE,
                show(pixel(expected, at)),
                show(pixel(found, at))
            ));
        }
    }
    None
}

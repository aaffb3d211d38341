//! Pipelines from GLSL through SPIR-V, before and after they are lowered, and scenes that the interpreter draws.

use airfoil::distances::{DistanceForm, DistanceOptions, lower_distances};
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil::interp::run::Vertex;
use airfoil::interp::{Binding, Config, Resources, Space, System, Values};
use airfoil::ir::{Named, Slot, SystemValue, text};
use airfoil::{Captures, Errors, ReadOptions, Shader, SpirvOptions, Stage, steps, to_spirv};

pub const SIZE: u32 = 32;

pub const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 tint;
layout(location = 0) out vec4 color;
void main() { color = tint; }";

/// A vertex shader with these members of gl_PerVertex, functions and statements.
pub fn vertex_with(members: &str, functions: &str, statements: &str) -> String {
    format!(
        "#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 d;
layout(location = 0) out vec4 tint;
out gl_PerVertex {{ vec4 gl_Position; float gl_PointSize; {members} }};
{functions}
void main() {{ tint = vec4(d.xyz, 1.0); gl_PointSize = 5.0; {statements} }}"
    )
}

pub fn vertex(members: &str, statements: &str) -> String {
    vertex_with(members, "", statements)
}

/// Stores a distance and the position.
pub const STORES: &str = "gl_ClipDistance[0] = d.x; gl_Position = position;";

pub fn clipping() -> String {
    vertex("float gl_ClipDistance[1];", STORES)
}

/// The shaders of a pipeline, read from SPIR-V.
pub fn read(sources: &[(Stage, &str)]) -> Vec<Shader> {
    let sources: Vec<Source<'_>> =
        sources.iter().map(|&(stage, text)| Source { name: stage.name(), stage, text }).collect();
    let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    let program = steps::read_glsl(&sources, &options).unwrap_or_else(|e| panic!("{e:?}"));
    again(&program.shaders)
}

/// Shaders after they were written as SPIR-V and read back.
pub fn again(shaders: &[Shader]) -> Vec<Shader> {
    let one = |shader: &Shader| {
        let words = to_spirv(shader, &SpirvOptions::default()).unwrap_or_else(|e| panic!("{e:?}"));
        steps::read_spirv(&words, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e:?}"))
    };
    shaders.iter().map(one).collect()
}

pub fn pipeline(vertex: &str) -> Vec<Shader> {
    read(&[(Stage::Vertex, vertex), (Stage::Fragment, FRAGMENT)])
}

pub fn try_lower(shaders: &[Shader], options: &DistanceOptions) -> Result<Vec<Shader>, Errors> {
    let mut shaders = shaders.to_vec();
    lower_distances(&mut shaders, &mut Captures::default(), options)?;
    Ok(shaders)
}

/// The shaders with lowered distances, which they no longer declare, after a way through SPIR-V.
pub fn lower(shaders: &[Shader], options: &DistanceOptions) -> Vec<Shader> {
    let lowered = try_lower(shaders, options).unwrap_or_else(|e| panic!("{e:?}"));
    for shader in &lowered {
        steps::validate(shader).unwrap_or_else(|e| panic!("{e:?}"));
        let slots = [Slot::CLIP_DIST0, Slot::CLIP_DIST1, Slot::CULL_DIST0, Slot::CULL_DIST1];
        let is_distance = |slot: Option<Slot>| slot.is_some_and(|slot| slots.contains(&slot));
        assert!(!shader.vars.values().any(|v| is_distance(v.location)), "{}", text::print(shader));
    }
    again(&lowered)
}

pub fn form(form: DistanceForm) -> DistanceOptions {
    DistanceOptions::default().form(form)
}

pub fn exact() -> DistanceOptions {
    form(DistanceForm::Exact)
}

pub fn points() -> DistanceOptions {
    form(DistanceForm::Points)
}

pub fn whole() -> DistanceOptions {
    form(DistanceForm::WholePrimitive)
}

/// Position and distances of a vertex.
pub type Corner = ([f32; 4], [f32; 4]);

/// The results of a draw: the samples by rows, and the outputs of the last stage before rasterisation.
pub struct Image {
    pub texels: Vec<[f32; 4]>,
    pub vertices: Vec<Values>,
}

impl Image {
    /// Samples that are covered.
    pub fn covered(&self) -> Vec<bool> {
        self.texels.iter().map(|t| t[3] > 0.5).collect()
    }

    pub fn count(&self) -> usize {
        self.covered().into_iter().filter(|&c| c).count()
    }

    /// The positions of the vertices.
    pub fn positions(&self) -> Vec<[f32; 4]> {
        self.vertices.iter().filter_map(|v| v.floats(Slot::POSITION)).collect()
    }
}

pub struct Scene<'a> {
    pub topology: Topology,
    pub corners: &'a [Corner],
    pub samples: u32,
    /// A mask at set 0, binding 3.
    pub mask: u32,
    pub depth_clamp: bool,
}

pub fn scene(topology: Topology, corners: &[Corner]) -> Scene<'_> {
    Scene { topology, corners, samples: 1, mask: 0xff, depth_clamp: false }
}

impl Scene<'_> {
    pub fn draw(&self, shaders: &[Shader]) -> Image {
        let vertices: Vec<Vertex> = (0..)
            .zip(self.corners)
            .map(|(n, (position, distances))| {
                let mut inputs = Values::new();
                inputs.set_floats(Slot::generic(0).expect("a location"), *position);
                inputs.set_floats(Slot::generic(1).expect("a location"), *distances);
                Vertex { inputs, system: System::new().with(SystemValue::vertex_id, n) }
            })
            .collect();
        let draw =
            Draw { topology: self.topology, vertices: &vertices, indices: None, system: System::new() };
        let mut state = State::new(SIZE, SIZE);
        (state.y_down, state.clip_depth, state.first_provokes) = (true, ClipDepth::ZeroToOne, true);
        (state.clip_distances, state.shader_point_size) = (0xff, true);
        state.depth_clamp = self.depth_clamp;
        let mut target =
            Target::new(SIZE, SIZE, 1, 1).with_samples(self.samples).expect("a number of samples");
        let mut resources = Resources::new();
        let buffer = resources.add_buffer(self.mask.to_le_bytes().to_vec());
        resources.bind(Space::Uniform, 0, 3, 0, Binding::Buffer { buffer, offset: 0, size: None });
        let mut pipeline = Pipeline::new(shaders, &Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
        let drawn =
            pipeline.draw(&mut resources, &draw, &state, &mut target).unwrap_or_else(|e| panic!("{e:?}"));
        let texels = target.colors[0].iter().map(|t| t.map(f32::from_bits)).collect();
        Image { texels, vertices: drawn.captured }
    }

    /// The exact form covers the same samples with the same colors.
    pub fn assert_exact(&self, shaders: &[Shader], options: &DistanceOptions) -> Image {
        let (expected, found) = (self.draw(shaders), self.draw(&lower(shaders, options)));
        let close =
            |(a, b): (&[f32; 4], &[f32; 4])| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1.0 / 255.0);
        let differing = expected.texels.iter().zip(&found.texels).filter(|&pair| !close(pair)).count();
        // New corners of clipped primitives are rounded to a fraction of a pixel, which moves edges.
        let allowed = if self.samples > 1 { expected.count() / 200 } else { 0 };
        assert!(differing <= allowed, "{differing} of {} samples differ", expected.count());
        found
    }
}

pub const INSIDE: [f32; 4] = [1.0, 1.0, 1.0, 1.0];

/// A triangle with perspective, and the first distance of each corner.
pub fn triangle(distances: [[f32; 4]; 3]) -> [Corner; 3] {
    let [a, b, c] = distances;
    [([-0.91, 0.87, 0.5, 1.0], a), ([1.8, 1.7, 0.9, 2.0], b), ([0.03, -1.35, 0.7, 1.5], c)]
}

pub fn straddling() -> [Corner; 3] {
    triangle([INSIDE, [0.713, 1.0, 1.0, 1.0], [-0.877, 1.0, 1.0, 1.0]])
}

//! The traps of emulated clip and cull distances, T1 to T21, each with a test of its name. `docs/clip-distances.md` lists
//! them. Pipelines are executed by the interpreter, which has distances, before and after they are lowered.

use airfoil::distances::{DistanceForm, DistanceOptions, lower_distances};
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil::interp::run::Vertex;
use airfoil::interp::{Binding, Config, Resources, Space, System, Values};
use airfoil::ir::{Interpolation, IntrinsicOp, Modes, Named, Slot, SystemValue, text};
use airfoil::passes::Pipeline as Passes;
use airfoil::passes::manager::Manager;
use airfoil::{
    Captures, Errors, ReadOptions, Shader, SpirvOptions, Stage, steps, to_spirv, transform_feedback,
};

const SIZE: u32 = 32;

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 tint;
layout(location = 0) out vec4 color;
void main() { color = tint; }";

/// A vertex shader with these members of gl_PerVertex, functions and statements.
fn vertex_with(members: &str, functions: &str, statements: &str) -> String {
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

fn vertex(members: &str, statements: &str) -> String {
    vertex_with(members, "", statements)
}

/// Stores a distance and the position.
const STORES: &str = "gl_ClipDistance[0] = d.x; gl_Position = position;";

fn clipping() -> String {
    vertex("float gl_ClipDistance[1];", STORES)
}

/// The shaders of a pipeline, read from SPIR-V.
fn read(sources: &[(Stage, &str)]) -> Vec<Shader> {
    let sources: Vec<Source<'_>> =
        sources.iter().map(|&(stage, text)| Source { name: stage.name(), stage, text }).collect();
    let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    let program = steps::read_glsl(&sources, &options).unwrap_or_else(|e| panic!("{e:?}"));
    again(&program.shaders)
}

/// Shaders after they were written as SPIR-V and read back.
fn again(shaders: &[Shader]) -> Vec<Shader> {
    let one = |shader: &Shader| {
        let words = to_spirv(shader, &SpirvOptions::default()).unwrap_or_else(|e| panic!("{e:?}"));
        steps::read_spirv(&words, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e:?}"))
    };
    shaders.iter().map(one).collect()
}

fn pipeline(vertex: &str) -> Vec<Shader> {
    read(&[(Stage::Vertex, vertex), (Stage::Fragment, FRAGMENT)])
}

fn try_lower(shaders: &[Shader], options: &DistanceOptions) -> Result<Vec<Shader>, Errors> {
    let mut shaders = shaders.to_vec();
    lower_distances(&mut shaders, &mut Captures::default(), options)?;
    Ok(shaders)
}

/// The shaders with lowered distances, which they no longer declare, after a way through SPIR-V.
fn lower(shaders: &[Shader], options: &DistanceOptions) -> Vec<Shader> {
    let lowered = try_lower(shaders, options).unwrap_or_else(|e| panic!("{e:?}"));
    for shader in &lowered {
        steps::validate(shader).unwrap_or_else(|e| panic!("{e:?}"));
        let slots = [Slot::CLIP_DIST0, Slot::CLIP_DIST1, Slot::CULL_DIST0, Slot::CULL_DIST1];
        let is_distance = |slot: Option<Slot>| slot.is_some_and(|slot| slots.contains(&slot));
        assert!(!shader.vars.values().any(|v| is_distance(v.location)), "{}", text::print(shader));
    }
    again(&lowered)
}

fn form(form: DistanceForm) -> DistanceOptions {
    DistanceOptions::default().form(form)
}

fn exact() -> DistanceOptions {
    form(DistanceForm::Exact)
}

fn points() -> DistanceOptions {
    form(DistanceForm::Points)
}

fn whole() -> DistanceOptions {
    form(DistanceForm::WholePrimitive)
}

/// Position and distances of a vertex.
type Corner = ([f32; 4], [f32; 4]);

/// What a draw leaves: the samples by rows, and the outputs of the last stage before rasterisation.
struct Image {
    texels: Vec<[f32; 4]>,
    vertices: Vec<Values>,
}

impl Image {
    /// Samples that are covered.
    fn covered(&self) -> Vec<bool> {
        self.texels.iter().map(|t| t[3] > 0.5).collect()
    }

    fn count(&self) -> usize {
        self.covered().into_iter().filter(|&c| c).count()
    }

    /// The positions of the vertices.
    fn positions(&self) -> Vec<[f32; 4]> {
        self.vertices.iter().filter_map(|v| v.floats(Slot::POSITION)).collect()
    }
}

struct Scene<'a> {
    topology: Topology,
    corners: &'a [Corner],
    samples: u32,
    /// A mask at set 0, binding 3.
    mask: u32,
    depth_clamp: bool,
}

fn scene(topology: Topology, corners: &[Corner]) -> Scene<'_> {
    Scene { topology, corners, samples: 1, mask: 0xff, depth_clamp: false }
}

impl Scene<'_> {
    fn draw(&self, shaders: &[Shader]) -> Image {
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
    fn assert_exact(&self, shaders: &[Shader], options: &DistanceOptions) -> Image {
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

const INSIDE: [f32; 4] = [1.0, 1.0, 1.0, 1.0];

/// A triangle with perspective, and the first distance of each corner.
fn triangle(distances: [[f32; 4]; 3]) -> [Corner; 3] {
    let [a, b, c] = distances;
    [([-0.91, 0.87, 0.5, 1.0], a), ([1.8, 1.7, 0.9, 2.0], b), ([0.03, -1.35, 0.7, 1.5], c)]
}

fn straddling() -> [Corner; 3] {
    triangle([INSIDE, [0.713, 1.0, 1.0, 1.0], [-0.877, 1.0, 1.0, 1.0]])
}

#[test]
fn t01_a_flag_per_vertex_is_not_a_cut() {
    let corners = straddling();
    let scene = scene(Topology::Triangles, &corners);
    let shaders = pipeline(&clipping());
    let cut = scene.assert_exact(&shaders, &exact());
    let plain = scene.draw(&pipeline(&vertex("", "gl_Position = position;")));
    assert!(cut.count() > 50 && cut.count() + 50 < plain.count(), "{} {}", cut.count(), plain.count());
    // The approximate form has another shape.
    assert!(scene.draw(&lower(&shaders, &whole())).covered() != cut.covered());
}

#[test]
fn t02_vertices_outside_of_different_planes_are_not_an_invisible_primitive() {
    let out = |plane: usize| {
        let mut d = INSIDE;
        d[plane] = -0.31;
        d
    };
    let corners = triangle([out(0), out(1), out(2)]);
    let scene = scene(Topology::Triangles, &corners);
    let stores = "gl_Position = position; gl_ClipDistance[0] = d.x; gl_ClipDistance[1] = d.y; gl_ClipDistance[2] = d.z;";
    let shaders = pipeline(&vertex("float gl_ClipDistance[3];", stores));
    assert!(scene.assert_exact(&shaders, &exact()).count() > 50);
    assert!(scene.draw(&lower(&shaders, &whole())).count() > 0, "planes must not act as one");
}

#[test]
fn t03_culling_never_deforms_a_primitive() {
    let shaders =
        pipeline(&vertex("float gl_CullDistance[1];", "gl_Position = position; gl_CullDistance[0] = d.x;"));
    let plain = pipeline(&vertex("", "gl_Position = position;"));
    for options in [exact(), whole()] {
        let corners = straddling();
        let partly = scene(Topology::Triangles, &corners);
        let found = partly.assert_exact(&shaders, &options);
        assert!(found.covered() == partly.draw(&plain).covered());
        let corners = triangle([[-1.0; 4], [-0.5; 4], [-0.1; 4]]);
        assert_eq!(scene(Topology::Triangles, &corners).assert_exact(&shaders, &options).count(), 0);
    }
}

/// The example of the original method, in SPIR-V: a distance is stored before or after the position.
fn original_example(distance_first: bool) -> Vec<u32> {
    let (distance, position) = ("OpStore %clip_dist %d", "OpStore %pos %p");
    let (first, second) = if distance_first { (distance, position) } else { (position, distance) };
    let text = format!(
        "OpCapability Shader
OpCapability ClipDistance
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %in_pos %in_d %out
OpMemberDecorate %per_vertex 0 BuiltIn Position
OpMemberDecorate %per_vertex 1 BuiltIn PointSize
OpMemberDecorate %per_vertex 2 BuiltIn ClipDistance
OpDecorate %per_vertex Block
OpDecorate %in_pos Location 0
OpDecorate %in_d Location 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%one = OpConstant %uint 1
%i0 = OpConstant %int 0
%i2 = OpConstant %int 2
%dists = OpTypeArray %float %one
%per_vertex = OpTypeStruct %vec4 %float %dists
%p_block = OpTypePointer Output %per_vertex
%p_out4 = OpTypePointer Output %vec4
%p_out1 = OpTypePointer Output %float
%p_in4 = OpTypePointer Input %vec4
%out = OpVariable %p_block Output
%in_pos = OpVariable %p_in4 Input
%in_d = OpVariable %p_in4 Input
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpLoad %vec4 %in_pos
%d4 = OpLoad %vec4 %in_d
%d = OpCompositeExtract %float %d4 0
%pos = OpAccessChain %p_out4 %out %i0
%clip_dist = OpAccessChain %p_out1 %out %i2 %i0
{first}
{second}
OpReturn
OpFunctionEnd
"
    );
    airfoil_spirv_asm::assemble(&text, &Default::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

fn module(words: &[u32]) -> Shader {
    steps::read_spirv(words, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

#[test]
fn t04_final_values_count_in_any_order_of_stores() {
    let corners = [([0.25, 0.5, 0.5, 1.0], [-1.0; 4]), ([-0.5, 0.5, 0.5, 1.0], INSIDE)];
    let scene = scene(Topology::Points, &corners);
    for distance_first in [true, false] {
        for options in [points(), whole()] {
            let lowered = lower(&[module(&original_example(distance_first))], &options);
            let found = scene.draw(&lowered).positions();
            assert_eq!(found, [[0.25, 0.5, 0.5, -1.0], [-0.5, 0.5, 0.5, 1.0]], "{distance_first}");
        }
    }
    // Elements stored twice, in branches, in a callee and a loop; the position in parts.
    let function = "void set(float value) { gl_ClipDistance[0] = value; }";
    for stores in [
        "gl_ClipDistance[0] = -d.x; gl_Position = position; gl_ClipDistance[0] = d.x;",
        "gl_Position.xy = position.xy; set(d.x); gl_Position.zw = position.zw;",
        "if (d.x < 0.0) { set(d.x); gl_Position = position; } else { gl_Position = position; set(d.x); }",
        "for (int i = 0; i < 3; i++) { set(i < 2 ? -d.x : d.x); gl_Position = position; }",
    ] {
        let shaders = pipeline(&vertex_with("float gl_ClipDistance[1];", function, stores));
        for options in [exact(), points(), whole()] {
            let found = scene.assert_exact(&shaders, &options);
            assert!(found.count() > 0, "{stores}");
            if options.form != DistanceForm::Exact {
                assert_eq!(found.positions()[0][3], -1.0, "{stores}");
            }
        }
    }
}

#[test]
fn t05_a_vertex_outside_is_outside_of_the_view_volume() {
    let corners = triangle([[-1.0; 4], [-2.0; 4], [-0.5; 4]]);
    for depth_clamp in [false, true] {
        let scene = Scene { depth_clamp, ..scene(Topology::Triangles, &corners) };
        let found = scene.draw(&lower(&pipeline(&clipping()), &whole()));
        assert_eq!(found.count(), 0);
        for ([x, y, z, w], (expected, _)) in found.positions().into_iter().zip(corners) {
            assert_eq!([x, y, z], expected[..3], "finite positions, not NaN");
            assert_eq!(w, -1.0);
        }
    }
}

#[test]
fn t06_every_exit_has_the_final_values() {
    let stores =
        "gl_Position = position; gl_ClipDistance[0] = d.x; if (d.y > 0.5) return; gl_ClipDistance[0] = -d.x;";
    let shaders = pipeline(&vertex("float gl_ClipDistance[1];", stores));
    let at = |x: f32, d: [f32; 4]| ([x, 0.0, 0.5, 1.0], d);
    let corners = [
        at(-0.75, [1.0, 1.0, 0.0, 0.0]),
        at(-0.25, [-1.0, 1.0, 0.0, 0.0]),
        at(0.25, [1.0, 0.0, 0.0, 0.0]),
        at(0.75, [-1.0, 0.0, 0.0, 0.0]),
    ];
    for options in [exact(), points()] {
        assert_eq!(scene(Topology::Points, &corners).assert_exact(&shaders, &options).count(), 50);
    }
}

#[test]
fn t07_no_block_is_added() {
    let shaders = pipeline(&vertex(
        "float gl_ClipDistance[2];",
        "gl_Position = position; for (int i = 0; i < 2; i++) { if (d.z > 0.0) gl_ClipDistance[i] = d[i]; }",
    ));
    let blocks = |shaders: &[Shader]| -> Vec<usize> {
        shaders.iter().map(|s| s.functions.values().map(|f| f.body.blocks().count()).sum()).collect()
    };
    for options in [exact(), points(), whole()] {
        let lowered = try_lower(&shaders, &options).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(blocks(&lowered), blocks(&shaders), "{options:?}");
    }
}

#[test]
fn t08_unused_members_never_clip() {
    // The members are declared; the shader uses the position only.
    let shaders =
        pipeline(&vertex("float gl_ClipDistance[4]; float gl_CullDistance[4];", "gl_Position = position;"));
    let corners = triangle([[-1.0; 4]; 3]);
    let scene = scene(Topology::Triangles, &corners);
    for options in [exact(), points(), whole()] {
        let lowered = lower(&shaders, &options);
        assert!(scene.draw(&lowered).count() > 100);
        assert!(!text::print(&lowered[1]).contains("demote"));
    }
    // A block in SPIR-V whose distance is left out.
    let words = original_example(true);
    let text = airfoil_spirv_asm::disassemble(&words, false).unwrap_or_else(|e| panic!("{e:?}"));
    let unused: String = text
        .lines()
        .filter(|l| !l.contains("OpStore") || !l.contains("%float"))
        .fold(String::new(), |t, l| t + l + "\n");
    let words = airfoil_spirv_asm::assemble(&unused, &Default::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let written = to_spirv(&lower(&[module(&words)], &points())[0], &SpirvOptions::default())
        .unwrap_or_else(|e| panic!("{e:?}"));
    let text = airfoil_spirv_asm::disassemble(&written, false).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(!text.contains("ClipDistance") && text.contains("BuiltIn Position"), "{text}");
}

const GEOMETRY: &str = "#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[1]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
layout(location = 0) in vec4 tint[];
layout(location = 0) out vec4 shade;
void main() {
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < 3; i++) {
            gl_ClipDistance[0] = part == 0 ? gl_in[i].gl_ClipDistance[0] : -gl_in[i].gl_ClipDistance[0] - 0.25;
            gl_Position = gl_in[i].gl_Position;
            shade = part == 0 ? tint[i] : vec4(0.0, 0.0, 1.0, 1.0);
            EmitVertex();
        }
        EndPrimitive();
    }
}";

const SHADE: &str = "#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 color;
void main() { color = shade; }";

#[test]
fn t09_readers_of_distances_still_read_them() {
    let corners = straddling();
    let scene = scene(Topology::Triangles, &corners);
    // A geometry shader, with several emitted vertices.
    let shaders =
        read(&[(Stage::Vertex, &clipping()), (Stage::Geometry, GEOMETRY), (Stage::Fragment, SHADE)]);
    assert!(scene.assert_exact(&shaders, &exact()).count() > 100);
    // A fragment shader; it reads one element more than is written, at a dynamic index.
    let fragment = "#version 450
        in float gl_ClipDistance[1];
        layout(location = 0) in vec4 tint;
        layout(location = 0) out vec4 color;
        void main() { int n = int(tint.y) - 1; color = vec4(gl_ClipDistance[n], tint.yz, 1.0); }";
    let shaders = read(&[(Stage::Vertex, &clipping()), (Stage::Fragment, fragment)]);
    assert!(scene.assert_exact(&shaders, &exact()).count() > 50);
    // A tessellation control shader that reads the outputs of another invocation.
    let control = "#version 450
        layout(vertices = 3) out;
        in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[1]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; } gl_out[];
        layout(location = 0) out vec4 shade[];
        void main() {
            gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
            gl_out[gl_InvocationID].gl_ClipDistance[0] = gl_in[gl_InvocationID].gl_ClipDistance[0];
            barrier();
            shade[gl_InvocationID] = vec4(gl_out[(gl_InvocationID + 1) % 3].gl_ClipDistance[0], 0.5, 0.0, 1.0);
            gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 2.0;
        }";
    let evaluation = "#version 450
        layout(triangles) in;
        in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; } gl_in[];
        out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
        layout(location = 0) in vec4 shade[];
        layout(location = 0) out vec4 tint;
        void main() {
            vec3 c = gl_TessCoord;
            gl_Position = c.x * gl_in[0].gl_Position + c.y * gl_in[1].gl_Position + c.z * gl_in[2].gl_Position;
            gl_ClipDistance[0] = c.x * gl_in[0].gl_ClipDistance[0] + c.y * gl_in[1].gl_ClipDistance[0] + c.z * gl_in[2].gl_ClipDistance[0];
            tint = c.x * shade[0] + c.y * shade[1] + c.z * shade[2];
        }";
    let shaders = read(&[
        (Stage::Vertex, &clipping()),
        (Stage::TessControl, control),
        (Stage::TessEval, evaluation),
        (Stage::Fragment, FRAGMENT),
    ]);
    let patch = Scene { topology: Topology::Patches(3), ..scene };
    assert!(patch.assert_exact(&shaders, &exact()).count() > 50);
}

#[test]
fn t09_transform_feedback_captures_distances() {
    let text = "#version 450
        layout(location = 0) in vec4 position;
        layout(xfb_buffer = 0, xfb_stride = 24) out;
        out gl_PerVertex { layout(xfb_offset = 8) vec4 gl_Position; layout(xfb_offset = 0) float gl_ClipDistance[2]; };
        void main() { gl_Position = position; gl_ClipDistance[0] = position.x; gl_ClipDistance[1] = position.y; }";
    let sources = [Source { name: "v", stage: Stage::Vertex, text }];
    let mut options = ProgramOptions::default();
    options.link.separable = true;
    let program = steps::read_glsl(&sources, &options).unwrap_or_else(|e| panic!("{e:?}"));
    let mut captures = transform_feedback::captures(&program.reflection.transform_feedback)
        .unwrap_or_else(|e| panic!("{e:?}"));
    let mut shaders = program.shaders;
    lower_distances(&mut shaders, &mut captures, &points()).unwrap_or_else(|e| panic!("{e:?}"));
    let found: Vec<(String, u32, u32)> =
        captures.iter().map(|c| (c.slot.to_string(), c.component, c.offset)).collect();
    let expected = [("0", 0, 0), ("1", 0, 4), ("position", 0, 8)];
    assert_eq!(found, expected.map(|(slot, component, offset)| (slot.to_string(), component, offset)));
    let options = SpirvOptions { captures, ..SpirvOptions::default() };
    let words = to_spirv(&shaders[0], &options).unwrap_or_else(|e| panic!("{e:?}"));
    let text = airfoil_spirv_asm::disassemble(&words, false).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(text.contains("XfbStride 24") && !text.contains("BuiltIn ClipDistance"), "{text}");
}

#[test]
fn t10_only_enabled_distances_clip() {
    let stores = "gl_Position = position; gl_ClipDistance[0] = d.x; gl_ClipDistance[1] = d.y;";
    let shaders = pipeline(&vertex("float gl_ClipDistance[2];", stores));
    let at = |x: f32, d: [f32; 4]| ([x, 0.0, 0.5, 1.0], d);
    let corners = [at(-0.5, [-1.0, 1.0, 1.0, 1.0]), at(0.0, [1.0, -1.0, 1.0, 1.0]), at(0.5, INSIDE)];
    for (mask, expected) in [(0, 75), (1, 50), (2, 50), (3, 25)] {
        for options in [exact(), points(), whole()] {
            let known = lower(&shaders, &options.clone().enabled(mask));
            assert_eq!(
                scene(Topology::Points, &corners).draw(&known).count(),
                expected,
                "{mask} {options:?}"
            );
            let uniform = lower(&shaders, &options.clone().uniform(Some((0, 3))));
            let found = Scene { mask, ..scene(Topology::Points, &corners) }.draw(&uniform);
            assert_eq!(found.count(), expected, "{mask} {options:?}");
        }
    }
    // Elements that are not written are zero, and do not clip.
    let shaders =
        pipeline(&vertex("float gl_ClipDistance[4];", "gl_Position = position; gl_ClipDistance[2] = 1.0;"));
    for options in [exact(), points(), whole()] {
        assert_eq!(scene(Topology::Points, &corners).draw(&lower(&shaders, &options)).count(), 75);
    }
}

#[test]
fn t10_initializers_of_distances_count() {
    let words = original_example(true);
    let text = airfoil_spirv_asm::disassemble(&words, false).unwrap_or_else(|e| panic!("{e:?}"));
    let shader =
        module(&airfoil_spirv_asm::assemble(&text, &Default::default()).unwrap_or_else(|e| panic!("{e:?}")));
    let text = text::print(&shader);
    // The distance starts at -1 and is stored only if it is positive.
    let line = text.lines().find(|l| l.contains("clip_dist0")).expect("it has a distance").to_string();
    let with_initializer = text.replace(&line, &format!("{line} = {{ -1.0 }}"));
    let store = with_initializer
        .lines()
        .rfind(|l| l.contains("store_deref") && l.contains("mask=x") && !l.contains("xyzw"));
    let store = store.expect("it stores the distance").to_string();
    let name =
        store.rsplit("%").next().and_then(|w| w.split_whitespace().next()).expect("a value").to_string();
    let conditional =
        format!("    1x1 %positive = flt %{name}, %{name}\n    if %positive {{\n{store}\n    }}");
    let shader =
        steps::read_foil(&with_initializer.replace(&store, &conditional)).unwrap_or_else(|e| panic!("{e:?}"));
    let corners = [([0.25, 0.5, 0.5, 1.0], INSIDE)];
    for options in [points(), whole()] {
        let found = scene(Topology::Points, &corners).draw(&lower(std::slice::from_ref(&shader), &options));
        assert_eq!(found.positions()[0][3], -1.0);
    }
}

#[test]
fn t11_a_nan_does_not_clip_in_any_form() {
    let corners = [([0.0, 0.0, 0.5, 1.0], [f32::NAN; 4])];
    let texts = [
        vertex("float gl_ClipDistance[1];", STORES),
        vertex("float gl_CullDistance[1];", "gl_CullDistance[0] = d.x; gl_Position = position;"),
    ];
    for text in texts {
        let text = text.replace("vec4(d.xyz, 1.0)", "vec4(1.0)");
        for options in [exact(), points(), whole()] {
            let found = scene(Topology::Points, &corners).draw(&lower(&pipeline(&text), &options));
            assert_eq!(found.count(), 25, "{options:?}");
        }
    }
}

/// Planes and the vertex that they apply to are in one space: `gl_ClipVertex` if it is written, or else the position.
#[test]
fn t12_planes_apply_to_the_clip_vertex_or_the_position() {
    for (with_clip_vertex, expected) in [(true, 50), (false, 25)] {
        let clip_vertex = if with_clip_vertex {
            "    %v = deref_var &gl_ClipVertex\n    store_deref %v, %one\n"
        } else {
            ""
        };
        let vertex = format!(
            "foil 1
shader vertex \"v\" {{
  form variables
  in vec4 p location=0
  out vec4 gl_Position location=position
  out float size location=point_size
  out vec4 gl_ClipVertex location=clip_vertex
  out vec4 tint location=0
  entry fn main {{
    %p = deref_var &p
    32x4 %0 = load_deref %p
    32x4 %one = const 1.0, 1.0, 1.0, 1.0
    %o = deref_var &gl_Position
    store_deref %o, %0
{clip_vertex}    %t = deref_var &tint
    store_deref %t, %one
    32x1 %five = const 5.0
    %s = deref_var &size
    store_deref %s, %five
  }}
}}"
        );
        let mut shaders = vec![steps::read_foil(&vertex).unwrap_or_else(|e| panic!("{e:?}"))];
        // The plane x >= 0.
        let passes =
            Passes::parse("lower_clip_vertex{planes=1, binding=4}").unwrap_or_else(|e| panic!("{e:?}"));
        let _ = Manager::default().run_program(&passes, &mut shaders).unwrap_or_else(|e| panic!("{e:?}"));
        let printed = text::print(&shaders[0]);
        assert!(printed.contains("fdot4!"), "{printed}");
        shaders.extend(read(&[(Stage::Fragment, FRAGMENT)]));
        let corners = [([-0.5, 0.0, 0.5, 1.0], INSIDE), ([0.5, 0.0, 0.5, 1.0], INSIDE)];
        let lowered = try_lower(&shaders, &exact()).unwrap_or_else(|e| panic!("{e:?}"));
        let mut resources = Resources::new();
        let plane: Vec<u8> = [1.0f32, 0.0, 0.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let buffer = resources.add_buffer([plane, vec![0; 112]].concat());
        resources.bind(Space::Uniform, 0, 4, 0, Binding::Buffer { buffer, offset: 0, size: None });
        let count = count_points(&lowered, &corners, &mut resources);
        assert_eq!(count, expected, "{with_clip_vertex}");
    }
}

fn count_points(shaders: &[Shader], corners: &[Corner], resources: &mut Resources) -> usize {
    let vertices: Vec<Vertex> = corners
        .iter()
        .map(|(position, _)| {
            let mut inputs = Values::new();
            inputs.set_floats(Slot::generic(0).expect("a location"), *position);
            Vertex { inputs, system: System::new() }
        })
        .collect();
    let draw = Draw { topology: Topology::Points, vertices: &vertices, indices: None, system: System::new() };
    let mut state = State::new(SIZE, SIZE);
    (state.clip_depth, state.shader_point_size) = (ClipDepth::ZeroToOne, true);
    let mut target = Target::new(SIZE, SIZE, 1, 1);
    let mut pipeline = Pipeline::new(shaders, &Config::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let _ = pipeline.draw(resources, &draw, &state, &mut target).unwrap_or_else(|e| panic!("{e:?}"));
    target.colors[0].iter().filter(|t| f32::from_bits(t[3]) > 0.5).count()
}

#[test]
fn t13_position_passes_follow_and_operations_are_exact() {
    let mut shaders = try_lower(&pipeline(&clipping()), &whole()).unwrap_or_else(|e| panic!("{e:?}"));
    let printed = text::print(&shaders[0]);
    assert!(printed.contains("bcsel!") && printed.contains("flt!"), "{printed}");
    // A flip and a change of the depth range come after the vertex moved: w stays -1.
    let passes = "lower_io_to_temporaries, lower_variable_initializers, vars_to_ssa, lower_io, lower_clip_space{flip_y=true, half_z=true}";
    let passes = Passes::parse(passes).unwrap_or_else(|e| panic!("{e:?}"));
    let _ = Manager::default().run_program(&passes, &mut shaders).unwrap_or_else(|e| panic!("{e:?}"));
    let corners = [([0.25, 0.5, 0.5, 1.0], [-1.0; 4]), ([0.25, 0.5, 0.5, 1.0], INSIDE)];
    let found = scene(Topology::Points, &corners).draw(&shaders).positions();
    assert_eq!(found, [[0.25, -0.5, -0.25, -1.0], [0.25, -0.5, 0.75, 1.0]]);
}

#[test]
fn t14_distances_are_perspective_correct_and_flags_linear() {
    let shaders = pipeline(&vertex(
        "float gl_ClipDistance[1]; float gl_CullDistance[1];",
        "gl_Position = position; gl_ClipDistance[0] = d.x; gl_CullDistance[0] = d.y;",
    ));
    let lowered = try_lower(&shaders, &exact()).unwrap_or_else(|e| panic!("{e:?}"));
    let way = |name: &str| {
        let var = lowered[1].vars.values().find(|v| v.mode == Modes::IN && v.name.starts_with(name));
        var.map(|v| v.interpolation)
    };
    assert_eq!(way("clip_distances"), Some(Interpolation::Smooth));
    assert_eq!(way("cull_flags"), Some(Interpolation::NoPerspective));
    let corners = straddling();
    assert!(scene(Topology::Triangles, &corners).assert_exact(&shaders, &exact()).count() > 50);
}

#[test]
fn t15_each_sample_is_tested() {
    let corners = straddling();
    let scene = Scene { samples: 4, ..scene(Topology::Triangles, &corners) };
    let shaders = pipeline(&clipping());
    let cut = scene.assert_exact(&shaders, &exact().samples(4));
    // One test per pixel has another edge.
    assert!(scene.draw(&lower(&shaders, &exact())).covered() != cut.covered());
    // A shader that writes a mask itself.
    let fragment = "#version 450
        layout(location = 0) in vec4 tint;
        layout(location = 0) out vec4 color;
        void main() { gl_SampleMask[0] = gl_SampleMaskIn[0] & 5; color = tint; }";
    let shaders = read(&[(Stage::Vertex, &clipping()), (Stage::Fragment, fragment)]);
    let masked = scene.assert_exact(&shaders, &exact().samples(4));
    assert!(masked.count() > 50 && masked.count() < cut.count());
}

#[test]
fn t16_the_discard_is_a_demote_before_everything_else() {
    let fragment = "#version 450
        layout(set = 0, binding = 0) buffer B { uint count; };
        layout(location = 0) in vec4 tint;
        layout(location = 0) out vec4 color;
        void main() { atomicAdd(count, 1u); color = tint; }";
    let shaders = read(&[(Stage::Vertex, &clipping()), (Stage::Fragment, fragment)]);
    let lowered = try_lower(&shaders, &exact()).unwrap_or_else(|e| panic!("{e:?}"));
    let body = &lowered[1].functions.values().next().expect("a function").body;
    let ops: Vec<IntrinsicOp> =
        body.all_instrs().filter_map(|id| Some(body[id].as_intrinsic()?.op)).collect();
    let at = |wanted: IntrinsicOp| ops.iter().position(|&op| op == wanted);
    let demote = at(IntrinsicOp::demote_if).expect("a demote");
    let atomic = at(IntrinsicOp::deref_atomic).expect("an atomic operation");
    assert!(demote < atomic, "{ops:?}");
    let early = fragment
        .replace("layout(location = 0) in", "layout(early_fragment_tests) in; layout(location = 0) in");
    let shaders = read(&[(Stage::Vertex, &clipping()), (Stage::Fragment, &early)]);
    let error =
        format!("{:?}", try_lower(&shaders, &exact()).expect_err("depth is written before the discard"));
    assert!(error.contains("EarlyFragmentTests"), "{error}");
}

#[test]
fn t17_points_and_lines_are_clipped_alike() {
    let at = |x: f32, d: f32| ([x, 0.1, 0.5, 1.0], [d, 1.0, 1.0, 1.0]);
    let shaders = pipeline(&clipping());
    let corners = [at(-0.5, -0.1), at(0.0, 0.1), at(0.5, 0.7)];
    for options in [exact(), points(), whole()] {
        assert_eq!(scene(Topology::Points, &corners).assert_exact(&shaders, &options).count(), 50);
        let samples = Scene { samples: 4, ..scene(Topology::Points, &corners) };
        assert_eq!(samples.assert_exact(&shaders, &options.samples(4)).count(), 200);
    }
    let corners = [at(-0.83, -0.713), at(0.83, 1.0)];
    let line = scene(Topology::Lines, &corners).assert_exact(&shaders, &exact());
    assert!((10..20).contains(&line.count()), "{}", line.count());
    let samples = Scene { samples: 4, ..scene(Topology::Lines, &corners) };
    assert!(samples.assert_exact(&shaders, &exact().samples(4)).count() > 40);
}

#[test]
fn t18_eight_distances_take_two_locations() {
    let stores = "gl_Position = position; for (int i = 0; i < 8; i++) gl_ClipDistance[i] = d[i % 4];";
    let shaders = pipeline(&vertex("float gl_ClipDistance[8];", stores));
    let added = |shader: &Shader, mode| {
        shader.vars.values().filter(|v| v.mode == mode && v.name.starts_with("clip_distances")).count()
    };
    let lowered = try_lower(&shaders, &exact()).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!((added(&lowered[0], Modes::OUT), added(&lowered[1], Modes::IN)), (2, 2));
    let corners = straddling();
    assert!(scene(Topology::Triangles, &corners).assert_exact(&shaders, &exact()).count() > 50);
    let mut options = exact();
    options.locations = 2;
    let error = format!("{:?}", try_lower(&shaders, &options).expect_err("there is one free location"));
    assert!(error.contains("E0328") && error.contains("no 2 consecutive locations below 2"), "{error}");
}

#[test]
fn t19_only_the_stream_of_the_distances_clips() {
    let geometry = "foil 1
shader geometry \"g\" {
  form variables
  input_primitive points
  output_primitive points
  max_vertices 2
  in vec4[1] p location=0
  out vec4 position location=position
  out float[1] clip location=clip_dist0
  out vec4 other location=1 stream=1
  entry fn main {
    32x1 %z = const 0
    %p = deref_var &p
    %v = deref_array %p[%z]
    32x4 %0 = load_deref %v
    32x1 %x = mov %0.x
    %c = deref_var &clip
    %e = deref_array %c[%z]
    %o = deref_var &position
    %q = deref_var &other
    store_deref %e, %x
    store_deref %o, %0
    emit_vertex stream=0
    store_deref %q, %0
    emit_vertex stream=1
  }
}";
    let shaders = [steps::read_foil(geometry).unwrap_or_else(|e| panic!("{e:?}"))];
    for options in [exact().location(Some(4)), points()] {
        let lowered = try_lower(&shaders, &options).unwrap_or_else(|e| panic!("{e:?}"));
        let body = &lowered[0].functions.values().next().expect("a function").body;
        let ops: Vec<IntrinsicOp> =
            body.all_instrs().filter_map(|id| Some(body[id].as_intrinsic()?.op)).collect();
        let emits: Vec<usize> = (0..ops.len()).filter(|&n| ops[n] == IntrinsicOp::emit_vertex).collect();
        // Between the two vertices the shader stores once, as before.
        assert_eq!(
            ops[emits[0]..emits[1]].iter().filter(|&&op| op == IntrinsicOp::store_deref).count(),
            1,
            "{ops:?}"
        );
        assert!(ops[..emits[0]].iter().filter(|&&op| op == IntrinsicOp::store_deref).count() > 2, "{ops:?}");
    }
}

#[test]
fn t20_dynamic_indices_work_and_escaping_pointers_are_named() {
    let stores =
        "gl_Position = position; int n = int(d.y); gl_ClipDistance[n] = d.x; gl_ClipDistance[1 - n] = 1.0;";
    let shaders = pipeline(&vertex("float gl_ClipDistance[2];", stores));
    let corners = triangle([INSIDE, [0.713, 0.0, 1.0, 1.0], [-0.877, 1.0, 1.0, 1.0]]);
    let scene = scene(Topology::Triangles, &corners);
    assert!(scene.assert_exact(&shaders, &exact()).count() > 50);
    let _ = lower(&shaders, &whole());
    // A reference that is not a load, store or copy.
    let fragment = "foil 1
shader fragment \"f\" {
  form variables
  in float[1] clip location=clip_dist0
  out float color location=0
  entry fn main {
    32x1 %z = const 0
    %c = deref_var &clip
    %e = deref_array %c[%z]
    32x1 %d = interp_deref_at_centroid %e
    %o = deref_var &color
    store_deref %o, %d
  }
}";
    let shaders = vec![shaders[0].clone(), steps::read_foil(fragment).unwrap_or_else(|e| panic!("{e:?}"))];
    let error = format!("{:?}", try_lower(&shaders, &exact()).expect_err("it is interpolated explicitly"));
    assert!(error.contains("E0331") && error.contains("interp_deref_at_centroid"), "{error}");
    // Variable pointers to outputs are not valid: the reader names the instruction.
    let text =
        airfoil_spirv_asm::disassemble(&original_example(true), false).unwrap_or_else(|e| panic!("{e:?}"));
    let store = text.lines().find(|l| l.contains("OpStore")).expect("a store");
    let pointer = store.split_whitespace().nth(1).expect("a pointer");
    let escaping = text
        .replace("OpCapability ClipDistance", "OpCapability ClipDistance\nOpCapability VariablePointers")
        .replace(store, &format!("%bool = OpTypeBool\n%no = OpConstantFalse %bool\n%sel = OpSelect %_ptr_Output_float %no {pointer} {pointer}\n{store}"));
    if let Ok(words) = airfoil_spirv_asm::assemble(&escaping, &Default::default()) {
        let error = format!(
            "{:?}",
            steps::read_spirv(&words, &ReadOptions::default()).expect_err("a pointer escapes")
        );
        assert!(error.contains("Op") || error.contains("word"), "{error}");
    }
}

#[test]
fn t21_one_form_is_stated_and_checked() {
    let mut shaders = pipeline(&clipping());
    let passes = Passes::parse("lower_io_to_temporaries, vars_to_ssa, lower_clip_distance_arrays, lower_io")
        .unwrap_or_else(|e| panic!("{e:?}"));
    let _ = Manager::default().run_program(&passes, &mut shaders).unwrap_or_else(|e| panic!("{e:?}"));
    let error = format!("{:?}", try_lower(&shaders, &exact()).expect_err("the form is slots"));
    assert!(error.contains("form `variables`"), "{error}");
    // The compact array.
    let mut shaders = pipeline(&clipping());
    let passes = Passes::parse("lower_clip_distance_arrays").unwrap_or_else(|e| panic!("{e:?}"));
    let _ = Manager::default().run_program(&passes, &mut shaders).unwrap_or_else(|e| panic!("{e:?}"));
    let error = format!("{:?}", try_lower(&shaders, &exact()).expect_err("the array is compact"));
    assert!(error.contains("E0327"), "{error}");
}

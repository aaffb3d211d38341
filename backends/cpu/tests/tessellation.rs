//! Whole pipelines with tessellation: the kernels and the post-tessellation function draw the same as the stages in the
//! interpreter.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]

use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{OptLevel, Shader, Stage};
use airfoil_interp::pipeline::{Draw, Pipeline, Stages, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::{Config, Resources, System, Values};
use airfoil_ir::{Slot, SystemValue};

const SIZE: u32 = 24;

const VERTEX: &str = "#version 450
layout(location = 0) in vec2 p;
layout(location = 1) out vec2 at;
layout(location = 2) out float number;
void main() {
    gl_Position = vec4(p, 0.0, 1.0);
    at = p * 0.5 + 0.5;
    number = float(gl_VertexIndex + 8 * gl_InstanceIndex);
}";

/// Reads values of other invocations after a barrier, and has values of the patch.
const CONTROL: &str = "#version 450
layout(vertices = 4) out;
layout(location = 1) in vec2 at[];
layout(location = 2) in float number[];
layout(location = 1) out vec2 moved[];
layout(location = 3) patch out vec4 tint;
layout(location = 5) patch out float sums[2];
void main() {
    int k = gl_InvocationID;
    int from = min(k, gl_PatchVerticesIn - 1);
    gl_out[gl_InvocationID].gl_Position = gl_in[from].gl_Position;
    moved[gl_InvocationID] = at[from] + 0.125 * number[from];
    barrier();
    vec2 other = moved[3 - k];
    if (k == 1) {
        tint = vec4(other, float(gl_PrimitiveID), number[0]);
        sums[gl_PrimitiveID & 1] = other.x;
        sums[1 - (gl_PrimitiveID & 1)] = 0.25;
        gl_TessLevelOuter[0] = 2.0;
        gl_TessLevelOuter[1] = 3.0 + float(gl_PrimitiveID);
        gl_TessLevelOuter[2] = 1.0;
        gl_TessLevelOuter[3] = 4.5;
        gl_TessLevelInner[0] = 3.0;
        gl_TessLevelInner[1] = 2.0;
    }
}";

fn evaluation(domain: &str, position: &str) -> String {
    format!(
        "#version 450
layout({domain}, fractional_odd_spacing, cw) in;
layout(location = 1) in vec2 moved[];
layout(location = 3) patch in vec4 tint;
layout(location = 5) patch in float sums[2];
layout(location = 0) out vec4 colour;
void main() {{
    vec3 t = gl_TessCoord;
    gl_Position = {position};
    vec2 m = vec2(0.0);
    for (int i = 0; i < gl_PatchVerticesIn; ++i) m += moved[i] * float(i);
    colour = vec4(m * 0.1 + tint.xy, sums[gl_PrimitiveID & 1] + gl_TessLevelOuter[3], tint.z + float(gl_PrimitiveID) + gl_TessLevelInner[1]);
}}"
    )
}

const QUAD: &str = "mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x), mix(gl_in[3].gl_Position, gl_in[2].gl_Position, t.x), t.y + t.z)";
const TRIANGLE: &str = "gl_in[0].gl_Position * t.x + gl_in[1].gl_Position * t.y + gl_in[2].gl_Position * t.z";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 o;
void main() { o = colour; }";

/// A geometry shader that takes the output of tessellation, and the index of the patch.
fn geometry(primitive: &str, count: u32, made: &str) -> String {
    format!(
        "#version 450
layout({primitive}) in;
layout({made}, max_vertices = 4) out;
layout(location = 0) in vec4 colour[];
layout(location = 0) out vec4 c;
void main() {{
    for (int i = 0; i < {count}; ++i) {{
        gl_Position = gl_in[i].gl_Position * vec4(0.9, 0.9, 1.0, 1.0);
        gl_PointSize = 2.0;
        c = colour[i] + vec4(0.0, 0.0, 0.0, float(gl_PrimitiveIDIn) * 0.5);
        EmitVertex();
    }}
}}"
    )
}

fn shaders(evaluation: &str, control: bool, level: OptLevel) -> Vec<Shader> {
    pipeline(evaluation, control, None, level)
}

fn pipeline(evaluation: &str, control: bool, geometry: Option<&str>, level: OptLevel) -> Vec<Shader> {
    let mut sources = vec![("a.vert", Stage::Vertex, VERTEX), ("a.frag", Stage::Fragment, FRAGMENT)];
    sources.push(("a.tese", Stage::TessEval, evaluation));
    if control {
        sources.push(("a.tesc", Stage::TessControl, CONTROL));
    }
    if let Some(geometry) = geometry {
        sources.push(("a.geom", Stage::Geometry, geometry));
    }
    let sources: Vec<Source<'_>> =
        sources.into_iter().map(|(name, stage, text)| Source { name, stage, text }).collect();
    let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    let mut shaders =
        airfoil::steps::read_glsl(&sources, &options).unwrap_or_else(|e| panic!("{e:?}")).shaders;
    for shader in &mut shaders {
        airfoil::steps::optimize(shader, level).unwrap_or_else(|e| panic!("{e:?}"));
    }
    shaders
}

/// The pixels that patches of two instances draw.
fn pixels<P: Stages>(pipeline: Pipeline<'_, P>, per_patch: u32) -> Vec<[u32; 4]> {
    let mut pipeline = pipeline;
    let places =
        [[-0.9, -0.8], [0.1, -0.9], [0.2, 0.3], [-0.8, 0.1], [0.0, 0.0], [0.9, -0.1], [0.8, 0.9], [0.1, 0.7]];
    let mut vertices = Vec::new();
    for instance in 0..2u64 {
        for n in 0..2 * per_patch as usize {
            let [x, y] = places[n % places.len()];
            let mut inputs = Values::new();
            inputs.set_floats(Slot::generic(0).unwrap(), [x, y, 0.0, 1.0]);
            let system = System::new()
                .with(SystemValue::vertex_id, n as u64)
                .with(SystemValue::vertex_id_zero_base, n as u64)
                .with(SystemValue::instance_id, instance)
                .with(SystemValue::instance_index, instance);
            vertices.push(Vertex { inputs, system });
        }
    }
    let draw = Draw {
        topology: Topology::Patches(per_patch),
        vertices: &vertices,
        indices: None,
        system: System::new(),
    };
    let mut target = Target::new(SIZE, SIZE, 1, 1);
    let mut state = State::new(SIZE, SIZE);
    state.patch_levels = ([2.0, 3.0, 4.0, 1.0], [2.0, 3.0]);
    pipeline.draw(&mut Resources::new(), &draw, &state, &mut target).unwrap_or_else(|e| panic!("{e}"));
    (0..SIZE)
        .flat_map(|y| (0..SIZE).map(move |x| (x, y)))
        .map(|(x, y)| target.colors[0][(y * SIZE + x) as usize])
        .collect()
}

fn compare(evaluation: &str, control: bool, per_patch: u32, level: OptLevel) {
    compare_shaders(&shaders(evaluation, control, level), per_patch);
}

fn compare_shaders(shaders: &[Shader], per_patch: u32) {
    let expected = pixels(Pipeline::new(shaders, &Config::default()).unwrap(), per_patch);
    let programs = airfoil_cpu::prepare(shaders, &airfoil_cpu::Config::default()).unwrap();
    let found = pixels(Pipeline::of(programs).unwrap(), per_patch);
    let drawn = expected.iter().filter(|p| **p != [0; 4]).count();
    // Lines and points draw the least.
    assert!(drawn > 30, "only {drawn} pixels are drawn");
    for (n, (a, b)) in expected.iter().zip(&found).enumerate() {
        let near = |(&a, &b): (&u32, &u32)| {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            (a - b).abs() <= 1e-5 * a.abs().max(1.0)
        };
        assert!(a.iter().zip(b).all(near), "pixel {n}: {a:x?}, as AIR {b:x?}");
    }
}

#[test]
fn quads() {
    for level in [OptLevel::O0, OptLevel::O2] {
        compare(&evaluation("quads", QUAD), true, 3, level);
    }
}

#[test]
fn triangles() {
    compare(&evaluation("triangles", TRIANGLE), true, 4, OptLevel::O2);
}

#[test]
fn without_control_stage() {
    let text = "#version 450
layout(quads) in;
layout(location = 1) in vec2 at[];
layout(location = 2) in float number[];
layout(location = 0) out vec4 colour;
void main() {
    vec3 t = gl_TessCoord;
    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x), mix(gl_in[3].gl_Position, gl_in[2].gl_Position, t.x), t.y);
    colour = vec4(at[1], number[2] + gl_TessLevelOuter[1], float(gl_PrimitiveID) + 1.0);
}";
    compare(text, false, 4, OptLevel::O2);
}

#[test]
fn in_front_of_geometry() {
    let cases = [
        ("triangles", TRIANGLE, "triangles", 3, "triangle_strip"),
        ("quads", QUAD, "triangles", 3, "triangle_strip"),
        ("isolines", QUAD, "lines", 2, "line_strip"),
        ("quads, point_mode", QUAD, "points", 1, "points"),
    ];
    for (domain, position, primitive, count, made) in cases {
        let geometry = geometry(primitive, count, made);
        let shaders = pipeline(&evaluation(domain, position), true, Some(&geometry), OptLevel::O2);
        compare_shaders(&shaders, 4);
    }
}

//! Traps about interfaces: readers of distances, spaces, discards, vertex streams, forms of the IR.

use crate::support::{
    Corner, FRAGMENT, INSIDE, SIZE, Scene, clipping, exact, pipeline, points, read, scene, straddling,
    try_lower,
};
use airfoil::distances::lower_distances;
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
use airfoil::interp::run::Vertex;
use airfoil::interp::{Binding, Config, Resources, Space, System, Values};
use airfoil::ir::{IntrinsicOp, Slot, text};
use airfoil::passes::Pipeline as Passes;
use airfoil::passes::manager::Manager;
use airfoil::{Shader, SpirvOptions, Stage, steps, to_spirv, transform_feedback};

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

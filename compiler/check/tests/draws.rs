//! Wrong values in passes that change the results of a shader on purpose are found by whole draws of the program.

use airfoil_check::{Found, Kind, Runs, bisect_program, find, find_in_program};
use airfoil_ir::{Alu, AluOp, Body, Diagnostic, Index, InstrId, InstrKind, IntrinsicOp, Shader, Stage, text};
use airfoil_passes::gl::lower_distances::LowerDistances;
use airfoil_passes::gl::lower_draw_parameters::LowerDrawParameters;
use airfoil_passes::gl::lower_window_origin::LowerWindowOrigin;
use airfoil_passes::gl::lower_xfb::{Captures, LowerXfb};
use airfoil_passes::lower::lower_64bit_io::Lower64bitIo;
use airfoil_passes::stages::lower_stages::LowerStages;
use airfoil_passes::stages::mesh_outputs_to_shared::MeshOutputsToShared;
use airfoil_passes::stages::write_outputs::WriteOutputs;
use airfoil_passes::{
    Changes, Context, OptionValue, Pass, PassInfo, PassStep, Pipeline, ProgramPass, ProgramSteps,
};

const VERTEX: &str = "foil 1
shader vertex \"v\" {
  form variables
  in vec4 a location=0
  in vec4 b location=1
  out vec4 p location=position
  out vec4 unread location=3
  out vec4 c location=5
  entry fn main {
    %a = load_deref &a
    store_deref &unread, %a
    store_deref &p, %a
    %b = load_deref &b
    %d = fadd %b, %a
    store_deref &c, %d
  }
}
";

const GEOMETRY: &str = "foil 1
shader geometry \"g\" {
  form variables
  input_primitive triangles
  output_primitive triangle_strip
  max_vertices 4
  in vec4[3] p location=position
  in vec4[3] c location=5
  out vec4 q location=position
  out vec4 d location=0
  entry fn main {
    32x1 %zero = const 0
    32x1 %one = const 1
    32x1 %two = const 2
    %p = deref_var &p
    %c = deref_var &c
    %p0 = deref_array %p[%zero]
    %c0 = deref_array %c[%zero]
    %p1 = deref_array %p[%one]
    %c1 = deref_array %c[%one]
    %p2 = deref_array %p[%two]
    %c2 = deref_array %c[%two]
    32x4 %v0 = load_deref %p0
    32x4 %w0 = load_deref %c0
    store_deref &q, %v0
    store_deref &d, %w0
    emit_vertex stream=0
    32x4 %v1 = load_deref %p1
    32x4 %w1 = load_deref %c1
    store_deref &q, %v1
    store_deref &d, %w1
    emit_vertex stream=0
    32x4 %v2 = load_deref %p2
    32x4 %w2 = load_deref %c2
    store_deref &q, %v2
    store_deref &d, %w2
    emit_vertex stream=0
    32x4 %v3 = fadd %v1, %v0
    32x4 %w3 = fmul %w1, %w2
    store_deref &q, %v3
    store_deref &d, %w3
    emit_vertex stream=0
  }
}
";

const CONTROL: &str = "foil 1
shader tess_control \"t\" {
  form variables
  patch_vertices_out 3
  in vec4[] p location=position
  in vec4[] c location=5
  out vec4[3] q location=position
  out vec4[3] d location=0
  out float[4] outer location=tess_level_outer patch compact
  out float[2] inner location=tess_level_inner patch compact
  system_value int id builtin=invocation_id
  entry fn main {
    %i = load_deref &id
    32x1 %zero = const 0
    32x1 %one = const 1
    32x1 %two = const 2
    32x1 %level = const 2.0
    %p = deref_var &p
    %pi = deref_array %p[%i]
    32x4 %v = load_deref %pi
    %q = deref_var &q
    %qi = deref_array %q[%i]
    store_deref %qi, %v
    %c = deref_var &c
    %ci = deref_array %c[%i]
    32x4 %w = load_deref %ci
    %d = deref_var &d
    %di = deref_array %d[%i]
    store_deref %di, %w
    %o = deref_var &outer
    %o0 = deref_array %o[%zero]
    store_deref %o0, %level
    %o1 = deref_array %o[%one]
    store_deref %o1, %level
    %o2 = deref_array %o[%two]
    store_deref %o2, %level
    %n = deref_var &inner
    %n0 = deref_array %n[%zero]
    store_deref %n0, %level
  }
}
";

const EVALUATION: &str = "foil 1
shader tess_eval \"e\" {
  form variables
  input_primitive triangles
  in vec4[] q location=position
  in vec4[] d location=0
  out vec4 p location=position
  out vec4 c location=5
  system_value vec3 at builtin=tess_coord
  entry fn main {
    32x1 %zero = const 0
    32x1 %one = const 1
    %at = load_deref &at
    %q = deref_var &q
    %q0 = deref_array %q[%zero]
    32x4 %v0 = load_deref %q0
    %q1 = deref_array %q[%one]
    32x4 %v1 = load_deref %q1
    32x4 %x = fmul %v0, %at.xxxx
    32x4 %y = fmul %v1, %at.yyyy
    32x4 %s = fadd %x, %y
    store_deref &p, %s
    %d = deref_var &d
    %d1 = deref_array %d[%one]
    32x4 %w = load_deref %d1
    store_deref &c, %w
  }
}
";

const FRAGMENT: &str = "foil 1
shader fragment \"f\" {
  form variables
  in vec4 c location=0
  out vec4 o location=0
  entry fn main {
    %c = load_deref &c
    store_deref &o, %c
  }
}
";

fn shaders(texts: &[&str]) -> Vec<Shader> {
    texts.iter().map(|text| text::parse(text).unwrap_or_else(|e| panic!("{}", e[0]))).collect()
}

/// A pass over all shaders whose choice has a fault planted in one pass.
#[derive(Debug)]
struct Planted<P> {
    program: P,
    pass: &'static str,
    fault: fn(&mut Body) -> bool,
}

/// A pass, and a fault after it.
#[derive(Debug)]
struct Faulty(Box<dyn Pass>, fn(&mut Body) -> bool);

/// Replaces the ALU operations of one kind by another one.
fn replace_alu(body: &mut Body, from: AluOp, to: AluOp) -> bool {
    let is_from = |id: &InstrId| body[*id].as_alu().is_some_and(|a| a.op == from);
    let found: Vec<InstrId> = body.all_instrs().filter(is_from).collect();
    for &id in &found {
        let alu = *body[id].as_alu().expect("an operation");
        let new = Alu::new(to, body[id].ty.comps, &[alu.src(0), alu.src(1)]);
        body.set_kind(id, InstrKind::Alu(new));
    }
    !found.is_empty()
}

/// Every sum of integers, such as the index of a record, becomes a difference.
fn negate_sums(body: &mut Body) -> bool {
    replace_alu(body, AluOp::iadd, AluOp::isub)
}

/// Outputs lose all components but the first.
fn store_first_component(body: &mut Body) -> bool {
    let is_store = |id: &InstrId| body[*id].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::store_output);
    let stores: Vec<InstrId> = body.all_instrs().filter(is_store).collect();
    for &id in &stores {
        let store = *body[id].as_intrinsic().expect("a store");
        body.set_kind(id, InstrKind::Intrinsic(store.with(Index::WriteMask, 1u32)));
    }
    !stores.is_empty()
}

impl Pass for Faulty {
    fn info(&self) -> &PassInfo {
        self.0.info()
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        self.0.options()
    }

    fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Changes, Diagnostic> {
        let progress = self.0.run(shader, context)?;
        if !progress.is_progress() {
            return Ok(progress);
        }
        let planted = self.1(shader.entry_body_mut().expect("a body"));
        assert!(planted, "no fault in {}", self.0.info().name);
        Ok(progress | Changes::ALL_BUT_CONTROL_FLOW)
    }
}

impl<P: ProgramPass> ProgramPass for Planted<P> {
    fn info(&self) -> &PassInfo {
        self.program.info()
    }

    fn steps(&self, shaders: &[Shader]) -> Result<ProgramSteps, Diagnostic> {
        let mut steps = self.program.steps(shaders)?;
        let plant = |(at, pass): (usize, Box<dyn Pass>)| match pass.info().name == self.pass {
            true => (at, Box::new(Faulty(pass, self.fault)) as Box<dyn Pass>),
            false => (at, pass),
        };
        steps.passes = steps.passes.into_iter().map(plant).collect();
        Ok(steps)
    }
}

/// `lower_stages` on shaders in the form `slots`; the clean-up passes that its kernels require follow.
fn pipeline(pass: Box<dyn ProgramPass>) -> Pipeline {
    let before = Pipeline::parse("O0").expect("a pipeline");
    before.then(Pipeline::of_program_pass(pass)).then(Pipeline::parse("vars_to_ssa").expect("a pipeline"))
}

/// The passes that lower the stages of a program are right, and a wrong value in any of them is found.
fn judge(texts: &[&str], passes: &[&'static str]) {
    let program = shaders(texts);
    let runs = Runs::default();
    let right = find_in_program(&program, &pipeline(Box::new(LowerStages::default())), &runs);
    assert!(matches!(right, Found::Nothing { .. }), "{right:?}");
    let last = LowerStages { first_provokes: false, ..LowerStages::default() };
    let right = find_in_program(&program, &pipeline(Box::new(last)), &runs);
    assert!(matches!(right, Found::Nothing { .. }), "{right:?}");
    for &pass in passes {
        let planted = Planted { program: LowerStages::default(), pass, fault: negate_sums };
        let found = bisect_program(&program, &pipeline(Box::new(planted)), &runs).expect("runs");
        let found = found.unwrap_or_else(|| panic!("no fault in {pass}"));
        let name = found.pass.split('{').next().unwrap_or_default();
        assert_eq!((found.kind, name), (Kind::Mismatch, pass), "{}", found.message);
        // The records of the neighbouring stages are options of the pass.
        assert!(found.pass.contains("{"), "{}", found.pass);
        assert!(found.message.contains("changes the results of the draw"), "{}", found.message);
    }
}

/// A component of `n` bytes is at byte `c * n` of its slot in the records between stages.
#[test]
fn records_hold_16_bit_components() {
    let vertex = VERTEX
        .replace("out vec4 c location=5", "out f16vec4 c location=5")
        .replace("store_deref &c, %d", "16x4 %h = f2f %d\n    store_deref &c, %h");
    let geometry = GEOMETRY
        .replace("in vec4[3] c location=5", "in f16vec4[3] c location=5")
        .replace("32x4 %w0 = load_deref %c0", "16x4 %h0 = load_deref %c0\n    32x4 %w0 = f2f %h0")
        .replace("32x4 %w1 = load_deref %c1", "16x4 %h1 = load_deref %c1\n    32x4 %w1 = f2f %h1")
        .replace("32x4 %w2 = load_deref %c2", "16x4 %h2 = load_deref %c2\n    32x4 %w2 = f2f %h2");
    let control = CONTROL
        .replace("in vec4[] c location=5", "in f16vec4[] c location=5")
        .replace("out vec4[3] d location=0", "out f16vec4[3] d location=0")
        .replace("32x4 %w = load_deref %ci", "16x4 %w = load_deref %ci");
    let evaluation = EVALUATION
        .replace("in vec4[] d location=0", "in f16vec4[] d location=0")
        .replace("32x4 %w = load_deref %d1", "16x4 %h = load_deref %d1\n    32x4 %w = f2f %h");
    let fragment = FRAGMENT.replace("c location=0", "c location=5");
    judge(&[&vertex, &geometry, FRAGMENT], &["vertex_outputs_to_buffer", "geometry_to_mesh"]);
    judge(
        &[&vertex, &control, &evaluation, &fragment],
        &["vertex_outputs_to_buffer", "tess_control_to_kernel"],
    );
}

#[test]
fn wrong_values_of_mesh_shaders_are_found() {
    judge(&[VERTEX, GEOMETRY, FRAGMENT], &["vertex_outputs_to_buffer", "geometry_to_mesh"]);
}

#[test]
fn wrong_values_of_tessellation_kernels_are_found() {
    judge(
        &[VERTEX, CONTROL, EVALUATION, &FRAGMENT.replace("c location=0", "c location=5")],
        &["vertex_outputs_to_buffer", "tess_control_to_kernel", "tess_eval_inputs_from_buffers"],
    );
}

#[test]
fn wrong_values_of_tessellation_before_geometry_are_found() {
    judge(
        &[VERTEX, CONTROL, EVALUATION, GEOMETRY, FRAGMENT],
        &["tess_control_to_kernel", "tess_eval_to_kernel", "geometry_to_mesh"],
    );
}

/// A pass on a single shader is right, and a wrong value in it is found.
fn judge_alone(text: &str, pass: fn() -> Box<dyn Pass>, fault: fn(&mut Body) -> bool) {
    let program = shaders(&[text]);
    let pipeline = |pass| Pipeline::of_steps([PassStep::new(pass)]);
    let right = find_in_program(&program, &pipeline(pass()), &Runs::default());
    assert!(matches!(right, Found::Nothing { compared: 1.., .. }), "{right:?}");
    let wrong = pipeline(Box::new(Faulty(pass(), fault)));
    let found = bisect_program(&program, &wrong, &Runs::default()).expect("runs").expect("a fault");
    assert_eq!(
        (found.kind, found.pass.as_str()),
        (Kind::Mismatch, &*pass().info().name),
        "{}",
        found.message
    );
    assert!(found.alone);
}

#[test]
fn wrong_values_of_outputs_in_shared_memory_are_found() {
    let mesh = "foil 1\nshader mesh \"t\" {\n  form variables\n  workgroup_size 4 1 1\n  output_primitive points\n  max_vertices 4\n  max_primitives 4\n  out vec2[4] c location=0\n  entry fn main {\n    32x1 %four = const 4\n    set_mesh_outputs %four, %four\n    32x1 %i = load_local_invocation_index\n    32x1 %f = u2f %i\n    %v = vec2 %f, %f\n    %c = deref_var &c\n    %ci = deref_array %c[%i]\n    store_deref %ci, %v mask=x\n    store_deref %ci, %v mask=y\n  }\n}\n";
    judge_alone(
        mesh,
        || Box::new(MeshOutputsToShared),
        |body| {
            let consts: Vec<InstrId> = body
                .all_instrs()
                .filter(|&id| matches!(body[id].kind, InstrKind::Const(c) if c[0] == 4))
                .collect();
            let Some(&last) = consts.last() else { return false };
            // The copy ends before the last vertex.
            body.set_kind(last, InstrKind::Const([3, 0, 0, 0]));
            true
        },
    );
}

#[test]
fn wrong_copies_of_outputs_of_unknown_vertices_are_found() {
    let mesh = "foil 1\nshader mesh \"m\" {\n  form slots\n  workgroup_size 3 1 1\n  output_primitive triangles\n  max_vertices 3\n  max_primitives 1\n  out vec4[3] position location=position\n  out float[3] a location=0\n  entry fn main {\n    32x1 %z = const 0\n    32x1 %three = const 3\n    32x1 %one = const 1\n    32x1 %two = const 2\n    set_mesh_outputs %three, %one\n    32x1 %i = load_local_invocation_index\n    32x1 %other = isub %two, %i\n    1x1 %low = ult %i, %two\n    32x1 %f = u2f %i\n    if %low {\n      store_per_vertex_output %f, %other, %z io=0 mask=x src_type=float32\n    } else {\n      store_per_vertex_output %f, %other, %z io=0 mask=x src_type=float32\n    }\n    32x4 %p = const 0.0, 0.0, 0.0, 1.0\n    store_per_vertex_output %p, %i, %z io=position mask=xyzw src_type=float32\n  }\n}\n";
    judge_alone(mesh, || Box::new(WriteOutputs), |body| replace_alu(body, AluOp::uge, AluOp::ult));
}

#[test]
fn wrong_halves_of_wide_outputs_are_found() {
    let vertex = "foil 1\nshader vertex \"t\" {\n  form slots\n  in float64 d location=0\n  out float64 f location=1\n  entry fn main {\n    32x1 %0 = const 0\n    64x1 %1 = load_input %0 io=0 dest_type=float64\n    store_output %1, %0 io=1 mask=x src_type=float64\n  }\n}\n";
    judge_alone(vertex, || Box::new(Lower64bitIo), store_first_component);
}

/// A pass of form `slots` on one stage of a program is right, and a wrong value in it is found.
fn judge_stage(texts: &[&str], stage: Stage, pass: fn() -> Box<dyn Pass>, fault: fn(&mut Body) -> bool) {
    let program = shaders(texts);
    let pipeline = |pass| Pipeline::parse("O0").expect("a pipeline").pass(vec![stage], PassStep::new(pass));
    let before = find_in_program(&program, &Pipeline::parse("O0").expect("a pipeline"), &Runs::default());
    let Found::Nothing { compared: before, .. } = before else { panic!("{before:?}") };
    let right = find_in_program(&program, &pipeline(pass()), &Runs::default());
    let Found::Nothing { compared, .. } = right else { panic!("{right:?}") };
    assert!(compared > before, "the pass is not judged");
    let wrong = pipeline(Box::new(Faulty(pass(), fault)));
    let found = bisect_program(&program, &wrong, &Runs::default()).expect("runs").expect("a fault");
    let name = found.pass.split('{').next().unwrap_or_default();
    assert_eq!((found.kind, name), (Kind::Mismatch, &*pass().info().name), "{}", found.message);
    assert!(found.message.contains("changes the results of the draw"), "{}", found.message);
}

#[test]
fn wrong_captures_of_transform_feedback_are_found() {
    let fragment = FRAGMENT.replace("c location=0", "c location=5");
    judge_stage(&[VERTEX, &fragment], Stage::Vertex, pass_of_captures, negate_sums);
    // The wrong component is captured.
    judge_stage(&[VERTEX, &fragment], Stage::Vertex, pass_of_captures, |body| {
        let is_store =
            |id: &InstrId| body[*id].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::store_ssbo);
        let stores: Vec<InstrId> = body.all_instrs().filter(is_store).collect();
        for &id in &stores {
            let store = *body[id].as_intrinsic().expect("a store");
            body.set_kind(id, InstrKind::Intrinsic(store.with(Index::WriteMask, 1u32)));
        }
        !stores.is_empty()
    });
}

fn pass_of_captures() -> Box<dyn Pass> {
    let captures = Captures::parse("0.32.0.position.0.4|0.32.16.5.0.3|1.8.4.5.3.1").expect("captures");
    Box::new(LowerXfb { captures })
}

#[test]
fn wrong_draw_parameters_are_found() {
    let vertex = VERTEX.replace("  entry", "  system_value int draw builtin=draw_id\n  entry").replace(
        "    %d = fadd %b, %a",
        "    %n = load_deref &draw\n    32x1 %f = i2f %n\n    32x4 %d = fmul %b, %f.xxxx",
    );
    let fragment = FRAGMENT.replace("c location=0", "c location=5");
    // The index of the draw is read where the base vertex is.
    judge_stage(
        &[&vertex, &fragment],
        Stage::Vertex,
        || Box::new(LowerDrawParameters::default()),
        |body| {
            let loads = body.all_instrs().filter_map(|id| body[id].as_intrinsic().copied());
            let offsets: Vec<InstrId> =
                loads.filter(|i| i.op == IntrinsicOp::load_ubo).map(|i| i.src(1)).collect();
            for &offset in &offsets {
                body.set_kind(offset, InstrKind::Const([4, 0, 0, 0]));
            }
            !offsets.is_empty()
        },
    );
}

#[test]
fn wrong_window_coordinates_are_found() {
    let fragment = "foil 1
shader fragment \"f\" {
  form variables
  in vec4 c location=5
  out vec4 o location=0
  system_value vec4 at builtin=frag_coord
  system_value bool face builtin=front_face
  entry fn main {
    %c = load_deref &c
    %at = load_deref &at
    32x4 %s = fadd %c, %at
    32x4 %dy = fddy %at
    32x4 %t = fadd %s, %dy
    %face = load_deref &face
    32x1 %f = b2f %face
    32x4 %r = fadd %t, %f.xxxx
    store_deref &o, %r
  }
}
";
    let mirror = |body: &mut Body| replace_alu(body, AluOp::fsub, AluOp::fadd);
    let from_block: fn() -> Box<dyn Pass> = || Box::new(LowerWindowOrigin::default());
    let given: fn() -> Box<dyn Pass> =
        || Box::new(LowerWindowOrigin { height: 8, front_face: true, ..LowerWindowOrigin::default() });
    for pass in [from_block, given] {
        judge_stage(&[VERTEX, fragment], Stage::Fragment, pass, mirror);
    }
}

#[test]
fn wrong_lowerings_of_cull_distances_are_found() {
    let vertex = VERTEX
        .replace("  entry", "  out float[1] cull location=cull_dist0\n  entry")
        .replace(
            "    store_deref &c, %d",
            "    store_deref &c, %d\n    32x1 %half = const 0.5\n    32x1 %e = fsub %a.x, %half\n    32x1 %zero = const 0\n    %cull = deref_var &cull\n    %first = deref_array %cull[%zero]\n    store_deref %first, %e",
        );
    let program = shaders(&[&vertex, &FRAGMENT.replace("c location=0", "c location=5")]);
    let run = |pass: Box<dyn ProgramPass>| {
        bisect_program(&program, &Pipeline::of_program_pass(pass), &Runs::default()).expect("runs")
    };
    assert!(run(Box::<LowerDistances>::default()).is_none());
    // Primitives are discarded that are not culled.
    let fault = |body: &mut Body| {
        let zeros: Vec<InstrId> =
            body.all_instrs().filter(|&id| matches!(body[id].kind, InstrKind::Const([0, ..]))).collect();
        for &id in &zeros {
            body.set_kind(id, InstrKind::Const([1f32.to_bits().into(), 0, 0, 0]));
        }
        !zeros.is_empty()
    };
    let planted = Planted { program: LowerDistances::default(), pass: "cull_distances_to_discard", fault };
    let found = run(Box::new(planted)).expect("a fault");
    assert_eq!(found.kind, Kind::Mismatch, "{}", found.message);
    assert!(found.pass.starts_with("cull_distances_to_discard{location="), "{}", found.pass);
}

/// A pass that adds instructions needs more steps: at no limit does that look like a difference.
#[test]
fn limits_leave_room_for_what_a_pass_adds() {
    let mesh = "foil 1
shader mesh \"m\" {
  form variables
  workgroup_size 4 1 1
  output_primitive points
  max_vertices 4
  max_primitives 4
  out vec4[4] pos location=position
  out vec4[4] color location=0
  entry fn main {
    32x1 %four = const 4
    set_mesh_outputs %four, %four
    32x1 %i = load_local_invocation_index
    32x4 %v = const 1.0
    %pos = deref_var &pos
    %pi = deref_array %pos[%i]
    store_deref %pi, %v
    %color = deref_var &color
    %ci = deref_array %color[%i]
    store_deref %ci, %v mask=xy
  }
}
";
    let shader = text::parse(mesh).expect("a shader");
    let pipeline = Pipeline::parse("mesh_outputs_to_shared").expect("a pipeline");
    let mut compares = Vec::new();
    for max_steps in 1..60 {
        match find(&shader, &pipeline, &Runs { seeds: 1, max_steps }) {
            Found::Nothing { compared, .. } => compares.push(compared),
            found => panic!("{max_steps}: {found:?}"),
        }
    }
    assert!(compares.contains(&0) && compares.iter().any(|&n| n > 0), "{compares:?}");
}

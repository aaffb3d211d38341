//! Wrong passes, which only these tests have, are found, and the shaders that show them become small.

use airfoil_check::{Found, Kind, Limits, Runs, Watch, bisect, bisect_program, find, reduce};
use airfoil_filetest::Test;
use airfoil_ir::generate::{self, from_seed};
use airfoil_ir::{Alu, AluOp, Body, Diagnostic, Form, InstrId, InstrKind, Shader, Slot, text};
use airfoil_passes::gl::lower_distances::LowerDistances;
use airfoil_passes::registry::{Entry, Registry};
use airfoil_passes::stages::lower_stages::LowerStages;
use airfoil_passes::{
    Changes, Context, FunctionPass, Manager, Pass, PassInfo, PassStep, Pipeline, ProgramPass, ProgramSteps,
    Results, each_body,
};
use std::path::Path;

const DOC: &str = "//! A pass of a test.";

/// Swaps the operands of every subtraction.
#[derive(Debug)]
struct SwapFsub;
static SWAP_FSUB: PassInfo = PassInfo::new("swap_fsub", "swaps operands of fsub", DOC);

/// Panics if there is a subtraction.
#[derive(Debug)]
struct Panics;
static PANICS: PassInfo = PassInfo::new("panics", "panics at fsub", DOC);

/// Gives subtractions operands of the wrong shape.
#[derive(Debug)]
struct Breaks;
static BREAKS: PassInfo = PassInfo::new("breaks", "makes shaders invalid", DOC);

/// Rounds products away in their last bit.
#[derive(Debug)]
struct Rounds;
static ROUNDS: PassInfo = PassInfo::new("rounds", "rounds otherwise", DOC).rounds();
static ROUNDS_SILENTLY: PassInfo = PassInfo::new("rounds_silently", "rounds otherwise", DOC);

#[derive(Debug)]
struct RoundsSilently;

fn subtractions(body: &Body) -> Vec<InstrId> {
    let is_sub = |id: &InstrId| body[*id].as_alu().is_some_and(|a| a.op == AluOp::fsub);
    body.all_instrs().filter(is_sub).collect()
}

impl Pass for SwapFsub {
    fn info(&self) -> &'static PassInfo {
        &SWAP_FSUB
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| {
            let found = subtractions(body);
            let mut made = false;
            for id in found {
                let Some(&alu) = body[id].as_alu() else { continue };
                let mut swapped = Alu::new(alu.op, body[id].ty.comps, &[alu.src(1), alu.src(0)]);
                swapped.flags = alu.flags;
                made |= swapped != alu;
                body.set_kind(id, InstrKind::Alu(swapped));
            }
            (Changes::VALUES | Changes::AGAIN).when(made)
        }))
    }
}

impl Pass for Panics {
    fn info(&self) -> &'static PassInfo {
        &PANICS
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let found = shader.functions.values().map(|f| subtractions(&f.body).len()).sum::<usize>();
        assert!(found == 0, "found {found} subtractions");
        Ok(Changes::NONE)
    }
}

impl Pass for Breaks {
    fn info(&self) -> &'static PassInfo {
        &BREAKS
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| {
            let found = subtractions(body);
            for &id in &found {
                let Some(&alu) = body[id].as_alu() else { continue };
                body.set_kind(
                    id,
                    InstrKind::Alu(Alu::new(AluOp::iadd, body[id].ty.comps, &[alu.src(0), id.into()])),
                );
            }
            Changes::VALUES.when(!found.is_empty())
        }))
    }
}

/// `x * y` becomes `x * (y * 0.99999994)`.
fn round(shader: &mut Shader, exact_too: bool) -> Changes {
    use airfoil_ir::{Cursor, Instr};
    each_body(shader, |body| {
        let is_mul = |id: &InstrId| {
            body[*id].as_alu().is_some_and(|a| a.op == AluOp::fmul && (exact_too || !a.is_exact()))
                && body[*id].ty.bits == 32
        };
        let found: Vec<InstrId> = body.all_instrs().filter(is_mul).collect();
        for &id in &found {
            let Some(&alu) = body[id].as_alu() else { continue };
            let ty = body[id].ty;
            let below_one = u64::from(0.999_999_94_f32.to_bits());
            let c = body.insert(Cursor::Before(id), Instr::new(InstrKind::Const([below_one; 4]), ty));
            let scaled = InstrKind::Alu(Alu::new(AluOp::fmul, ty.comps, &[alu.src(1), c.into()]));
            let scaled = body.insert(Cursor::Before(id), Instr::new(scaled, ty));
            body.set_kind(id, InstrKind::Alu(Alu::new(AluOp::fmul, ty.comps, &[alu.src(0), scaled.into()])));
        }
        Changes::VALUES.when(!found.is_empty())
    })
}

impl Pass for Rounds {
    fn info(&self) -> &'static PassInfo {
        &ROUNDS
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(round(shader, false))
    }
}

impl Pass for RoundsSilently {
    fn info(&self) -> &'static PassInfo {
        &ROUNDS_SILENTLY
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(round(shader, false))
    }
}

/// Ignores `exact`.
#[derive(Debug)]
struct RoundsExact;

impl Pass for RoundsExact {
    fn info(&self) -> &'static PassInfo {
        &ROUNDS
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(round(shader, true))
    }
}

/// A pipeline with an unregistered pass in it.
fn around(before: &str, pass: impl Pass + 'static, after: &str) -> Pipeline {
    let parse = |text| Pipeline::parse(text).expect("a pipeline");
    parse(before).then(Pipeline::of_pass(Box::new(pass))).then(parse(after))
}

/// A pass of a closure under a name that is made at run time, registered beside those of Airfoil.
fn with_own_pass(text: &str) -> Pipeline {
    let mut registry = Registry::builtin().clone();
    let info =
        PassInfo::of(format!("swap_{}", "subtractions").into(), "swaps operands of fsub".into(), "".into());
    let own = FunctionPass::new(info, |shader, context| SwapFsub.run(shader, context));
    registry.add("Own", "Passes of this test.", Entry::value(own)).expect("the name is free");
    Pipeline::parse_with(text, &registry).expect("a pipeline")
}

/// A shader with everything in it, of which the output needs a subtraction.
fn shader() -> Shader {
    let source = r#"foil 1
shader fragment "many" {
  form variables
  in vec4 a location=0
  in vec4 b location=1
  in int n location=2 flat
  ssbo B { vec4 x @0, uint y @16 } buffer set=0 binding=0
  out vec4 color location=0
  out vec4 other location=1
  fn main {
    function_temp vec4 t
  b0:
    %0 = deref_var &a
    32x4 %1 = load_deref %0
    %2 = deref_var &b
    32x4 %3 = load_deref %2
    32x4 %4 = fmul %1, %3
    %5 = deref_var &t
    store_deref %5, %4 mask=xyzw
    32x1 %6 = const 0
    32x1 %7 = const 3
    loop {
    b1:
      32x1 %8 = phi b0: %6, b3: %10
      1x1 %9 = ige %8, %7
      if %9 {
      b2:
        break
      }
    b3:
      32x1 %11 = const 1
      32x1 %10 = iadd %8, %11
      32x4 %12 = load_deref %5
      32x4 %13 = fadd %12, %1.wzyx
      store_deref %5, %13 mask=xyzw
    }
  b4:
    32x4 %14 = load_deref %5
    %15 = deref_var &n
    32x1 %16 = load_deref %15
    1x1 %17 = ilt %6, %16
    if %17 {
    b5:
      32x4 %18 = fsub %14, %3
    } else {
    b6:
      32x4 %19 = fmax %14, %1
    }
  b7:
    32x4 %20 = phi b5: %18, b6: %19
    %21 = deref_var &color
    store_deref %21, %20 mask=xyzw
    %22 = deref_var &other
    32x4 %23 = fsin %20
    store_deref %22, %23 mask=xyzw
    %24 = deref_var &buffer
    %25 = deref_struct %24.y
    32x1 %26 = load_deref %25
    32x1 %27 = iadd %26, %16
    store_deref %25, %27 mask=x
  }
}
"#;
    text::parse(source).unwrap_or_else(|e| panic!("{e:?}"))
}

fn subs(shader: &Shader) -> usize {
    shader.functions.values().map(|f| subtractions(&f.body).len()).sum()
}

#[test]
fn a_watched_pipeline_stops_at_the_wrong_pass() {
    let pipeline = around("lower_returns, vars_to_ssa", SwapFsub, "cse, dce");
    let (mut copy, mut watch) = (shader(), Watch::new(&shader(), &Runs::default()));
    let mut manager = Manager::default().observer(|applied, shader| watch.applied(applied, shader));
    let faults = manager.run(&pipeline, &mut copy).expect_err("the pass is wrong");
    drop(manager);
    assert_eq!((faults.len(), faults[0].code), (1, "E0816"));
    let message = &faults[0].message;
    assert!(message.starts_with("pass `swap_fsub` changes the results of the shader: output "), "{message}");
    assert!(watch.mismatch().is_some() && watch.warning().is_none());
}

#[test]
fn results_that_a_pass_is_meant_to_change_are_let_through_and_no_others() {
    let source = |b: &str| {
        let text = format!(
            "foil 1\nshader vertex \"t\" {{\n  form variables\n  in float a location=0\n  in float b location=1\n  out float p location=point_size\n  out float c location=0\n  entry fn main {{\n    %a = deref_var &a\n    %b = deref_var &b\n    32x1 %0 = load_deref %a\n    32x1 %1 = load_deref %b\n    32x1 %2 = fsub %0, %1\n    %p = deref_var &p\n    store_deref %p, %2\n    %c = deref_var &c\n    store_deref %c, {b}\n  }}\n}}\n"
        );
        text::parse(&text).unwrap_or_else(|e| panic!("{e:?}"))
    };
    /// Swaps operands and says so of the point size only.
    #[derive(Debug)]
    struct Meant;
    static MEANT: PassInfo =
        PassInfo::new("meant", "swaps operands of fsub", DOC).results(Results::Outputs(&[Slot::POINT_SIZE]));
    impl Pass for Meant {
        fn info(&self) -> &'static PassInfo {
            &MEANT
        }
        fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Changes, Diagnostic> {
            SwapFsub.run(shader, context)
        }
    }
    let runs = Runs::default();
    let found = find(&source("%0"), &around("cse", Meant, "vars_to_ssa"), &runs);
    assert!(matches!(found, Found::Nothing { compared: 1.., .. }), "{found:?}");
    // The other output changes too.
    let found = find(&source("%2"), &around("cse", Meant, "vars_to_ssa"), &runs);
    assert!(matches!(found, Found::Fault { kind: Kind::Mismatch, .. }), "{found:?}");
    // The next pass must preserve the result of the first one.
    let again = around("cse", Meant, "cse").then(around("cse", SwapFsub, "cse"));
    let found = find(&source("%0"), &again, &runs);
    assert!(matches!(found, Found::Fault { kind: Kind::Mismatch, .. }), "{found:?}");
}

#[test]
fn good_passes_are_found_good() {
    let pipeline = Pipeline::parse("O2").expect("a preset");
    let found = find(&shader(), &pipeline, &Runs::default());
    assert!(matches!(found, Found::Nothing { compared: 5.., warning: None }), "{found:?}");
    assert!(bisect(&shader(), &pipeline, &Runs::default()).expect("is valid").is_none());
}

#[test]
fn bisection_names_the_pass_and_writes_its_test() {
    let pipeline = around("lower_returns, vars_to_ssa, copy_prop, dce", SwapFsub, "loop(cse, dce)");
    let found = bisect(&shader(), &pipeline, &Runs::default()).expect("is valid").expect("is wrong");
    assert_eq!((found.kind, &*found.pass, found.alone), (Kind::Mismatch, "swap_fsub", true));
    assert_eq!(found.passes, ["swap_fsub"]);
    // `vars_to_ssa` has been at work before it.
    let test = found.test();
    assert!(
        test.starts_with("; RUN: airfoil opt --passes 'swap_fsub'\n; pass `swap_fsub` changes"),
        "{test}"
    );
    let case = Test::parse(Path::new("t.foil"), &test).expect("a test");
    let input = text::parse(&case.parts[0].text).expect("parses");
    assert_eq!(subs(&input), 1);
    assert!(!case.parts[0].text.contains("&t\n") && test.ends_with("; EXPECT\n"), "{test}");
    assert!(found.diagnostic().message.ends_with(" pass that was applied)"));
}

#[test]
fn registered_passes_are_found_by_name() {
    let pipeline = with_own_pass("vars_to_ssa, loop{max=1}(cse, swap_subtractions), dce");
    assert_eq!(pipeline.to_string(), "vars_to_ssa, loop{max=1}(cse, swap_subtractions), dce");
    let found = bisect(&shader(), &pipeline, &Runs::default()).expect("runs").expect("a fault");
    assert_eq!((found.kind, found.pass.as_str(), found.alone), (Kind::Mismatch, "swap_subtractions", true));
    assert_eq!(found.passes, ["swap_subtractions"]);
    let small = reduced(&shader(), &pipeline, &Runs::default()).expect("a small shader");
    assert!(small.num_instrs() < 10 && subs(&small) == 1, "{}", text::print(&small));
}

#[test]
fn only_the_passes_that_are_needed_are_listed() {
    // The subtraction is there only when the local variable is a value, so the wrong pass alone does nothing wrong.
    #[derive(Debug)]
    struct Late;
    static LATE: PassInfo = PassInfo::new("late", "swaps operands of fsub when there are no locals", DOC);
    impl Pass for Late {
        fn info(&self) -> &'static PassInfo {
            &LATE
        }
        fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Changes, Diagnostic> {
            let locals = shader.vars.values().any(|v| v.function.is_some());
            if locals { Ok(Changes::NONE) } else { SwapFsub.run(shader, context) }
        }
    }
    let before = "propagate_invariant, vars_to_ssa, copy_prop, remove_dead_variables, cse, dce";
    let found = bisect(&shader(), &around(before, Late, "dce"), &Runs::default());
    let found = found.expect("is valid").expect("is wrong");
    assert_eq!(found.passes, ["vars_to_ssa", "remove_dead_variables", "late"]);
    assert!(found.alone);
}

#[test]
fn panics_and_broken_shaders_are_found() {
    let found = bisect(&shader(), &around("vars_to_ssa", Panics, "dce"), &Runs::default());
    let found = found.expect("is valid").expect("panics");
    assert_eq!((found.kind, &*found.message), (Kind::Panic, "pass `panics` panics: found 1 subtractions"));
    let found = bisect(&shader(), &around("vars_to_ssa", Breaks, "dce"), &Runs::default());
    let found = found.expect("is valid").expect("breaks");
    assert_eq!((found.kind, &*found.pass, found.alone), (Kind::Broken, "breaks", true));
    assert!(found.message.contains("after pass `breaks`"), "{}", found.message);
}

#[test]
fn rounding_is_allowed_to_those_that_say_so() {
    let source = r#"foil 1
shader vertex "product" {
  form variables
  in vec4 a location=0
  out vec4 b location=0
  fn main {
  b0:
    %0 = deref_var &a
    32x4 %1 = load_deref %0
    32x4 %2 = fmul %1, %1.yzwx
    %3 = deref_var &b
    store_deref %3, %2
  }
}
"#;
    let shader = || text::parse(source).unwrap_or_else(|e| panic!("{e:?}"));
    let runs = Runs::default();
    let found = find(&shader(), &around("vars_to_ssa", Rounds, "dce"), &runs);
    assert!(matches!(found, Found::Nothing { warning: None, .. }), "{found:?}");
    // What was said to be exact is compared bit for bit whoever changes it.
    let exact = text::parse(&source.replace("fmul %1", "fmul! %1"));
    let found = find(&exact.unwrap_or_else(|e| panic!("{e:?}")), &around("dce", RoundsExact, ""), &runs);
    assert!(matches!(found, Found::Fault { kind: Kind::Mismatch, .. }), "{found:?}");
    let found = find(&shader(), &around("vars_to_ssa", RoundsSilently, "dce"), &runs);
    assert!(matches!(found, Found::Fault { kind: Kind::Mismatch, .. }), "{found:?}");
}

#[test]
fn what_cannot_be_executed_is_said() {
    let text =
        "foil 1\nshader task \"t\" {\n  form variables\n  fn main {\n  b0:\n    32x1 %0 = const 0\n  }\n}\n";
    let shader = text::parse(text).expect("parses");
    let found = find(&shader, &Pipeline::parse("dce").expect("a pipeline"), &Runs::default());
    let Found::Nothing { compared: 0, warning: Some(warning) } = found else { panic!("{found:?}") };
    assert!(warning.message.starts_with("the passes are not checked by executing the shader: "), "{warning}");
}

/// Reduces a shader as `airfoil reduce --mismatch` does.
fn reduced(shader: &Shader, pipeline: &Pipeline, runs: &Runs) -> Option<Shader> {
    let wrong = find(shader, pipeline, runs).pass()?.to_owned();
    let mut same = |s: &Shader| find(s, pipeline, runs).pass() == Some(&wrong);
    let mut last = 0;
    let result = reduce(shader, Limits::default(), &mut same, &mut |state| last = state.tries)?;
    assert_eq!(last, result.state.tries);
    assert!(!result.stopped);
    Some(result.shader)
}

#[test]
fn a_shader_with_a_fault_becomes_small() {
    let pipeline = around("vars_to_ssa", SwapFsub, "cse, dce");
    let small = reduced(&shader(), &pipeline, &Runs::default()).expect("has a fault");
    let shown = text::print(&small);
    assert_eq!(subs(&small), 1, "{shown}");
    assert!(small.num_instrs() <= 6 && small.vars.len() <= 2, "{shown}");
    assert_eq!(text::print(&reduced(&shader(), &pipeline, &Runs::default()).expect("the same again")), shown);
}

#[test]
fn faults_of_random_shaders_become_small() {
    let pipeline = around("lower_returns", SwapFsub, "dce");
    let runs = Runs { seeds: 3, max_steps: 20_000 };
    let mut sizes = Vec::new();
    for seed in 0..2000 {
        let options = generate::Options {
            form: Some(Form::Variables),
            undef: false,
            instrs: 150,
            ..Default::default()
        };
        let shader = from_seed(seed, &options);
        if let Some(small) = reduced(&shader, &pipeline, &runs) {
            sizes.push((shader.num_instrs(), small.num_instrs()));
        }
        if sizes.len() == 2 {
            break;
        }
    }
    assert_eq!(sizes.len(), 2, "the fault is rarely seen");
    assert!(sizes.iter().all(|&(_, small)| small <= 16), "{sizes:?}");
}

#[test]
fn limits_are_kept() {
    let pipeline = around("vars_to_ssa", SwapFsub, "dce");
    let limits = Limits { tries: 10, ..Limits::default() };
    let mut same = |s: &Shader| find(s, &pipeline, &Runs::default()).pass().is_some();
    let stopped = reduce(&shader(), limits, &mut same, &mut |_| {}).expect("has a fault");
    assert!(stopped.stopped && stopped.state.tries == 10, "{:?}", stopped.state);
    assert!(find(&stopped.shader, &pipeline, &Runs::default()).pass().is_some());
    assert!(reduce(&shader(), limits, &mut |_| false, &mut |_| {}).is_none());
}

/// A pass over all shaders whose choice has a fault planted in one pass.
#[derive(Debug)]
struct Planted {
    program: Box<dyn ProgramPass>,
    pass: &'static str,
    fault: fn(&mut Shader),
}

/// A pass and a fault after it.
#[derive(Debug)]
struct Faulty(Box<dyn Pass>, fn(&mut Shader));

impl Pass for Faulty {
    fn info(&self) -> &PassInfo {
        self.0.info()
    }

    fn run(&self, shader: &mut Shader, context: &mut Context) -> Result<Changes, Diagnostic> {
        let progress = self.0.run(shader, context)?;
        (self.1)(shader);
        Ok(progress | Changes::ALL_BUT_CONTROL_FLOW)
    }
}

impl ProgramPass for Planted {
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

/// Faults in passes that a pass over all shaders chose are found under the names of the chosen passes.
#[test]
fn faults_of_program_passes_are_bisected() {
    let shaders = |texts: &[&str]| -> Vec<Shader> {
        texts.iter().map(|text| text::parse(text).unwrap_or_else(|e| panic!("{}", e[0]))).collect()
    };
    // The position of the wrong plane is negated.
    let clipped = shaders(&[
        "foil 1\nshader vertex \"v\" {\n  form variables\n  in vec4 a location=0\n  out vec4 p location=position\n  entry fn main {\n    %a = deref_var &a\n    32x4 %0 = load_deref %a\n    %1 = fadd %0, %0\n    %p = deref_var &p\n    store_deref %p, %1\n  }\n}\n",
    ]);
    let negated: fn(&mut Shader) = |shader| {
        let body = shader.entry_body_mut().expect("a body");
        let sums: Vec<InstrId> =
            body.all_instrs().filter(|&id| body[id].as_alu().is_some_and(|a| a.op == AluOp::fadd)).collect();
        for id in sums {
            let alu = *body[id].as_alu().expect("a sum");
            let product = Alu::new(AluOp::fmul, body[id].ty.comps, &[alu.src(0), alu.src(1)]);
            body.set_kind(id, InstrKind::Alu(product));
        }
    };
    let program = Box::new(LowerDistances { planes: 1, binding: 0, ..LowerDistances::default() });
    let planted = Planted { program, pass: "lower_clip_vertex", fault: negated };
    let pipeline = Pipeline::of_program_pass(Box::new(planted));
    let found = bisect_program(&clipped, &pipeline, &Runs::default()).expect("runs").expect("a fault");
    assert_eq!((found.kind, found.pass.as_str()), (Kind::Mismatch, "lower_clip_vertex"));

    // The mesh function uses a value of another shape.
    let program = shaders(&[
        "foil 1\nshader vertex \"v\" {\n  form slots\n  out vec4 p location=position\n  entry fn main {\n    32x1 %z = const 0\n    32x4 %0 = const 1.0\n    store_output %0, %z io=position mask=xyzw src_type=float32\n  }\n}\n",
        "foil 1\nshader geometry \"g\" {\n  form slots\n  input_primitive points\n  output_primitive points\n  max_vertices 1\n  in vec4[1] q location=position\n  out vec4 p location=position\n  entry fn main {\n    32x1 %z = const 0\n    32x4 %0 = load_per_vertex_input %z, %z io=position dest_type=float32\n    store_output %0, %z io=position mask=xyzw src_type=float32\n    emit_vertex stream=0\n  }\n}\n",
    ]);
    let invalid: fn(&mut Shader) = |shader| {
        let body = shader.entry_body_mut().expect("a body");
        let alu = |id: &InstrId| body[*id].as_alu().is_some_and(|a| a.op == AluOp::imul);
        let id = body.all_instrs().find(alu).expect("a product");
        // One component of a value that has one more.
        let mut wrong = *body[id].as_alu().expect("a product");
        wrong.op = AluOp::unpack_64_2x32;
        body.set_kind(id, InstrKind::Alu(wrong));
    };
    let planted =
        Planted { program: Box::new(LowerStages::default()), pass: "geometry_to_mesh", fault: invalid };
    let pipeline =
        Pipeline::parse("dce").expect("a pipeline").then(Pipeline::of_program_pass(Box::new(planted)));
    let found = bisect_program(&program, &pipeline, &Runs::default()).expect("runs").expect("a fault");
    assert_eq!((found.kind, found.pass.as_str()), (Kind::Broken, "geometry_to_mesh"));
}

#[test]
fn bisection_finds_a_wrong_rule() {
    use airfoil_passes::opt::algebraic::Algebraic;
    let text = "right: iadd(a, 0) => a\nwrong: imul(a, 2) => iadd(a, 3)\nother: iadd(iadd(a, #b), #c) => iadd(a, iadd(b, c))";
    let rules = airfoil_rules::parse("test.rules", text).expect("the rules parse");
    let table = Box::leak(Box::new(airfoil_rules::compile(&rules).expect("they compile").leak()));
    let shader = text::parse(
        "foil 1\nshader vertex \"t\" {\n  form slots\n\n  fn main {\n  b0:\n    32x1 %0 = const 0\n    32x1 %1 = load_input %0 io=0 dest_type=uint32\n    \
         32x1 %2 = const 2\n    %3 = iadd %1, %0\n    %4 = imul %3, %2\n    %5 = iadd %4, %2\n    %6 = iadd %5, %2\n    \
         store_output %6, %0 io=0 mask=x src_type=uint32\n  }\n}\n",
    )
    .expect("the shader parses");
    let pipeline = Pipeline::of_steps([PassStep::new(Box::new(Algebraic::with_table(table)))]);
    let found = bisect(&shader, &pipeline, &Runs::default()).expect("is valid").expect("is wrong");
    assert_eq!(found.rule, Some("wrong"));
    assert!(found.diagnostic().help.is_some_and(|help| help.contains("the rule `wrong` is at fault")));
}

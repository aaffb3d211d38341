//! Passes preserve the results of shaders: shaders are executed before and after, on several seeds.
//!
//! `AIRFOIL_SEEDS` sets how many random shaders, `AIRFOIL_FILTER` picks the files, `AIRFOIL_PASS` one pass for random
//! shaders, `AIRFOIL_COUNT` shows how much is compared. `AIRFOIL_NIGHTLY` is for a machine that has the night: a
//! hundred times as many random shaders.

mod support;

use airfoil_check::{Baseline, Compared, Runs, Watch};
use airfoil_filetest::Expectation;
use airfoil_interp::{FaultKind, Tolerance};
use airfoil_ir::generate::{self, Choices, Seed, from_seed};
use airfoil_ir::{
    AluOp, Cursor, Deref, DerefKind, Form, Index, Instr, InstrId, InstrKind, Intrinsic, IntrinsicOp,
    IoSemantics, Modes, Scalar, Shader, Slot, Stage, Ty, Variable, text,
};
use airfoil_passes::registry::{Entry, Made, Registry};
use airfoil_passes::{Manager, PassInfo, Pipeline, presets};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many executions ended how.
#[derive(Debug, Default)]
struct Count {
    executed: usize,
    compared: u64,
    values: usize,
    undefined: usize,
    long: usize,
    unsupported: usize,
}

fn runs() -> Runs {
    Runs { max_steps: 20_000, ..Runs::default() }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        let Count { executed, compared, values, undefined, long, unsupported } = other;
        self.executed += executed;
        self.compared += compared;
        self.values += values;
        self.undefined += undefined;
        self.long += long;
        self.unsupported += unsupported;
    }
}

impl Count {
    fn add(&mut self, baseline: &Baseline) {
        self.executed += baseline.executed();
        self.values += baseline.values();
        for fault in baseline.faults() {
            match fault.kind {
                FaultKind::Undefined => self.undefined += 1,
                FaultKind::Steps => self.long += 1,
                FaultKind::Unsupported => self.unsupported += 1,
            }
        }
    }
}

/// Runs a pipeline; after every pass that made progress the shader must compute the same as before. Returns the reason
/// if nothing was compared.
fn check(shader: &Shader, pipeline: &Pipeline, count: &mut Count) -> Result<Option<String>, String> {
    let baseline = Baseline::of(shader, &runs());
    count.add(&baseline);
    let nothing = baseline.nothing();
    let mut watch = Watch::new(shader, &runs());
    let last = RefCell::new([String::new(), text::print(shader)]);
    let mut manager = Manager::default().observer(|applied, shader| {
        let mut last = last.borrow_mut();
        last.swap(0, 1);
        last[1] = text::print(shader);
        watch.applied(applied, shader)
    });
    // A pass may reject a shader; that is not tested here.
    let result = manager.run(pipeline, &mut shader.clone());
    drop(manager);
    count.compared += watch.compared();
    if watch.mismatch().is_none() {
        return Ok(nothing);
    }
    let [before, after] = last.into_inner();
    let message: Vec<String> = result.err().into_iter().flatten().map(|d| d.message).collect();
    Err(format!("{}\n--- before\n{before}--- after\n{after}", message.join("\n")))
}

/// Prints text while a test runs.
#[allow(clippy::print_stderr)]
fn show(text: &str) {
    eprintln!("{text}");
}

fn finish(failures: &[String], count: &Count) {
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(count.executed > 0 && count.compared > 0 && count.values > 0, "nothing was compared: {count:?}");
    if std::env::var_os("AIRFOIL_COUNT").is_some() {
        show(&format!("{count:?}"));
    }
}

#[test]
fn files_compute_the_same() {
    let (mut failures, mut count) = (Vec::new(), Count::default());
    let (mut total, mut not_compared) = (0, BTreeMap::<String, Vec<String>>::new());
    for path in support::files() {
        let test = support::test(&path);
        // Tests of several stages at once, or of other commands, have no single pipeline.
        let Some(passes) = support::passes(&test.commands[0].pipe[0]) else { continue };
        let shaders = support::shaders(&test.parts[0].text).expect("the input parses");
        let [shader] = shaders.as_slice() else { continue };
        if matches!(test.expected, Expectation::Error { .. }) {
            continue;
        }
        let pipeline = Pipeline::parse(passes).expect("a pipeline");
        total += 1;
        match check(shader, &pipeline, &mut count) {
            Ok(None) => {}
            Ok(Some(reason)) => {
                let name = path.components().rev().take(2).map(|c| c.as_os_str().to_string_lossy());
                let name: Vec<_> = name.collect();
                not_compared
                    .entry(reason)
                    .or_default()
                    .push(name.into_iter().rev().collect::<Vec<_>>().join("/"));
            }
            Err(e) => failures.push(format!("{}: {e}", path.display())),
        }
    }
    finish(&failures, &count);
    if std::env::var_os("AIRFOIL_COUNT").is_some() {
        not_compared.iter().for_each(|(reason, files)| show(&format!("{reason}: {}", files.join(", "))));
    }
    // Most tests show something that can be executed.
    let without: usize = not_compared.values().map(Vec::len).sum();
    let filtered = std::env::var_os("AIRFOIL_FILTER").is_some();
    assert!(filtered || without * 2 < total, "{without} of {total} are not compared: {not_compared:#?}");
}

/// Makes outputs of many of a shader's values, so that a wrong one is seen.
fn witnessed(mut shader: Shader) -> Shader {
    let (Some(entry), form) = (shader.entry, shader.form) else { return shader };
    // Others have no outputs, or outputs for each vertex.
    if !matches!(shader.stage, Stage::Vertex | Stage::TessEval | Stage::Fragment) {
        return shader;
    }
    let body = &shader.functions[entry].body;
    let wanted: Vec<InstrId> = body
        .all_instrs()
        .filter(|&id| match &body[id].kind {
            InstrKind::Alu(_) | InstrKind::Tex(_) => true,
            InstrKind::Intrinsic(i) => body[id].has_value() && i.op != IntrinsicOp::load_param,
            _ => false,
        })
        .take(36)
        .collect();
    let zero = Instr::new(InstrKind::Const([0; 4]), Ty::B32);
    let start = Cursor::BlockStart(body.entry());
    let body = &mut shader.functions[entry].body;
    let zero = body.insert(start, zero);
    for (k, id) in wanted.into_iter().enumerate() {
        let ty = shader.functions[entry].body[id].ty;
        let scalar = if ty.bits == 1 { Scalar::Bool } else { Scalar::int(ty.bits, false) };
        let var_ty = shader.types.vector(scalar, ty.comps);
        let mut var = Variable::new("witness", var_ty, Modes::OUT);
        // After the slots of the generator; a vector of 64-bit components takes two slots.
        var.location = Slot::generic(22 + 2 * k as u32);
        let location = var.location.expect("a location");
        let var = shader.add_var(var);
        let body = &mut shader.functions[entry].body;
        let mask = u32::from(ty.full_mask());
        if form == Form::Variables {
            let deref = Deref { kind: DerefKind::Var(var), ty: var_ty, modes: Modes::OUT };
            let deref = body.insert(Cursor::After(id), Instr::new(InstrKind::Deref(deref), Ty::DEREF));
            let store = Intrinsic::new(IntrinsicOp::store_deref, &[deref, id]).with(Index::WriteMask, mask);
            body.insert(Cursor::After(deref), Instr::new(InstrKind::Intrinsic(store), Ty::NONE));
        } else if ty.bits != 64 {
            let store = Intrinsic::new(IntrinsicOp::store_output, &[id, zero])
                .with(Index::Io, IoSemantics::new(location))
                .with(Index::WriteMask, mask)
                .with(Index::SrcType, scalar);
            body.insert(Cursor::After(id), Instr::new(InstrKind::Intrinsic(store), Ty::NONE));
        }
    }
    shader
}

/// A pipeline, and the form of the random shaders that it runs on.
type Task<'a> = (&'a str, Form);

/// Checks pipelines on random shaders of all stages, on all processors. Each stops at its first failure.
fn random(tasks: &[Task<'_>], seeds: u64) {
    let (next, found) = (AtomicUsize::new(0), Mutex::new((Vec::new(), Count::default())));
    let work = || {
        while let Some(&(pipeline, form)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut count = Count::default();
            let failure = random_shaders(pipeline, form, seeds, &mut count);
            // A run may take an hour.
            failure.iter().for_each(|text| show(text));
            let mut found = found.lock().expect("no thread has panicked");
            found.0.extend(failure);
            found.1 += count;
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let (mut failures, count) = found.into_inner().expect("no thread has panicked");
    failures.sort();
    finish(&failures, &count);
}

/// The first random shader that a pipeline changes the results of.
fn random_shaders(pipeline: &str, form: Form, seeds: u64, count: &mut Count) -> Option<String> {
    let parsed = Pipeline::parse(pipeline).expect("a pipeline");
    (0..seeds).find_map(|seed| {
        // All stages, most often those that show most of their values.
        let stage = match seed % 3 {
            0 => Stage::Fragment,
            1 => Stage::Vertex,
            _ => [Stage::Compute, Stage::TessEval, Stage::Geometry, Stage::TessControl, Stage::Mesh]
                [(seed / 3 % 5) as usize],
        };
        let undef = seed % 2 == 0;
        let (form, stage, instrs, depth) =
            (Some(form), Some(stage), 60 + 60 * (seed % 4) as u32, 3 + (seed % 3) as u32);
        let options = generate::Options { form, stage, undef, instrs, depth, ..Default::default() };
        let shader = witnessed(from_seed(seed, &options));
        let failure = check(&shader, &parsed, count).err()?;
        Some(format!("{pipeline}, random shader {seed}, form {form:?}: {failure}"))
    })
}

fn seeds(default: u64) -> u64 {
    let nightly = if std::env::var_os("AIRFOIL_NIGHTLY").is_some() { 100 } else { 1 };
    std::env::var("AIRFOIL_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(default * nightly)
}

#[test]
fn random_shaders_compute_the_same_after_every_pass() {
    let registry = Registry::builtin();
    let only = std::env::var("AIRFOIL_PASS").ok();
    let entries = registry.iter().filter(|e| only.as_deref().is_none_or(|name| name == e.name()));
    let forms = |name, info: &PassInfo| info.takes.iter().map(move |&form| (name, form));
    let tasks: Vec<Task<'_>> = entries.flat_map(|e| forms(e.name(), e.info())).collect();
    random(&tasks, seeds(30));
}

#[test]
fn random_shaders_compute_the_same_after_presets() {
    let presets = presets::PRESETS.iter().filter(|p| p.name.starts_with('O'));
    let tasks: Vec<Task<'_>> = presets.map(|p| (p.name, Form::Variables)).collect();
    random(&tasks, seeds(60));
}

/// Random orders of passes, and the number of passes of each.
const ORDERS: u64 = 200;
const LENGTH: usize = 12;

/// Passes in random order, of which each takes the form that the one before it leaves.
fn order(choices: &mut Seed) -> String {
    let mut form = Form::Variables;
    let mut names = Vec::new();
    while names.len() < LENGTH {
        let takes = |e: &&Entry| e.info().takes.contains(&form) && matches!(e.make(&[]), Ok(Made::Shader(_)));
        let fitting: Vec<&Entry> = Registry::builtin().iter().filter(takes).collect();
        let entry = fitting[choices.below(fitting.len() as u32) as usize];
        form = entry.info().leaves.unwrap_or(form);
        names.push(entry.name());
    }
    names.join(", ")
}

#[test]
fn random_shaders_compute_the_same_after_random_orders() {
    let orders: Vec<String> = (0..ORDERS).map(|seed| order(&mut Seed(seed))).collect();
    let tasks: Vec<Task<'_>> = orders.iter().map(|text| (text.as_str(), Form::Variables)).collect();
    random(&tasks, seeds(3));
}

/// Another operation of the same shape.
fn other(op: AluOp) -> Option<AluOp> {
    Some(match op {
        AluOp::fadd => AluOp::fsub,
        AluOp::fmul => AluOp::fadd,
        AluOp::fmin => AluOp::fmax,
        AluOp::iadd => AluOp::isub,
        AluOp::imul => AluOp::iadd,
        AluOp::iand => AluOp::ior,
        AluOp::flt => AluOp::fge,
        AluOp::ilt => AluOp::ige,
        AluOp::ieq => AluOp::ine,
        AluOp::fneg => AluOp::fabs,
        AluOp::fsin => AluOp::fcos,
        _ => return None,
    })
}

/// The comparison detects errors: of instructions that are changed to compute something else, a fair part is noticed.
/// Not all can be: random shaders hold much that no output depends on, so only instructions that `dce` keeps are
/// changed.
#[test]
fn wrong_instructions_are_noticed() {
    let (mut changed, mut noticed) = (0, 0);
    let clean = Pipeline::parse("O2").expect("a pipeline");
    for seed in 0..seeds(90) {
        let options = generate::Options {
            form: Some(Form::Variables),
            stage: Some([Stage::Fragment, Stage::Vertex][(seed % 2) as usize]),
            undef: false,
            ..Default::default()
        };
        let mut shader = witnessed(from_seed(seed, &options));
        if Manager::default().run(&clean, &mut shader).is_err() {
            continue;
        }
        let before = Baseline::of(&shader, &runs());
        let Some(body) = shader.entry_body() else { continue };
        for id in body.all_instrs() {
            let Some((mut alu, op)) = body[id].as_alu().and_then(|a| Some((*a, other(a.op)?))) else {
                continue;
            };
            alu.op = op;
            let mut wrong = shader.clone();
            let Some(body) = wrong.entry_body_mut() else { continue };
            body.set_kind(id, InstrKind::Alu(alu));
            changed += 1;
            noticed += usize::from(before.compare(&wrong, Tolerance::EXACT) != Compared::Agrees);
        }
    }
    assert!(noticed * 3 > changed && changed > 10, "{noticed} of {changed} changes are noticed");
    if std::env::var_os("AIRFOIL_COUNT").is_some() {
        show(&format!("{noticed} of {changed} wrong instructions noticed"));
    }
}

//! Pipelines of separable programs: the checks of `glValidateProgramPipeline` that do not depend on the state of a
//! draw, and the interfaces between the programs (OpenGL 4.6 and OpenGL ES 3.2 sections 11.1.3.11 and 7.4.1).

use super::compare::{Comparer, Strictness, interpolation};
use super::gl_types::stage_bit;
use super::globals::linked_name;
use super::interface::vertex_type;
use super::interface::{Item, Pair, Side, items};
use super::live::Live;
use super::report::{Report, stage_name};
use super::{LinkOptions, Linked, locations, views, xfb};
use crate::hir::{Storage, Unit, VarId};
use airfoil_ir::{Diagnostic, Stage};
use rustc_hash::{FxHashMap, FxHashSet};

/// A program with the stages that a pipeline takes of it (`glUseProgramStages`).
#[derive(Clone, Copy, Debug)]
pub struct PipelineProgram<'a> {
    /// The program.
    pub program: &'a Linked,
    /// Stages: bits as in `glUseProgramStages`; bits of stages that it does not have are passed over.
    pub stages: u32,
}

impl<'a> PipelineProgram<'a> {
    /// A program with all its stages.
    pub fn all(program: &'a Linked) -> PipelineProgram<'a> {
        PipelineProgram { program, stages: u32::MAX }
    }

    fn takes(&self, stage: Stage) -> bool {
        self.stages & stage_bit(stage) != 0
    }
}

/// A stage that is active, and the index of its program.
struct Active<'a> {
    unit: &'a Unit,
    program: usize,
}

/// Checks that programs form a pipeline. In OpenGL ES the interfaces between programs must match exactly; OpenGL leaves
/// values undefined that have no counterpart, so these are not errors there.
///
/// # Errors
/// All causes of a failed validation.
pub fn validate_pipeline(programs: &[PipelineProgram<'_>]) -> Result<(), Vec<Diagnostic>> {
    let mut report = Report::default();
    let mut active: Vec<Active<'_>> = Vec::new();
    for (program, p) in programs.iter().enumerate() {
        if !p.program.separable {
            report.error(
                "E1130",
                "pipeline: a program was not linked to be separable (OpenGL 4.6 section 7.4)",
            );
        }
        let taken = p.program.units.iter().filter(|u| p.takes(u.stage));
        active.extend(taken.map(|unit| Active { unit, program }));
        let left = p.program.units.iter().find(|u| !p.takes(u.stage));
        let used = p.program.units.iter().any(|u| p.takes(u.stage));
        if let (Some(left), true) = (left, used) {
            let text = format!(
                "pipeline: a program is active for some of its stages, but not for its {} (OpenGL 4.6 section 11.1.3.11)",
                stage_name(left.stage)
            );
            report.error("E1131", text);
        }
    }
    active.sort_by_key(|a| a.unit.stage);
    if active.is_empty() {
        report.error("E1132", "pipeline: no program is active for any stage (OpenGL 4.6 section 11.1.3.11)");
    }
    stages(&active, &mut report);
    if !report.failed() {
        for pair in active.windows(2).filter(|pair| pair[0].program != pair[1].program) {
            if pair[1].unit.version.is_es() && pair[0].unit.version.is_es() {
                interface(pair[0].unit, pair[1].unit, &mut report);
            }
        }
    }
    if report.failed() { Err(report.into_list()) } else { Ok(()) }
}

/// The stages of a pipeline.
#[derive(Clone, Debug)]
pub struct Joined {
    /// One unit per stage, in pipeline order. Outputs have the locations of the inputs that they match.
    pub units: Vec<Unit>,
    /// The captures of transform feedback, at these locations.
    pub transform_feedback: xfb::Xfb,
}

/// Joins programs to a pipeline. At the interfaces between two programs, locations are assigned again: each program alone cannot
/// know those of the other for variables that match by name. An input without counterpart, or with one of another type, gets a
/// location that nothing is written to, since its value is undefined in OpenGL; OpenGL ES does not validate such a pipeline.
///
/// `options` are those of the program with the last stage before rasterization; its captures and limits count.
///
/// # Errors
/// All causes of a failed validation, and interfaces that do not fit into the locations.
pub fn join_pipeline(
    programs: &[PipelineProgram<'_>],
    options: &LinkOptions,
) -> Result<Joined, Vec<Diagnostic>> {
    validate_pipeline(programs)?;
    let mut units: Vec<(Unit, usize)> = Vec::new();
    for (n, p) in programs.iter().enumerate() {
        units.extend(p.program.units.iter().filter(|u| p.takes(u.stage)).map(|u| (u.clone(), n)));
    }
    units.sort_by_key(|(unit, _)| unit.stage);
    let (mut units, of): (Vec<Unit>, Vec<usize>) = units.into_iter().unzip();
    let live: Vec<Live> = units.iter().map(Live::of).collect();
    let mut report = Report::default();
    views::settle(&mut units, &mut report);
    // Both sides are known now.
    let between = LinkOptions { separable: false, ..options.clone() };
    for n in 1..units.len() {
        if of[n - 1] == of[n] || units[n].stage > Stage::Fragment {
            continue;
        }
        let side = |i: usize| Side { unit: &units[i], live: &live[i] };
        let pairs = matching(side(n - 1), side(n));
        let ends = (Some(n - 1), Some(n));
        locations::varyings(&mut units, ends, &pairs, &live, &|_| true, &between, &mut report);
    }
    let last_vertex = units.iter().rfind(|u| u.stage < Stage::Fragment);
    let transform_feedback = last_vertex.map(|u| xfb::declare(u, options, &mut report)).unwrap_or_default();
    match report.failed() {
        true => Err(report.into_list()),
        false => Ok(Joined { units, transform_feedback }),
    }
}

/// Inputs with the outputs that they match, and the unmatched ones of either side.
fn matching(a: Side<'_>, b: Side<'_>) -> Vec<Pair> {
    let (p, c) = (a.unit, b.unit);
    let outputs: FxHashMap<Key<'_>, VarId> = variables(p, Storage::Out).map(|o| (key(p, o), o)).collect();
    let fits = |output: VarId, input: VarId| {
        let (x, y) = (vertex_type(p, &p[output]), vertex_type(c, &c[input]));
        p[output].qualifiers.patch == c[input].qualifiers.patch
            && Comparer::new(p, c, Strictness::default()).differ(x, y).is_none()
    };
    let mut found: FxHashMap<VarId, VarId> = FxHashMap::default();
    for input in variables(c, Storage::In) {
        if let Some(&output) = outputs.get(&key(c, input)).filter(|&&output| fits(output, input)) {
            found.insert(input, output);
        }
    }
    let taken: FxHashSet<VarId> = found.values().copied().collect();
    let with_output = |input: Item| {
        let output = found.get(&input.var).map(|&var| Item { var, member: input.member });
        Pair { output, input: Some(input) }
    };
    let inputs = items(c, Storage::In).into_iter().map(with_output);
    let left = items(p, Storage::Out).into_iter().filter(|item| !taken.contains(&item.var));
    inputs.chain(left.map(|item| Pair { output: Some(item), input: None })).collect()
}

/// Which stages there are, and of which programs.
fn stages(active: &[Active<'_>], report: &mut Report) {
    let has = |stage| active.iter().any(|a| a.unit.stage == stage);
    for pair in active.windows(2).filter(|pair| pair[0].unit.stage == pair[1].unit.stage) {
        let text = format!("pipeline: two programs are active for the {}", stage_name(pair[0].unit.stage));
        report.error("E1133", text);
    }
    // A program that occurs again after another one (section 11.1.3.11).
    for (i, a) in active.iter().enumerate().skip(1) {
        let back = a.program != active[i - 1].program && active[..i].iter().any(|b| b.program == a.program);
        if back {
            let text = format!(
                "pipeline: the {} belongs to a program with an earlier stage, and another program has a stage between (OpenGL 4.6 section 11.1.3.11)",
                stage_name(a.unit.stage)
            );
            report.error("E1133", text);
        }
    }
    let mut need = |there: Stage, missing: Stage| {
        if has(there) && !has(missing) {
            let text = format!(
                "pipeline: it has a {} but no {} (OpenGL 4.6 section 11.1.3.11)",
                stage_name(there),
                stage_name(missing)
            );
            report.error("E1132", text);
        }
    };
    for stage in [Stage::TessControl, Stage::TessEval, Stage::Geometry] {
        need(stage, Stage::Vertex);
    }
    need(Stage::TessControl, Stage::TessEval);
    if active.iter().any(|a| a.unit.version.is_es()) {
        need(Stage::TessEval, Stage::TessControl);
    }
}

/// User-defined inputs or outputs.
fn variables(unit: &Unit, storage: Storage) -> impl Iterator<Item = VarId> {
    let fits = move |i: usize| {
        let v = &unit.vars[i];
        v.qualifiers.storage == storage && v.builtin.is_none()
    };
    (0..unit.vars.len()).filter(move |&i| fits(i)).map(|i| VarId(i as u32))
}

/// The key by which an output and an input match: the location if there is one, else the name; blocks match by name.
#[derive(PartialEq, Eq, Hash)]
enum Key<'u> {
    Location(bool, u32, u32),
    Name(bool, &'u str),
}

fn key(unit: &Unit, var: VarId) -> Key<'_> {
    let v = &unit[var];
    let layout = &v.qualifiers.layout;
    match layout.location.filter(|_| !v.block) {
        Some(location) => Key::Location(v.qualifiers.patch, location, layout.component.unwrap_or(0)),
        None => Key::Name(v.block, linked_name(unit, v)),
    }
}

/// Every output has an input and every input an output, declared in the same way (OpenGL ES 3.2 section 7.4.1).
fn interface(p: &Unit, c: &Unit, report: &mut Report) {
    let outputs: Vec<VarId> = variables(p, Storage::Out).collect();
    let mut left: Vec<bool> = vec![true; outputs.len()];
    let keys: FxHashMap<Key<'_>, usize> = outputs.iter().enumerate().map(|(i, &o)| (key(p, o), i)).collect();
    for input in variables(c, Storage::In) {
        let Some(&found) = keys.get(&key(c, input)) else {
            let text = format!(
                "pipeline: input `{}` of the {} has no counterpart in the {} (OpenGL ES 3.2 section 7.4.1)",
                linked_name(c, &c[input]),
                stage_name(c.stage),
                stage_name(p.stage)
            );
            report.error_var(c, input, "E1134", text);
            continue;
        };
        left[found] = false;
        if let Some(why) = differ(p, outputs[found], c, input) {
            let text = format!(
                "pipeline: `{}`: output of the {} and input of the {} do not match: {why} (OpenGL ES 3.2 section 7.4.1)",
                linked_name(c, &c[input]),
                stage_name(p.stage),
                stage_name(c.stage)
            );
            report.error_var(c, input, "E1135", text);
        }
    }
    for (&output, _) in outputs.iter().zip(&left).filter(|(_, left)| **left) {
        let text = format!(
            "pipeline: output `{}` of the {} has no counterpart in the {} (OpenGL ES 3.2 section 7.4.1)",
            linked_name(p, &p[output]),
            stage_name(p.stage),
            stage_name(c.stage)
        );
        report.error_var(p, output, "E1134", text);
    }
}

/// Why two declarations do not match.
fn differ(p: &Unit, output: VarId, c: &Unit, input: VarId) -> Option<String> {
    let (x, y) = (&p[output], &c[input]);
    let (qx, qy) = (&x.qualifiers, &y.qualifiers);
    let how =
        Strictness { names: true, precision: true, locations: true, interpolation: true, memory: false };
    if let Some(why) = Comparer::new(p, c, how).differ(vertex_type(p, x), vertex_type(c, y)) {
        return Some(why);
    }
    let ty = c.types.without_arrays(y.ty);
    let smooth = |q: &crate::hir::Qualifiers| interpolation(q.interpolation, ty);
    let what = if qx.precision != qy.precision {
        "precisions"
    } else if !x.block && smooth(qx) != smooth(qy) {
        "interpolations"
    } else if qx.layout.location != qy.layout.location {
        "locations"
    } else if qx.patch != qy.patch {
        "`patch` qualifiers"
    } else {
        return None;
    };
    Some(format!("the {what} differ"))
}

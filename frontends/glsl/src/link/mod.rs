//! The linker: combines checked shaders into a program.
//!
//! Objects of one stage become one unit, the interfaces of the stages are matched, and everything is placed:
//! locations, bindings, offsets. The result includes the [`Reflection`] of the program.
//!
//! ```text
//! units --merge--> one per stage --sizes--> --interface--> pairs of outputs and inputs --locations--> slots
//!       --uniforms--> default uniform block, bindings, counters --xfb, subroutines, resources--> reflection
//! ```

mod compare;
pub(crate) mod count;
mod gl_types;
pub(crate) mod globals;
pub(crate) mod interface;
pub(crate) mod layout;
mod live;
pub(crate) mod locations;
mod merge;
mod options;
mod pipeline;
pub mod reflection;
mod report;
mod resources;
mod sizes;
mod stage_layout;
mod stages;
mod subroutines;
#[cfg(test)]
mod tests;
mod uniforms;
mod views;
mod walk;
mod xfb;

pub use gl_types::stage_bit;
pub use interface::Item;
pub use options::{LinkOptions, TransformFeedback, XfbMode};
pub use pipeline::{Joined, PipelineProgram, join_pipeline, validate_pipeline};
pub use reflection::Reflection;
pub use xfb::{Xfb, XfbBuffer, XfbVarying};

use crate::hir::{Storage, Unit};
use airfoil_ir::{Diagnostic, Stage};
use interface::{Pair, Side, items};
use live::Live;
use report::Report;

/// A linked program.
#[derive(Clone, Debug)]
pub struct Linked {
    /// One unit per stage, in pipeline order, with everything placed.
    pub units: Vec<Unit>,
    /// Reflection.
    pub reflection: Reflection,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// It was linked as a separable program.
    pub separable: bool,
}

impl Linked {
    /// Whether it has a stage.
    pub fn has(&self, stage: Stage) -> bool {
        self.units.iter().any(|unit| unit.stage == stage)
    }
}

/// Links shaders to a program. The units must be free of errors; several of one stage are allowed, in any order.
pub fn link(units: Vec<Unit>, options: &LinkOptions) -> Result<Linked, Vec<Diagnostic>> {
    let mut report = Report::default();
    let linked = program(units, options, &mut report);
    options.stop.check().map_err(|why| vec![*why])?;
    match linked {
        Some((units, reflection)) if !report.failed() => {
            let separable = options.separable;
            Ok(Linked { units, reflection, warnings: report.into_list(), separable })
        }
        _ => Err(report.into_list()),
    }
}

/// All steps; stops early where the next one would only report consequential errors.
fn program(units: Vec<Unit>, options: &LinkOptions, report: &mut Report) -> Option<(Vec<Unit>, Reflection)> {
    stages::versions(&units, report);
    if report.failed() {
        return None;
    }
    let version = units.iter().map(|u| u.version.number).max().unwrap_or(0);
    let mut units = by_stage(units, report);
    stages::combination(&units, options, report);
    let is_over = || options.stop.is_over();
    for unit in &mut units {
        if is_over() {
            return None;
        }
        if !unit.is_imported() {
            sizes::fill(unit, &options.limits, report);
        }
    }
    views::settle(&mut units, report);
    let live: Vec<Live> = units.iter().map(Live::of).collect();
    for (unit, live) in units.iter().zip(&live) {
        stages::single(unit, live, options, report);
    }
    let mut all = uniforms::collect(&mut units, &live, report);
    uniforms::too_many(&units, &all, report);
    if report.failed() || is_over() {
        return None;
    }
    interfaces(&mut units, &live, options, version, report);
    uniforms::locations(&units, &mut all, options, report);
    uniforms::atomic_counters(&units, &mut all, report);
    uniforms::bindings(&units, &mut all);
    uniforms::default_block(&mut units, &mut all, options, report);
    uniforms::write_places(&mut units, &all);
    for (unit, live) in units.iter_mut().zip(&live) {
        subroutines::assign(unit, live, options, report);
    }
    resources::check(&units, &live, &all, options, report);
    if report.failed() || is_over() {
        return None;
    }
    let last_vertex = units.iter().rfind(|u| u.stage < Stage::Fragment);
    let xfb = last_vertex.map(|u| xfb::declare(u, options, report)).unwrap_or_default();
    let linked = reflection::Linked { units: &units, live: &live, uniforms: &all, xfb };
    let reflection = reflection::build(linked, report);
    Some((units, reflection))
}

/// One unit per stage, in pipeline order.
fn by_stage(mut units: Vec<Unit>, report: &mut Report) -> Vec<Unit> {
    // The sort is stable: objects of a stage stay in order.
    units.sort_by_key(|u| u.stage);
    let mut merged = Vec::new();
    let mut rest = units.into_iter().peekable();
    while let Some(first) = rest.next() {
        let stage = first.stage;
        let mut objects = vec![first];
        while let Some(next) = rest.next_if(|u| u.stage == stage) {
            objects.push(next);
        }
        if objects.len() > 1 && objects.iter().any(Unit::is_imported) {
            let name = report::stage_name(stage);
            let text = format!(
                "{name}: several SPIR-V shaders or assembly programs, but each has all of a stage (ARB_gl_spirv, \"SPIR-V Modules\")"
            );
            report.error("E1137", text);
            objects.truncate(1);
        }
        merged.extend(merge::merge(objects, report));
    }
    merged
}

/// Matches the inputs and outputs of all stages and assigns their slots.
fn interfaces(units: &mut [Unit], live: &[Live], options: &LinkOptions, version: u16, report: &mut Report) {
    let count = units.len();
    // Interfaces without names: which outputs are read is not known.
    let vulkan = units.iter().any(|u| u.vulkan || u.is_module());
    let feedback = units.iter().rposition(|u| u.stage < Stage::Fragment);
    let captured = feedback.map(|n| xfb::captured(&units[n], options)).unwrap_or_default();
    for n in 0..count {
        // The boundary after stage n.
        if n + 1 < count {
            let pairs = {
                let side = |i: usize| Side { unit: &units[i], live: &live[i] };
                if vulkan {
                    if units[n].is_imported() {
                        interface::check_by_location(side(n), side(n + 1), report);
                    }
                    interface::by_location(side(n), side(n + 1))
                } else {
                    interface::pair(side(n), side(n + 1), options.separable, version, report)
                }
            };
            if report.failed() {
                continue;
            }
            let tess = units[n].stage == Stage::TessControl;
            let keep = |item: Item| {
                let read = (vulkan || tess) && live[n].var(item.var);
                read || (feedback == Some(n) && captured.contains(&item))
            };
            locations::varyings(units, (Some(n), Some(n + 1)), &pairs, live, &keep, options, report);
        }
    }
    if let (Some(first), Some(alive)) = (units.first_mut(), live.first()) {
        match first.stage {
            Stage::Vertex => locations::attributes(first, alive, options, report),
            Stage::Compute | Stage::Task | Stage::Mesh => {}
            _ => {
                let mut inputs = items(first, Storage::In);
                if options.separable {
                    interface::sort_by_name(first, &mut inputs);
                }
                let pairs: Vec<Pair> =
                    inputs.into_iter().map(|item| Pair { output: None, input: Some(item) }).collect();
                locations::varyings(units, (None, Some(0)), &pairs, live, &|_| true, options, report);
            }
        }
    }
    let Some(last) = count.checked_sub(1) else { return };
    match units[last].stage {
        Stage::Fragment => locations::colours(&mut units[last], &live[last], options, report),
        Stage::Compute | Stage::Task | Stage::Mesh => {}
        _ => {
            let mut outputs = items(&units[last], Storage::Out);
            if options.separable {
                interface::sort_by_name(&units[last], &mut outputs);
            }
            let pairs: Vec<Pair> =
                outputs.into_iter().map(|item| Pair { output: Some(item), input: None }).collect();
            let keep = |item: Item| options.separable || live[last].var(item.var);
            locations::varyings(units, (Some(last), None), &pairs, live, &keep, options, report);
        }
    }
}

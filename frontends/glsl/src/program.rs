//! Builds a program: sources of its stages to shaders of the IR.

use crate::compile::{self, Options};
use crate::deep;
use crate::hir::Unit;
use crate::limits::Limits;
use crate::link::{self, LinkOptions, PipelineProgram, Reflection};
use crate::lower::{LowerOptions, lower, view_mask};
use crate::types::Base;
use crate::version::Version;
use airfoil_ir::{Diagnostic, Place, Shader, Stage};

/// A shader object in source form.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// Name in diagnostics and source locations; may be empty.
    pub name: &'s str,
    /// Stage.
    pub stage: Stage,
    /// GLSL.
    pub text: &'s str,
}

/// How a program is built.
#[derive(Clone, Debug)]
pub struct ProgramOptions {
    /// GLSL for Vulkan rather than for OpenGL.
    pub vulkan: bool,
    /// Version of sources without `#version`; GLSL 1.10 if `None`.
    pub default_version: Option<Version>,
    /// Macros that are defined at the start: name and body.
    pub defines: Vec<(String, String)>,
    /// `gl_Max*` of ES shaders; those of desktop shaders are [`LinkOptions::limits`].
    pub es_limits: Limits,
    /// GLSL ES 1.00 is limited to the minimum of its appendix A: [`Options::enforce_es100_limits`].
    pub enforce_es100_limits: bool,
    /// Values of specialization constants (Vulkan) of all stages: [`Options::spec`].
    pub spec: Vec<(u32, u64)>,
    /// Keep specialization constants (Vulkan) open: [`Options::open_constants`].
    pub open_constants: bool,
    /// Keep the size of the workgroup open: [`Options::open_workgroup_size`].
    pub open_workgroup_size: bool,
    /// How it is linked.
    pub link: LinkOptions,
}

impl Default for ProgramOptions {
    fn default() -> Self {
        ProgramOptions {
            vulkan: false,
            default_version: None,
            defines: Vec::new(),
            es_limits: Limits::ES,
            enforce_es100_limits: false,
            spec: Vec::new(),
            open_constants: false,
            open_workgroup_size: false,
            link: LinkOptions::default(),
        }
    }
}

/// A program.
#[derive(Debug)]
pub struct Program {
    /// One shader per stage, in pipeline order, each named after its stage: [`entry_name`].
    pub shaders: Vec<Shader>,
    /// Reflection.
    pub reflection: Reflection,
    /// Warnings of all steps.
    pub warnings: Vec<Diagnostic>,
}

/// Name of the entry point of a stage: several stages fit into one library, and Metal's language reserves `main`.
pub fn entry_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vertex_main",
        Stage::TessControl => "tess_control_main",
        Stage::TessEval => "tess_eval_main",
        Stage::Geometry => "geometry_main",
        Stage::Fragment => "fragment_main",
        Stage::Compute => "compute_main",
        Stage::Task => "task_main",
        Stage::Mesh => "mesh_main",
    }
}

/// Compiles and links the shader objects of a program, several of one stage allowed.
///
/// # Errors
/// The errors of compiling, or else of linking, or else of lowering.
pub fn build(sources: &[Source<'_>], options: &ProgramOptions) -> Result<Program, Vec<Diagnostic>> {
    let (units, mut warnings) = compile_all(sources, options)?;
    let es = units.iter().any(|u| u.version.is_es());
    let es_link = es.then(|| LinkOptions { limits: options.es_limits.clone(), ..options.link.clone() });
    let linked = link(units, es_link.as_ref().unwrap_or(&options.link));
    let mut program = linked.map_err(|list| told_apart(list, sources))?;
    for file in program.shaders.iter_mut().flat_map(|shader| &mut shader.files) {
        if let Some(name) = file_name(file, sources) {
            *file = if name.is_empty() { "0".into() } else { name.into() };
        }
    }
    warnings.append(&mut told_apart(program.warnings, sources));
    Ok(Program { warnings, ..program })
}

/// Compiles the shader objects of a program; returns warnings, too.
fn compile_all(
    sources: &[Source<'_>],
    options: &ProgramOptions,
) -> Result<(Vec<Unit>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut units = Vec::with_capacity(sources.len());
    let (mut warnings, mut faults) = (Vec::new(), Vec::new());
    for (n, source) in sources.iter().enumerate() {
        let compile_options = Options {
            stage: source.stage,
            vulkan: options.vulkan,
            default_version: options.default_version,
            force_version: None,
            defines: options.defines.clone(),
            limits: options.link.limits.clone(),
            es_limits: options.es_limits.clone(),
            enforce_es100_limits: options.enforce_es100_limits,
            spec: options.spec.clone(),
            open_constants: options.open_constants,
            open_workgroup_size: options.open_workgroup_size,
            stop: options.link.stop.clone(),
        };
        match compile::compile(&[source.text], &compile_options) {
            Ok(mut compiled) => {
                let base = (n as u32).saturating_mul(STRINGS);
                compiled.unit.lines.renumber_strings(|s| base.saturating_add(s.min(STRINGS - 1)));
                units.push(compiled.unit);
                warnings.extend(named(compiled.warnings, source.name));
            }
            Err(list) => faults.extend(named(list, source.name)),
        }
    }
    if faults.is_empty() { Ok((units, warnings)) } else { Err(faults) }
}

/// A specialization constant that a source declares.
#[derive(Clone, Debug)]
pub struct SpecConstant {
    /// `constant_id`, or the value of `local_size_x_id` and related qualifiers.
    pub id: u32,
    /// Type of the scalar.
    pub base: Base,
    /// The declaration; workgroup sizes have none of their own.
    pub place: Place,
}

/// The specialization constants of the sources, in order of declaration, for setting their values
/// ([`ProgramOptions::spec`] takes bits). An ID declared in several sources is listed several times.
///
/// # Errors
/// The errors in the sources.
pub fn spec_constants(
    sources: &[Source<'_>],
    options: &ProgramOptions,
) -> Result<Vec<SpecConstant>, Vec<Diagnostic>> {
    let (units, _) = compile_all(sources, options)?;
    let mut found = Vec::new();
    for unit in &units {
        for var in &unit.vars {
            if let (Some(id), Some(base)) = (var.qualifiers.layout.constant_id, var.ty.base()) {
                let mut place = unit.lines.place(var.span.lo);
                name_file(&mut place, sources);
                found.push(SpecConstant { id, base, place });
            }
        }
        let sizes = unit.layout.local_size_id.iter().flatten();
        found.extend(sizes.map(|&id| SpecConstant { id, base: Base::Uint, place: Place::None }));
    }
    Ok(found)
}

/// Links compiled shaders and lowers them to the IR.
///
/// # Errors
/// The errors of linking, or else of lowering.
pub fn link(units: Vec<Unit>, options: &LinkOptions) -> Result<Program, Vec<Diagnostic>> {
    let height = units.iter().map(|u| u.height).max().unwrap_or(0);
    let linked = deep::run(height, deep::SHALLOW, || -> Result<_, Vec<Diagnostic>> {
        let linked = link::link(units, options)?;
        let shaders = lower_all(&linked.units, options)?;
        Ok(Program { shaders, reflection: linked.reflection, warnings: linked.warnings })
    });
    linked.unwrap_or_else(|| Err(vec![Diagnostic::error("E0702", deep::NO_STACK)]))
}

/// A separable program of a pipeline.
#[derive(Clone, Debug)]
pub struct PipelinePart {
    /// Its compiled shaders.
    pub units: Vec<Unit>,
    /// How it is linked.
    pub options: LinkOptions,
    /// The stages that the pipeline takes of it: bits as in `glUseProgramStages`.
    pub stages: u32,
}

/// Joins separable programs to a pipeline and lowers its stages to the IR. The reflection has the stages, the inputs of the first
/// and the outputs of the last one, and transform feedback; resources are those of each program.
///
/// # Errors
/// The errors of linking, or else of the pipeline ([`link::join_pipeline`]), or else of lowering.
pub fn link_pipeline(parts: Vec<PipelinePart>) -> Result<Program, Vec<Diagnostic>> {
    let height = parts.iter().flat_map(|p| &p.units).map(|u| u.height).max().unwrap_or(0);
    let linked = deep::run(height, deep::SHALLOW, || -> Result<_, Vec<Diagnostic>> {
        let mut programs = Vec::with_capacity(parts.len());
        for PipelinePart { units, options, stages } in parts {
            programs.push((link::link(units, &options)?, options, stages));
        }
        // The program with the last stage before rasterization, or else with the only one.
        let takes = |stages: u32, stage| stages & link::stage_bit(stage) != 0;
        let last = |(linked, _, stages): &(link::Linked, LinkOptions, u32)| {
            let units = linked.units.iter().map(|u| u.stage);
            units.filter(|&s| takes(*stages, s) && s < Stage::Fragment).max()
        };
        let options = programs.iter().max_by_key(|p| last(p)).map(|p| p.1.clone()).unwrap_or_default();
        let list: Vec<PipelineProgram<'_>> = programs
            .iter()
            .map(|(program, _, stages)| PipelineProgram { program, stages: *stages })
            .collect();
        let joined = link::join_pipeline(&list, &options)?;
        let shaders = lower_all(&joined.units, &options)?;
        let mut reflection =
            Reflection { transform_feedback: joined.transform_feedback, ..Reflection::default() };
        for unit in &joined.units {
            let of = list.iter().find(|p| takes(p.stages, unit.stage) && p.program.has(unit.stage));
            let Some(of) = of.map(|p| &p.program.reflection) else { continue };
            reflection.stages.extend(of.stages.iter().filter(|s| s.stage == unit.stage).cloned());
            if reflection.stages.len() == 1 {
                reflection.inputs.clone_from(&of.inputs);
            }
            reflection.outputs.clone_from(&of.outputs);
        }
        Ok(Program { shaders, reflection, warnings: Vec::new() })
    });
    linked.unwrap_or_else(|| Err(vec![Diagnostic::error("E0702", deep::NO_STACK)]))
}

/// Lowers linked units to the IR.
fn lower_all(units: &[Unit], options: &LinkOptions) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    let mut shaders = Vec::with_capacity(units.len());
    let mut faults = Vec::new();
    for unit in units {
        if let Some(imported) = &unit.imported {
            match imported.placed(unit, entry_name(unit.stage)) {
                Ok(mut shader) => {
                    shader.info.view_mask = view_mask(unit);
                    shaders.push(shader);
                }
                Err(list) => faults.extend(list),
            }
            continue;
        }
        let options = LowerOptions {
            name: entry_name(unit.stage).to_string(),
            depth_mode: options.depth_mode,
            raw: options.raw,
            keep_locals: options.keep_locals,
            stop: options.stop.clone(),
            ..LowerOptions::default()
        };
        match lower(unit, &options) {
            Ok(shader) => shaders.push(shader),
            Err(list) => faults.extend(list),
        }
    }
    if faults.is_empty() { Ok(shaders) } else { Err(faults) }
}

/// While a program is linked, the source strings of its shader number `n` are numbered from `n * STRINGS` on, so that
/// locations identify their shader.
const STRINGS: u32 = 1 << 16;

/// The name of a file that is named by the index of a source string; the strings that `#line` numbers keep these
/// indices.
fn file_name(file: &str, sources: &[Source<'_>]) -> Option<String> {
    let number: u32 = if file.is_empty() { 0 } else { file.parse().ok()? };
    let source = sources.get((number / STRINGS) as usize)?;
    match number % STRINGS {
        0 => Some(source.name.to_string()),
        string => Some(string.to_string()),
    }
}

/// Diagnostics about linked shaders with the names of their sources.
fn told_apart(mut list: Vec<Diagnostic>, sources: &[Source<'_>]) -> Vec<Diagnostic> {
    for d in &mut list {
        name_file(&mut d.place, sources);
    }
    list
}

fn name_file(place: &mut Place, sources: &[Source<'_>]) {
    if let Place::Text { file, .. } = place
        && let Some(name) = file_name(file, sources)
    {
        *file = name.into();
    }
}

/// The diagnostics of a source with its name.
fn named(list: Vec<Diagnostic>, name: &str) -> Vec<Diagnostic> {
    list.into_iter()
        .map(|mut d| {
            if let Place::Text { file, .. } = &mut d.place
                && file.is_empty()
            {
                *file = name.into();
            }
            d
        })
        .collect()
}

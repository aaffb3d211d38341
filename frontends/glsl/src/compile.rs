//! Compiles a shader object: source strings to a checked [`Unit`].

use crate::check::{Source, check};
use crate::deep::{self, TooDeep};
use crate::diagnostics::Diagnostics;
use crate::hir::Unit;
use crate::limits::Limits;
use crate::parse;
use crate::preprocess::{PreprocessOptions, preprocess};
use crate::source::Span;
use crate::syntax::MAX_DEPTH;
use crate::version::Version;
use airfoil_ir::{Diagnostic, Stage, Stop};
use bumpalo::Bump;

/// How a shader object is compiled.
#[derive(Clone, Debug)]
pub struct Options {
    /// Stage.
    pub stage: Stage,
    /// GLSL for Vulkan (`GL_KHR_vulkan_glsl`) rather than for OpenGL.
    pub vulkan: bool,
    /// Version of a shader without `#version`; GLSL 1.10 if `None`.
    pub default_version: Option<Version>,
    /// Version that overrides `#version`.
    pub force_version: Option<Version>,
    /// Macros that are defined at the start: name and body.
    pub defines: Vec<(String, String)>,
    /// `gl_Max*` of desktop shaders.
    pub limits: Limits,
    /// `gl_Max*` of ES shaders.
    pub es_limits: Limits,
    /// GLSL ES 1.00 is limited to the loops and indices that its appendix A requires, as in WebGL 1; drivers of OpenGL ES accept
    /// the whole language.
    pub enforce_es100_limits: bool,
    /// Values of specialization constants (Vulkan): `constant_id` or `local_size_x_id` and the like, and the bits.
    pub spec: Vec<(u32, u64)>,
    /// Keep specialization constants (Vulkan) without a value in `spec` open: each is a variable of mode `spec_const`. Those
    /// on which a constant expression depends, such as the size of an array, have their defaults.
    pub open_constants: bool,
    /// With `open_constants`, `local_size_x_id` and the like stay open, unless `gl_WorkGroupSize` is used:
    /// [`StageInfo::workgroup_constants`](airfoil_ir::StageInfo::workgroup_constants). Outputs for Metal have a fixed size.
    pub open_workgroup_size: bool,
    /// Stops the compile.
    pub stop: Stop,
}

impl Options {
    /// OpenGL shaders of a stage, with the minimum limits of the specifications.
    pub fn new(stage: Stage) -> Options {
        Options {
            stage,
            vulkan: false,
            default_version: None,
            force_version: None,
            defines: Vec::new(),
            limits: Limits::default(),
            es_limits: Limits::ES,
            enforce_es100_limits: false,
            spec: Vec::new(),
            open_constants: false,
            open_workgroup_size: false,
            stop: Stop::default(),
        }
    }
}

/// A compiled shader object: the result of `glCompileShader`.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The shader, to be linked.
    pub unit: Unit,
    /// Warnings, in source order.
    pub warnings: Vec<Diagnostic>,
}

/// Compiles a shader object that is given as source strings, which are read as one text.
///
/// # Errors
/// The errors and warnings, in source order. [`crate::info_log`] renders them as
/// OpenGL drivers do.
pub fn compile(strings: &[&str], options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    deep::retry(|levels| attempt(strings, options, levels))
        .unwrap_or_else(|| Err(vec![Diagnostic::error("E0702", deep::NO_STACK)]))
}

/// Compiles on a thread that has room for this many levels.
fn attempt(
    strings: &[&str],
    options: &Options,
    levels: u32,
) -> Result<Result<Compiled, Vec<Diagnostic>>, TooDeep> {
    let shallow = levels < MAX_DEPTH;
    let full = PreprocessOptions::default();
    let macros = if shallow { deep::SHALLOW_MACROS } else { u32::MAX };
    let mut pre = preprocess(
        strings,
        &PreprocessOptions {
            default_version: options.default_version,
            force_version: options.force_version,
            stage: Some(options.stage),
            vulkan: options.vulkan,
            defines: options.defines.clone(),
            max_macro_depth: full.max_macro_depth.min(macros),
            max_nesting: full.max_nesting.min(macros),
            stop: options.stop.clone(),
            ..full
        },
    );
    if shallow && pre.too_deep {
        return Err(TooDeep);
    }
    let mut diags = std::mem::take(&mut pre.diagnostics);
    diags.stop = options.stop.clone();
    // Errors of one step would cause spurious errors in the next.
    if diags.has_errors() {
        return Ok(Err(diags.finish(&pre.lines)));
    }
    let bump = Bump::with_capacity(pre.tokens.len() * 24);
    let (tree, too_deep) = parse::parse_levels(&bump, &mut pre, &mut diags, levels);
    if shallow && too_deep {
        return Err(TooDeep);
    }
    // Whatever else was found is of a part of the shader only.
    if let Err(why) = options.stop.check() {
        return Ok(Err(vec![*why]));
    }
    if diags.has_errors() {
        return Ok(Err(diags.finish(&pre.lines)));
    }
    let limits = if pre.version.is_es() { &options.es_limits } else { &options.limits };
    let source = Source {
        stage: options.stage,
        version: pre.version,
        vulkan: options.vulkan,
        extensions: pre.extensions,
        names: std::mem::take(&mut pre.names),
        lines: std::mem::take(&mut pre.lines),
        pragmas: std::mem::take(&mut pre.pragmas),
        enforce_es100_limits: options.enforce_es100_limits,
        spec: options.spec.clone(),
        open: Vec::new(),
        stop: options.stop.clone(),
    };
    let qualifiers = ["constant_id", "local_size_"];
    let declares = options.open_constants && strings.iter().any(|s| qualifiers.iter().any(|q| s.contains(q)));
    let again = declares.then(|| source.clone());
    let check = |source| deep::run(tree.height, levels, || check(source, &tree, limits));
    let Some((mut unit, found)) = check(source) else {
        return Ok(Err(vec![Diagnostic::error("E0702", deep::NO_STACK)]));
    };
    diags.append(found);
    if let Some(source) = again.filter(|_| !diags.has_errors())
        && let Some(opened) = open_constants(&unit, &source, options, check)
    {
        unit = opened;
    }
    if declares {
        closed_constants(&unit, options, &mut diags);
    }
    if let Err(why) = options.stop.check() {
        return Ok(Err(vec![*why]));
    }
    Ok(finish(unit, diags))
}

/// The most specialization constants that are tried one by one.
const MAX_TRIED: usize = 32;

/// The unit with the specialization constants open that no constant expression depends on.
fn open_constants(
    unit: &Unit,
    source: &Source,
    options: &Options,
    check: impl Fn(Source) -> Option<(Unit, Diagnostics)>,
) -> Option<Unit> {
    let given = |id: u32| options.spec.iter().any(|s| s.0 == id);
    let ids = unit.vars.iter().filter_map(|v| v.qualifiers.layout.constant_id).filter(|&id| !given(id));
    let mut ids: Vec<u32> = ids.collect();
    let sizes =
        unit.layout.local_size_id.map(|id| id.filter(|&id| options.open_workgroup_size && !given(id)));
    ids.extend(sizes.iter().flatten().filter(|id| !ids.contains(id)).copied().collect::<Vec<_>>());
    let attempt = |open: Vec<u32>| {
        let local_size_open = sizes.map(|id| id.filter(|id| open.contains(id)));
        let (mut unit, found) = check(Source { open, ..source.clone() })?;
        unit.layout.local_size_open = local_size_open;
        (!found.has_errors()).then_some(unit)
    };
    if ids.is_empty() {
        return None;
    }
    if let Some(all) = attempt(ids.clone()) {
        return Some(all);
    }
    let (mut open, mut best) = (Vec::new(), None);
    for &id in ids.iter().take(MAX_TRIED) {
        open.push(id);
        match attempt(open.clone()) {
            Some(unit) => best = Some(unit),
            None => _ = open.pop(),
        }
    }
    best
}

/// A specialization constant does not stay open.
const CLOSED_CONSTANT: &str = "W1102";

/// Warns of the specialization constants that do not stay open.
fn closed_constants(unit: &Unit, options: &Options, diags: &mut Diagnostics) {
    let given = |id: u32| options.spec.iter().any(|s| s.0 == id);
    for v in &unit.vars {
        if let Some(id) = v.qualifiers.layout.constant_id.filter(|&id| !v.open && !given(id)) {
            let message = format!(
                "specialization constant {id} keeps its default: a constant expression depends on it"
            );
            diags.warning(v.span, CLOSED_CONSTANT, message);
        }
    }
    let layout = &unit.layout;
    for (id, open) in layout.local_size_id.into_iter().zip(layout.local_size_open) {
        if let Some(id) = id.filter(|&id| options.open_workgroup_size && open.is_none() && !given(id)) {
            let message = format!(
                "the size of the workgroup keeps the default of specialization constant {id}: gl_WorkGroupSize is used"
            );
            diags.warning(Span::default(), CLOSED_CONSTANT, message);
        }
    }
}

fn finish(unit: Unit, diags: Diagnostics) -> Result<Compiled, Vec<Diagnostic>> {
    let failed = diags.has_errors();
    let list = diags.finish(&unit.lines);
    if failed { Err(list) } else { Ok(Compiled { unit, warnings: list }) }
}

//! The steps of a compile, to inspect or change shaders between them.
//!
//! A reader creates shaders, [`lower`] runs a [plan](compile_plan) on them, and [`emit`] selects instructions.

use crate::debug::Key;
use crate::{Errors, debug};
use airfoil_air::metallib::SourceFile;
use airfoil_air::plan;
use airfoil_glsl::{Program, ProgramOptions, Source};
use airfoil_ir::validate::Violation;
use airfoil_ir::{Diagnostic, Shader};
use airfoil_passes::presets::OptLevel;

pub use airfoil_air::compile::{Layouts, emit, lower};
pub use airfoil_air::lowerings::Lowerings;
pub use airfoil_air::plan::{PlanOptions, compile_plan, metal_plan, optimize_plan};

/// Compiles and links GLSL to shaders of the IR.
///
/// # Errors
/// Everything that is wrong with the sources or the program, or that the IR cannot express.
pub fn read_glsl(sources: &[Source<'_>], options: &ProgramOptions) -> Result<Program, Errors> {
    Ok(read_glsl_keys(sources, options)?.0)
}

/// The same, with the keys of the shaders if [`AIRFOIL_DEBUG`](debug) is set.
///
/// # Errors
/// As [`read_glsl`].
pub fn read_glsl_keys(
    sources: &[Source<'_>],
    options: &ProgramOptions,
) -> Result<(Program, Vec<Key>), Errors> {
    if !debug::is_on() {
        return Ok((airfoil_glsl::build(sources, options)?, Vec::new()));
    }
    let watched: Vec<_> = sources.iter().map(|s| debug::source(s.name, s.stage, s.text)).collect();
    let replaced: Vec<Source<'_>> =
        sources.iter().zip(&watched).map(|(s, w)| Source { text: &w.source, ..*s }).collect();
    let found: Vec<Key> = watched.iter().map(|w| w.key.clone()).collect();
    let mut program = debug::timed("read", &found, || airfoil_glsl::build(&replaced, options))?;
    let of_stage =
        |stage| replaced.iter().zip(&found).filter(move |(s, _)| s.stage == stage).map(|(_, key)| key);
    let key = |shader: &Shader| debug::stage_key(shader.stage, of_stage(shader.stage));
    let keys: Vec<Key> = program.shaders.iter().map(key).collect();
    debug::shaders(&keys, &mut program.shaders);
    Ok((program, keys))
}

/// Reads one entry point of a SPIR-V module, given as words of either byte order.
///
/// # Errors
/// Everything that is wrong or unsupported, with the location in the module.
pub fn read_spirv(words: &[u32], options: &airfoil_spirv_in::Options) -> Result<Shader, Errors> {
    Ok(read_spirv_key(words, options)?.0)
}

/// The same, with the key of the shader if [`AIRFOIL_DEBUG`](debug) is set.
///
/// # Errors
/// As [`read_spirv`].
pub fn read_spirv_key(
    words: &[u32],
    options: &airfoil_spirv_in::Options,
) -> Result<(Shader, Vec<Key>), Errors> {
    let watched = debug::module(words);
    let keys = vec![watched.key];
    let read = || airfoil_spirv_in::read(&watched.source, options);
    let mut shader = debug::timed("read", &keys, read)?;
    debug::shaders(&keys, std::slice::from_mut(&mut shader));
    Ok((shader, keys))
}

/// Reads an assembly program of OpenGL.
///
/// # Errors
/// Everything that is wrong with the program, or that the IR cannot express.
pub fn read_arb(
    source: &airfoil_arb::Source<'_>,
    options: &airfoil_arb::Options,
) -> Result<airfoil_arb::Program, Errors> {
    airfoil_arb::read(source, options).map_err(|e| Errors::from(e.diagnostics))
}

/// Reads the text form of the IR and [validates](validate) it, since texts are also written by hand.
///
/// # Errors
/// Syntax errors, or the rules of the IR that are violated, with line and column.
pub fn read_foil(text: &str) -> Result<Shader, Errors> {
    let shader = airfoil_ir::text::parse(text)?;
    let violations = airfoil_ir::validate::validate(&shader);
    if violations.is_empty() {
        return Ok(shader);
    }
    let origins = airfoil_ir::text::Origins::of(text);
    let located = |v: &Violation| match v.place(&origins) {
        // The line shows the instruction, with the names that it has there.
        Some(place) => Diagnostic::error("E0400", format!("[{}] {}", v.rule.name(), v.message)).at(place),
        None => Diagnostic::error("E0400", v.to_string()),
    };
    Err(violations.iter().map(located).collect::<Vec<_>>().into())
}

/// Checks all rules of the IR. Passes and the backend rely on them.
///
/// # Errors
/// The rules that are violated, with the offending instructions.
pub fn validate(shader: &Shader) -> Result<(), Errors> {
    let violations = airfoil_ir::validate::validate(shader);
    match violations.is_empty() {
        true => Ok(()),
        false => Err(violations
            .iter()
            .map(|v| Diagnostic::error("E0400", v.to_string()))
            .collect::<Vec<_>>()
            .into()),
    }
}

/// Optimises a [valid](validate) shader and lowers it to the form that the AIR backend takes. A pipeline as a whole is
/// optimised by [`optimize_plan`], which also matches the distances of its stages.
///
/// # Errors
/// Constructs that are unsupported on the target.
pub fn optimize(shader: &mut Shader, level: OptLevel) -> Result<(), Errors> {
    let _ = debug::manager().run(plan::pipeline(level, shader.form), shader)?;
    Ok(())
}

/// The sources that a SPIR-V module carries.
pub fn spirv_sources(words: &[u32]) -> Vec<SourceFile> {
    let named = |(path, text): (String, String)| SourceFile {
        // A debugger requires a name.
        path: if path.is_empty() { "source".to_owned() } else { path },
        text: text.into_bytes(),
    };
    airfoil_spirv_in::sources(words).into_iter().map(named).collect()
}

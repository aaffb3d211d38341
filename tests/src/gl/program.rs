//! Programs of GLSL, linked and optimised to what a target would get.

use airfoil::passes::Pipeline;
use airfoil::passes::manager::Manager;
use airfoil::{Diagnostic, OptLevel, Shader, Stage};
use airfoil_glsl::limits::Limits;
use airfoil_glsl::link::{LinkOptions, Reflection};
use airfoil_glsl::lower::DepthMode;
use airfoil_glsl::version::Version;
use airfoil_glsl::{ProgramOptions, Source};

/// A program that can be executed.
#[derive(Debug)]
pub struct Linked {
    /// A shader a stage.
    pub shaders: Vec<Shader>,
    /// What it consists of.
    pub reflection: Reflection,
}

/// How a program is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// Version of sources without `#version`.
    pub default_version: Option<Version>,
    /// GLSL for Vulkan.
    pub vulkan: bool,
    /// Some stages of a pipeline only.
    pub separable: bool,
    /// How much is optimised.
    pub level: OptLevel,
    /// What shadow lookups of the compatibility profile give.
    pub depth_mode: DepthMode,
}

fn words(faults: &[Diagnostic]) -> String {
    faults.first().map_or("no reason given".into(), ToString::to_string)
}

/// Compiles, links and optimises.
///
/// # Errors
/// What is wrong with the sources or the program, in words.
pub fn build(sources: &[(Stage, &str)], how: How) -> Result<Linked, String> {
    let es_limits = airfoil::metal_limits(Limits::ES);
    let link = LinkOptions {
        separable: how.separable,
        depth_mode: how.depth_mode,
        limits: airfoil::metal_limits(Limits::DESKTOP),
        ..LinkOptions::default()
    };
    let options = ProgramOptions {
        vulkan: how.vulkan,
        default_version: how.default_version,
        link,
        es_limits,
        ..ProgramOptions::default()
    };
    let sources: Vec<Source<'_>> =
        sources.iter().map(|&(stage, text)| Source { name: "", stage, text }).collect();
    let program = airfoil_glsl::build(&sources, &options).map_err(|faults| words(&faults))?;
    let mut linked = Linked { shaders: program.shaders, reflection: program.reflection };
    linked.shaders.iter_mut().try_for_each(|shader| optimise(shader, how.level))?;
    Ok(linked)
}

/// Brings a shader to the form that backends take.
///
/// # Errors
/// What a pass refuses.
pub fn optimise(shader: &mut Shader, level: OptLevel) -> Result<(), String> {
    let pipeline = Pipeline::parse(level.pipeline(shader.form)).map_err(|e| e.to_string())?;
    Manager::default().run(&pipeline, shader).map(drop).map_err(|faults| words(&faults))
}

//! Programs of GLSL, linked and optimised as for a target.

use crate::suites::spirv;
use airfoil::air::plan::optimize_plan;
use airfoil::ir::{Modes, Type, Variable};
use airfoil::passes::Pipeline;
use airfoil::passes::manager::Manager;
use airfoil::steps::PlanOptions;
use airfoil::{ClipPlanes, Diagnostic, OptLevel, Shader, Stage};
use airfoil_glsl::limits::Limits;
use airfoil_glsl::link::{LinkOptions, Reflection};
use airfoil_glsl::version::Version;
use airfoil_glsl::{DepthMode, ProgramOptions, Source};

/// A program that can be executed.
#[derive(Debug)]
pub struct Linked {
    /// A shader a stage.
    pub shaders: Vec<Shader>,
    /// The linked stages.
    pub reflection: Reflection,
    /// Binding of the uniform block with the user clip planes, for programs compiled for Metal.
    pub planes_binding: u32,
}

/// How a program is compiled.
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
    /// The results of shadow lookups of the compatibility profile.
    pub depth_mode: DepthMode,
    /// Shaders stay in the form that is written as SPIR-V.
    pub spirv: bool,
    /// Mask of user clip planes that a draw may enable, which become clip distances in SPIR-V.
    pub planes: u32,
    /// Clip and cull distances are lowered as Metal requires, for this mask of user clip planes that a draw may enable.
    pub metal_planes: Option<u32>,
}

fn words(faults: &[Diagnostic]) -> String {
    faults.first().map_or("no reason given".into(), ToString::to_string)
}

/// Compiles, links and optimises.
///
/// # Errors
/// Messages about the sources or the program.
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
    let planes_binding = program.shaders.iter().map(free_uniform_binding).max().unwrap_or(0);
    let mut linked = Linked { shaders: program.shaders, reflection: program.reflection, planes_binding };
    match how.metal_planes {
        Some(enabled) => {
            let planes = ClipPlanes { enabled: Some(enabled), binding: Some(planes_binding) };
            let options =
                PlanOptions { level: how.level, distances: planes.into(), ..PlanOptions::default() };
            let plan = optimize_plan(&linked.shaders, &options);
            let done = Manager::default().run_program(&plan, &mut linked.shaders);
            done.map(drop).map_err(|faults| words(&faults))?;
        }
        None if how.spirv => {
            lower_clip_planes(&mut linked, how.planes)?;
            linked.shaders.iter_mut().try_for_each(|shader| spirv::optimize(shader, how.level))?;
        }
        None => linked.shaders.iter_mut().try_for_each(|shader| optimise(shader, how.level))?,
    }
    Ok(linked)
}

/// Lowers `gl_ClipVertex` and user clip planes, which Vulkan does not have, in the last stage before rasterization.
fn lower_clip_planes(linked: &mut Linked, planes: u32) -> Result<(), String> {
    let stages = [Stage::Geometry, Stage::TessEval, Stage::Vertex];
    let find = |&stage: &Stage| linked.shaders.iter().position(|s| s.stage == stage);
    let Some(last) = stages.iter().find_map(find) else { return Ok(()) };
    let binding = linked.planes_binding;
    let pass = format!("lower_clip_vertex{{planes={planes},binding={binding}}}");
    let pipeline = Pipeline::parse(&pass).map_err(|fault| fault.to_string())?;
    let done = Manager::default().run(&pipeline, &mut linked.shaders[last]);
    done.map(drop).map_err(|faults| words(&faults))
}

/// The first binding after all uniform blocks of a shader.
fn free_uniform_binding(shader: &Shader) -> u32 {
    let end = |v: &Variable| {
        let len = if let Type::Array { len, .. } = shader.types[v.ty] { len.max(1) } else { 1 };
        v.binding.map_or(0, |first| first + len)
    };
    shader.vars.values().filter(|v| v.mode == Modes::UBO).map(end).max().unwrap_or(0)
}

/// Brings a shader to the form that backends take.
///
/// # Errors
/// A pass rejects the shader.
pub fn optimise(shader: &mut Shader, level: OptLevel) -> Result<(), String> {
    airfoil::steps::optimize(shader, level).map_err(|faults| words(&faults))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERTEX: &str =
        "#version 120\nuniform B { vec4 at; }; void main() { gl_Position = at; gl_ClipVertex = at; }";
    const FRAGMENT: &str = "#version 120\nvoid main() { gl_FragColor = vec4(1.0); }";

    #[test]
    fn programs_for_metal_have_clip_distances_of_planes() {
        let sources = [
            (Stage::Vertex, VERTEX.replace("#version 120", "#version 150 compatibility")),
            (Stage::Fragment, FRAGMENT.into()),
        ];
        let sources = sources.each_ref().map(|(stage, text)| (*stage, text.as_str()));
        let distances = |metal_planes| {
            let linked = build(&sources, How { metal_planes, ..How::default() }).unwrap();
            let shader = &linked.shaders[0];
            let own = shader.vars.values().find(|v| &*v.name == "gl_ClipPlanes").map(|v| v.binding);
            assert!(own.is_none_or(|binding| binding == Some(linked.planes_binding)));
            assert!(linked.planes_binding > 0);
            (shader.info.clip_distances, own.is_some())
        };
        assert_eq!(distances(None), (0, false));
        assert_eq!(distances(Some(0)), (0, false));
        assert_eq!(distances(Some(5)), (3, true));
    }
}

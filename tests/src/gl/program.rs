//! Programs of GLSL: linked by `airfoil-gl`, which makes their shaders for the state of each draw, or without state for Vulkan.

use crate::suites::spirv;
use airfoil::air::plan::optimize_plan;
use airfoil::air::select::FastMathMode;
use airfoil::ir::{Modes, Type, Variable};
use airfoil::passes::Pipeline;
use airfoil::passes::manager::Manager;
use airfoil::steps::PlanOptions;
use airfoil::{Diagnostic, OptLevel, Shader, Stage};
use airfoil_gl::{Budget, Device, DeviceOptions, Log, Program, StateKey};
use airfoil_glsl::limits::Limits;
use airfoil_glsl::link::{LinkOptions, Reflection};
use airfoil_glsl::version::{Profile, Version};
use airfoil_glsl::{DepthMode, ProgramOptions, Source};
use std::sync::{Arc, OnceLock};

/// A program that can be executed.
#[derive(Debug)]
pub struct Linked {
    /// The code.
    pub code: Code,
    /// The linked stages.
    pub reflection: Reflection,
    /// Binding of the uniform block with the user clip planes, for programs compiled for Vulkan.
    pub planes_binding: u32,
    /// The results of shadow lookups of the compatibility profile.
    pub depth_mode: DepthMode,
}

/// The code of a program.
#[derive(Debug)]
pub enum Code {
    /// A shader a stage. The engine has the state of draws.
    Shaders(Vec<Shader>),
    /// A program whose shaders have the state of draws.
    Program(Arc<Program>),
}

impl Linked {
    /// Whether the program has a stage.
    pub fn has(&self, stage: Stage) -> bool {
        match &self.code {
            Code::Shaders(shaders) => shaders.iter().any(|s| s.stage == stage),
            Code::Program(program) => program.stages().any(|s| s == stage),
        }
    }

    /// The compute shader.
    ///
    /// # Errors
    /// There is none, or Metal cannot express it.
    pub fn compute(&self) -> Result<Shader, String> {
        match &self.code {
            Code::Shaders(shaders) => {
                let shader = shaders.iter().find(|s| s.stage == Stage::Compute);
                shader.cloned().ok_or("the program has no compute shader".into())
            }
            Code::Program(program) => program
                .variant_shader(Stage::Compute, &StateKey::default(), &Budget::default())
                .map_err(|faults| faults.to_string()),
        }
    }
}

/// The kind of code that a program is compiled to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum For {
    /// Metal, by `airfoil-gl`.
    #[default]
    Metal,
    /// The same; programs that Metal cannot express are executed as they are linked.
    Interpreter,
    /// SPIR-V.
    SpirV,
}

/// How a program is compiled.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// The kind of code.
    pub target: For,
    /// Version of sources without `#version`.
    pub default_version: Option<Version>,
    /// GLSL for Vulkan.
    pub vulkan: bool,
    /// Some stages of a pipeline only.
    pub separable: bool,
    /// Nothing is executed: the rules of the linker matter, not the features of Metal.
    pub only_links: bool,
    /// How much is optimised.
    pub level: OptLevel,
    /// The results of shadow lookups of the compatibility profile.
    pub depth_mode: DepthMode,
    /// Mask of user clip planes that a draw may enable, which become clip distances in SPIR-V.
    pub planes: u32,
}

fn words(faults: &[Diagnostic]) -> String {
    faults.first().map_or("no reason given".into(), ToString::to_string)
}

/// Compiles, links and optimises.
///
/// # Errors
/// Messages about the sources or the program.
pub fn build(sources: &[(Stage, &str)], how: How) -> Result<Linked, String> {
    if how.vulkan || how.only_links || how.target == For::SpirV {
        return build_shaders(sources, how);
    }
    match link(sources, how) {
        Ok(program) => Ok(Linked {
            reflection: program.reflection().clone(),
            code: Code::Program(program),
            planes_binding: 0,
            depth_mode: how.depth_mode,
        }),
        Err(_) if how.target == For::Interpreter => build_shaders(sources, how),
        Err(log) => Err(log.to_string().lines().next().unwrap_or("no reason given").to_owned()),
    }
}

/// A device of the OpenGL driver, with the limits of other drivers of desktops: suites assume them.
fn device(level: OptLevel) -> &'static Device {
    static DEVICES: [OnceLock<Device>; 2] = [OnceLock::new(), OnceLock::new()];
    DEVICES[usize::from(level == OptLevel::O2)].get_or_init(|| {
        Device::new(DeviceOptions {
            // The first that has atomic operations on textures.
            target: "macos14".parse().unwrap_or_default(),
            limits: airfoil::metal_limits(Limits::DESKTOP),
            level,
            fast_math: FastMathMode::Precise,
            ..DeviceOptions::default()
        })
    })
}

/// The directive of a version.
fn directive(version: Version) -> String {
    let profile = match version.profile {
        Profile::Es if version.number > 100 => " es",
        Profile::Compatibility if version.number >= 150 => " compatibility",
        _ => "",
    };
    let is_old = version.profile == Profile::Compatibility && version.number == 140;
    let extension = if is_old { "#extension GL_ARB_compatibility : enable\n" } else { "" };
    format!("#version {}{profile}\n{extension}", version.number)
}

/// Links as an OpenGL driver does.
fn link(sources: &[(Stage, &str)], how: How) -> Result<Arc<Program>, Log> {
    let device = device(how.level);
    let compile = |&(stage, text): &(Stage, &str)| {
        // As applications do, and piglit's runner.
        let version = how.default_version.filter(|_| !text.contains("#version"));
        match version {
            None => device.compile("shader", stage, &[text]),
            Some(version) => device.compile("shader", stage, &[&(directive(version) + text)]),
        }
    };
    let objects: Vec<_> = sources.iter().map(compile).collect();
    if let Some(failed) = objects.iter().find(|object| !object.status()) {
        return Err(failed.log().clone());
    }
    let options = airfoil_gl::LinkOptions { separable: how.separable, ..Default::default() };
    device.link(&objects.iter().collect::<Vec<_>>(), &options)
}

/// Compiles to shaders without the state of draws.
fn build_shaders(sources: &[(Stage, &str)], how: How) -> Result<Linked, String> {
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
    let mut shaders = program.shaders;
    match how.target {
        For::Metal => {
            let options = PlanOptions { level: how.level, ..PlanOptions::default() };
            let plan = optimize_plan(&shaders, &options);
            let done = Manager::default().run_program(&plan, &mut shaders);
            done.map(drop).map_err(|faults| words(&faults))?;
        }
        For::SpirV => {
            lower_clip_planes(&mut shaders, planes_binding, how.planes)?;
            shaders.iter_mut().try_for_each(|shader| spirv::optimize(shader, how.level))?;
        }
        For::Interpreter => shaders.iter_mut().try_for_each(|shader| optimise(shader, how.level))?,
    }
    let (code, depth_mode) = (Code::Shaders(shaders), how.depth_mode);
    Ok(Linked { code, reflection: program.reflection, planes_binding, depth_mode })
}

/// Lowers `gl_ClipVertex` and user clip planes, which Vulkan does not have, in the last stage before rasterization.
fn lower_clip_planes(shaders: &mut [Shader], binding: u32, planes: u32) -> Result<(), String> {
    let stages = [Stage::Geometry, Stage::TessEval, Stage::Vertex];
    let find = |&stage: &Stage| shaders.iter().position(|s| s.stage == stage);
    let Some(last) = stages.iter().find_map(find) else { return Ok(()) };
    let pass = format!("lower_clip_vertex{{planes={planes},binding={binding}}}");
    let pipeline = Pipeline::parse(&pass).map_err(|fault| fault.to_string())?;
    let done = Manager::default().run(&pipeline, &mut shaders[last]);
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

    #[test]
    fn programs_that_metal_lacks_are_interpreted() {
        let clock = "#version 450\n#extension GL_ARB_shader_clock : require\nout vec4 c;
            void main() { c = vec4(clock2x32ARB(), 0, 1); }";
        let linked = |target| build(&[(Stage::Fragment, clock)], How { target, ..How::default() });
        assert!(matches!(linked(For::Interpreter).unwrap().code, Code::Shaders(_)));
        let refused = linked(For::Metal).unwrap_err();
        assert!(refused.contains("clock"), "{refused}");
        let plain = build(&[(Stage::Fragment, "void main() {}")], How::default()).unwrap();
        assert!(matches!(plain.code, Code::Program(_)) && plain.has(Stage::Fragment));
    }
}

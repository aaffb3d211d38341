//! Code to SPIR-V modules for drivers.

use super::super::script::{Attached, Pipeline, Script, Source};
use super::{Options, Stop, build, fail, skip};
use crate::engine::driver::Modules;
use airfoil::{OptLevel, Shader, Stage};
use airfoil_glsl::{ProgramOptions, Source as GlslSource};
use airfoil_vulkan::{Device, Module};

/// The vertex shader that passes positions on.
const PASSTHROUGH: &str = "#version 450
layout(location = 0) in vec4 position;
void main() { gl_Position = position; }
";

/// The modules of a pipeline.
pub(super) fn of_pipeline(
    script: &Script,
    pipeline: &Pipeline,
    device: &Device,
    modules: Modules,
) -> Result<Vec<Module>, Stop> {
    let mut all = Vec::new();
    for attached in &pipeline.shaders {
        if attached.subgroup_size.is_some_and(|size| size != device.subgroup_size()) {
            return skip(format!("the driver has subgroups of {}", device.subgroup_size()));
        }
        all.push(module(script, attached, modules)?);
    }
    // Scripts need not name a vertex shader.
    if !pipeline.compute && !pipeline.shaders.iter().any(|s| s.stage == Stage::Vertex) {
        all.push(passthrough()?);
    }
    Ok(all)
}

fn module(script: &Script, attached: &Attached, modules: Modules) -> Result<Module, Stop> {
    let code = &script.shaders[attached.shader];
    let original = |words| Module {
        words,
        stage: attached.stage,
        entry: attached.entry.clone(),
        spec: attached.spec.clone(),
    };
    match (modules, &code.source) {
        (Modules::Original, Source::Assembly(text)) => {
            let options = airfoil_spirv_asm::Options { version: code.spirv.or(Some((1, 0))) };
            match airfoil_spirv_asm::assemble(text, &options) {
                Ok(words) => return Ok(original(words)),
                Err(e) => return fail(build::words(&format!("assembly of {}", code.name), &e)),
            }
        }
        (Modules::Original, Source::Binary(bytes)) => match airfoil::spirv::from_bytes(bytes) {
            Ok(words) => return Ok(original(words)),
            Err(e) => return fail(build::words(&code.name, &e)),
        },
        _ => {}
    }
    let Some(shader) = build::shader(script, attached, &Options::default())? else { return passthrough() };
    let level = if let Modules::Written(level) = modules { level } else { OptLevel::O0 };
    written(shader, level)
}

fn passthrough() -> Result<Module, Stop> {
    let source = GlslSource { name: "passthrough", stage: Stage::Vertex, text: PASSTHROUGH };
    let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    let program =
        airfoil_glsl::build(&[source], &options).or_else(|e| fail(build::words("passthrough", &e)))?;
    match program.shaders.into_iter().next() {
        Some(shader) => written(shader, OptLevel::O0),
        None => fail("no passthrough shader"),
    }
}

/// The module that Airfoil writes.
fn written(mut shader: Shader, level: OptLevel) -> Result<Module, Stop> {
    crate::suites::spirv::optimize(&mut shader, level).or_else(fail)?;
    match airfoil::to_spirv(&shader, &airfoil::SpirvOptions::default()) {
        Ok(words) => {
            Ok(Module { words, stage: shader.stage, entry: shader.name.to_string(), spec: Vec::new() })
        }
        Err(e) => fail(build::words("written as SPIR-V", &e)),
    }
}

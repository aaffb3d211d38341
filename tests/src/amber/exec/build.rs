//! Code to shaders.

use super::super::script::{Attached, Script, Source};
use super::{Options, Stop, fail, skip};
use airfoil::{Diagnostic, Shader};
use airfoil_glsl::link::LinkOptions;
use airfoil_glsl::version::{Profile, Version};
use airfoil_glsl::{ProgramOptions, Source as GlslSource};
use airfoil_spirv_asm::assemble;

/// GLSL without `#version`, as Amber's compiler takes it.
const VERSION: Version = Version { number: 450, profile: Profile::Core };

pub(super) fn words(what: &str, faults: &[Diagnostic]) -> String {
    match faults.first() {
        Some(fault) => format!("{what}: {fault}"),
        None => format!("{what}: refused without words"),
    }
}

/// The shader of a pipeline; `None` for the one that passes positions on.
pub(super) fn shader(
    script: &Script,
    attached: &Attached,
    options: &Options,
) -> Result<Option<Shader>, Stop> {
    let code = &script.shaders[attached.shader];
    let read = airfoil::ReadOptions {
        entry: Some(attached.entry.clone()),
        stage: Some(attached.stage),
        spec: attached.spec.clone(),
        ..airfoil::ReadOptions::default()
    };
    let name = &code.name;
    let shader = match &code.source {
        Source::Passthrough => return Ok(None),
        Source::Other(language) => return skip(format!("language {language}")),
        Source::Assembly(text) => {
            let assembled = assemble(text, &airfoil_spirv_asm::Options { version: code.spirv });
            let module = assembled
                .or_else(|e| fail(words(&format!("assembly of {name} (line {})", code.line), &e)))?;
            airfoil_spirv_in::read(&module, &read)
        }
        Source::Binary(bytes) => airfoil_spirv_in::read_bytes(bytes, &read),
        Source::Glsl(_) if !attached.spec.is_empty() => return skip("specialisation of GLSL"),
        Source::Glsl(text) => {
            let source = GlslSource { name, stage: attached.stage, text };
            let options = ProgramOptions {
                vulkan: true,
                default_version: Some(VERSION),
                // Other stages may be in another language.
                link: LinkOptions { separable: true, ..LinkOptions::default() },
                ..ProgramOptions::default()
            };
            airfoil_glsl::build(&[source], &options)
                .and_then(|program| program.shaders.into_iter().next().ok_or_else(Vec::new))
        }
    };
    let mut shader = shader.or_else(|e| fail(words(&format!("{} shader {name}", attached.stage), &e)))?;
    if let Some(level) = options.level {
        // A feature that the target lacks is not a fault of the compiler.
        airfoil::steps::optimize(&mut shader, level).or_else(|e| skip(words("not on the target", &e)))?;
    }
    Ok(Some(shader))
}

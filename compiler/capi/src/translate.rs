//! Whole compiles with the options of a device.

use airfoil::air::library::library;
use airfoil::air::ll;
use airfoil::debug::{self, Key};
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::ir::text;
use airfoil::passes::Pipeline;
use airfoil::spirv_out::{self, Target as SpirvTarget};
use airfoil::{Errors, OptLevel, PipelineState, ReadOptions, Shader, SpirvOptions, steps};
use airfoil_gl::{Budget, Device};

/// The input of a compile.
pub(crate) enum Input<'a> {
    Glsl { sources: &'a [Source<'a>], vulkan: bool },
    Spirv { words: &'a [u32], entry: Option<&'a str> },
}

/// The target of a compile.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Metallib,
    Ll,
    Spirv,
    Foil,
}

pub(crate) fn translate(
    device: &Device,
    input: &Input<'_>,
    to: Kind,
    budget: &Budget,
) -> Result<Vec<u8>, Errors> {
    budget.check(0)?;
    let (mut shaders, keys) = read(device, input, budget)?;
    shaders.iter().try_for_each(|shader| budget.check_shader(shader))?;
    let is_opengl = matches!(input, Input::Glsl { vulkan: false, .. });
    match to {
        Kind::Foil => Ok(shaders.iter().map(text::print).collect::<String>().into_bytes()),
        Kind::Spirv => {
            if device.options().level == OptLevel::O2 {
                let plan = Pipeline::parse("spirv").unwrap_or_default();
                let _ = budget.manager().run_program(&plan, &mut shaders)?;
            }
            let target = if is_opengl { SpirvTarget::OPENGL_4_5 } else { SpirvTarget::default() };
            let options = SpirvOptions { target, ..SpirvOptions::default() };
            let words = spirv_out::write_module(&shaders, &options)?;
            Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
        }
        Kind::Metallib | Kind::Ll => {
            let workarounds = device.options().workarounds;
            let state = PipelineState::default()
                .robust(workarounds.robust)
                .flat_1d_textures(workarounds.flat_1d_textures);
            let options = state.plan_options(
                device.options().level,
                Default::default(),
                !is_opengl,
                Default::default(),
            );
            let plan = steps::compile_plan(&shaders, &options);
            let layouts = steps::lower(&mut shaders, &plan, &options, &mut budget.manager())?;
            let mut selected = steps::emit(&shaders, layouts, device.air())?;
            debug::selected(&keys, &shaders, &mut selected);
            budget.check(0)?;
            match to {
                Kind::Ll => {
                    Ok(selected.iter().map(|s| ll::print(&s.module)).collect::<String>().into_bytes())
                }
                _ => Ok(library(&selected, device.air())?),
            }
        }
    }
}

fn read(device: &Device, input: &Input<'_>, budget: &Budget) -> Result<(Vec<Shader>, Vec<Key>), Errors> {
    match *input {
        Input::Glsl { sources, vulkan } => {
            let options = device.options();
            let mut program = ProgramOptions {
                vulkan,
                es_limits: options.es_limits.clone(),
                enforce_es100_limits: options.workarounds.enforce_es100_limits,
                ..ProgramOptions::default()
            };
            program.link.limits = options.limits.clone();
            program.link.stop = budget.stop();
            // A stage alone is a program that others complete.
            program.link.separable = sources.len() == 1;
            let (program, keys) = steps::read_glsl_keys(sources, &program)?;
            Ok((program.shaders, keys))
        }
        Input::Spirv { words, entry } => {
            let (entry, stop) = (entry.map(str::to_owned), budget.stop());
            let options = ReadOptions { entry, stop, ..ReadOptions::default() };
            let (shader, keys) = steps::read_spirv_key(words, &options)?;
            Ok((vec![shader], keys))
        }
    }
}

//! Shaders from text to libraries.
#![allow(dead_code)] // each test file uses some of it

pub mod fragments;

use airfoil::air::select::DebugOptions;
use airfoil::glsl::link::LinkOptions;
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{CompileOptions, Compiler, OptLevel, Output, Shader, Stage};

/// A shader of GLSL for Vulkan.
pub fn read(stage: Stage, text: &str) -> Shader {
    front_end(stage, text, true)
}

/// A shader of GLSL for Vulkan or OpenGL, as the front end produces it.
pub fn front_end(stage: Stage, text: &str, vulkan: bool) -> Shader {
    // A geometry shader needs others, but not here.
    let link = LinkOptions { separable: stage == Stage::Geometry, ..LinkOptions::default() };
    linked(stage, text, vulkan, link)
}

fn linked(stage: Stage, text: &str, vulkan: bool, link: LinkOptions) -> Shader {
    let sources = [Source { name: "", stage, text }];
    let options = ProgramOptions { vulkan, link, ..ProgramOptions::default() };
    let mut program = airfoil::glsl::build(&sources, &options).unwrap_or_else(|e| panic!("{e:?}"));
    program.shaders.pop().expect("one stage")
}

/// Compiles a compute shader of GLSL for Vulkan.
pub fn compute(text: &str) -> Output {
    let shader = read(Stage::Compute, text);
    Compiler::new(CompileOptions::default()).compile(&mut [shader]).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The same with debug information.
pub fn compute_with_debug(text: &str) -> Output {
    let link = LinkOptions { keep_locals: true, ..LinkOptions::default() };
    let shader = linked(Stage::Compute, text, true, link);
    let mut options = CompileOptions::default();
    options.air.debug = Some(DebugOptions::default());
    Compiler::new(options).compile(&mut [shader]).unwrap_or_else(|e| panic!("{e:?}"))
}

/// A shader of GLSL for Vulkan, in the form that backends take.
pub fn lowered(stage: Stage, text: &str) -> Shader {
    let mut shader = read(stage, text);
    airfoil::steps::optimize(&mut shader, OptLevel::O2).unwrap_or_else(|e| panic!("{e:?}"));
    shader
}

/// The words of some bytes.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}

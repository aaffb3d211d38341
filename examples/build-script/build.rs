//! Compiles every program in `shaders` to a library in `OUT_DIR`, with its reflection as JSON.

use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{CompileOptions, Compiler, Stage};
use std::error::Error;
use std::path::Path;
use std::{env, fs};

/// The stages of each program.
const PROGRAMS: &[(&str, &[(&str, Stage)])] = &[
    ("triangle", &[("triangle.vert", Stage::Vertex), ("triangle.frag", Stage::Fragment)]),
    ("double", &[("double.comp", Stage::Compute)]),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=shaders");
    let out = env::var("OUT_DIR")?;
    // The oldest system that the application runs on.
    let compiler = Compiler::new(CompileOptions::new("macos13".parse()?));
    let options = ProgramOptions { vulkan: true, ..ProgramOptions::default() };
    for (name, stages) in PROGRAMS {
        let mut texts = Vec::new();
        for (file, stage) in *stages {
            texts.push((*file, *stage, fs::read_to_string(Path::new("shaders").join(file))?));
        }
        let sources: Vec<_> =
            texts.iter().map(|(name, stage, text)| Source { name, stage: *stage, text }).collect();
        let output = compiler.compile_glsl(&sources, &options)?;
        fs::write(format!("{out}/{name}.metallib"), &output.metallib)?;
        let reflections: Vec<String> = output.functions.iter().map(|f| f.reflection.to_json()).collect();
        fs::write(format!("{out}/{name}.json"), format!("[{}]", reflections.join(",\n")))?;
    }
    Ok(())
}

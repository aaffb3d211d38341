//! Times of a program at commit bfd6926c, before `airfoil-gl`: `driver_times.py` copies this file into a worktree of that commit, with
//! `measure.rs` of the example `times`.

#![allow(clippy::print_stdout, missing_docs)]

#[path = "../../compiler/gl/examples/times/measure.rs"]
mod measure;

use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{AirOptions, CompileOptions, Compiler, FlipWindow, Lowerings, OptLevel, Stage};
use measure::{Res, least, resident};

fn main() -> Res<()> {
    let mut files = Vec::new();
    for file in std::env::args().skip(1) {
        let stage = match file.rsplit('.').next() {
            Some("vert") => Stage::Vertex,
            Some("frag") => Stage::Fragment,
            _ => return Err(format!("`{file}`: the stage is unknown").into()),
        };
        files.push((stage, std::fs::read_to_string(&file)?));
    }
    let sources: Vec<Source<'_>> =
        files.iter().map(|(stage, text)| Source { name: "o", stage: *stage, text }).collect();
    let options = ProgramOptions::default();
    let compiler = Compiler::new(CompileOptions { level: OptLevel::O2, ..CompileOptions::default() });
    let words = |faults: Vec<airfoil::Diagnostic>| faults.first().map_or(String::new(), ToString::to_string);
    let total = least(|| Ok(compiler.compile_glsl(&sources, &options).map_err(words)?))?;
    println!("total {total:.1}");

    // A driver keeps the linked and the optimised shaders, and the reflection.
    let link = || -> Res<_> {
        let program = airfoil::read_glsl(&sources, &options).map_err(words)?;
        let mut shaders = program.shaders.clone();
        for shader in &mut shaders {
            airfoil::optimize(shader, OptLevel::O2).map_err(words)?;
        }
        Ok((program, shaders))
    };
    let before = resident()?;
    let copies = (0..50).map(|_| link()).collect::<Res<Vec<_>>>()?;
    println!("memory {:.0}", (resident()? - before) / copies.len() as f64);

    let (_, shaders) = link()?;
    let lowerings = Lowerings {
        flip_y: true,
        half_z: true,
        flip_window: Some(FlipWindow { height: 0, front_face: false }),
        ..Lowerings::default()
    };
    let air = AirOptions { lowerings, ..AirOptions::default() };
    for shader in &shaders {
        let one = std::slice::from_ref(shader);
        let variant = || -> Res<_> {
            let selected = airfoil::select_stages(one, OptLevel::O2, &air).map_err(words)?;
            Ok(airfoil::air::select::library(&selected, &air).map_err(words)?)
        };
        println!("{} {:.1}", shader.stage, least(variant)?);
    }
    Ok(())
}

//! Machine instructions of one phase of a compile, for valgrind:
//!
//! ```text
//! cargo build --profile conformance -p airfoil-tests --example phases
//! valgrind --tool=callgrind --collect-atstart=no --toggle-collect='phases::measured*' \
//!     target/conformance/examples/phases PHASE LEVEL FOLDER
//! ```
//!
//! `PHASE` is `read`, `optimize`, `select`, `write` or `compile`, which is all of them (SPIR-V modules in `FOLDER`), `naga` (the same modules to
//! Metal text), `glsl` (shaders in `FOLDER`, each as a program of its own) or `interpret` (the text form, executed on seeded inputs). The phase
//! `compile` prints a sum of hashes of the libraries, which shows whether two builds write the same.

use airfoil::glsl::{ProgramOptions, Source};
use airfoil::passes::manager::Manager;
use airfoil::{AirOptions, Form, OptLevel, ReadOptions, Stage};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::path::{Path, PathBuf};

/// The phase; its name keeps the function apart for valgrind.
#[inline(never)]
fn measured<T>(phase: impl FnOnce() -> T) -> T {
    black_box(phase())
}

fn when<T>(phase: &str, name: &str, work: impl FnOnce() -> T) -> T {
    if phase == name { measured(work) } else { work() }
}

/// Returns a hash of the library.
fn compile(level: OptLevel, path: &Path, manager: &mut Manager<'_>) -> Option<usize> {
    let bytes = std::fs::read(path).ok()?;
    let options = AirOptions::default();
    let library = measured(|| {
        let words = airfoil::spirv::from_bytes(&bytes).ok()?;
        let mut shader = airfoil::steps::read_spirv(&words, &ReadOptions::default()).ok()?;
        let _ = manager.run(airfoil::air::plan::pipeline(level, Form::Variables), &mut shader).ok()?;
        airfoil::air::select::select(&shader, &options).ok()?.to_metallib(&options).ok()
    })?;
    let mut hasher = DefaultHasher::new();
    library.hash(&mut hasher);
    Some(hasher.finish() as usize)
}

/// As the bench `core60`.
fn naga(path: &Path) -> Option<usize> {
    use naga::back::{msl, pipeline_constants::process_overrides};
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let read = naga::front::spv::Options { strict_capabilities: false, ..Default::default() };
    let write = msl::Options { lang_version: (3, 1), fake_missing_bindings: true, ..Default::default() };
    let bytes = std::fs::read(path).ok()?;
    measured(|| {
        let module = naga::front::spv::parse_u8_slice(&bytes, &read).ok()?;
        let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).ok()?;
        let (module, info) = process_overrides(&module, &info, None, &Default::default()).ok()?;
        let text = msl::write_string(&module, &info, &write, &msl::PipelineOptions::default()).ok()?;
        Some(text.0.len())
    })
}

fn spirv(phase: &str, level: OptLevel, path: &Path, manager: &mut Manager<'_>) -> Option<usize> {
    let words = airfoil::spirv::from_bytes(&std::fs::read(path).ok()?).ok()?;
    let options = AirOptions::default();
    let mut shader =
        when(phase, "read", || airfoil::steps::read_spirv(&words, &ReadOptions::default())).ok()?;
    let pipeline = airfoil::air::plan::pipeline(level, Form::Variables);
    let _ = when(phase, "optimize", || manager.run(pipeline, &mut shader)).ok()?;
    let selected = when(phase, "select", || airfoil::air::select::select(&shader, &options)).ok()?;
    when(phase, "write", || selected.to_metallib(&options)).ok().map(|library| library.len())
}

fn glsl(phase: &str, path: &Path) -> Option<usize> {
    let stages = [
        ("vert", Stage::Vertex),
        ("tesc", Stage::TessControl),
        ("tese", Stage::TessEval),
        ("geom", Stage::Geometry),
        ("frag", Stage::Fragment),
        ("comp", Stage::Compute),
    ];
    let extension = path.extension()?.to_str()?;
    let stage = stages.iter().find(|(name, _)| *name == extension)?.1;
    let text = std::fs::read_to_string(path).ok()?;
    let source = Source { name: "shader", stage, text: &text };
    let link = airfoil::glsl::link::LinkOptions { separable: true, ..Default::default() };
    let options = ProgramOptions { link, ..ProgramOptions::default() };
    let program = when(phase, "glsl", || airfoil::steps::read_glsl(&[source], &options)).ok()?;
    Some(program.shaders.len())
}

fn interpret(phase: &str, path: &Path) -> Option<usize> {
    let shader = airfoil::ir::text::parse(&std::fs::read_to_string(path).ok()?).ok()?;
    let options = airfoil_interp::Options::default();
    when(phase, "interpret", || airfoil_interp::execute(&shader, &options)).ok().map(|_| 1)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { files(&path, found)? } else { found.push(path) }
    }
    Ok(())
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [phase, level, folder] = arguments.as_slice() else {
        return Err("expected PHASE LEVEL FOLDER".into());
    };
    let level = if level == "0" { OptLevel::O0 } else { OptLevel::O2 };
    let mut paths = Vec::new();
    files(Path::new(folder), &mut paths)?;
    paths.sort();
    let mut manager = Manager::default();
    let done = paths.iter().filter_map(|path| match phase.as_str() {
        "compile" => compile(level, path, &mut manager),
        "naga" => naga(path),
        "glsl" => glsl(phase, path),
        "interpret" => interpret(phase, path),
        _ => spirv(phase, level, path, &mut manager),
    });
    let (count, sum) = done.fold((0, 0), |(count, sum), result: usize| (count + 1, result.wrapping_add(sum)));
    println!("{count} of {} files, {sum:x}", paths.len());
    Ok(())
}

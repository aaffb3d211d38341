//! `accept`: any shader files, to valid IR or all the way to `.metallib`.
//!
//! Around the compile stand checks that hold for every input: the IR is valid and its text reads back to the same,
//! the library reads back with right hashes and sizes, and compiling again gives the same bytes.

use super::execute::{self, Executed};
use crate::report::Verdict;
use airfoil::ir::text;
use airfoil::passes::Pipeline;
use airfoil::passes::manager::{Manager, Options as ManagerOptions};
use airfoil::{Diagnostic, OptLevel, ReadOptions, Shader, Stage};
use std::path::{Path, PathBuf};

/// Endings of the files that the suite takes.
pub const ENDINGS: &[&str] = &["spv", "foil"];

/// How far a shader has to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Valid IR.
    Ir,
    /// A library; stages that have none yet are skipped.
    Metallib,
    /// No crash: refusals are as good as anything.
    Survive,
}

/// What to do with each file.
#[derive(Clone, Debug)]
pub struct Options {
    /// How far it has to come.
    pub goal: Goal,
    /// How much is optimised.
    pub level: OptLevel,
    /// Check after every pass: valid, analyses kept as claimed, progress as claimed, text reads back.
    pub checked: bool,
    /// Execute before and after every pass, and compare.
    pub execute: bool,
    /// Where to leave libraries and bitcode for other readers.
    pub emit: Option<PathBuf>,
}

/// Tries one file.
pub fn run(name: &str, path: &Path, options: &Options) -> Verdict {
    let failed = |stage: &str, faults: Vec<Diagnostic>| match options.goal {
        Goal::Survive => match faults.iter().find(|d| d.message.trim().is_empty()) {
            Some(_) => Verdict::Failed(format!("{stage}: refused without words")),
            None => Verdict::Passed,
        },
        _ => Verdict::Failed(format!("{stage}: {}", words(&faults))),
    };
    let shaders = match read(path) {
        Ok(shaders) => shaders,
        Err(faults) => return failed("read", faults),
    };
    let mut left_out = None;
    for (index, shader) in shaders.into_iter().enumerate() {
        if let Err(reason) = check_ir(&shader) {
            return Verdict::Failed(reason);
        }
        if options.execute {
            match execute::check(&shader, options.level) {
                Ok(Executed::Agrees) => {}
                Ok(Executed::Nothing(reason)) => left_out = Some(reason),
                Err(reason) => return Verdict::Failed(format!("executes otherwise after {reason}")),
            }
        }
        if options.goal == Goal::Ir {
            continue;
        }
        if !matches!(shader.stage, Stage::Vertex | Stage::Fragment | Stage::Compute) {
            if options.goal == Goal::Metallib {
                return Verdict::Skipped(format!("stage {} has no library yet", shader.stage));
            }
            continue;
        }
        let again = shader.clone();
        let library = match compile(shader, options) {
            Ok(library) => library,
            Err((stage, faults)) => return failed(stage, faults),
        };
        if let Err(reason) = check_library(&library) {
            return Verdict::Failed(reason);
        }
        let plain = Options { checked: false, ..options.clone() };
        if !compile(again, &plain).is_ok_and(|second| second == library) {
            return Verdict::Failed("compiling again gives other bytes".into());
        }
        if let Some(folder) = &options.emit {
            let stem = format!("{}.{index}", name.replace('/', "__"));
            if let Err(e) = emit(folder, &stem, &library) {
                return Verdict::Failed(format!("cannot write to {}: {e}", folder.display()));
            }
        }
    }
    left_out.map_or(Verdict::Passed, Verdict::Skipped)
}

fn words(faults: &[Diagnostic]) -> String {
    faults.first().map_or("no reason given".into(), ToString::to_string)
}

/// All entry points of a file.
fn read(path: &Path) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    let io = |e: std::io::Error| vec![Diagnostic::error("E0001", e.to_string())];
    if path.extension().is_some_and(|e| e == "foil") {
        return Ok(vec![airfoil::read_foil(&std::fs::read_to_string(path).map_err(io)?)?]);
    }
    let words = airfoil::spirv::from_bytes(&std::fs::read(path).map_err(io)?)?;
    airfoil::spirv::entry_points(&words)?
        .into_iter()
        .map(|(entry, stage)| {
            let options = ReadOptions { entry: Some(entry), stage: Some(stage), ..ReadOptions::default() };
            airfoil::read_spirv(&words, &options)
        })
        .collect()
}

fn check_ir(shader: &Shader) -> Result<(), String> {
    airfoil::validate(shader).map_err(|faults| format!("invalid IR: {}", words(&faults)))?;
    check_text(&text::print(shader))
}

/// Printed text must parse and print to itself.
fn check_text(printed: &str) -> Result<(), String> {
    let again = text::parse(printed).map_err(|faults| format!("printed text: {}", words(&faults)))?;
    if text::print(&again) == printed {
        Ok(())
    } else {
        Err("printed text reads back as another shader".into())
    }
}

type Faults = (&'static str, Vec<Diagnostic>);

fn compile(mut shader: Shader, options: &Options) -> Result<Vec<u8>, Faults> {
    let pipeline =
        Pipeline::parse(options.level.pipeline(shader.form)).map_err(|fault| ("pipeline", vec![fault]))?;
    if options.checked {
        let mut dumps = Vec::new();
        let checks = ManagerOptions { dump_after: true, ..ManagerOptions::checked() };
        let done = Manager::new(checks).output(&mut dumps).run(&pipeline, &mut shader);
        done.map(drop).map_err(|faults| ("optimise", faults))?;
        check_dumps(&String::from_utf8_lossy(&dumps))
            .map_err(|reason| ("text", vec![Diagnostic::error("E0000", reason)]))?;
    } else {
        Manager::default().run(&pipeline, &mut shader).map(drop).map_err(|faults| ("optimise", faults))?;
    }
    let output = airfoil::to_metallib(&shader, &Default::default()).map_err(|faults| ("select", faults))?;
    Ok(output.metallib)
}

/// The text after every pass reads back to the same.
fn check_dumps(dumps: &str) -> Result<(), String> {
    // Passes without progress leave a head alone.
    let mut texts = dumps.split("; *** IR Dump").skip(1).filter_map(|dump| dump.split_once('\n'));
    texts.try_for_each(|(head, body)| match body.trim() {
        "" => Ok(()),
        body => check_text(&format!("{body}\n")).map_err(|reason| format!("{}: {reason}", head.trim())),
    })
}

/// The library reads back, with right sizes and hashes.
fn check_library(bytes: &[u8]) -> Result<(), String> {
    let library =
        airfoil::air::metallib::read(bytes).map_err(|e| format!("the library does not read back: {e}"))?;
    library.verify().map_err(|e| format!("the library is damaged: {e}"))
}

fn emit(folder: &Path, stem: &str, library: &[u8]) -> std::io::Result<()> {
    std::fs::write(folder.join(format!("{stem}.metallib")), library)?;
    let library = airfoil::air::metallib::read(library).map_err(std::io::Error::other)?;
    for (i, function) in library.functions.iter().enumerate() {
        std::fs::write(
            folder.join(format!("{stem}.{i}.bc")),
            function.bitcode().map_err(std::io::Error::other)?,
        )?;
    }
    Ok(())
}

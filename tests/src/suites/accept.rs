//! `accept`: any shader files, to valid IR or all the way to `.metallib`.
//!
//! Around the compile are checks that hold for every input: the IR is valid and its text reads back to the same,
//! the library reads back with right hashes and sizes, and compiling again gives the same bytes.

use super::execute::{self, Executed};
use super::glslang::LIST;
use super::spirv::{self, Written};
use crate::glsl_files::{is_for_vulkan, stage_of};
use crate::report::Verdict;
use airfoil::ir::text;
use airfoil::passes::manager::{Manager, Options as ManagerOptions};
use airfoil::spirv_out::Target;
use airfoil::steps::{PlanOptions, compile_plan, lower};
use airfoil::{Diagnostic, OptLevel, ReadOptions, Shader};
use airfoil_glsl::limits::Limits;
use airfoil_glsl::link::LinkOptions;
use airfoil_glsl::version::{Profile, Version};
use airfoil_glsl::{ProgramOptions, Source};
use std::path::{Path, PathBuf};

/// Endings of the files that the suite takes.
pub const ENDINGS: &[&str] = &["spv", "foil", "vert", "frag", "geom", "tesc", "tese", "comp", "glsl"];

/// How far a shader has to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Valid IR.
    Ir,
    /// A library.
    Metallib,
    /// A SPIR-V module that `spirv-val` accepts and that executes as the shader.
    Spirv,
    /// No crash: rejections pass.
    Survive,
    /// The entry in the list of verdicts, `EXPECT.tsv`, of the file's folder or one above.
    Verdict,
}

/// Options for each file.
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
    /// The system that libraries are for.
    pub target: airfoil::Target,
    /// The API that SPIR-V is for; by default that of the source, in its last version (OpenGL 4.5).
    pub spirv_target: Option<Target>,
    /// GLSL is for Vulkan, also outside of folders of that name.
    pub vulkan: bool,
    /// Where to leave libraries and bitcode for other readers.
    pub emit: Option<PathBuf>,
}

/// Tries one file.
pub fn run(name: &str, path: &Path, options: &Options) -> Verdict {
    if options.goal != Goal::Verdict {
        return attempt(name, path, options);
    }
    match expected(path) {
        Ok(Some(Expect::Any)) => attempt(name, path, &Options { goal: Goal::Survive, ..options.clone() }),
        Ok(Some(Expect::Accept)) => attempt(name, path, options),
        Ok(Some(Expect::Reject)) => match read(path, options.vulkan) {
            Ok(_) => Verdict::Failed("accepted".into()),
            Err(faults) => refused("read", &faults),
        },
        Ok(None) => Verdict::Skipped("not in the list of verdicts".into()),
        Err(reason) => Verdict::Failed(reason),
    }
}

/// The entry of a list about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Accept,
    Reject,
    Any,
}

/// The entry of a file in the list of its folder, or else the nearest folder above that has one. A line of a list is
/// `file<TAB>accept|reject|any<TAB>words`, the file named from the list's folder.
fn expected(path: &Path) -> Result<Option<Expect>, String> {
    for folder in path.ancestors().skip(1) {
        let list = folder.join(LIST);
        let Ok(text) = std::fs::read_to_string(&list) else { continue };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut fields = line.split('\t');
            if fields.next().is_none_or(|file| folder.join(file) != path) {
                continue;
            }
            return match fields.next() {
                Some("accept") => Ok(Some(Expect::Accept)),
                Some("reject") => Ok(Some(Expect::Reject)),
                Some("any") => Ok(Some(Expect::Any)),
                _ => Err(format!("{}: `{line}` is not an entry", list.display())),
            };
        }
        return Ok(None);
    }
    Err(format!("no {LIST} in the folder or above"))
}

/// A rejection counts as a failure only if it does not give a reason.
fn refused(stage: &str, faults: &[Diagnostic]) -> Verdict {
    if faults.is_empty() || faults.iter().any(|d| d.message.trim().is_empty()) {
        return Verdict::Failed(format!("{stage}: refused without words"));
    }
    Verdict::Passed
}

/// A module that is not valid need not be written.
fn invalid(reason: &str) -> Verdict {
    Verdict::Skipped(format!("invalid as it is: {reason}"))
}

fn attempt(name: &str, path: &Path, options: &Options) -> Verdict {
    let spirv_target = options.spirv_target.unwrap_or_else(|| api_of(path, options.vulkan));
    let failed = |stage: &str, faults: Vec<Diagnostic>| match options.goal {
        Goal::Survive => refused(stage, &faults),
        Goal::Spirv => match spirv::invalid_source(path, spirv_target) {
            Ok(Some(reason)) => invalid(&reason),
            _ => Verdict::Failed(format!("{stage}: {}", words(&faults))),
        },
        _ => Verdict::Failed(format!("{stage}: {}", words(&faults))),
    };
    let shaders = match read_with(path, options.vulkan, options.goal == Goal::Spirv) {
        Ok(shaders) => shaders,
        Err(faults) => return failed("read", faults),
    };
    let mut left_out = None;
    for (index, shader) in shaders.into_iter().enumerate() {
        if let Err(reason) = check_ir(&shader, options.goal) {
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
        if options.goal == Goal::Spirv {
            match spirv::check(shader, path, options.level, spirv_target) {
                Ok(Written::Valid(reason)) => {
                    left_out = left_out.or(reason.map(|r| format!("not executed: {r}")))
                }
                Ok(Written::InvalidSource(reason)) => return invalid(&reason),
                Err(reason) => return Verdict::Failed(reason),
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

/// The API that a file is for.
fn api_of(path: &Path, vulkan: bool) -> Target {
    let glsl = path.extension().is_some_and(|e| e != "spv" && e != "foil");
    if glsl && !vulkan && !is_for_vulkan(path) { Target::OPENGL_4_5 } else { Target::default() }
}

/// The first error; there may be warnings before it.
pub(super) fn words(faults: &[Diagnostic]) -> String {
    let error = faults.iter().find(|d| d.severity == airfoil::Severity::Error);
    error.or(faults.first()).map_or("no reason given".into(), ToString::to_string)
}

/// All entry points of a file.
pub(super) fn read(path: &Path, vulkan: bool) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    read_with(path, vulkan, false)
}

/// All entry points of a file, with open specialization constants if requested.
fn read_with(path: &Path, vulkan: bool, keep_spec_constants: bool) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    let io = |e: std::io::Error| vec![Diagnostic::error("E0001", e.to_string())];
    if path.extension().is_some_and(|e| e == "foil") {
        return Ok(vec![airfoil::steps::read_foil(&std::fs::read_to_string(path).map_err(io)?)?]);
    }
    if path.extension().is_some_and(|e| e != "spv") {
        return read_glsl(path, vulkan || is_for_vulkan(path), keep_spec_constants);
    }
    let words = airfoil::spirv::from_bytes(&std::fs::read(path).map_err(io)?)?;
    airfoil::spirv::entry_points(&words)?
        .into_iter()
        .map(|(entry, stage)| {
            let options = ReadOptions {
                entry: Some(entry),
                stage: Some(stage),
                keep_spec_constants,
                keep_workgroup_constants: keep_spec_constants,
                ..ReadOptions::default()
            };
            Ok(airfoil::steps::read_spirv(&words, &options)?)
        })
        .collect()
}

/// A GLSL file alone, as a separable program with the limits of Metal. Properties that the folder does not specify are tried: ES 1.00 for
/// a shader without `#version`, then Vulkan; for Vulkan such a shader is GLSL 4.50. Bytes that are not UTF-8 are replaced: the language has its own words for them.
fn read_glsl(path: &Path, vulkan: bool, open_constants: bool) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    let fault = |message: String| vec![Diagnostic::error("E0001", message)];
    let stage = stage_of(path).ok_or_else(|| fault("the name tells no stage".into()))?;
    let bytes = std::fs::read(path).map_err(|e| fault(e.to_string()))?;
    let text = String::from_utf8_lossy(&bytes);
    let es_limits = airfoil::metal_limits(Limits::ES);
    let link =
        LinkOptions { separable: true, limits: airfoil::metal_limits(Limits::GL), ..LinkOptions::default() };
    // Vulkan has no older version.
    let default_version = vulkan.then_some(Version { number: 450, profile: Profile::Core });
    let options = ProgramOptions {
        vulkan,
        default_version,
        link,
        es_limits,
        open_constants,
        open_workgroup_size: open_constants,
        ..ProgramOptions::default()
    };
    let build = |options: &ProgramOptions| {
        Ok(airfoil_glsl::build(&[Source { name: "", stage, text: &text }], options)?.shaders)
    };
    let mut result = build(&options);
    if result.is_err() && !vulkan {
        let es = Version { number: 100, profile: Profile::Es };
        let others = [
            ProgramOptions { default_version: Some(es), ..options.clone() },
            ProgramOptions { vulkan: true, ..options.clone() },
        ];
        if let Some(accepted) = others.iter().find_map(|o| build(o).ok()) {
            result = Ok(accepted);
        }
    }
    result
}

fn check_ir(shader: &Shader, goal: Goal) -> Result<(), String> {
    airfoil::steps::validate(shader).map_err(|faults| format!("invalid IR: {}", words(&faults)))?;
    match goal {
        // Lists of verdicts are for hostile shaders: some nest deeper than the parser of the text form allows.
        Goal::Verdict | Goal::Survive => Ok(()),
        Goal::Ir | Goal::Metallib | Goal::Spirv => check_text(&text::print(shader)),
    }
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

fn compile(shader: Shader, options: &Options) -> Result<Vec<u8>, Faults> {
    let air = airfoil::AirOptions { target: options.target, ..airfoil::AirOptions::default() };
    let choices = PlanOptions::new(options.level);
    let mut shaders = [shader];
    let plan = compile_plan(&shaders, &choices);
    let mut dumps = Vec::new();
    let checks = ManagerOptions { dump_after: true, ..ManagerOptions::checked() };
    let mut manager = match options.checked {
        true => Manager::new(checks).output(&mut dumps),
        false => Manager::default(),
    };
    let layouts =
        lower(&mut shaders, &plan, &choices, &mut manager).map_err(|faults| ("optimise", faults))?;
    drop(manager);
    check_dumps(&String::from_utf8_lossy(&dumps))
        .map_err(|reason| ("text", vec![Diagnostic::error("E0000", reason)]))?;
    let selected = airfoil::steps::emit(&shaders, layouts, &air).map_err(|faults| ("select", faults))?;
    airfoil::air::library::library(&selected, &air).map_err(|faults| ("library", faults))
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

/// The library reads back, and violates no rule of Metal.
fn check_library(bytes: &[u8]) -> Result<(), String> {
    let found = airfoil::air::lint::library(bytes, &airfoil::air::lint::Options::default());
    let error = found.iter().find(|f| !f.rule.info().warning);
    error.map_or(Ok(()), |f| Err(format!("the library violates a rule of Metal: {f}")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_of_a_list() {
        let root = std::env::temp_dir().join(format!("airfoil-{}-verdicts", std::process::id()));
        let folder = root.join("x");
        std::fs::create_dir_all(&folder).unwrap();
        let good = "#version 330\nout vec4 c;\nvoid main() { c = vec4(1); }\n";
        let bad = "#version 330\nvoid main() { c = 1; }\n";
        let list = "# head\nx/a.frag\taccept\t\nx/b.frag\treject\t\nx/c.frag\tany\twords\nx/d.frag\treject\nx/e.frag\taccept\nx/f.frag\tso";
        std::fs::write(root.join(LIST), list).unwrap();
        let options = Options {
            goal: Goal::Verdict,
            level: OptLevel::O2,
            checked: false,
            execute: false,
            target: airfoil::Target::default(),
            spirv_target: None,
            vulkan: false,
            emit: None,
        };
        let judge = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            run(name, &path, &options)
        };
        assert_eq!(judge("a.frag", good), Verdict::Passed);
        assert_eq!(judge("b.frag", bad), Verdict::Passed);
        assert_eq!(judge("c.frag", good), Verdict::Passed);
        assert_eq!(judge("c.frag", bad), Verdict::Passed);
        assert_eq!(judge("d.frag", good), Verdict::Failed("accepted".into()));
        assert!(matches!(judge("e.frag", bad), Verdict::Failed(_)));
        assert!(
            matches!(judge("f.frag", good), Verdict::Failed(reason) if reason.contains("is not an entry"))
        );
        assert!(matches!(judge("g.frag", good), Verdict::Skipped(_)));
        std::fs::remove_dir_all(&root).unwrap();
    }
}

//! Over all programs of the corpora: every input of a fragment function is an output of the function before it, with the same
//! name and type in the metadata, as Metal requires. `--nocapture` prints how many match.

#![allow(clippy::print_stdout)]

use airfoil::air::inspect::{self, Item};
use airfoil::air::select::{FunctionStage, InterfaceRole, InterfaceValue};
use airfoil::air::{bitcode, metallib};
use airfoil::glsl::limits::Limits;
use airfoil::glsl::link::LinkOptions;
use airfoil::glsl::version::{Profile, Version};
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::{CompileOptions, Compiler, Errors, OptLevel, Output, ReadOptions, Shader, Stage};
use airfoil_filetest::harness;
use airfoil_tests::amber;
use airfoil_tests::amber::script::{self, Attached, Script};
use airfoil_tests::corpus;
use airfoil_tests::cts::case::{Expect, Kind};
use airfoil_tests::cts::{self, Dialect, specialize};
use airfoil_tests::piglit::parser;
use airfoil_tests::suites::airfoil_build::parse_version;
use std::path::{Path, PathBuf};

#[derive(Default)]
struct Count {
    matching: usize,
    rejected: usize,
    wrong: Vec<String>,
}

impl Count {
    fn add(&mut self, name: &str, output: Result<Output, Errors>) {
        match output.as_ref().map(mismatch) {
            Ok(None) => self.matching += 1,
            Ok(Some(why)) => self.wrong.push(format!("{name}: {why}")),
            Err(_) => self.rejected += 1,
        }
    }

    /// Prints the counts and returns the mismatches.
    fn report(self, what: &str, least: usize) {
        let Count { matching, rejected, wrong } = self;
        println!("{what}: {matching} programs match, {} do not, {rejected} do not compile", wrong.len());
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(matching >= least, "only {matching} programs match");
    }
}

/// The first input of the fragment function that the function before it does not have, or a vertex function without position.
fn mismatch(output: &Output) -> Option<String> {
    let fragment = output.function(Stage::Fragment)?;
    let before = output.functions.iter().rev().find(|f| f.stage != Stage::Fragment)?;
    if before.reflection.stage == FunctionStage::Mesh {
        let written = &before.reflection.outputs;
        let is_read = |v: &&InterfaceValue| v.role == InterfaceRole::FragmentInput;
        let mut reads = fragment.reflection.inputs.iter().filter(is_read);
        let missing = reads.find(|read| {
            !written.iter().any(|v| (v.location, &v.type_name) == (read.location, &read.type_name))
        });
        return missing.map(|read| format!("{read:?} is not among {written:?}"));
    }
    // In the metadata, varyings have names such as `user(locn0)`.
    let library = metallib::read(&output.metallib).expect("the library reads back");
    let entry = |name: &str| {
        let function =
            library.functions.iter().find(|f| f.entry.name == name).expect("the function is there");
        let module = bitcode::read(function.bitcode().expect("bitcode")).expect("the module reads back");
        inspect::inspect(&module).entries.remove(0)
    };
    let varying = |item: &Item| {
        let name = item.notes.iter().find(|note| note.starts_with("user("))?;
        // An interpolant is the value before interpolation: `interpolant<float3, interpolation::perspective>`.
        let ty = item.ty.strip_prefix("interpolant<").and_then(|ty| ty.split_once(',')).map(|(ty, _)| ty);
        Some((name.clone(), ty.unwrap_or(&item.ty).to_owned()))
    };
    let (before, fragment) = (entry(&before.name), entry(&fragment.name));
    let written: Vec<_> = before.outputs.iter().filter_map(varying).collect();
    let mut reads = fragment.inputs.iter().filter_map(varying);
    if let Some(read) = reads.find(|read| !written.contains(read)) {
        return Some(format!("{read:?} is not among {written:?}"));
    }
    let has_position = before.outputs.iter().any(|item| item.kind == "position");
    (!has_position && !written.is_empty()).then(|| "there is no position".to_owned())
}

const LEVELS: [OptLevel; 2] = [OptLevel::O0, OptLevel::O2];

fn compile_glsl(level: OptLevel, sources: &[Source<'_>], options: &ProgramOptions) -> Result<Output, Errors> {
    Compiler::new(CompileOptions::default().level(level)).compile_glsl(sources, options)
}

fn options() -> ProgramOptions {
    let link = LinkOptions { limits: airfoil::metal_limits(Limits::GL), ..LinkOptions::default() };
    ProgramOptions { link, es_limits: airfoil::metal_limits(Limits::ES), ..ProgramOptions::default() }
}

fn folder(name: &str) -> PathBuf {
    harness::corpus().expect("the test declares that it needs the corpus").join(name)
}

/// Pairs of files whose names differ in `vert` and `frag` alone.
fn pairs(folder: &Path, endings: &[&str]) -> Vec<[PathBuf; 2]> {
    let files = corpus::files(folder, endings).unwrap();
    let name = |path: &PathBuf| path.display().to_string();
    let fragment = |path: &PathBuf| {
        let text = name(path);
        let at = text.rfind("vert")?;
        let other = PathBuf::from(format!("{}frag{}", &text[..at], &text[at + 4..]));
        other.exists().then(|| [path.clone(), other])
    };
    files.iter().filter_map(fragment).collect()
}

fn interfaces_of_piglit_match() {
    let folder = folder("piglit");
    let mut count = Count::default();
    for file in corpus::files(&folder, &["shader_test"]).unwrap() {
        let Ok(script) = parser::parse(&corpus::read_text(&file).unwrap()) else { continue };
        let sources: Vec<Source<'_>> =
            script.shaders.iter().map(|(stage, text)| Source { name: "", stage: *stage, text }).collect();
        if !sources.iter().any(|s| s.stage == Stage::Fragment) || sources.len() < 2 {
            continue;
        }
        let version = parse_version(script.version.as_deref().unwrap_or("110"));
        let options = ProgramOptions { default_version: version, ..options() };
        for level in LEVELS {
            count.add(&corpus::name(&folder, &file), compile_glsl(level, &sources, &options));
        }
    }
    count.report("piglit", 500);
}

fn interfaces_of_real_glsl_match() {
    let mut count = Count::default();
    for (name, vulkan) in [("real-glsl/gl", false), ("real-glsl/vulkan", true)] {
        let folder = folder(name);
        for [vertex, fragment] in pairs(&folder, &["vert", "glsl"]) {
            let texts = [&vertex, &fragment].map(|path| corpus::read_text(path).unwrap());
            let stages = [Stage::Vertex, Stage::Fragment];
            let sources: Vec<Source<'_>> = stages
                .into_iter()
                .zip(&texts)
                .map(|(stage, text)| Source { name: "", stage, text })
                .collect();
            for level in LEVELS {
                let options = ProgramOptions { vulkan, ..options() };
                count.add(&corpus::name(&folder, &vertex), compile_glsl(level, &sources, &options));
            }
        }
    }
    count.report("real-glsl", 20);
}

fn interfaces_of_real_spirv_match() {
    let folder = folder("real-spv");
    let mut count = Count::default();
    let read = |path: &PathBuf, name: &str| {
        let words = airfoil::spirv::from_bytes(&std::fs::read(path).unwrap())?;
        let mut shader = airfoil::steps::read_spirv(&words, &ReadOptions::default())?;
        shader.name = name.into();
        Ok::<_, Errors>(shader)
    };
    for [vertex, fragment] in pairs(&folder, &["spv"]) {
        for level in LEVELS {
            let both = || {
                let mut shaders = [read(&vertex, "vertex_main")?, read(&fragment, "fragment_main")?];
                Compiler::new(CompileOptions::default().level(level)).compile(&mut shaders)
            };
            count.add(&corpus::name(&folder, &vertex), both());
        }
    }
    count.report("real-spv", 20);
}

/// Programs with several stages, linked as one.
fn interfaces_of_cts_match() {
    let folder = folder("cts");
    let mut count = Count::default();
    for path in corpus::files(&folder, &["test"]).unwrap() {
        let file = cts::parser::load(&path).unwrap();
        let dialect = Dialect::of(&path);
        let cases = file
            .cases
            .iter()
            .filter(|case| case.expect == Expect::Pass && !matches!(case.kind, Kind::Pipeline(_)));
        for case in cases {
            let Ok(programs) = specialize::programs(case, &case.values[0], dialect, &|_| true) else {
                continue;
            };
            for program in programs.iter().filter(|p| p.len() > 1) {
                let sources: Vec<Source<'_>> =
                    program.iter().map(|s| Source { name: "", stage: s.stage, text: &s.text }).collect();
                let default_version = parse_version(if case.version.es { "100" } else { "110" });
                let vulkan = dialect == Dialect::Vk;
                let options = ProgramOptions { default_version, vulkan, ..options() };
                count.add(&case.name, compile_glsl(OptLevel::O2, &sources, &options));
            }
        }
    }
    count.report("cts", 1000);
}

/// A stage of a pipeline of a script; `None` if it is of another language, or none of its own.
fn stage_of_script(script: &Script, attached: &Attached) -> Option<Result<Shader, Errors>> {
    let code = &script.shaders[attached.shader];
    let read = ReadOptions {
        entry: Some(attached.entry.clone()),
        stage: Some(attached.stage),
        spec: attached.spec.clone(),
        ..ReadOptions::default()
    };
    let version = Version { number: 450, profile: Profile::Core };
    let shader = match &code.source {
        script::Source::Assembly(text) => {
            let options = airfoil_spirv_asm::Options { version: code.spirv };
            let words =
                airfoil_spirv_asm::assemble(text, &options).expect("the test amber_corpus assembles it");
            airfoil::steps::read_spirv(&words, &read)
        }
        script::Source::Glsl(text) => {
            let source = Source { name: "", stage: attached.stage, text };
            let link = LinkOptions { separable: true, ..options().link };
            let options = ProgramOptions { vulkan: true, default_version: Some(version), link, ..options() };
            airfoil::steps::read_glsl(&[source], &options).map(|mut program| program.shaders.remove(0))
        }
        _ => return None,
    };
    Some(shader.map(|mut shader| {
        shader.name = format!("{}_main", attached.stage).into();
        shader
    }))
}

fn interfaces_of_amber_match() {
    let folder = folder("amber");
    let mut count = Count::default();
    for path in corpus::files(&folder, &["amber", "vkscript"]).unwrap() {
        let Ok(script) = amber::parse(&corpus::read_text(&path).unwrap(), &|_| None) else { continue };
        for pipeline in script.pipelines.iter().filter(|p| p.shaders.len() > 1) {
            let mut attached: Vec<&Attached> = pipeline.shaders.iter().collect();
            attached.sort_by_key(|a| a.stage);
            let stages: Option<Result<Vec<Shader>, Errors>> =
                attached.iter().map(|a| stage_of_script(&script, a)).collect();
            let Some(stages) = stages else { continue };
            let compiler = Compiler::new(CompileOptions::default());
            count.add(&corpus::name(&folder, &path), stages.and_then(|mut s| compiler.compile(&mut s)));
        }
    }
    count.report("amber", 20);
}

airfoil_filetest::harness! {
    interfaces_of_amber_match needs(Corpus("amber"));
    interfaces_of_cts_match needs(Corpus("cts"));
    interfaces_of_piglit_match needs(Corpus("piglit"));
    interfaces_of_real_glsl_match needs(Corpus("real-glsl"));
    interfaces_of_real_spirv_match needs(Corpus("real-spv"));
}

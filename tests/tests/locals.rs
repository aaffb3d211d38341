//! Shaders whose locals become values and whose functions are inlined while they are read execute as those whose locals stay
//! variables and whose calls stay calls.

use airfoil::ReadOptions;
use airfoil::glsl::{ProgramOptions, Source};
use airfoil::ir::{Shader, Stage};
use airfoil_check::generate::{self, Dialect};
use airfoil_check::{Baseline, Compared, Runs};
use airfoil_filetest::harness;
use airfoil_interp::Tolerance;
use airfoil_tests::corpus;

/// Comparisons of shaders.
#[derive(Default)]
struct Comparison {
    compared: usize,
    values: usize,
    wrong: Vec<String>,
}

impl Comparison {
    fn add(&mut self, name: &str, before: &Shader, after: &Shader) {
        if let Err(faults) = airfoil::steps::validate(after) {
            return self.wrong.push(format!("{name}: {}", faults[0]));
        }
        let baseline = Baseline::of(before, &Runs { seeds: 3, max_steps: 30_000 });
        self.values += baseline.values();
        match baseline.compare(after, Tolerance::EXACT) {
            Compared::Differs(mismatch) => self.wrong.push(format!("{name}: {mismatch}")),
            Compared::NotExecuted(reason) => self.wrong.push(format!("{name}: {reason}")),
            Compared::Agrees => self.compared += 1,
        }
    }

    #[track_caller]
    fn check(self, compared: usize, values: usize) {
        let Comparison { compared: n, values: v, wrong } = self;
        assert!(wrong.is_empty(), "{} of {n}:\n{}", wrong.len(), wrong.join("\n"));
        assert!(n >= compared && v > values, "{n} shaders, {v} values");
    }
}

fn locals_of_spirv_execute_as_variables() {
    let folder = harness::corpus().expect("the test declares that it needs the corpus");
    let mut comparison = Comparison::default();
    for set in ["bench/core60", "real-spv", "spirv-asm"] {
        for path in corpus::files(&folder.join(set), &["spv"]).unwrap() {
            let Ok(words) = airfoil::spirv::from_bytes(&std::fs::read(&path).unwrap()) else { continue };
            let read = |keep_locals| {
                let options = ReadOptions { keep_locals, ..ReadOptions::default() };
                airfoil::steps::read_spirv(&words, &options)
            };
            let (Ok(before), after) = (read(true), read(false)) else { continue };
            comparison.add(&path.display().to_string(), &before, &after.unwrap());
        }
    }
    comparison.check(600, 50_000);
}

/// Endings of files.
const STAGES: [(&str, Stage); 6] = [
    ("vert", Stage::Vertex),
    ("tesc", Stage::TessControl),
    ("tese", Stage::TessEval),
    ("geom", Stage::Geometry),
    ("frag", Stage::Fragment),
    ("comp", Stage::Compute),
];

/// Compares the shaders of a program.
fn add_program(comparison: &mut Comparison, name: &str, sources: &[Source<'_>], vulkan: bool) {
    let build = |keep_locals| {
        let mut options = ProgramOptions { vulkan, ..ProgramOptions::default() };
        options.link.separable = true;
        options.link.keep_locals = keep_locals;
        airfoil::glsl::build(sources, &options)
    };
    let (Ok(before), after) = (build(true), build(false)) else { return };
    for (before, after) in before.shaders.iter().zip(&after.unwrap().shaders) {
        comparison.add(&format!("{name} {}", before.stage), before, after);
    }
}

fn locals_of_glsl_execute_as_variables() {
    let folder = harness::corpus().expect("the test declares that it needs the corpus");
    let mut comparison = Comparison::default();
    for (set, vulkan) in [("real-glsl/gl", false), ("real-glsl/vulkan", true)] {
        for path in corpus::files(&folder.join(set), &STAGES.map(|s| s.0)).unwrap() {
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            let Some(&(_, stage)) = STAGES.iter().find(|(name, _)| *name == ending) else { continue };
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let name = path.display().to_string();
            add_program(&mut comparison, &name, &[Source { name: "", stage, text: &text }], vulkan);
        }
    }
    comparison.check(300, 10_000);
}

fn locals_of_generated_programs_execute_as_variables() {
    let mut comparison = Comparison::default();
    for stage in generate::STAGES {
        for seed in 0..40 {
            let program = generate::program(Dialect::Vulkan, stage, 7000 + seed);
            let sources: Vec<Source<'_>> = program
                .sources
                .iter()
                .map(|(stage, text)| Source { name: "", stage: *stage, text })
                .collect();
            add_program(&mut comparison, &format!("{stage} {seed}"), &sources, true);
        }
    }
    comparison.check(240, 5_000);
}

airfoil_filetest::harness! {
    locals_of_spirv_execute_as_variables needs(Corpus("real-spv"));
    locals_of_glsl_execute_as_variables needs(Corpus("real-glsl"));
    locals_of_generated_programs_execute_as_variables;
}

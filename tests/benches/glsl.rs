//! GLSL to the IR, by phase, compared with naga's GLSL reader in one process and glslangValidator as a process.
//!
//! `cargo bench -p airfoil-tests --bench glsl [-- FOLDER...]`. The best of several runs counts for each shader, because
//! other work on the machine only ever adds time; runs of the two libraries alternate, so that both run under the same
//! load.
//!
//! With `--once airfoil`, `--once naga` or `--once neither` the files that both accept are read once by one of them, for
//! counters of machine instructions: `valgrind --tool=callgrind target/release/deps/glsl-HASH --bench --once naga`.
#![allow(missing_docs, clippy::print_stdout)]

use airfoil::Stage;
use airfoil_glsl::Source;
use airfoil_glsl::internals::{
    CheckSource, LowerOptions, PreprocessOptions, check, lower, parse, preprocess,
};
use airfoil_glsl::limits::Limits;
use airfoil_glsl::link::{LinkOptions, link};
use airfoil_tests::glsl_files::{is_for_vulkan, stage_of};
use airfoil_tests::{corpus, glsl_files};
use bumpalo::Bump;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

const RUNS: usize = 20;
/// Processes are started less often: they take a hundred times as long.
const PROCESSES: usize = 3;

/// A file of the set.
struct Shader {
    path: PathBuf,
    stage: Stage,
    vulkan: bool,
    text: String,
}

/// Sums over shaders of the best time of each phase, in seconds.
struct Phases<const N: usize> {
    times: [f64; N],
    shaders: usize,
    lines: usize,
}

impl<const N: usize> Phases<N> {
    fn new() -> Phases<N> {
        Phases { times: [0.0; N], shaders: 0, lines: 0 }
    }

    /// Runs `work` many times; it returns the times of its phases, or none if the shader is rejected.
    fn add_best(&mut self, shader: &Shader, work: impl FnMut() -> Option<[f64; N]>) -> bool {
        self.add_best_of(RUNS, shader, work)
    }

    fn add_best_of(
        &mut self,
        runs: usize,
        shader: &Shader,
        mut work: impl FnMut() -> Option<[f64; N]>,
    ) -> bool {
        let mut best = [f64::MAX; N];
        for _ in 0..runs {
            let Some(times) = work() else { return false };
            best.iter_mut().zip(times).for_each(|(b, t)| *b = b.min(t));
        }
        self.times.iter_mut().zip(best).for_each(|(sum, b)| *sum += b);
        self.shaders += 1;
        self.lines += shader.text.lines().count();
        true
    }

    fn print(&self, title: &str, names: [&str; N]) {
        let per_shader = |seconds: f64| seconds * 1e6 / self.shaders.max(1) as f64;
        let all: f64 = self.times.iter().sum();
        let speed = self.lines as f64 / all.max(f64::MIN_POSITIVE) / 1e6;
        print!("{title:<24}{:>8.1} us/shader {speed:>6.2} M lines/s  (", per_shader(all));
        for (i, (name, t)) in names.iter().zip(self.times).enumerate() {
            print!("{}{name} {:.1}", if i == 0 { "" } else { ", " }, per_shader(t));
        }
        println!(")  {} shaders, {} lines", self.shaders, self.lines);
    }
}

fn timed<T>(times: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *times = start.elapsed().as_secs_f64();
    result
}

/// The steps of `airfoil_glsl::build`, phase by phase.
fn airfoil(shader: &Shader) -> Option<[f64; 5]> {
    let mut t = [0.0; 5];
    let options = PreprocessOptions {
        stage: Some(shader.stage),
        vulkan: shader.vulkan,
        ..PreprocessOptions::default()
    };
    let mut pre = timed(&mut t[0], || preprocess(&[&shader.text], &options));
    let mut diags = std::mem::take(&mut pre.diagnostics);
    let bump = Bump::with_capacity(pre.tokens.len() * 24);
    let tree = timed(&mut t[1], || parse(&bump, &mut pre, &mut diags));
    if diags.has_errors() {
        return None;
    }
    let source = CheckSource {
        stage: shader.stage,
        version: pre.version,
        vulkan: shader.vulkan,
        extensions: pre.extensions,
        names: std::mem::take(&mut pre.names),
        lines: std::mem::take(&mut pre.lines),
        pragmas: std::mem::take(&mut pre.pragmas),
        enforce_es100_limits: false,
        spec: Vec::new(),
        open: Vec::new(),
        stop: Default::default(),
    };
    let es = pre.version.is_es();
    let limits = airfoil::metal_limits(if es { Limits::ES } else { Limits::GL });
    let (unit, found) = timed(&mut t[2], || check(source, &tree, &limits));
    if found.has_errors() {
        return None;
    }
    let options = LinkOptions { separable: true, limits, ..LinkOptions::default() };
    let linked = timed(&mut t[3], || link(vec![unit], &options)).ok()?;
    let lowered = timed(&mut t[4], || lower(&linked.units[0], &LowerOptions::default())).ok()?;
    black_box(lowered);
    Some(t)
}

/// The call that users make, for comparison with the sum of the phases.
fn whole(shader: &Shader) -> Option<[f64; 1]> {
    let mut t = [0.0];
    let options = airfoil_glsl::ProgramOptions {
        vulkan: shader.vulkan,
        es_limits: airfoil::metal_limits(Limits::ES),
        link: LinkOptions {
            separable: true,
            limits: airfoil::metal_limits(Limits::GL),
            ..LinkOptions::default()
        },
        ..airfoil_glsl::ProgramOptions::default()
    };
    let sources = [Source { name: "", stage: shader.stage, text: &shader.text }];
    let built = timed(&mut t[0], || airfoil_glsl::build(&sources, &options));
    black_box(built.ok()?);
    Some(t)
}

fn naga(shader: &Shader) -> Option<[f64; 1]> {
    use naga::front::glsl::{Frontend, Options};
    let stage = match shader.stage {
        Stage::Vertex => naga::ShaderStage::Vertex,
        Stage::Fragment => naga::ShaderStage::Fragment,
        Stage::Compute => naga::ShaderStage::Compute,
        _ => return None,
    };
    let mut t = [0.0];
    let module = timed(&mut t[0], || Frontend::default().parse(&Options::from(stage), &shader.text));
    black_box(module.ok()?);
    Some(t)
}

/// glslangValidator on a file, as a process.
fn glslang(path: &std::path::Path, vulkan: bool) -> Option<[f64; 1]> {
    let mut t = [0.0];
    let mut command = Command::new("glslangValidator");
    command.args(if vulkan { &["-V", "-o", "/dev/null"][..] } else { &[] }).arg(path).stdout(Stdio::null());
    let status = timed(&mut t[0], || command.status()).ok()?;
    status.success().then_some(t)
}

fn print_airfoil<'a>(title: &str, set: impl Iterator<Item = &'a Shader> + Clone) {
    let mut phases = Phases::new();
    let mut together = Phases::new();
    for shader in set {
        if phases.add_best(shader, || airfoil(shader)) {
            together.add_best(shader, || whole(shader));
        }
    }
    phases.print(title, ["preprocess", "parse", "check", "link", "lower"]);
    together.print("  by build()", ["all"]);
}

/// The cost of reading the smallest useful shader.
fn small() {
    let text =
        "#version 300 es\nprecision mediump float; in vec4 a; out vec4 c;\nvoid main() { c = a * 0.5; }\n";
    let shader = Shader { path: PathBuf::new(), stage: Stage::Fragment, vulkan: false, text: text.into() };
    let mut phases = Phases::new();
    phases.add_best(&shader, || whole(&shader));
    phases.print("three lines", ["build()"]);
}

/// Reads the files that both accept once, by one of them.
fn once(who: &str, set: &[Shader]) {
    // Finding out which they are costs the same for both, whichever is measured.
    let both: Vec<&Shader> = set.iter().filter(|s| naga(s).is_some() && whole(s).is_some()).collect();
    for shader in &both {
        match who {
            "airfoil" => drop(black_box(whole(shader))),
            "naga" => drop(black_box(naga(shader))),
            _ => {}
        }
    }
    println!("{} shaders", both.len());
}

fn main() {
    // Cargo passes `--bench`.
    let mut args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let counted = args.iter().position(|a| a == "--once").map(|at| {
        let who = args.get(at + 1).expect("--once airfoil, naga or neither").clone();
        args.drain(at..at + 2);
        who
    });
    let folders: Vec<PathBuf> = args.iter().map(PathBuf::from).collect();
    let folders = match (folders.is_empty(), corpus::shared()) {
        (false, _) => folders,
        (true, Some(shared)) => {
            ["real-glsl/gl", "real-glsl/vulkan", "naga-in/glsl"].map(|f| shared.join("corpus").join(f)).into()
        }
        (true, None) => {
            println!("skipped: no ../shared/corpus; give folders of shaders");
            return;
        }
    };
    let mut set = Vec::new();
    for path in
        folders.iter().flat_map(|f| corpus::files(f, glsl_files::ENDINGS).expect("the folder can be read"))
    {
        let Some(stage) = stage_of(&path) else { continue };
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let vulkan = is_for_vulkan(&path);
        set.push(Shader { path, stage, vulkan, text });
    }
    if let Some(who) = counted {
        return once(&who, &set);
    }
    println!("{} shaders, {} bytes", set.len(), set.iter().map(|s| s.text.len()).sum::<usize>());
    print_airfoil("airfoil, all", set.iter());

    let both: Vec<&Shader> = set.iter().filter(|s| naga(s).is_some() && whole(s).is_some()).collect();
    print_airfoil("airfoil, as naga", both.iter().copied());
    let mut phases = Phases::new();
    for shader in &both {
        phases.add_best(shader, || Some([whole(shader)?[0], naga(shader)?[0]]));
    }
    phases.print("build() and naga", ["build()", "naga"]);
    println!("naga takes {:.2} times the time of build()", phases.times[1] / phases.times[0]);
    small();

    let empty = std::env::temp_dir().join(format!("airfoil-bench-{}.frag", std::process::id()));
    std::fs::write(&empty, "#version 450\nvoid main() {}\n")
        .expect("the folder of temporary files can be written");
    let mut start = f64::MAX;
    for _ in 0..RUNS {
        start = glslang(&empty, false).map_or(start, |[t]| start.min(t));
    }
    let _ = std::fs::remove_file(&empty);
    if start == f64::MAX {
        println!("no glslangValidator");
        return;
    }
    let mut processes = Phases::new();
    let accepted: Vec<&Shader> = (set.iter())
        .filter(|s| airfoil(s).is_some())
        .filter(|s| {
            let net = || glslang(&s.path, s.vulkan).map(|[t]| [(t - start).max(0.0)]);
            processes.add_best_of(PROCESSES, s, net)
        })
        .collect();
    processes.print("glslangValidator", ["net of the start of its process"]);
    print_airfoil("airfoil, as glslang", accepted.iter().copied());
}

//! Writes mutated modules, and validates the output with `spirv-val`.
//!
//! ```text
//! cargo run --profile conformance -p airfoil-spirv-out --example mutated -- 100000 OUT FOLDER...
//! ```
//!
//! Modules of the folders are changed by instructions and operands, as in `tests/fuzz`. A module that the reader accepts is
//! written, half of them after the preset `spirv`. The result is *valid* if `spirv-val` accepts it and it is read back; otherwise
//! it is a failure, unless `spirv-val` rejects the mutated module: nothing is promised about such modules, which
//! are not counted. The run ends after the given number of different valid modules. Failures are saved in `OUT`.
#![allow(clippy::print_stdout)]

#[path = "../../../../tests/fuzz/targets/edit_spirv.rs"]
mod edit_spirv;
#[path = "../../../../tests/fuzz/targets/random.rs"]
#[allow(dead_code, reason = "the mutators of GLSL pick from lists")]
mod random;

use airfoil_passes::Pipeline;
use airfoil_passes::manager::Manager;
use airfoil_spirv_in::{Options, from_bytes, read};
use random::Random;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Most words of a module that is mutated: small ones are fast.
const WORDS: usize = 2048;

/// Accepted modules that are mutated further.
const POOL: usize = 4096;

#[derive(Default)]
struct Counts {
    mutated: AtomicUsize,
    /// Accepted by the reader, and new.
    read: AtomicUsize,
    /// Accepted by the reader, but not expressible: the writer gives a diagnostic.
    not_written: AtomicUsize,
    valid: AtomicUsize,
    invalid_source: AtomicUsize,
    failures: AtomicUsize,
}

struct Run {
    goal: usize,
    out: PathBuf,
    preset: Pipeline,
    seeds: Vec<Vec<u32>>,
    seen: Mutex<HashSet<u64>>,
    counts: Counts,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [goal, out, folders @ ..] = arguments.as_slice() else {
        println!("usage: mutated MODULES OUT FOLDER...");
        return ExitCode::FAILURE;
    };
    let run = Run {
        goal: goal.parse().unwrap_or(0),
        out: out.into(),
        preset: Pipeline::parse("spirv").expect("the preset exists"),
        seeds: folders.iter().flat_map(|folder| modules(Path::new(folder))).collect(),
        seen: Mutex::default(),
        counts: Counts::default(),
    };
    std::fs::create_dir_all(&run.out).expect("the folder can be created");
    println!("{} modules of at most {WORDS} words that `spirv-val` accepts", run.seeds.len());
    if run.seeds.is_empty() {
        return ExitCode::FAILURE;
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    std::thread::scope(|scope| {
        for seed in 0..threads {
            let run = &run;
            let worker = move || run.worker(seed);
            let spawned = std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, worker);
            spawned.expect("a thread starts");
        }
    });
    run.print();
    if run.counts.failures.load(Relaxed) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The small valid modules of a folder.
fn modules(folder: &Path) -> Vec<Vec<u32>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|file| file.extension().is_some_and(|e| e == "spv"))
        .collect();
    files.sort();
    let read = |file: &PathBuf| from_bytes(&std::fs::read(file).ok()?).ok();
    let small = files.iter().filter_map(read).filter(|words| words.len() <= WORDS);
    small.filter(|words| validate(words).is_none()).collect()
}

/// The first line of the message of `spirv-val` about an invalid module.
fn validate(words: &[u32]) -> Option<String> {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.3", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spirv-val is installed");
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    // A validator that stops early closes its input.
    let _ = child.stdin.take().expect("it is piped").write_all(&bytes);
    let output = child.wait_with_output().expect("it ends");
    if output.status.success() {
        return None;
    }
    let text = [output.stdout, output.stderr].concat();
    Some(String::from_utf8_lossy(&text).lines().next().unwrap_or("no reason given").to_owned())
}

/// A module whose specialization constants are constants, as they are where they determine types in the output:
/// `spirv-val` does not check offsets after an array whose length is open.
fn frozen(words: &[u32]) -> Option<Vec<u32>> {
    let path = std::env::temp_dir().join(format!("airfoil-mutated-{}-{:p}.spv", std::process::id(), words));
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    std::fs::write(&path, bytes).ok()?;
    let flags = ["--freeze-spec-const", "--fold-spec-const-op-composite"];
    let done = Command::new("spirv-opt").args(flags).arg(&path).arg("-o").arg(&path).status();
    let bytes = std::fs::read(&path).ok();
    let _ = std::fs::remove_file(&path);
    from_bytes(&bytes.filter(|_| done.is_ok_and(|status| status.success()))?).ok()
}

impl Run {
    fn worker(&self, seed: u32) {
        let mut random = Random::new(seed);
        let mut pool: Vec<Vec<u32>> = Vec::new();
        while self.counts.valid.load(Relaxed) < self.goal {
            // Half of them are changed again.
            let from = if random.below(2) == 0 { &self.seeds } else { &pool };
            let Some(module) = from.get(random.below(from.len())) else { continue };
            let mut words = module.clone();
            for _ in 0..=random.below(3) {
                edit_spirv::edit(&mut random, &mut words);
            }
            self.counts.mutated.fetch_add(1, Relaxed);
            if words.len() <= WORDS && self.judge(&words, random.below(2) == 0) {
                match pool.len() < POOL {
                    true => pool.push(words),
                    false => {
                        let n = random.below(POOL);
                        pool[n] = words;
                    }
                }
            }
        }
    }

    /// Writes a module; whether it is new and the result valid.
    fn judge(&self, words: &[u32], optimize: bool) -> bool {
        let c = &self.counts;
        let options =
            Options { keep_spec_constants: true, keep_workgroup_constants: true, ..Options::default() };
        let Ok(mut shader) = read(words, &options) else { return false };
        let mut hasher = DefaultHasher::new();
        words.hash(&mut hasher);
        if !self.seen.lock().expect("no worker panics").insert(hasher.finish()) {
            return false;
        }
        c.read.fetch_add(1, Relaxed);
        let optimized = !optimize || Manager::default().run(&self.preset, &mut shader).is_ok();
        let written = airfoil_spirv_out::write(&shader, &Default::default());
        let (true, Ok(written)) = (optimized, written) else {
            c.not_written.fetch_add(1, Relaxed);
            return false;
        };
        let read_back = || read(&written, &options).err().map(|e| format!("read back: {}", e[0]));
        let Some(reason) = validate(&written).or_else(read_back) else {
            if c.valid.fetch_add(1, Relaxed) % 5000 == 4999 {
                self.print();
            }
            return true;
        };
        if validate(words).or_else(|| validate(&frozen(words)?)).is_some() {
            c.invalid_source.fetch_add(1, Relaxed);
            return false;
        }
        let n = c.failures.fetch_add(1, Relaxed);
        let level = if optimize { "O2" } else { "O0" };
        println!("FAILED {n} at {level}: {reason}");
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let _ = std::fs::write(self.out.join(format!("{n}.{level}.spv")), bytes);
        false
    }

    fn print(&self) {
        let c = &self.counts;
        let [mutated, read, not_written, valid, invalid_source, failures] =
            [&c.mutated, &c.read, &c.not_written, &c.valid, &c.invalid_source, &c.failures]
                .map(|n| n.load(Relaxed));
        println!(
            "{mutated} mutated, {read} different ones read, {not_written} not written, {invalid_source} whose source is invalid, \
             too; {valid} written and valid, {failures} failures"
        );
    }
}

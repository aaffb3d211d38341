//! Modules of the corpus are read, written, accepted by `spirv-val`, read back, and execute as before: as they were read and
//! after the preset `spirv`.

use airfoil_check::{Baseline, Compared, Runs};
use airfoil_interp::Tolerance;
use airfoil_ir::Shader;
use airfoil_passes::Pipeline;
use airfoil_passes::manager::Manager;
use airfoil_spirv_in::{Options as ReadOptions, entry_points, from_bytes, read};
use airfoil_spirv_out::{Options, write};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn modules(folder: &str, every: usize) -> Vec<PathBuf> {
    let corpus = airfoil_filetest::harness::corpus().expect("the tests declare that they need the corpus");
    let mut files: Vec<PathBuf> = std::fs::read_dir(corpus.join(folder))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|file| file.extension().is_some_and(|e| e == "spv"))
        .collect();
    files.sort();
    files.into_iter().step_by(every).collect()
}

/// The message of `spirv-val` about an invalid module.
fn validate(words: &[u32], arguments: &[&str]) -> Result<(), String> {
    let mut child = Command::new("spirv-val")
        .args(arguments)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the test declares that it needs it");
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let _ = child.stdin.take().expect("it is piped").write_all(&bytes);
    let output = child.wait_with_output().expect("it ends");
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()),
    }
}

/// Writes a shader and reads it back; the number of values that were compared.
fn come_back(shader: &Shader, options: &Options, arguments: &[&str]) -> Result<usize, String> {
    let words = write(shader, options).map_err(|e| format!("write: {}", e[0]))?;
    validate(&words, arguments)?;
    let options =
        ReadOptions { keep_spec_constants: true, keep_workgroup_constants: true, ..ReadOptions::default() };
    let back = read(&words, &options).map_err(|e| format!("read back: {}", e[0]))?;
    if let Some(violation) = airfoil_ir::validate::validate(&back).first() {
        return Err(format!("read back: {violation}"));
    }
    let baseline = Baseline::of(shader, &Runs::default());
    match baseline.compare(&back, Tolerance::EXACT) {
        Compared::Agrees => Ok(baseline.values()),
        Compared::Differs(mismatch) => Err(mismatch.to_string()),
        Compared::NotExecuted(reason) => Err(format!("not executed: {reason}")),
    }
}

fn shaders(file: &Path) -> Vec<Shader> {
    let words = from_bytes(&std::fs::read(file).expect("the file is there")).expect("it consists of words");
    let entries = entry_points(&words).expect("the module is well-formed");
    let options = |(entry, stage)| ReadOptions {
        entry: Some(entry),
        stage: Some(stage),
        keep_spec_constants: true,
        keep_workgroup_constants: true,
        ..ReadOptions::default()
    };
    entries.into_iter().filter_map(|entry| read(&words, &options(entry)).ok()).collect()
}

fn all_come_back(folder: &str, every: usize, least: usize) {
    let preset = Pipeline::parse("spirv").expect("the preset exists");
    let (mut faults, mut written, mut values) = (Vec::new(), 0, 0);
    for file in modules(folder, every) {
        for shader in shaders(&file) {
            let mut optimised = shader.clone();
            let _ = Manager::default().run(&preset, &mut optimised).expect("the passes accept it");
            for (level, shader) in [("O0", shader), ("O2", optimised)] {
                written += 1;
                match come_back(&shader, &Options::default(), &["--target-env", "vulkan1.3"]) {
                    Ok(n) => values += n,
                    Err(fault) => faults.push(format!("{} {level}: {fault}", file.display())),
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} of {written} failed:\n{}", faults.len(), faults.join("\n"));
    assert!(written >= least && values > written, "{written} shaders were written, {values} values compared");
}

fn core_modules_come_back() {
    all_come_back("bench/core60", 1, 120);
}

fn real_modules_come_back() {
    let every = std::env::var("AIRFOIL_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
    all_come_back("real-spv", every, 60 / every);
}

airfoil_filetest::harness! {
    core_modules_come_back needs(Corpus("bench/core60"), Tool("spirv-val"));
    real_modules_come_back needs(Corpus("real-spv"), Tool("spirv-val"));
}

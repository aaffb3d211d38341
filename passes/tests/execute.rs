//! Passes keep what shaders compute: shaders are executed before and after, on several seeds.
//!
//! `AIRFOIL_SEEDS` sets how many random shaders, `AIRFOIL_FILTER` picks the files.

use airfoil_interp::{FaultKind, Options, Outcome, Tolerance, execute};
use airfoil_ir::generate::{self, from_seed};
use airfoil_ir::{Diagnostic, Form, Shader, Stage, text};
use airfoil_passes::filetest::{Case, Expected};
use airfoil_passes::registry::PASSES;
use airfoil_passes::{Manager, Pipeline, presets};
use std::path::{Path, PathBuf};

/// How many executions ended how.
#[derive(Debug, Default)]
struct Count {
    compared: usize,
    values: usize,
    undefined: usize,
    long: usize,
    unsupported: usize,
}

/// Groups of four invocations and single ones, which no race leaves open, on several seeds.
fn runs() -> impl Iterator<Item = Options> {
    let run = |(seed, lanes, undef)| Options { seed, lanes, undef, max_steps: 20_000, ..Options::default() };
    [(0, 4, 0), (1, 4, u64::MAX), (2, 1, 7), (3, 4, 1), (4, 1, 0)].into_iter().map(run)
}

/// Executes a shader on all seeds.
fn outcomes(shader: &Shader, count: &mut Count) -> Vec<(Options, Outcome)> {
    let mut found = Vec::new();
    for options in runs() {
        match execute(shader, &options) {
            Ok(outcome) => {
                count.compared += 1;
                count.values += outcome.num_compared();
                found.push((options, outcome));
            }
            Err(fault) => match fault.kind {
                FaultKind::Undefined => count.undefined += 1,
                FaultKind::Steps => count.long += 1,
                FaultKind::Unsupported => count.unsupported += 1,
            },
        }
    }
    found
}

/// Runs a pipeline; after every pass that made progress the shader must do what it did before.
fn check(shader: &Shader, pipeline: &Pipeline, count: &mut Count) -> Result<(), String> {
    let before = outcomes(shader, count);
    if before.is_empty() {
        return Ok(());
    }
    let mut message = None;
    let mut last = text::print(shader);
    let mut manager = Manager::default().observer(|info, shader| {
        let now = text::print(shader);
        for (options, outcome) in &before {
            let options = Options { max_steps: 10 * options.max_steps, ..options.clone() };
            let difference = match execute(shader, &options) {
                Ok(after) => outcome.difference(&after, Tolerance::EXACT).map(|d| d.to_string()),
                Err(fault) => Some(fault.to_string()),
            };
            if let Some(difference) = difference {
                message = Some(format!(
                    "{} (seed {}, {} lanes): {difference}\n--- before\n{last}--- after\n{now}",
                    info.name, options.seed, options.lanes
                ));
                return Err(Diagnostic::error("E0000", "differs"));
            }
        }
        last = now;
        Ok(())
    });
    let mut shader = shader.clone();
    // A pass may refuse a shader; that is not the matter here.
    let _ = manager.run(pipeline, &mut shader);
    drop(manager);
    message.map_or(Ok(()), Err)
}

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "foil") {
            out.push(path);
        }
    }
}

fn finish(failures: &[String], count: &Count) {
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(count.compared > 0 && count.values > 0, "nothing was compared: {count:?}");
    if std::env::var_os("AIRFOIL_COUNT").is_some() {
        // For people who want to know how much is compared.
        let _ = std::fs::write("/dev/stderr", format!("{count:?}\n"));
    }
}

#[test]
fn files_compute_the_same() {
    let mut paths = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/filetests/passes"), &mut paths);
    paths.sort();
    if let Ok(filter) = std::env::var("AIRFOIL_FILTER") {
        paths.retain(|p| p.to_string_lossy().contains(&filter));
    }
    let (mut failures, mut count) = (Vec::new(), Count::default());
    for path in paths {
        let case = Case::parse(&std::fs::read_to_string(&path).unwrap_or_default()).expect("a test file");
        if matches!(case.expected, Expected::Error(_)) {
            continue;
        }
        let shader = text::parse(&case.input).expect("the input parses");
        let pipeline = Pipeline::parse(&case.passes).expect("a pipeline");
        if let Err(e) = check(&shader, &pipeline, &mut count) {
            failures.push(format!("{}: {e}", path.display()));
        }
    }
    finish(&failures, &count);
}

fn random(pipeline: &str, form: Form, seeds: u64, failures: &mut Vec<String>, count: &mut Count) {
    let parsed = Pipeline::parse(pipeline).expect("a pipeline");
    for seed in 0..seeds {
        let stage = [Stage::Fragment, Stage::Vertex, Stage::Compute][(seed % 3) as usize];
        let options = generate::Options { form: Some(form), stage: Some(stage), ..Default::default() };
        let shader = from_seed(seed, &options);
        if let Err(e) = check(&shader, &parsed, count) {
            failures.push(format!("{pipeline}, random shader {seed}, form {form}: {e}"));
            return;
        }
    }
}

fn seeds(default: u64) -> u64 {
    std::env::var("AIRFOIL_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

#[test]
fn random_shaders_compute_the_same_after_every_pass() {
    let (mut failures, mut count) = (Vec::new(), Count::default());
    for entry in PASSES {
        for &form in entry.info().takes {
            random(entry.name(), form, seeds(30), &mut failures, &mut count);
        }
    }
    finish(&failures, &count);
}

#[test]
fn random_shaders_compute_the_same_after_presets() {
    let (mut failures, mut count) = (Vec::new(), Count::default());
    for preset in presets::PRESETS.iter().filter(|p| p.name.starts_with('O')) {
        random(preset.name, Form::Variables, seeds(60), &mut failures, &mut count);
    }
    finish(&failures, &count);
}

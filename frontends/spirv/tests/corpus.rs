//! Reads the modules of the shared corpus, where it exists: nothing may panic, and accepted modules must be
//! valid and survive the text form.

use airfoil_spirv_in::{Options, entry_points, from_bytes, read};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const FOLDERS: &[(&str, f64)] = &[
    ("real-spv", 0.95),
    ("bench/core60", 0.95),
    ("spirv-asm", 0.70),
    ("naga-in/spv", 0.60),
    ("robustness/spv", 0.0),
];

fn corpus() -> PathBuf {
    airfoil_filetest::harness::corpus().expect("the tests declare that they need the corpus")
}

fn modules(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|d| d.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    files.retain(|f| f.extension().is_some_and(|e| e == "spv"));
    files.sort();
    files
}

fn reads_the_corpus() {
    let corpus = corpus();
    let mut report = String::new();
    let mut bad = Vec::new();
    for &(folder, least) in FOLDERS {
        let (mut good, mut total) = (0, 0);
        let mut reasons: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for file in modules(&corpus.join(folder)) {
            let Ok(bytes) = std::fs::read(&file) else { continue };
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let outcomes = match from_bytes(&bytes) {
                Err(e) => vec![Err(e)],
                Ok(words) => match entry_points(&words) {
                    Ok(list) if !list.is_empty() => list
                        .into_iter()
                        .map(|(entry, stage)| {
                            let options =
                                Options { entry: Some(entry), stage: Some(stage), ..Options::default() };
                            let raw = read(&words, &Options { raw: true, ..options.clone() });
                            let shader = read(&words, &options);
                            match &raw {
                                Ok(raw) => check(raw, &format!("{folder}/{name}, raw"), &mut bad),
                                Err(e) if shader.is_ok() => bad.push(format!("{folder}/{name}, raw: {e:?}")),
                                Err(_) => {}
                            }
                            shader
                        })
                        .collect(),
                    _ => vec![read(&words, &Options::default())],
                },
            };
            for outcome in outcomes {
                total += 1;
                match outcome {
                    Ok(shader) => {
                        good += 1;
                        check(&shader, &format!("{folder}/{name}"), &mut bad);
                    }
                    Err(e) => {
                        assert!(!e[0].message.is_empty());
                        let reason = reasons.entry(e[0].message.clone()).or_default();
                        reason.0 += 1;
                        reason.1 = name.clone();
                    }
                }
            }
        }
        report.push_str(&format!("{folder}: {good} of {total} accepted\n"));
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|r| std::cmp::Reverse(r.1.0));
        for (reason, (n, example)) in reasons.iter().take(40) {
            report.push_str(&format!("  {n:4} {reason}   ({example})\n"));
        }
        if (good as f64) < least * f64::from(total) {
            bad.push(format!("{folder}: only {good} of {total} accepted"));
        }
    }
    if let Ok(path) = std::env::var("AIRFOIL_REPORT") {
        std::fs::write(path, &report).unwrap();
    }
    assert!(bad.is_empty(), "{}\n{report}", bad.join("\n"));
}

fn check(shader: &airfoil_ir::Shader, name: &str, bad: &mut Vec<String>) {
    let violations = airfoil_ir::validate::validate(shader);
    if let Some(first) = violations.first() {
        bad.push(format!("{name}: {first}"));
        return;
    }
    let text = airfoil_ir::text::print(shader);
    match airfoil_ir::text::parse(&text) {
        Ok(again) if airfoil_ir::text::print(&again) == text => {}
        Ok(_) => bad.push(format!("{name}: the text form changes when it is read and printed")),
        Err(e) => bad.push(format!("{name}: the text form cannot be read: {e:?}")),
    }
}

/// Damaged modules of the corpus: no panic, no hang, and accepted modules are valid. `AIRFOIL_ROUNDS` sets the
/// number of damaged copies of each module.
fn survives_damage() {
    let corpus = corpus();
    let rounds = std::env::var("AIRFOIL_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(3);
    let mut state = 1u64;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n.max(1)
    };
    for &(folder, _) in FOLDERS {
        for file in modules(&corpus.join(folder)) {
            let Ok(words) = from_bytes(&std::fs::read(&file).unwrap_or_default()) else { continue };
            if words.len() < 8 {
                continue;
            }
            for round in 0..rounds {
                let mut damaged = words.clone();
                for _ in 0..1 + random(4) {
                    let at = 5 + random(words.len() - 5);
                    damaged[at] = match random(6) {
                        0 => damaged[at] ^ (1 << random(32)),
                        1 => random(1 + words[3] as usize) as u32,
                        2 => damaged[5 + random(words.len() - 5)],
                        3 => damaged[at].wrapping_add(1),
                        4 => (damaged[at] & 0xffff_0000) | random(500) as u32,
                        _ => random(40) as u32,
                    };
                }
                let outcome = std::panic::catch_unwind(|| match read(&damaged, &Options::default()) {
                    // The validator counts the vertices of arrays around inputs as slots.
                    Ok(shader) => airfoil_ir::validate::validate(&shader)
                        .iter()
                        .find(|v| v.rule != airfoil_ir::validate::Rule::VariableLocation)
                        .map(ToString::to_string),
                    Err(_) => None,
                });
                let trouble = outcome.unwrap_or_else(|_| Some("panic".into()));
                if let (Some(_), Ok(folder)) = (&trouble, std::env::var("AIRFOIL_KEEP")) {
                    let bytes: Vec<u8> = damaged.iter().flat_map(|w| w.to_le_bytes()).collect();
                    std::fs::write(format!("{folder}/damaged.spv"), bytes).unwrap();
                }
                assert_eq!(trouble, None, "{} round {round}", file.display());
            }
        }
    }
}

airfoil_filetest::harness! {
    reads_the_corpus needs(Corpus("real-spv"));
    survives_damage needs(Corpus("real-spv"));
}

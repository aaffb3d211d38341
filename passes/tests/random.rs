//! Every pass on random shaders of every form that it takes, with all checks enabled: the result is valid, passes
//! report their changes, preserved analyses are correct, and skipped runs would find nothing. `AIRFOIL_SEEDS` sets the
//! number of shaders.

use airfoil_ir::generate::{Options, from_seed};
use airfoil_ir::{Form, text};
use airfoil_passes::registry::Registry;
use airfoil_passes::{Manager, Pipeline, manager, presets};

fn seeds(default: u64) -> u64 {
    std::env::var("AIRFOIL_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

/// Runs a pipeline on random shaders and collects the first messages about failures.
fn run(pipeline: &str, form: Form, seeds: u64, failures: &mut Vec<String>) {
    let parsed = match Pipeline::parse(pipeline) {
        Ok(p) => p,
        Err(e) => return failures.push(e.to_string()),
    };
    for seed in 0..seeds {
        let mut shader = from_seed(seed, &Options { form: Some(form), ..Options::default() });
        let before = text::print(&shader);
        let mut manager = Manager::new(manager::Options::checked());
        if let Err(errors) = manager.run(&parsed, &mut shader) {
            // A rejection with a diagnostic is permitted; a failed check is not.
            let broken = errors.iter().find(|e| e.code.starts_with("E081") || e.code == "E0823");
            if let Some(e) = broken {
                failures.push(format!("--- {pipeline}, seed {seed}, form {form}: {e}\n{before}"));
                return;
            }
        }
    }
}

#[test]
fn passes_keep_their_promises() {
    let mut failures = Vec::new();
    for entry in Registry::builtin().iter() {
        for &form in entry.info().takes {
            run(entry.name(), form, seeds(60), &mut failures);
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn passes_are_skipped_only_if_they_find_nothing() {
    let mut failures = Vec::new();
    let groups = Registry::builtin().groups();
    let listed = groups[..2].iter().flat_map(|g| &g.passes);
    let passes: Vec<_> = listed.map(|entry| (entry.name(), entry.info().takes)).collect();
    let has = |name| passes.iter().any(|pass| pass.0 == name);
    assert!(has("cse") && has("vars_to_ssa"), "{passes:?}");
    for (a, forms) in &passes {
        for (b, others) in &passes {
            // The first form that both take; passes of the groups do not change it.
            if let Some(&form) = forms.iter().find(|form| others.contains(form)) {
                run(&format!("{a}, {a}, {b}, {a}"), form, seeds(3), &mut failures);
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn presets_work_from_front_to_back() {
    let mut failures = Vec::new();
    for preset in presets::PRESETS.iter().filter(|p| p.name.starts_with('O')) {
        run(preset.name, Form::Variables, seeds(100), &mut failures);
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

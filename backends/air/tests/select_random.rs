//! Selection of random shaders: it answers with a module that the validator accepts, or with worded reasons.

use airfoil_air::select::{FastMathMode, Options, select};
use airfoil_air::{bitcode, validate};
use airfoil_ir::{Form, Stage, generate};

fn options(seed: u64) -> Options {
    let mode = [FastMathMode::Precise, FastMathMode::Relaxed, FastMathMode::Fast][(seed % 3) as usize];
    let target = ["macos13", "macos14", "macos26", "macos10.15"][(seed / 3 % 4) as usize];
    Options { fast_math: mode, target: target.parse().unwrap(), ..Options::default() }
}

#[test]
fn random_shaders_are_selected_or_refused() {
    let (mut selected, mut refused) = (0, 0);
    for seed in 0..6000u64 {
        let stage = [Stage::Vertex, Stage::Fragment, Stage::Compute][(seed % 3) as usize];
        let form = [Form::Slots, Form::Target][(seed / 3 % 2) as usize];
        // Short ones, so that many are without the operations that Metal lacks.
        let generator = generate::Options {
            stage: Some(stage),
            form: Some(form),
            instrs: 2 + (seed % 60) as u32,
            functions: 0,
            casts: false,
            ..Default::default()
        };
        let shader = generate::from_seed(seed, &generator);
        match select(&shader, &options(seed / 6)) {
            Ok(s) => {
                selected += 1;
                let violations = validate::validate(&s.module);
                assert!(
                    violations.is_empty(),
                    "seed {seed}: {}\n{}\n{}",
                    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
                    airfoil_ir::text::print(&shader),
                    s.to_ll()
                );
                assert!(!bitcode::write(&s.module).is_empty());
                let again = select(&shader, &options(seed / 6)).expect("the same answer");
                assert_eq!(s.to_ll(), again.to_ll(), "seed {seed}");
            }
            Err(reasons) => {
                refused += 1;
                assert!(!reasons.is_empty());
                assert!(reasons.iter().all(|r| r.code.starts_with("E05") && !r.message.is_empty()));
                if std::env::var_os("SHOW_REASONS").is_some() {
                    for r in reasons {
                        eprintln!("{r}");
                    }
                }
            }
        }
    }
    eprintln!("selected {selected}, refused {refused}");
    assert!(selected > 1000, "only {selected} of {} were selected", selected + refused);
}

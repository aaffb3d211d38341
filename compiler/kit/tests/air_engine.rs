//! Every case of the kit on the AIR engine, bound by its `case.json`; those that the engine cannot execute are judged by the validator, each with a reason.
//!
//! `cargo test -p airfoil-kit --features llvm14 --test air_engine -- --nocapture` prints the counts.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]
#![allow(clippy::print_stdout)] // the counts are the purpose

use airfoil::air::{bitcode, metallib, validate};
use airfoil_kit::compare::{Tolerance, difference};
use airfoil_kit::levels::TITLES;
use airfoil_kit::make::Made;
use airfoil_kit::schema::{Expect, Kind};
use airfoil_kit::{engine, kit};

/// Runs a case, and compares.
fn execute(made: &Made) -> Result<(), String> {
    let found = engine::run(made)?;
    for output in &made.case.outputs {
        let tolerance = Tolerance::parse(&output.tolerance).ok_or("a tolerance")?;
        let expected = &made.files[&output.file];
        if let Some(text) = difference(expected, &found[&output.resource], output.element, tolerance) {
            return Err(format!("{}: {text}", output.resource));
        }
    }
    Ok(())
}

/// What is wrong with the library: hashes and ranges of the container, the dialect of the modules.
fn validate(library: &[u8]) -> Result<(), String> {
    let library = metallib::read(library).map_err(|e| e.to_string())?;
    if let Some(check) = library.failures().next() {
        return Err(format!("{}: {}", check.what, check.failure.as_deref().unwrap_or_default()));
    }
    for function in &library.functions {
        let module =
            bitcode::read(function.bitcode().map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
        if let Some(violation) = validate::validate(&module).first() {
            return Err(violation.to_string());
        }
    }
    Ok(())
}

#[test]
fn all_cases_pass() {
    let cases = kit::cases().unwrap_or_else(|e| panic!("{e}"));
    let mut executed = [0; 8];
    let mut validated = [0; 8];
    let mut failures = Vec::new();
    for made in &cases {
        let (case, level) = (&made.case, made.case.level as usize);
        let library = &made.files["lib.metallib"];
        let runs = case.kind == Kind::Run && case.not_executed.is_none();
        assert!(
            runs || case.not_executed.as_ref().is_some_and(|reason| !reason.is_empty()),
            "{}: it is not executed, but there is no reason",
            case.name
        );
        let result = match runs {
            true => validate(library).and_then(|()| execute(made)),
            false if case.expect == Expect::Ok => validate(library),
            false => Ok(()),
        };
        match result {
            Ok(()) if runs => executed[level] += 1,
            Ok(()) => {
                println!("{}: not executed: {}", case.name, case.not_executed.as_deref().unwrap_or_default());
                validated[level] += 1;
            }
            Err(e) => failures.push(format!("{}: {e}", case.name)),
        }
    }
    for (level, ((title, executed), validated)) in TITLES.iter().zip(executed).zip(validated).enumerate() {
        println!("L{level} {title:40} {executed:4} executed, {validated:3} validated");
    }
    let sum: usize = executed.iter().sum();
    println!(
        "{sum} of {} kit cases pass on the AIR engine, {} more are validated",
        cases.len(),
        validated.iter().sum::<usize>()
    );
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

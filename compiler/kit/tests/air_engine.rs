//! Every case of the kit on the AIR engine, bound by its `case.json`. Cases without results are executed all the same; the checks of this host reject the
//! libraries of the negative controls.
//!
//! `cargo test -p airfoil-kit --features llvm14 --test air_engine -- --nocapture` prints the counts.
#![cfg(any(feature = "llvm14", feature = "llvm19"))]
#![allow(clippy::print_stdout)] // the counts are the purpose

use airfoil::air::{bitcode, lint, metallib, validate};
use airfoil::interp::{Binding, Resources};
use airfoil_cpu::{Argument, Bindings, Config, Function, Launch, Role};
use airfoil_kit::compare::{Tolerance, difference};
use airfoil_kit::levels::TITLES;
use airfoil_kit::make::Made;
use airfoil_kit::schema::Kind;
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

/// The errors in the library: hashes and ranges of the container, the dialect of the modules.
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

/// Whether the checks that need no device reject the library of a negative control.
fn is_rejected(library: &[u8]) -> bool {
    validate(library).is_err() || !lint::library(library, &lint::Options::default()).is_empty()
}

/// Calls each function of a library that an application calls itself, or gives a stage-in descriptor.
fn call(made: &Made) -> Result<(), String> {
    let bits = |x: f32| u64::from(x.to_bits());
    let library = &made.files["lib.metallib"];
    for name in &made.case.functions {
        let function = Function::of_library(library, Some(&name.name))?;
        let records = function.entry().arguments.iter().filter(|a| matches!(a.role, Role::Attribute(_)));
        let (stage, attributes) = (function.entry().stage.as_str(), records.count());
        let mut resources = Resources::new();
        let mut bindings = Bindings::default();
        match (stage, attributes) {
            // `VISIBLE`: a vector times a scalar.
            ("visible", _) => {
                let inputs = |_: usize, _: usize, argument: &Argument, value: &mut [u64]| match argument.role
                {
                    Role::Value(0) => value.copy_from_slice(&[1.0, 2.0, 3.0, 4.0].map(bits)),
                    _ => value[0] = bits(0.5),
                };
                let results = function.invoke(&mut resources, &bindings, &Config::default(), 1, &inputs)?;
                let expected = [0.5, 1.0, 1.5, 2.0].map(bits);
                if results[0].outputs[0].as_slice() != expected {
                    return Err(format!("{:?} instead of {expected:?}", results[0].outputs));
                }
            }
            // `stage_in`: the record of each vertex has the position and its components in reverse, plus an integer.
            ("kernel", 1..) => {
                const VERTICES: usize = 3;
                let buffer = resources.add_buffer(vec![0; 32 * VERTICES]);
                let _ = bindings.buffers.insert(0, Binding::Buffer { buffer, offset: 0, size: None });
                let position = |n: usize| [0.0, 1.0, 2.0, 3.0].map(|c| (4 * n) as f32 + c);
                let inputs =
                    |lane: usize, _: usize, argument: &Argument, value: &mut [u64]| match &argument.role {
                        Role::Attribute(0) => value.copy_from_slice(&position(lane).map(bits)),
                        Role::Attribute(_) => value.copy_from_slice(&[7, lane as u64 + 5]),
                        Role::BuiltIn { name, .. } if name == "grid_size" => {
                            value.copy_from_slice(&[VERTICES as u64, 1]);
                        }
                        _ => value[0] = lane as u64,
                    };
                function.invoke(&mut resources, &bindings, &Config::default(), VERTICES, &inputs)?;
                let record = |n: usize| {
                    let [x, y, z, w] = position(n);
                    let v = [w, z, y, x].map(|c| c + n as f32 + 5.0);
                    [[x, y, z, w], v].concat()
                };
                let expected: Vec<u8> =
                    (0..VERTICES).flat_map(record).flat_map(|x: f32| x.to_le_bytes()).collect();
                if resources.buffers[buffer].bytes != expected {
                    return Err("the records of the vertices differ".to_owned());
                }
            }
            ("kernel", 0) => {
                let launch = Launch { groups: [1; 3], threads: [1; 3] };
                function.kernel(&mut resources, &bindings, launch, &Config::default())?;
            }
            _ => return Err(format!("a {stage} function that nothing calls")),
        }
    }
    Ok(())
}

/// The result of a case on the engine.
#[derive(Clone, Copy)]
enum Outcome {
    /// It computed the expected results.
    Equal,
    /// It executed functions without results in the case.
    Executed,
    /// The library of a negative control was rejected.
    Rejected,
}

fn judge(made: &Made) -> Result<Outcome, String> {
    let library = &made.files["lib.metallib"];
    if made.case.name.contains("-negative-") {
        return match is_rejected(library) {
            true => Ok(Outcome::Rejected),
            false => Err("the library is accepted".to_owned()),
        };
    }
    validate(engine::plain_library(library)?)?;
    match made.case.kind {
        Kind::Run => execute(made).map(|()| Outcome::Equal),
        Kind::Pipeline => engine::run(made).map(|_| Outcome::Executed),
        Kind::Load => call(made).map(|()| Outcome::Executed),
    }
}

#[test]
fn all_cases_pass() {
    let cases = kit::cases().unwrap_or_else(|e| panic!("{e}"));
    let mut counts = [[0; 3]; TITLES.len()];
    let mut failures = Vec::new();
    for made in &cases {
        match judge(made) {
            Ok(outcome) => counts[made.case.level as usize][outcome as usize] += 1,
            Err(e) => failures.push(format!("{}: {e}", made.case.name)),
        }
    }
    for (level, (title, [equal, executed, rejected])) in TITLES.iter().zip(counts).enumerate() {
        println!(
            "L{level} {title:40} {equal:4} with equal results, {executed:3} executed without results, {rejected:2} rejected"
        );
    }
    let sum = |n: usize| counts.iter().map(|row| row[n]).sum::<usize>();
    println!(
        "{} of {} kit cases pass on the AIR engine: {} with equal results, {} without results, {} negative controls are rejected",
        sum(0) + sum(1) + sum(2),
        cases.len(),
        sum(0),
        sum(1),
        sum(2)
    );
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

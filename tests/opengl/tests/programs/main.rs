//! Programs of the corpora and random ones, linked by an OpenGL driver and by `airfoil-gl`: equal status, and equal answers to all
//! program-interface queries where the specification fixes them.
//!
//! * `snapshot.rs`: the answers of a program. `differences.rs`: their comparison, and the known errors of the driver.

#[path = "../common/cases.rs"]
mod cases;
mod differences;
mod snapshot;

use airfoil_check::generate::{self, Dialect};
use airfoil_gl::{Device, LinkOptions};
use airfoil_ir::Stage;
use airfoil_opengl::{Api, Context};
use cases::{Case, piglit, real};
use snapshot::Snapshot;
use std::io::Write as _;

/// Programs that the driver cannot take, with the reason.
const NOT_FOR_DRIVER: &[(&str, &str)] = &[(
    "glsl-fs-inline-explosion",
    "Mesa 22.3.6 exhausts the memory: it inlines each of the calls, whose count doubles per level",
)];

fn random() -> Vec<Case> {
    let case = |n: u64| {
        // Those of tessellation make points, which Metal does not have.
        let stages = [Stage::Vertex, Stage::Geometry, Stage::Fragment, Stage::Compute];
        let stage = stages[(n % 4) as usize];
        let sources = generate::program(Dialect::OpenGl, stage, 5_000 + n).sources;
        Case { name: format!("{stage} {n}"), sources, separable: false }
    };
    let interface =
        |n| Case { name: format!("interface {n}"), sources: generate::interfaces(n), separable: false };
    (0..200).map(case).chain((0..interfaces()).map(interface)).collect()
}

/// Random interfaces; `AIRFOIL_PROGRAMS` sets another number.
fn interfaces() -> u64 {
    std::env::var("AIRFOIL_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(500)
}

/// The interface that a program is written for.
fn api(case: &Case) -> Api {
    let es = case.sources.iter().any(|(_, text)| {
        text.lines().find(|line| line.trim_start().starts_with("#version")).is_some_and(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.contains(&"es") || words.contains(&"100")
        })
    });
    if es { Api::Es } else { Api::Compatibility }
}

fn linked_by_driver(context: &Context, case: &Case) -> Result<Snapshot, String> {
    let shaders: Vec<_> =
        case.sources.iter().map(|(stage, text)| context.compile(*stage, text).unwrap()).collect();
    if let Some(bad) = shaders.iter().find(|s| !s.status()) {
        return Err(bad.log());
    }
    let program = context.link_with(&shaders, |program| program.set_separable(case.separable));
    if program.status() { Ok(snapshot::take(&program)) } else { Err(program.log()) }
}

fn linked_by_airfoil(device: &Device, case: &Case) -> Result<Snapshot, String> {
    let objects: Vec<_> =
        case.sources.iter().map(|(stage, text)| device.compile("", *stage, &[text])).collect();
    if let Some(bad) = objects.iter().find(|o| !o.status()) {
        return Err(bad.log().to_string());
    }
    let options = LinkOptions { separable: case.separable, ..LinkOptions::default() };
    match device.link(&objects.iter().collect::<Vec<_>>(), &options) {
        Ok(program) => Ok(snapshot::take(&*program)),
        Err(log) => Err(log.to_string()),
    }
}

/// A message of Airfoil that rejects a program which OpenGL allows, and the reason.
const NOT_ON_METAL: &[(&str, &str)] = &[
    ("on Metal", "Metal lacks a feature"),
    ("for Metal", "Metal lacks a feature"),
    ("need macOS", "the default target is an older Metal"),
    ("multisampled textures cannot be written", "Metal lacks a feature"),
    ("components between stages allows 31", "Metal has 31 user varyings"),
    ("but GL_MAX_", "the limits of the device are those of Metal"),
];

/// A message of the driver that rejects a program which it does not have to know.
const NOT_IN_DRIVER: &[&str] =
    &["unsupported in", "Supported versions are", "not supported for this version"];

/// The outcome of a program.
enum Outcome {
    Same,
    /// Neither links it.
    Rejected,
    /// One of the two does not have a feature.
    NotCompared,
    Different(Vec<String>),
}

fn compare(context: &Context, device: &Device, case: &Case) -> Outcome {
    let has = |log: &str, list: &[&str]| list.iter().any(|part| log.contains(part));
    let metal: Vec<&str> = NOT_ON_METAL.iter().map(|(part, _)| *part).collect();
    match (linked_by_driver(context, case), linked_by_airfoil(device, case)) {
        (Ok(driver), Ok(own)) => {
            let lines = differences::find(&driver, &own, case);
            if lines.is_empty() { Outcome::Same } else { Outcome::Different(lines) }
        }
        (Err(log), _) if has(&log, NOT_IN_DRIVER) => Outcome::NotCompared,
        (_, Err(log)) if has(&log, &metal) => Outcome::NotCompared,
        (Err(_), Err(_)) => Outcome::Rejected,
        (Ok(_), Err(log)) => Outcome::Different(vec![format!("only the driver links it: {log}")]),
        (Err(log), Ok(_)) => Outcome::Different(vec![format!("the driver does not link it: {log}")]),
    }
}

#[test]
fn programs_have_the_status_and_the_resources_that_the_driver_finds() {
    let device = Device::default();
    let (mut same, mut rejected, mut not_compared, mut different) = (0, 0, 0, Vec::new());
    let mut drivers = Vec::new();
    for wanted in [Api::Compatibility, Api::Es] {
        let context = match Context::open(wanted) {
            Ok(context) => context,
            Err(e) => {
                let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
                continue;
            }
        };
        drivers.push(context.renderer());
        for case in [real(), piglit(), random()].iter().flatten().filter(|c| api(c) == wanted) {
            if NOT_FOR_DRIVER.iter().any(|(name, _)| case.name.contains(name)) {
                not_compared += 1;
                continue;
            }
            match compare(&context, &device, case) {
                Outcome::Same => same += 1,
                Outcome::Rejected => rejected += 1,
                Outcome::NotCompared => not_compared += 1,
                Outcome::Different(lines) => {
                    different.extend(lines.iter().map(|line| format!("{}: {line}", case.name)));
                }
            }
        }
    }
    let _ = writeln!(
        std::io::stderr(),
        "{same} programs are equal, {rejected} rejected by both, {not_compared} not compared: {drivers:?}"
    );
    // The exceptions are those of Mesa; another driver is not a judge, but a witness.
    if drivers.iter().any(|name| !name.contains("Mesa")) {
        let _ = writeln!(std::io::stderr(), "{}", different.join("\n"));
        return;
    }
    assert!(different.is_empty(), "{} differences:\n{}", different.len(), different.join("\n"));
}

//! Draws under random combinations of state, by an OpenGL driver, and by the interpreter with the functions that `airfoil-gl` makes
//! for the state: equal images.
//!
//! * `programs.rs`: programs whose functions depend on much state. `corpus.rs`: programs of the corpora and random ones.
//! * `settings.rs`: the states, each for both sides. `scene.rs`: the draw of both sides.

#[path = "../common/cases.rs"]
mod cases;
mod corpus;
mod programs;
mod scene;
mod settings;

use airfoil_check::generate;
use airfoil_gl::Device;
use airfoil_ir::generate::{Choices, Seed};
use airfoil_opengl::{Api, Context};
use cases::{Case, piglit, real};
use corpus::Setup;
use programs::PROGRAMS;
use scene::{Scene, Tolerance, difference};
use settings::SETTINGS;
use std::collections::BTreeMap;
use std::io::Write as _;

/// A number of draws from the environment.
fn count(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn open() -> Option<Context> {
    let context = Context::open(Api::Compatibility);
    if let Err(e) = &context {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
    }
    context.ok()
}

/// Applies the states of a combination: none, each one, and then random ones.
fn combine(scene: &mut Scene<'_>, n: u64, seed: &mut Seed) -> Vec<&'static str> {
    let single = usize::try_from(n).unwrap_or(0);
    let mut names = Vec::new();
    for (at, setting) in SETTINGS.iter().enumerate() {
        let chosen = if single <= SETTINGS.len() { at + 1 == single } else { seed.below(4) == 0 };
        if chosen && setting.programs.contains(scene.kind) && setting.apply(scene, seed) {
            names.push(setting.name);
        }
    }
    names
}

#[test]
fn images_under_combinations_of_state_are_those_of_the_driver() {
    let Some(context) = open() else { return };
    let device = Device::default();
    let mut wrong = Vec::new();
    let mut used = BTreeMap::new();
    let mut images = std::collections::BTreeSet::new();
    for program in PROGRAMS {
        for n in 0..count("AIRFOIL_PROGRAMS", 60) {
            let mut seed = Seed(n ^ (program.name.len() as u64 * 1_000_003));
            let mut scene = Scene::of_table(&context, &device, program);
            let names = combine(&mut scene, n, &mut seed);
            names.iter().for_each(|name| *used.entry(*name).or_insert(0) += 1);
            let (expected, found) = (scene.driven().unwrap(), scene.interpreted().unwrap());
            if let Some(difference) = difference(&scene, &expected, &found, Tolerance::Roundings) {
                wrong.push(format!("{} {n} {names:?}: {difference}", program.name));
            }
            images.insert(expected);
        }
    }
    let renderer = context.renderer();
    let _ = writeln!(std::io::stderr(), "{} different images on {renderer}; states: {used:?}", images.len());
    assert!(wrong.is_empty(), "{} images differ:\n{}", wrong.len(), wrong.join("\n"));
    for setting in SETTINGS {
        assert!(used.contains_key(setting.name), "{} is never set", setting.name);
    }
}

#[test]
fn images_of_all_programs_are_those_of_the_driver() {
    let Some(context) = open() else { return };
    let device = Device::default();
    let interface =
        |n| Case { name: format!("interface {n}"), sources: generate::interfaces(n), separable: false };
    let random = (0..count("AIRFOIL_PROGRAMS", 500)).map(interface).collect();
    let (mut draws, mut drawn, mut wrong) = (0, 0, Vec::new());
    let mut left_out = BTreeMap::new();
    for case in [real(), piglit(), random].iter().flatten() {
        let mut is_drawn = false;
        for k in 0..count("AIRFOIL_COMBINATIONS", 3) {
            // The first combination has no state; single states are those of the other test.
            let n = if k == 0 { 0 } else { 1_000 + k };
            let mut scene = match corpus::scene(&context, &device, case) {
                Setup::Scene(scene) => *scene,
                Setup::LeftOut(why) => {
                    *left_out.entry(why).or_insert(0) += 1;
                    break;
                }
            };
            let mut seed = Seed(k ^ (case.name.len() as u64 * 1_000_003));
            let names = combine(&mut scene, n, &mut seed);
            let result = corpus::compare(&mut scene);
            draws += 1;
            match result {
                corpus::Outcome::Equal { is_drawn: has_pixels } => is_drawn |= has_pixels,
                corpus::Outcome::NotCompared(why) => {
                    *left_out.entry(why).or_insert(0) += 1;
                    break;
                }
                corpus::Outcome::Different(why) => {
                    is_drawn = true;
                    wrong.push(format!("{} {k} {names:?}: {why}", case.name));
                }
            }
        }
        drawn += u32::from(is_drawn);
    }
    let renderer = context.renderer();
    let _ = writeln!(
        std::io::stderr(),
        "{draws} draws, {drawn} programs draw pixels on {renderer}; left out: {left_out:#?}"
    );
    assert!(wrong.is_empty(), "{} images differ:\n{}", wrong.len(), wrong.join("\n"));
}

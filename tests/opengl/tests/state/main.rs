//! Draws under random combinations of state, by an OpenGL driver, and by the interpreter with the functions that `airfoil-gl` makes
//! for the state: equal images.
//!
//! * `programs.rs`: the programs. `settings.rs`: the states, each for both sides. `scene.rs`: the draw of both sides.

mod programs;
mod scene;
mod settings;

use airfoil_ir::generate::{Choices, Seed};
use airfoil_opengl::{Api, Context};
use programs::PROGRAMS;
use scene::{Scene, difference};
use settings::SETTINGS;
use std::io::Write as _;

/// Combinations per program.
fn combinations() -> u64 {
    std::env::var("AIRFOIL_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

#[test]
fn images_under_combinations_of_state_are_those_of_the_driver() {
    let context = match Context::open(Api::Compatibility) {
        Ok(context) => context,
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
            return;
        }
    };
    let mut wrong = Vec::new();
    let mut used = std::collections::BTreeMap::new();
    let mut images = std::collections::BTreeSet::new();
    for program in PROGRAMS {
        for n in 0..combinations() {
            let mut seed = Seed(n ^ (program.name.len() as u64 * 1_000_003));
            let mut scene = Scene::new(&context, program);
            let mut names = Vec::new();
            // The first combination has no state, and the next ones have one each.
            let single = usize::try_from(n).unwrap_or(0);
            for (at, setting) in SETTINGS.iter().enumerate() {
                let chosen = match single <= SETTINGS.len() {
                    true => at + 1 == single,
                    false => seed.below(4) == 0,
                };
                if chosen && setting.programs.contains(program.kind) && setting.apply(&mut scene, &mut seed) {
                    names.push(setting.name);
                    *used.entry(setting.name).or_insert(0) += 1;
                }
            }
            let (expected, found) = (scene.driven(), scene.interpreted());
            images.insert(format!("{expected:?}"));
            if let Some(difference) = difference(&scene, &expected, &found) {
                wrong.push(format!("{} {n} {names:?}: {difference}", program.name));
            }
        }
    }
    let renderer = context.renderer();
    let _ = writeln!(std::io::stderr(), "{} different images on {renderer}; states: {used:?}", images.len());
    assert!(wrong.is_empty(), "{} images differ:\n{}", wrong.len(), wrong.join("\n"));
    for setting in SETTINGS {
        assert!(used.contains_key(setting.name), "{} is never set", setting.name);
    }
}

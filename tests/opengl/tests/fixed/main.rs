//! Draws of the fixed functions under random states: by an OpenGL driver without a program, and by the interpreter with the
//! generated shaders of `airfoil-gl`.
//!
//! * `state.rs` of the tests of `airfoil-gl`: random states, their keys and parameters.
//! * `scene.rs`: vertices, textures and the state that keys do not hold. `driver.rs`, `interpreter.rs`: the draw of each side.
//! * `deviations.rs`: states for which Mesa deviates from the specification.

mod deviations;
mod driver;
mod interpreter;
mod scene;
#[path = "../../../../compiler/gl/tests/fixed/state.rs"]
mod state;

use airfoil_opengl::{Api, Context};
use scene::Scene;
use state::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

/// A number of draws from the environment.
fn count(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Components may differ by this much.
const TOLERANCE: f32 = 1.0 / 256.0;

/// Pixels that differ, and the first of them.
fn difference(expected: &[u32], found: &[u32]) -> Option<String> {
    let pixel = |image: &[u32], at: usize| [0, 1, 2, 3].map(|k| f32::from_bits(image[4 * at + k]));
    let is_wrong = |&at: &usize| {
        let (a, b) = (pixel(expected, at), pixel(found, at));
        !a.iter().zip(b).all(|(a, b)| (a - b).abs() <= TOLERANCE)
    };
    let all: Vec<usize> = (0..expected.len() / 4).filter(is_wrong).collect();
    let at = *all.first()?;
    let (x, y) = (at as u32 % scene::SIZE, at as u32 / scene::SIZE);
    let (a, b) = (pixel(expected, at), pixel(found, at));
    Some(format!("{} pixels, the first at {x}, {y}: {a:?}, found {b:?}", all.len()))
}

#[test]
fn images_of_fixed_functions_are_those_of_the_driver() {
    let context = match Context::open(Api::Compatibility) {
        Ok(context) => context,
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {e}");
            return;
        }
    };
    let (mut wrong, mut images) = (Vec::new(), BTreeSet::new());
    let mut used: BTreeMap<String, u32> = BTreeMap::new();
    let device = airfoil_gl::Device::default();
    let first = count("AIRFOIL_FIRST", 0);
    let draws = count("AIRFOIL_PROGRAMS", 25);
    let is_mesa = context.renderer().contains("Mesa");
    let mut avoided: BTreeMap<&str, u32> = BTreeMap::new();
    for n in first..first + draws {
        let mut scene = Scene::random(&mut Random(n));
        if is_mesa {
            deviations::avoid(&mut scene).into_iter().for_each(|name| *avoided.entry(name).or_default() += 1);
        }
        scene.parts().into_iter().for_each(|part| *used.entry(part).or_default() += 1);
        let expected = driver::draw(&context, &scene).unwrap_or_else(|e| panic!("{n}: {e}"));
        let found = interpreter::draw(&scene, &device);
        if let Some(difference) = difference(&expected, &found) {
            wrong.push(format!("{n}: {difference}; {:?}", scene.parts()));
        }
        images.insert(expected);
    }
    let renderer = context.renderer();
    let _ = writeln!(
        std::io::stderr(),
        "{draws} draws, {} different images on {renderer}; states: {used:?}; avoided deviations: {avoided:?}",
        images.len()
    );
    assert!(wrong.is_empty(), "{} images differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(images.len() as u64 > draws / 2);
}

//! The ladder: each level needs more of Metal than the one before, so that the lowest failing one shows where to look.

mod controls;
mod l0;
mod l1;
mod l2;
mod l3;
mod l4;
mod l5;
mod l6;
mod text;

use crate::recipe::Recipe;

/// Titles of the levels.
pub const TITLES: [&str; 8] = [
    "empty functions",
    "stores",
    "roles of metadata",
    "functions of the `air.*` library",
    "graphics",
    "doubtful points",
    "programs",
    "programs for older targets",
];

/// All recipes, in order of the ladder.
pub fn all() -> Vec<Recipe> {
    let mut list = Vec::new();
    l0::add(&mut list);
    l1::add(&mut list);
    l2::add(&mut list);
    l3::add(&mut list);
    l4::add(&mut list);
    l5::add(&mut list);
    l6::add(&mut list);
    for recipe in &mut list {
        recipe.control = recipe.control.take().or_else(|| controls::of(&recipe.name));
    }
    list
}

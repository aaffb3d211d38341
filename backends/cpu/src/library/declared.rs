//! Every function of the table is implemented, and every function that Apple's modules declare is either implemented or
//! listed with the reason why it is not.

use super::resolve;
use airfoil_air::functions::{Air, AirFunction, ConversionMode, NumberKind, TextureKind, TypeWord, Word};

/// Parts of names that are not implemented, and the reasons.
static ABSENT: &[(&str, &str)] = &[
    ("acceleration_structure", "ray tracing: the structures are the driver's, their form is not public"),
    ("intersect", "ray tracing"),
    ("imageblock", "tile memory: no stage of the source languages has it"),
    ("color_coverage_mask", "tile memory"),
    ("_command", "command buffers are filled for the driver"),
    ("tensor", "no source language has it"),
    ("function_table", "tables of functions are made by the driver"),
    ("function_handle", "tables of functions"),
    ("simdgroup_matrix", "how the invocations share a matrix is not public"),
    ("simdgroup_async_copy", "the meaning of its operands is not public"),
    ("simdgroup_events", "comes with simdgroup_async_copy"),
    ("_coordinates", "maps of rasterisation rates are the driver's"),
];

#[test]
fn all_are_there_or_have_a_reason() {
    let names = include_str!("declared.txt").lines().filter(|line| !line.starts_with('#'));
    let (mut there, mut used) = (0, vec![false; ABSENT.len()]);
    for name in names {
        let reason = ABSENT.iter().position(|(part, _)| name.contains(part));
        match (resolve(name), reason) {
            (Some(_), None) => there += 1,
            (None, Some(n)) => used[n] = true,
            (Some(_), Some(n)) => panic!("{name} is there, but listed as absent: {}", ABSENT[n].1),
            (None, None) => panic!("{name} is missing"),
        }
    }
    assert!(there > 340, "only {there} names are there");
    for (row, used) in ABSENT.iter().zip(used) {
        assert!(used, "no name has `{}`", row.0);
    }
}

#[test]
fn all_rows_are_implemented() {
    let word = |float, kind| Word::Number(kind, TypeWord { float, bits: 32, lanes: 1 });
    let numbers =
        [word(true, NumberKind::Float), word(false, NumberKind::Signed), word(false, NumberKind::Unsigned)];
    for &base in Air::ALL {
        let pattern = base.info().name;
        // LLVM expands its own functions.
        if pattern.starts_with("llvm.") {
            continue;
        }
        let texture = Word::Texture(TextureKind::named("texture_2d").map_or(0, |k| {
            TextureKind::ALL.iter().position(|other| other.name == k.name).unwrap_or(0) as u8
        }));
        let names: Vec<String> = numbers
            .iter()
            .map(|&number| {
                let words = match pattern {
                    p if p.contains("{mode}") => [number, number, Word::Mode(ConversionMode::DEFAULT)],
                    p if p.contains("{tex}") => [texture, number, Word::None],
                    _ => [number, Word::None, Word::None],
                };
                AirFunction { base, words }.to_string()
            })
            .filter(|name| AirFunction::parse(name).is_some_and(|f| f.base == base))
            .collect();
        assert!(!names.is_empty(), "no name of the row `{pattern}` reads back");
        for name in names {
            assert!(resolve(&name).is_some(), "backends/cpu/src/library lacks `{name}`");
        }
    }
}

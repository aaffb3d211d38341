//! Every function that Apple's modules declare is there, or is one of those that have no meaning on a host.

use super::resolve;

/// Parts of names that are not there, and why.
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

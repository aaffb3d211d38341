//! Differences of the answers of two implementations where the specification fixes them.

use crate::cases::Case;
use crate::snapshot::{INTERFACES, Snapshot, Value, Values};
use airfoil_gl::query::enums::*;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Answers of Mesa's driver that the specification contradicts. The witness of each is NVIDIA's driver (580.159.04 on an H200).
struct Contradicted {
    interfaces: &'static [u32],
    properties: RangeInclusive<u32>,
    /// A part of the name of the resource.
    name: &'static str,
    #[expect(dead_code, reason = "for readers")]
    why: &'static str,
}

const REFERENCED: RangeInclusive<u32> = REFERENCED_BY_VERTEX_SHADER..=REFERENCED_BY_COMPUTE_SHADER;

const CONTRADICTED: &[Contradicted] = &[
    Contradicted {
        interfaces: &[BUFFER_VARIABLE, SHADER_STORAGE_BLOCK],
        properties: REFERENCED,
        name: "",
        why: "the only stage that has an active storage block references it (section 7.3.1.1)",
    },
    Contradicted {
        interfaces: &[UNIFORM_BLOCK],
        properties: REFERENCED,
        name: "][",
        why: "elements of arrays of arrays are in row-major order (section 7.3.1.1): Mesa counts `foo[0][1]` as `foo[0][3]`",
    },
    Contradicted {
        interfaces: &[SHADER_STORAGE_BLOCK],
        properties: NUM_ACTIVE_VARIABLES..=ACTIVE_VARIABLES,
        name: "",
        why: "only the first element of a member that is an array is an active variable (section 7.3.1): Mesa has all in this list, \
              but not in the list of variables",
    },
    Contradicted {
        interfaces: &[ATOMIC_COUNTER_BUFFER],
        properties: NUM_ACTIVE_VARIABLES..=ACTIVE_VARIABLES,
        name: "",
        why: "a counter of two stages is one active variable (section 7.3.1): Mesa lists it per stage",
    },
];

/// Names of Mesa that are not in the source (section 7.3.1: the name of a variable is that of the source).
const INTERNAL_NAMES: &[&str] = &["gl_in_TexCoord0"];

/// Words of a declaration.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Whether a declaration names a variable and a location.
fn declares_location(case: &Case, name: &str) -> bool {
    let base = name.split(['.', '[']).next().unwrap_or(name);
    let declares = |declaration: &str| {
        words(declaration).any(|w| w == "location") && words(declaration).any(|w| w == base)
    };
    case.sources.iter().any(|(_, text)| text.split(';').any(declares))
}

/// Whether the specification fixes the layout of all blocks: one that is declared without `std140` or `std430` has a layout that
/// the implementation chooses (OpenGL 4.6 section 7.6.2.2).
fn has_fixed_layouts(case: &Case) -> bool {
    let has = |text: &str, list: &[&str]| words(text).any(|word| list.contains(&word));
    case.sources.iter().all(|(_, text)| {
        let heads = text.split([';', '}']).filter_map(|part| part.split_once('{')).map(|(head, _)| head);
        let mut blocks = heads.filter(|head| has(head, &["uniform", "buffer"]) && !head.contains("main"));
        blocks.all(|head| has(head, &["std140", "std430"]))
    })
}

/// Whether the specification leaves both answers to the implementation.
fn is_free(case: &Case, interface: u32, name: &str, property: u32, expected: &Value, found: &Value) -> bool {
    match property {
        LOCATION => !declares_location(case, name),
        // The minimum depends on the implementation: it may pad the end.
        BUFFER_DATA_SIZE => match (expected, found) {
            (Value::Numbers(a), Value::Numbers(b)) => {
                let padded = |n: i32| n.unsigned_abs().next_multiple_of(16);
                a.iter().zip(b).all(|(a, b)| padded(*a) <= padded(*b)) || !has_fixed_layouts(case)
            }
            _ => false,
        },
        OFFSET | ARRAY_STRIDE | MATRIX_STRIDE | TOP_LEVEL_ARRAY_STRIDE => {
            interface != TRANSFORM_FEEDBACK_VARYING && !has_fixed_layouts(case)
        }
        // The number of active elements.
        ARRAY_SIZE => interface == UNIFORM,
        _ => false,
    }
}

/// The differences, as lines.
pub fn find(expected: &Snapshot, found: &Snapshot, case: &Case) -> Vec<String> {
    let mut all = Vec::new();
    for (of, (expected, found)) in INTERFACES.iter().zip(expected.iter().zip(found)) {
        let (interface, label) = (of.interface, of.name);
        // Activity depends on the implementation (section 7.3.1), but a resource with two names has one that is wrong.
        let only = |a: &BTreeMap<String, Values>, b: &BTreeMap<String, Values>| {
            a.keys().filter(|name| !b.contains_key(*name)).cloned().collect::<Vec<_>>()
        };
        let (mut theirs, ours) = (only(expected, found), only(found, expected));
        theirs.retain(|name| {
            // Of a member that is an array, only the first element is a buffer variable (section 7.3.1). Mesa lists the others of
            // some arrays of arrays; NVIDIA's driver does not.
            let other = name.split_once('[').is_some_and(|(_, rest)| !rest.starts_with("0]"));
            !(INTERNAL_NAMES.contains(&name.as_str()) || interface == BUFFER_VARIABLE && other)
        });
        if !theirs.is_empty() && !ours.is_empty() {
            all.push(format!("{label}: {theirs:?}, found {ours:?}"));
        }
        for (name, found) in found {
            let Some(expected) = expected.get(name) else { continue };
            for (&(property, text, _), (a, b)) in of.properties().zip(expected.iter().zip(found)) {
                let known = CONTRADICTED.iter().any(|c| {
                    c.interfaces.contains(&interface)
                        && c.properties.contains(&property)
                        && name.contains(c.name)
                });
                if a != b && !known && !is_free(case, interface, name, property, a, b) {
                    all.push(format!("{label} {name} {text}: {a:?}, found {b:?}"));
                }
            }
        }
    }
    all
}

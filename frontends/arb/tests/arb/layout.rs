//! The uniform block: its vectors, and accesses with address registers.

use crate::support::{World, assert_near, output, program};
use airfoil_arb::{Parameter, StateVector};
use airfoil_ir::Slot;

/// The array that the tests access.
const ARRAY: &str = "PARAM p[] = { program.local[0..2], {9, 9, 9, 9}, state.fog.color };\n";

fn world(address: f32) -> World {
    let mut world = World {
        local: vec![[1.0; 4], [2.0; 4], [3.0; 4], [4.0; 4]],
        named: vec![("state.fog.color", [5.0; 4])],
        ..World::default()
    };
    world.inputs.set_floats(Slot::generic(0).unwrap(), [address, 0.0, 0.0, 0.0]);
    world
}

#[test]
fn arrays_with_relative_addressing_are_contiguous() {
    let text = format!(
        "!!ARBvp1.0\nADDRESS a; TEMP t;\n{ARRAY}ARL a.x, vertex.position.x;\nMOV t, p[a.x+1];\n\
         ADD t, t, p[3];\nADD result.position, t, program.local[1];\nMOV result.color, program.local[3];\nEND"
    );
    let program = program(&text);
    let local = Parameter::Local;
    let fog = Parameter::State(StateVector::FogColor);
    let expected = [local(0), local(1), local(2), Parameter::Constant([9.0; 4]), fog, local(3)];
    assert_eq!(program.parameters, expected);
    // Constants in the array count, others once; `program.local[3]` is the sixth.
    assert_eq!(program.counts.parameters, 6);
    let counts = program.counts;
    assert_eq!((counts.address_registers, counts.instructions, counts.alu_instructions), (1, 5, 0));
    let cases = [
        (-1.0, 1.0),
        (-0.5, 1.0),
        (0.0, 2.0),
        (1.75, 3.0),
        (2.0, 9.0),
        (3.0, 5.0),
        // Out of range: the first or last element.
        (4.0, 5.0),
        (1e30, 5.0),
        (-7.0, 1.0),
        (f32::NEG_INFINITY, 1.0),
    ];
    for (address, element) in cases {
        let found = output(&program, &world(address), Slot::POSITION).unwrap();
        assert_near(found, [element + 11.0; 4], &format!("{address}: {text}"));
    }
}

#[test]
fn addresses_that_overflow_are_harmless() {
    let text = format!(
        "!!ARBvp1.0\nADDRESS a;\n{ARRAY}ARL a.x, vertex.position.x;\nMOV result.position, p[a.x+63];\n\
         MOV result.color, p[a.x-64];\nEND"
    );
    let program = program(&text);
    for address in [f32::MAX, f32::MIN, f32::INFINITY, f32::NAN, 2147483520.0, -2147483648.0] {
        let found = output(&program, &world(address), Slot::POSITION).unwrap();
        assert!([1.0, 2.0, 3.0, 9.0, 5.0].contains(&found[0]), "{address}: {found:?}");
    }
}

#[test]
fn only_parameters_that_are_read_are_in_the_block() {
    let text = "!!ARBvp1.0\nPARAM m[4] = { state.matrix.mvp };\nPARAM unused = program.env[7];\n\
                DP4 result.position.y, m[2], vertex.position;\nMOV result.position.xzw, m[2];\nEND";
    let program = program(text);
    assert_eq!(program.parameters.len(), 1);
    assert_eq!(program.parameters[0].to_string(), "state.matrix.mvp.row[2]");
    // They count nevertheless.
    assert_eq!(program.counts.parameters, 5);
}

#[test]
fn a_program_without_parameters_has_no_block() {
    let program = program("!!ARBvp1.0\nMOV result.position, {0, 0, 0, 1};\nEND");
    assert!(program.parameters.is_empty());
    assert!(program.shader.vars.values().all(|v| v.mode != airfoil_ir::Modes::UBO));
}

#[test]
fn equal_constants_count_once() {
    // The example of ARB_vertex_program section 2.14.3.7.
    let text = "!!ARBvp1.0\nADDRESS a;\nPARAM arr1[4] = { {1,2,3,4}, {1,2,3,4}, {4,4,4,4}, {5,6,7,8} };\n\
                PARAM arr2[3] = { {1,2,3,4}, {5,6,7,8}, {0,1,2,3} };\nPARAM x = {4,3,2,1};\nPARAM y = {1,2,3,4};\n\
                PARAM z = 4;\nPARAM r = {4,3,2,1};\nARL a.x, x.x;\nMOV result.position, arr1[a.x];\nEND";
    let program = program(text);
    assert_eq!(program.counts.parameters, 6);
    assert_eq!(program.parameters.len(), 4);
}

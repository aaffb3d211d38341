//! Specialisation constants that stay open.

mod support;

use airfoil_ir::*;
use airfoil_spirv_in::{Options, read};
use spirv::Op;
use support::Frame;

fn open() -> Options {
    Options { keep_spec_constants: true, ..Options::default() }
}

fn accept(words: &[u32], options: &Options) -> Shader {
    let shader = read(words, options).unwrap_or_else(|e| panic!("{}", e[0]));
    let violations = validate::validate(&shader);
    assert!(violations.is_empty(), "{}\n{}", violations[0], text::print(&shader));
    let printed = text::print(&shader);
    let again = text::parse(&printed).unwrap_or_else(|e| panic!("{}\n{printed}", e[0]));
    assert_eq!(text::print(&again), printed);
    shader
}

/// Spec IDs of the constants that are open.
fn numbers(shader: &Shader) -> Vec<u32> {
    let mut list: Vec<u32> =
        shader.vars.values().filter(|v| v.mode == Modes::SPEC_CONST).filter_map(|v| v.binding).collect();
    list.sort_unstable();
    list
}

/// A specialisation constant.
fn constant(f: &mut Frame, number: u32, default: u32) -> u32 {
    let int = f.int;
    let id = f.a.global(Op::SpecConstant, int, &[default]);
    f.a.decorate(&[id, 1, number]);
    id
}

fn store(f: &mut Frame, value: u32) {
    let acc = f.acc;
    f.a.op(Op::Store, &[acc, value]);
}

#[test]
fn constants_that_types_and_sizes_depend_on_are_closed_everywhere() {
    let mut f = Frame::new();
    let int = f.int;
    let (a, b, c) = (constant(&mut f, 1, 4), constant(&mut f, 2, 5), constant(&mut f, 3, 6));
    let sum = f.a.global(Op::SpecConstantOp, int, &[Op::IAdd as u32, a, b]);
    let array = f.a.ty(Op::TypeArray, &[int, sum]);
    let ptr = f.a.ty(Op::TypePointer, &[4, array]);
    f.a.global(Op::Variable, ptr, &[4]);
    f.begin();
    f.a.label();
    store(&mut f, a);
    store(&mut f, b);
    store(&mut f, c);
    f.a.op(Op::Return, &[]);
    let shader = accept(&f.finish(), &open());
    assert_eq!(numbers(&shader), [3]);
}

#[test]
fn initial_values_of_variables_outside_functions_close_them() {
    let mut f = Frame::new();
    let int = f.int;
    let (a, b) = (constant(&mut f, 1, 4), constant(&mut f, 2, 5));
    let (private, local) = (f.a.ty(Op::TypePointer, &[6, int]), f.a.ty(Op::TypePointer, &[7, int]));
    let outside = f.a.global(Op::Variable, private, &[6, a]);
    f.begin();
    f.a.label();
    let inside = f.a.value(Op::Variable, local, &[7, b]);
    // Uses before that of the variable are closed as well.
    store(&mut f, a);
    for var in [inside, outside] {
        let v = f.a.value(Op::Load, int, &[var]);
        store(&mut f, v);
    }
    f.a.op(Op::Return, &[]);
    let shader = accept(&f.finish(), &open());
    assert_eq!(numbers(&shader), [2]);
}

#[test]
fn long_chains_and_shared_parts_are_no_trouble() {
    let mut f = Frame::new();
    let int = f.int;
    let mut value = constant(&mut f, 1, 1);
    for _ in 0..50_000 {
        value = f.a.global(Op::SpecConstantOp, int, &[Op::IAdd as u32, value, value]);
    }
    f.begin();
    f.a.label();
    store(&mut f, value);
    f.a.op(Op::Return, &[]);
    let shader = read(&f.finish(), &open()).unwrap();
    assert_eq!(numbers(&shader), [1]);
}

#[test]
fn faults_in_the_code_of_constants_are_located_at_them() {
    let mut f = Frame::new();
    let int = f.int;
    let a = constant(&mut f, 1, 4);
    // Too few operands.
    let bad = f.a.global(Op::SpecConstantOp, int, &[Op::IAdd as u32, a]);
    f.begin();
    f.a.label();
    store(&mut f, bad);
    f.a.op(Op::Return, &[]);
    let e = read(&f.finish(), &open()).unwrap_err().remove(0);
    assert!(matches!(e.place, Place::Word { .. }), "{e:?}");
}

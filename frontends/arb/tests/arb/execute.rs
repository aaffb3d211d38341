//! Every instruction against the reference, with masks, swizzles, negation and saturation.

use crate::reference::{ROWS, Row};
use crate::support::{World, assert_near, near, output, program};
use airfoil_ir::Slot;

/// Values of three operands.
const OPERANDS: [[[f32; 4]; 3]; 6] = [
    [[0.5, -1.25, 2.0, 3.75], [1.5, 0.25, -2.5, 0.5], [-0.75, 4.0, 0.125, 1.0]],
    [[-3.5, 0.0, 0.75, -0.5], [2.0, 2.0, 0.75, -0.5], [1.0, -1.0, 10.0, 0.0]],
    [[0.0, 0.0, 0.0, 0.0], [1.0, -0.0, 3.0, 0.0], [5.0, 6.0, 7.0, 8.0]],
    [[1.0, 2.0, 4.0, 8.0], [0.5, 0.5, 0.5, 0.5], [0.25, 0.5, 0.75, 1.0]],
    [[0.3, 0.9, 0.1, 200.0], [-0.3, 0.7, 0.2, -2.0], [0.0, 1.0, 0.0, 1.0]],
    [[0.6, 0.8, 0.1, 0.0], [0.01, 30.0, 0.2, 3.0], [-8.0, 1.0, -0.5, 0.3]],
];

/// The initial value of the destination.
const BEFORE: [f32; 4] = [7.0, 8.0, 9.0, 10.0];

const MASKS: [&str; 5] = ["", ".x", ".yw", ".xyz", ".w"];

/// A suffix and its components.
const SWIZZLES: [(&str, [usize; 4]); 5] =
    [("", [0, 1, 2, 3]), (".wzyx", [3, 2, 1, 0]), (".y", [1; 4]), (".xxzz", [0, 0, 2, 2]), (".z", [2; 4])];

struct Form {
    mask: usize,
    /// Swizzle and sign of each operand.
    operands: [(usize, bool); 3],
    saturate: bool,
}

/// Forms of an instruction: the plain one, and some of the many others.
fn forms(n: usize) -> Vec<Form> {
    let mut list = vec![Form { mask: 0, operands: [(0, false); 3], saturate: false }];
    for k in 0..6 {
        let seed = n * 7 + k * 11;
        let operand = |i: usize| ((seed / (i + 1) + i * 3) % 5, (seed + i) % 2 == 1);
        list.push(Form {
            mask: seed % 5,
            operands: [operand(0), operand(1), operand(2)],
            saturate: k % 2 == 1,
        });
    }
    list
}

fn text(row: &Row, form: &Form, fragment: bool) -> String {
    let (header, result) =
        if fragment { ("!!ARBfp1.0", "result.color") } else { ("!!ARBvp1.0", "result.position") };
    let saturate = if form.saturate { "_SAT" } else { "" };
    let mut line = format!("{}{saturate} t{}", row.name, MASKS[form.mask]);
    for (i, &(swizzle, negate)) in form.operands[..row.operands].iter().enumerate() {
        let suffix =
            if row.scalar { [".x", ".y", ".z", ".w"][SWIZZLES[swizzle].1[0]] } else { SWIZZLES[swizzle].0 };
        line += &format!(", {}program.local[{i}]{suffix}", if negate { "-" } else { "" });
    }
    format!("{header}\nTEMP t;\nMOV t, {{7, 8, 9, 10}};\n{line};\nMOV {result}, t;\nEND\n")
}

fn expected(row: &Row, form: &Form, operands: &[[f32; 4]; 3]) -> [f64; 4] {
    let operand = |i: usize| {
        let (swizzle, negate) = form.operands[i];
        SWIZZLES[swizzle].1.map(|c| {
            let x = f64::from(operands[i][c]);
            if negate { -x } else { x }
        })
    };
    (row.result)(operand(0), operand(1), operand(2))
}

#[test]
fn instructions_follow_the_specification() {
    let mut compared = 0;
    for (n, row) in ROWS.iter().enumerate() {
        for fragment in [false, true] {
            if !(if fragment { row.fragment } else { row.vertex }) {
                continue;
            }
            for mut form in forms(n) {
                form.saturate &= fragment;
                let text = text(row, &form, fragment);
                let program = program(&text);
                let slot = if fragment { Slot::FRAG_COLOR } else { Slot::POSITION };
                for operands in &OPERANDS {
                    let world = World { local: operands.to_vec(), ..World::default() };
                    let found = output(&program, &world, slot).unwrap_or_else(|| panic!("no output\n{text}"));
                    let want = expected(row, &form, operands);
                    for c in 0..4 {
                        let letter = ['x', 'y', 'z', 'w'][c];
                        let mask = MASKS[form.mask];
                        let want = if !mask.is_empty() && !mask.contains(letter) {
                            BEFORE[c]
                        } else if want[c].is_nan() {
                            continue;
                        } else {
                            let w = want[c] as f32;
                            if form.saturate { w.clamp(0.0, 1.0) } else { w }
                        };
                        compared += 1;
                        assert!(
                            near(found[c], want),
                            "{letter}: expected {want}, found {} of {operands:?}\n{text}",
                            found[c]
                        );
                    }
                }
            }
        }
    }
    assert!(compared > 5000, "{compared}");
}

#[test]
fn swz_selects_components_and_constants() {
    for (header, result, slot) in
        [("!!ARBvp1.0", "result.position", Slot::POSITION), ("!!ARBfp1.0", "result.color", Slot::FRAG_COLOR)]
    {
        let text = format!("{header}\nSWZ {result}, program.local[0], -w, 1, +x, -1;\nEND");
        let world = World { local: vec![[2.0, 3.0, 4.0, 5.0]], ..World::default() };
        let found = output(&program(&text), &world, slot).unwrap();
        assert_near(found, [-5.0, 1.0, 2.0, -1.0], &text);
    }
    let text = "!!ARBfp1.0\nSWZ_SAT result.color, program.local[0], a, -g, 0, 1;\nEND";
    let world = World { local: vec![[2.0, 3.0, 4.0, 0.5]], ..World::default() };
    assert_near(output(&program(text), &world, Slot::FRAG_COLOR).unwrap(), [0.5, 0.0, 0.0, 1.0], text);
}

#[test]
fn an_instruction_reads_before_it_writes() {
    let text = "!!ARBvp1.0\nTEMP t; MOV t, program.local[0];\nMOV t.xy, t.yxzw;\nMAD t, t.wzyx, t.y, t;\n\
                MOV result.position, t;\nEND";
    let world = World { local: vec![[1.0, 2.0, 3.0, 4.0]], ..World::default() };
    // (2, 1, 3, 4), then (4, 3, 1, 2) times 1 plus it.
    assert_near(output(&program(text), &world, Slot::POSITION).unwrap(), [6.0, 4.0, 4.0, 6.0], text);
}

#[test]
fn lit_of_zero_to_zero_is_one() {
    let text = "!!ARBvp1.0\nLIT result.position, program.local[0];\nEND";
    let cases = [
        ([1.0, 0.0, 0.0, 0.0], 1.0),
        ([1.0, -3.0, 0.0, 0.0], 1.0),
        ([1.0, 0.0, 0.0, 2.0], 0.0),
        ([0.0, 0.0, 0.0, 0.0], 0.0),
        ([-1.0, 2.0, 0.0, 1.0], 0.0),
        ([1.0, 1.0, 0.0, 1000.0], 1.0),
    ];
    for (operand, power) in cases {
        let world = World { local: vec![operand], ..World::default() };
        let found = output(&program(text), &world, Slot::POSITION).unwrap();
        assert_near(found, [1.0, operand[0].max(0.0), power, 1.0], text);
    }
}

#[test]
fn kil_discards_if_a_selected_component_is_negative() {
    let text = |suffix: &str| {
        format!("!!ARBfp1.0\nKIL program.local[0]{suffix};\nMOV result.color, program.local[0];\nEND")
    };
    let value = [1.0, 0.0, -0.5, 2.0];
    let world = World { local: vec![value], ..World::default() };
    for (suffix, kept) in [("", false), (".x", true), (".xyww", true), (".z", false), (".yyyb", false)] {
        // Letters of two sets do not mix.
        let suffix = if suffix == ".yyyb" { ".rrrb" } else { suffix };
        let found = output(&program(&text(suffix)), &world, Slot::FRAG_COLOR);
        assert_eq!(found.is_some(), kept, "{suffix}");
    }
    let negated = text("").replace("KIL ", "KIL -");
    let world = World { local: vec![[-1.0, -0.0, -0.5, -2.0]], ..World::default() };
    assert!(output(&program(&negated), &world, Slot::FRAG_COLOR).is_some());
}

#[test]
fn constants_have_their_defaults() {
    let cases = [
        ("{1, 2}", [1.0, 2.0, 0.0, 1.0]),
        ("{-1.5}", [-1.5, 0.0, 0.0, 1.0]),
        ("{ 1, +2, -3e0 }", [1.0, 2.0, -3.0, 1.0]),
        ("{.25, 5., 1e2, 2.5E-1}", [0.25, 5.0, 100.0, 0.25]),
        ("{2.e2, 1E+1}", [200.0, 10.0, 0.0, 1.0]),
        ("3", [3.0; 4]),
        ("-2.5", [-2.5; 4]),
    ];
    for (constant, value) in cases {
        for text in [
            format!("!!ARBvp1.0\nMOV result.position, {constant};\nEND"),
            format!("!!ARBvp1.0\nPARAM p = {constant};\nMOV result.position, p;\nEND"),
            format!("!!ARBvp1.0\nPARAM p[2] = {{ 0, {constant} }};\nMOV result.position, p[1];\nEND"),
        ] {
            let program = program(&text);
            assert!(program.parameters.is_empty());
            assert_near(output(&program, &World::default(), Slot::POSITION).unwrap(), value, &text);
        }
    }
    let text = "!!ARBvp1.0\nPOW result.position, {4, 2}.x, 0.5.w;\nEND";
    assert_near(output(&program(text), &World::default(), Slot::POSITION).unwrap(), [2.0; 4], text);
}

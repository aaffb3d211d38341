//! The instructions as the pseudocode of the specifications defines them, in double precision.

/// A component that the specification leaves undefined.
const UNDEFINED: f64 = f64::NAN;

/// An instruction: name, scalar operands, number of operands, whether vertex programs and fragment programs have it.
pub struct Row {
    pub name: &'static str,
    pub scalar: bool,
    pub operands: usize,
    pub vertex: bool,
    pub fragment: bool,
    pub result: fn([f64; 4], [f64; 4], [f64; 4]) -> [f64; 4],
}

const fn row(
    name: &'static str,
    scalar: bool,
    operands: usize,
    result: fn([f64; 4], [f64; 4], [f64; 4]) -> [f64; 4],
) -> Row {
    Row { name, scalar, operands, vertex: true, fragment: true, result }
}

const fn vp(row: Row) -> Row {
    Row { fragment: false, ..row }
}

const fn fp(row: Row) -> Row {
    Row { vertex: false, ..row }
}

fn each(f: impl Fn(usize) -> f64) -> [f64; 4] {
    [f(0), f(1), f(2), f(3)]
}

fn dot3(a: [f64; 4], b: [f64; 4]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn set(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

fn lit(a: [f64; 4]) -> [f64; 4] {
    let x = if a[0] < 0.0 { 0.0 } else { a[0] };
    let y = if a[1] < 0.0 { 0.0 } else { a[1] };
    let w = a[3].clamp(-127.999_99, 127.999_99);
    [1.0, x, if x > 0.0 { y.powf(w) } else { 0.0 }, 1.0]
}

pub const ROWS: &[Row] = &[
    row("ABS", false, 1, |a, _, _| each(|i| a[i].abs())),
    row("ADD", false, 2, |a, b, _| each(|i| a[i] + b[i])),
    fp(row("CMP", false, 3, |a, b, c| each(|i| if a[i] < 0.0 { b[i] } else { c[i] }))),
    fp(row("COS", true, 1, |a, _, _| [a[0].cos(); 4])),
    row("DP3", false, 2, |a, b, _| [dot3(a, b); 4]),
    row("DP4", false, 2, |a, b, _| [dot3(a, b) + a[3] * b[3]; 4]),
    row("DPH", false, 2, |a, b, _| [dot3(a, b) + b[3]; 4]),
    row("DST", false, 2, |a, b, _| [1.0, a[1] * b[1], a[2], b[3]]),
    row("EX2", true, 1, |a, _, _| [a[0].exp2(); 4]),
    vp(row("EXP", true, 1, |a, _, _| [a[0].floor().exp2(), a[0] - a[0].floor(), a[0].exp2(), 1.0])),
    row("FLR", false, 1, |a, _, _| each(|i| a[i].floor())),
    row("FRC", false, 1, |a, _, _| each(|i| a[i] - a[i].floor())),
    row("LG2", true, 1, |a, _, _| [if a[0] > 0.0 { a[0].log2() } else { UNDEFINED }; 4]),
    row("LIT", false, 1, |a, _, _| lit(a)),
    vp(row("LOG", true, 1, |a, _, _| {
        let t = a[0].abs();
        if t == 0.0 {
            return [f64::NEG_INFINITY, 1.0, f64::NEG_INFINITY, 1.0];
        }
        let floor = t.log2().floor();
        [floor, t / floor.exp2(), t.log2(), 1.0]
    })),
    fp(row("LRP", false, 3, |a, b, c| each(|i| a[i] * b[i] + (1.0 - a[i]) * c[i]))),
    row("MAD", false, 3, |a, b, c| each(|i| a[i] * b[i] + c[i])),
    row("MAX", false, 2, |a, b, _| each(|i| if a[i] > b[i] { a[i] } else { b[i] })),
    row("MIN", false, 2, |a, b, _| each(|i| if a[i] > b[i] { b[i] } else { a[i] })),
    row("MOV", false, 1, |a, _, _| a),
    row("MUL", false, 2, |a, b, _| each(|i| a[i] * b[i])),
    row("POW", true, 2, |a, b, _| [if a[0] > 0.0 { a[0].powf(b[0]) } else { UNDEFINED }; 4]),
    row("RCP", true, 1, |a, _, _| [1.0 / a[0]; 4]),
    row("RSQ", true, 1, |a, _, _| [1.0 / a[0].abs().sqrt(); 4]),
    fp(row("SCS", true, 1, |a, _, _| {
        if a[0].abs() > std::f64::consts::PI {
            return [UNDEFINED; 4];
        }
        [a[0].cos(), a[0].sin(), UNDEFINED, UNDEFINED]
    })),
    row("SGE", false, 2, |a, b, _| each(|i| set(a[i] >= b[i]))),
    fp(row("SIN", true, 1, |a, _, _| [a[0].sin(); 4])),
    row("SLT", false, 2, |a, b, _| each(|i| set(a[i] < b[i]))),
    row("SUB", false, 2, |a, b, _| each(|i| a[i] - b[i])),
    row("XPD", false, 2, |a, b, _| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], UNDEFINED]
    }),
];

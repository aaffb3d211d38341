//! The meaning of each operation for the solver. A test compares it with the evaluation in the ALU table.

use super::term::{Term, float_literal, to_fp};
use airfoil_ir::AluOp;

/// Functions of one float that have no theory.
pub const UNARY_FUNCTIONS: [&str; 21] = [
    "frsq",
    "fexp",
    "flog",
    "fexp2",
    "flog2",
    "fsin",
    "fcos",
    "ftan",
    "fasin",
    "facos",
    "fatan",
    "fsinh",
    "fcosh",
    "ftanh",
    "fasinh",
    "facosh",
    "fatanh",
    "fddx",
    "fddy",
    "fquantize2f16",
    "frexp_sig",
];
/// Functions of two floats that have no theory.
pub const BINARY_FUNCTIONS: [&str; 2] = ["fpow", "fatan2"];

/// The lanes of an operation on operands of `bits` bits with a result of `out` bits; `None` if the solver cannot express it.
/// `products`: shifts to the left are products with powers of two, which solvers normalise.
pub fn operation(
    op: AluOp,
    bits: u32,
    out: u32,
    args: &[Vec<Term>],
    lanes: u8,
    products: bool,
) -> Option<Vec<Term>> {
    let info = op.info();
    if info.is_per_component() {
        let lane = |l: usize| {
            let operands: Vec<&Term> = args.iter().map(|a| &a[l.min(a.len() - 1)]).collect();
            per_lane(op, bits, out, &operands, products)
        };
        return (0..lanes as usize).map(lane).collect();
    }
    whole(op, args)
}

fn v(term: &Term) -> Option<&str> {
    term.as_bits()
}

/// Operations whose operands or results are whole vectors.
fn whole(op: AluOp, args: &[Vec<Term>]) -> Option<Vec<Term>> {
    use AluOp as O;
    let a = &args[0];
    let join = |parts: &[Term], bits: u32| -> Option<Vec<Term>> {
        let texts: Option<Vec<&str>> = parts.iter().rev().map(v).collect();
        Some(vec![Term::bits(&format!("(concat {})", texts?.join(" ")), bits)])
    };
    let split = |n: u32, width: u32| -> Option<Vec<Term>> {
        let x = v(&a[0])?;
        let part =
            |i| Term::bits(&format!("((_ extract {} {}) {x})", i * width + width - 1, i * width), width);
        Some((0..n).map(part).collect())
    };
    let fold = |f: &str| -> Option<Vec<Term>> {
        let texts: Option<Vec<&str>> = a.iter().map(v).collect();
        Some(vec![Term::bits(&format!("({f} {})", texts?.join(" ")), 1)])
    };
    match op {
        O::vec2 | O::vec3 | O::vec4 => Some(args.iter().map(|a| a[0].clone()).collect()),
        O::pack_64_2x32 | O::pack_64_4x16 => join(a, 64),
        O::pack_32_2x16 | O::pack_32_4x8 => join(a, 32),
        O::unpack_64_2x32 => split(2, 32),
        O::unpack_64_4x16 => split(4, 16),
        O::unpack_32_2x16 => split(2, 16),
        O::unpack_32_4x8 => split(4, 8),
        O::ball2 | O::ball3 | O::ball4 => fold("bvand"),
        O::bany2 | O::bany3 | O::bany4 => fold("bvor"),
        _ => None,
    }
}

/// Zero- or sign-extends or cuts off bits.
fn resize(x: &str, from: u32, to: u32, signed: bool) -> String {
    if to < from {
        format!("((_ extract {} 0) {x})", to - 1)
    } else if to == from {
        x.to_string()
    } else {
        format!("((_ {}_extend {}) {x})", if signed { "sign" } else { "zero" }, to - from)
    }
}

fn literal(value: i128, bits: u32) -> String {
    let modulus = if bits >= 128 { 0 } else { 1i128 << bits };
    let value = if modulus == 0 { value } else { value.rem_euclid(modulus) };
    format!("(_ bv{value} {bits})")
}

/// Clamps a signed bit vector of `wide` bits to a signed or unsigned range of `bits` bits.
fn clamp(x: &str, wide: u32, bits: u32, signed: bool) -> String {
    let (low, high) =
        if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    let (lo, hi) = (literal(low, wide), literal(high, wide));
    let clamped = format!("(ite (bvslt {x} {lo}) {lo} (ite (bvsgt {x} {hi}) {hi} {x}))");
    resize(&clamped, wide, bits, true)
}

fn per_lane(op: AluOp, bits: u32, out: u32, args: &[&Term], products: bool) -> Option<Term> {
    use AluOp as O;
    if op == O::mov {
        return Some(args[0].clone());
    }
    if op == O::bcsel {
        let condition = format!("(= {} #b1)", v(args[0])?);
        let (a, b) = (args[1], args[2]);
        return Some(match (v(a), v(b)) {
            (Some(a), Some(b)) => Term::bits(&format!("(ite {condition} {a} {b})"), bits),
            _ => {
                let (a, b) = (args[1].as_float()?, args[2].as_float()?);
                Term::float(format!("(ite {condition} {a} {b})"), bits)
            }
        });
    }
    integer(op, bits, out, args, products).or_else(|| float(op, bits, out, args))
}

fn integer(op: AluOp, bits: u32, out: u32, args: &[&Term], products: bool) -> Option<Term> {
    use AluOp as O;
    let info = op.info();
    let float = |t: &airfoil_ir::alu::AluType| t.base == airfoil_ir::alu::Base::Float;
    if float(&info.result) || info.operands.iter().any(float) {
        return None;
    }
    let a = v(args[0])?;
    let b = args.get(1).and_then(|t| v(t)).unwrap_or("");
    let n = bits;
    let simple = |f: &str| Term::bits(&format!("({f} {a} {b})"), n);
    let compare = |f: &str| Term::truth(&format!("({f} {a} {b})"));
    let zero = literal(0, n);
    let guarded = |f: &str| Term::bits(&format!("(ite (= {b} {zero}) {zero} ({f} {a} {b}))"), n);
    // Computes on more bits.
    let ext = |x: &str, by: u32, signed: bool| resize(x, n, n + by, signed);
    let count = |x: &str| {
        let masked = format!("(bvand {x} {})", literal(i128::from(n - 1), 32));
        resize(&masked, 32, n, false)
    };
    Some(match op {
        O::iadd => simple("bvadd"),
        O::isub => simple("bvsub"),
        O::imul => simple("bvmul"),
        O::imul_high | O::umul_high => {
            let signed = op == O::imul_high;
            let product = format!("(bvmul {} {})", ext(a, n, signed), ext(b, n, signed));
            Term::bits(&format!("((_ extract {} {n}) {product})", 2 * n - 1), n)
        }
        O::imul_2x32_64 | O::umul_2x32_64 => {
            let signed = op == O::imul_2x32_64;
            Term::bits(&format!("(bvmul {} {})", resize(a, 32, 64, signed), resize(b, 32, 64, signed)), 64)
        }
        O::idiv => guarded("bvsdiv"),
        O::udiv => guarded("bvudiv"),
        O::irem => guarded("bvsrem"),
        O::imod => guarded("bvsmod"),
        O::umod => guarded("bvurem"),
        O::ineg => Term::bits(&format!("(bvneg {a})"), n),
        O::iabs => Term::bits(&format!("(ite (bvslt {a} {zero}) (bvneg {a}) {a})"), n),
        O::isign => {
            let (one, minus) = (literal(1, n), literal(-1, n));
            Term::bits(&format!("(ite (bvslt {a} {zero}) {minus} (ite (= {a} {zero}) {zero} {one}))"), n)
        }
        O::imin => Term::bits(&format!("(ite (bvslt {a} {b}) {a} {b})"), n),
        O::umin => Term::bits(&format!("(ite (bvult {a} {b}) {a} {b})"), n),
        O::imax => Term::bits(&format!("(ite (bvslt {a} {b}) {b} {a})"), n),
        O::umax => Term::bits(&format!("(ite (bvult {a} {b}) {b} {a})"), n),
        O::iadd_sat | O::isub_sat => {
            let f = if op == O::iadd_sat { "bvadd" } else { "bvsub" };
            Term::bits(&clamp(&format!("({f} {} {})", ext(a, 2, true), ext(b, 2, true)), n + 2, n, true), n)
        }
        O::uadd_sat | O::usub_sat => {
            let f = if op == O::uadd_sat { "bvadd" } else { "bvsub" };
            Term::bits(
                &clamp(&format!("({f} {} {})", ext(a, 2, false), ext(b, 2, false)), n + 2, n, false),
                n,
            )
        }
        O::uadd_carry => {
            let sum = format!("(bvadd {} {})", ext(a, 1, false), ext(b, 1, false));
            Term::bits(&resize(&format!("((_ extract {n} {n}) {sum})"), 1, n, false), n)
        }
        O::usub_borrow => Term::bits(&format!("(ite (bvult {a} {b}) {} {zero})", literal(1, n)), n),
        O::ihadd | O::uhadd | O::irhadd | O::urhadd => {
            let signed = matches!(op, O::ihadd | O::irhadd);
            let mut sum = format!("(bvadd {} {})", ext(a, 2, signed), ext(b, 2, signed));
            if matches!(op, O::irhadd | O::urhadd) {
                sum = format!("(bvadd {sum} {})", literal(1, n + 2));
            }
            Term::bits(&format!("((_ extract {n} 1) {sum})"), n)
        }
        O::ieq => compare("="),
        O::ine => compare("distinct"),
        O::ilt => compare("bvslt"),
        O::ige => compare("bvsge"),
        O::ult => compare("bvult"),
        O::uge => compare("bvuge"),
        O::iand => simple("bvand"),
        O::ior => simple("bvor"),
        O::ixor => simple("bvxor"),
        O::inot => Term::bits(&format!("(bvnot {a})"), n),
        O::ishl if products => Term::bits(&format!("(bvmul {a} (bvshl {} {}))", literal(1, n), count(b)), n),
        O::ishl => Term::bits(&format!("(bvshl {a} {})", count(b)), n),
        O::ishr => Term::bits(&format!("(bvashr {a} {})", count(b)), n),
        O::ushr => Term::bits(&format!("(bvlshr {a} {})", count(b)), n),
        O::bitfield_reverse if n > 1 => {
            let bit = |i: u32| format!("((_ extract {i} {i}) {a})");
            Term::bits(&format!("(concat {})", (0..n).map(bit).collect::<Vec<_>>().join(" ")), n)
        }
        O::bitfield_reverse => args[0].clone(),
        O::bit_count => {
            let bit = |i: u32| format!("((_ zero_extend 31) ((_ extract {i} {i}) {a}))");
            let bits = (0..n).map(bit).collect::<Vec<_>>().join(" ");
            Term::bits(&format!("(bvadd {} {bits})", literal(0, 32)), 32)
        }
        O::ufind_msb | O::ifind_msb | O::find_lsb => {
            let x = match op {
                O::ifind_msb => format!("(bvxor {a} (bvashr {a} {}))", literal(i128::from(n - 1), n)),
                _ => a.to_string(),
            };
            let test = |inner: String, i: u32| {
                format!("(ite (= ((_ extract {i} {i}) {x}) #b1) {} {inner})", literal(i128::from(i), 32))
            };
            let none = literal(-1, 32);
            let text = match op {
                O::find_lsb => (0..n).rev().fold(none, test),
                _ => (0..n).fold(none, test),
            };
            Term::bits(&text, 32)
        }
        O::ubitfield_extract | O::ibitfield_extract | O::bitfield_insert => return bitfield(op, n, args),
        O::i2i | O::u2u => Term::bits(&resize(a, n, out, op == O::i2i), out),
        O::i2i_sat => Term::bits(&clamp(&resize(a, n, 66, true), 66, out, true), out),
        O::i2u_sat => Term::bits(&clamp(&resize(a, n, 66, true), 66, out, false), out),
        O::u2i_sat => Term::bits(&clamp(&resize(a, n, 66, false), 66, out, true), out),
        O::u2u_sat => Term::bits(&clamp(&resize(a, n, 66, false), 66, out, false), out),
        O::b2i => Term::bits(&resize(a, 1, out, false), out),
        _ => return None,
    })
}

/// Bit fields, on 64 bits as the table computes them.
fn bitfield(op: AluOp, n: u32, args: &[&Term]) -> Option<Term> {
    let wide = |i: usize, from: u32, signed: bool| Some(resize(v(args[i])?, from, 64, signed));
    let sixty_four = literal(64, 64);
    let at_most = |x: &str, most: i128| {
        let most = literal(most, 64);
        format!("(ite (bvugt {x} {most}) {most} {x})")
    };
    // Shifts by 64 yield 0.
    let mask = |count: &str| {
        let all = literal(-1, 64);
        format!("(bvnot (bvshl {all} {}))", at_most(count, 64))
    };
    let text = match op {
        AluOp::ubitfield_extract => {
            let (a, offset, count) = (wide(0, n, false)?, wide(1, 32, false)?, wide(2, 32, false)?);
            format!("(bvand (bvlshr {a} {offset}) {})", mask(&count))
        }
        AluOp::ibitfield_extract => {
            let (a, offset, count) = (wide(0, n, true)?, wide(1, 32, false)?, wide(2, 32, false)?);
            let shift = format!("(bvsub {sixty_four} {})", at_most(&count, 64));
            let moved = format!("(bvashr {a} {})", at_most(&offset, 63));
            format!(
                "(ite (= {count} {}) {} (bvashr (bvshl {moved} {shift}) {shift}))",
                literal(0, 64),
                literal(0, 64)
            )
        }
        _ => {
            let (base, insert) = (wide(0, n, false)?, wide(1, n, false)?);
            let (offset, count) = (wide(2, 32, false)?, wide(3, 32, false)?);
            let mask = format!("(bvshl {} {offset})", mask(&count));
            format!("(bvor (bvand {base} (bvnot {mask})) (bvand (bvshl {insert} {offset}) {mask}))")
        }
    };
    Some(Term::bits(&resize(&text, 64, n, false), n))
}

/// Operations on floats.
fn float(op: AluOp, bits: u32, out: u32, args: &[&Term]) -> Option<Term> {
    use AluOp as O;
    // Conversions from integers.
    let from_bits = |signed: bool| {
        let x = v(args[0])?;
        let f = if signed { to_fp(out) } else { to_fp(out).replace("to_fp", "to_fp_unsigned") };
        Some(Term::float(format!("({f} RNE {x})"), out))
    };
    match op {
        O::i2f => return from_bits(true),
        O::u2f => return from_bits(false),
        O::b2f => {
            let (one, zero) = (float_literal(1.0, out), float_literal(0.0, out));
            return Some(Term::bits(
                &format!("(ite (= {} #b1) {} {})", v(args[0])?, one.text(), zero.text()),
                out,
            ));
        }
        _ => {}
    }
    let n = bits;
    let a = args[0].as_float()?;
    let b = args.get(1).and_then(|t| t.as_float()).unwrap_or_default();
    let c = args.get(2).and_then(|t| t.as_float()).unwrap_or_default();
    let value = |text: String| Some(Term::float(text, n));
    let (zero, one) = (float_literal(0.0, n).as_float()?, float_literal(1.0, n).as_float()?);
    let min = |a: &str, b: &str| {
        let takes = format!("(or (fp.isNaN {a}) (fp.lt {b} {a}) (and (fp.eq {a} {b}) (fp.isNegative {b})))");
        format!("(ite {takes} {b} {a})")
    };
    let max = |a: &str, b: &str| {
        let takes = format!("(or (fp.isNaN {a}) (fp.gt {b} {a}) (and (fp.eq {a} {b}) (fp.isNegative {a})))");
        format!("(ite {takes} {b} {a})")
    };
    let round = |mode: &str| value(format!("(fp.roundToIntegral {mode} {a})"));
    let nan = format!("(or (fp.isNaN {a}) (fp.isNaN {b}))");
    let truth = |text: String| Some(Term::truth(&text));
    match op {
        O::fadd => value(format!("(fp.add RNE {a} {b})")),
        O::fsub => value(format!("(fp.sub RNE {a} {b})")),
        O::fmul => value(format!("(fp.mul RNE {a} {b})")),
        O::fdiv => value(format!("(fp.div RNE {a} {b})")),
        O::frcp => value(format!("(fp.div RNE {one} {a})")),
        O::fsqrt => value(format!("(fp.sqrt RNE {a})")),
        O::ffma => value(format!("(fp.fma RNE {a} {b} {c})")),
        O::fmad => value(format!("(fp.add RNE (fp.mul RNE {a} {b}) {c})")),
        O::fneg => value(format!("(fp.neg {a})")),
        O::fabs => value(format!("(fp.abs {a})")),
        O::fsign => {
            let minus = float_literal(-1.0, n).as_float()?;
            value(format!(
                "(ite (fp.isNaN {a}) {zero} (ite (fp.isZero {a}) {a} (ite (fp.isNegative {a}) {minus} {one})))"
            ))
        }
        O::fsat => value(format!("(ite (fp.gt {a} {zero}) (ite (fp.gt {a} {one}) {one} {a}) {zero})")),
        O::fmin => value(min(&a, &b)),
        O::fmax => value(max(&a, &b)),
        O::fclamp => value(min(&max(&a, &b), &c)),
        O::ffloor => round("RTN"),
        O::fceil => round("RTP"),
        O::ftrunc => round("RTZ"),
        O::fround_even => round("RNE"),
        O::fround => round("RNA"),
        O::ffract => value(format!("(fp.sub RNE {a} (fp.roundToIntegral RTN {a}))")),
        O::feq => truth(format!("(fp.eq {a} {b})")),
        O::fneu => truth(format!("(not (fp.eq {a} {b}))")),
        O::flt => truth(format!("(fp.lt {a} {b})")),
        O::fge => truth(format!("(fp.geq {a} {b})")),
        O::fequ => truth(format!("(or {nan} (fp.eq {a} {b}))")),
        O::fneo => truth(format!("(and (not {nan}) (not (fp.eq {a} {b})))")),
        O::fltu => truth(format!("(or {nan} (fp.lt {a} {b}))")),
        O::fgeu => truth(format!("(or {nan} (fp.geq {a} {b}))")),
        O::ford => truth(format!("(not {nan})")),
        O::funord => truth(nan),
        O::f2f => Some(Term::float(format!("({} RNE {a})", to_fp(out)), out)),
        O::f2i | O::f2u | O::f2i_sat | O::f2u_sat => {
            let signed = matches!(op, O::f2i | O::f2i_sat);
            let limit = 2f64.powi(if signed { out as i32 - 1 } else { out as i32 });
            let bound = |mode: &str, x: f64| format!("({} {mode} {x:.1})", to_fp(n));
            let x = format!("(fp.roundToIntegral RTZ {a})");
            let (low, high, f) = if signed {
                (-(1i128 << (out - 1)), (1i128 << (out - 1)) - 1, "fp.to_sbv")
            } else {
                (0, (1i128 << out) - 1, "fp.to_ubv")
            };
            let below = if signed {
                format!(
                    "(fp.leq {x} ((_ to_fp {}) RNE (- {limit:.1})))",
                    to_fp(n).trim_start_matches("(_ to_fp ").trim_end_matches(')')
                )
            } else {
                format!("(fp.leq {x} {zero})")
            };
            Some(Term::bits(
                &format!(
                    "(ite (fp.isNaN {a}) {} (ite (fp.geq {x} {}) {} (ite {below} {} ((_ {f} {out}) RTZ {x}))))",
                    literal(0, out),
                    bound("RTP", limit),
                    literal(high, out),
                    literal(low, out),
                ),
                out,
            ))
        }
        _ if n == 16 && UNARY_FUNCTIONS.contains(&op.name()) => value(format!("(f_{} {a})", op.name())),
        _ if n == 16 && BINARY_FUNCTIONS.contains(&op.name()) => value(format!("(f_{} {a} {b})", op.name())),
        _ => None,
    }
}

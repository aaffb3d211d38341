use super::*;
use crate::value::{Lanes, Ty};

fn lanes(v: &[u64]) -> Lanes {
    let mut l = [0; 4];
    l[..v.len()].copy_from_slice(v);
    l
}

fn eval1(op: AluOp, bits: u32, out: u8, srcs: &[u64]) -> u64 {
    let srcs: Vec<Lanes> = srcs.iter().map(|&s| lanes(&[s])).collect();
    op.eval(bits, Ty::new(1, out), &srcs).unwrap()[0]
}

fn f(x: f32) -> u64 {
    u64::from(x.to_bits())
}

#[test]
fn names_are_unique_and_found() {
    for &op in ALU_OPS {
        assert_eq!(AluOp::from_name(op.name()), Some(op));
        assert!(!op.info().doc.trim().is_empty());
        assert!((1..=4).contains(&op.num_operands()), "{}", op.name());
        assert_eq!(op.num_operands(), op.info().operands.len(), "{}", op.name());
    }
    assert_eq!(AluOp::from_name("no_such_op"), None);
}

#[test]
fn float_arithmetic_rounds_once() {
    assert_eq!(eval1(AluOp::fadd, 32, 32, &[f(0.1), f(0.2)]), f(0.1f32 + 0.2f32));
    assert_eq!(eval1(AluOp::fdiv, 32, 32, &[f(1.0), f(3.0)]), f(1.0f32 / 3.0f32));
    assert_eq!(eval1(AluOp::ffma, 32, 32, &[f(0.1), f(10.0), f(-1.0)]), f(0.1f32.mul_add(10.0, -1.0)));
    assert_eq!(eval1(AluOp::fmad, 32, 32, &[f(0.1), f(10.0), f(-1.0)]), f(0.1f32 * 10.0 - 1.0));
    assert_eq!(eval1(AluOp::fneg, 16, 16, &[0x3c00]), 0xbc00);
}

#[test]
fn nan_and_signed_zero() {
    let nan = f(f32::NAN);
    assert_eq!(eval1(AluOp::fmin, 32, 32, &[nan, f(2.0)]), f(2.0));
    assert_eq!(eval1(AluOp::fmax, 32, 32, &[f(2.0), nan]), f(2.0));
    assert_eq!(eval1(AluOp::fsat, 32, 32, &[nan]), 0);
    assert_eq!(eval1(AluOp::fmin, 32, 32, &[f(0.0), f(-0.0)]), f(-0.0));
    assert_eq!(eval1(AluOp::fsign, 32, 32, &[f(-0.0)]), f(-0.0));
    assert_eq!(eval1(AluOp::feq, 32, 1, &[nan, nan]), 0);
    assert_eq!(eval1(AluOp::fneu, 32, 1, &[nan, nan]), 1);
    assert_eq!(eval1(AluOp::fltu, 32, 1, &[nan, f(0.0)]), 1);
    assert_eq!(eval1(AluOp::fneo, 32, 1, &[nan, f(0.0)]), 0);
    assert_eq!(eval1(AluOp::fneo, 32, 1, &[f(1.0), f(0.0)]), 1);
}

#[test]
fn integers_wrap_to_their_width() {
    assert_eq!(eval1(AluOp::iadd, 8, 8, &[0xff, 2]), 1);
    assert_eq!(eval1(AluOp::imul, 32, 32, &[0x8000_0000, 2]), 0);
    assert_eq!(eval1(AluOp::idiv, 32, 32, &[0x8000_0000, 0xffff_ffff]), 0x8000_0000);
    assert_eq!(eval1(AluOp::idiv, 32, 32, &[7, 0]), 0);
    assert_eq!(eval1(AluOp::imod, 32, 32, &[0xffff_ffff, 3]), 2);
    assert_eq!(eval1(AluOp::irem, 32, 32, &[0xffff_ffff, 3]), 0xffff_ffff);
    assert_eq!(eval1(AluOp::imul_high, 64, 64, &[u64::MAX, 2]), u64::MAX);
    assert_eq!(eval1(AluOp::umul_high, 64, 64, &[u64::MAX, 2]), 1);
    assert_eq!(eval1(AluOp::iadd_sat, 8, 8, &[0x7f, 1]), 0x7f);
    assert_eq!(eval1(AluOp::ishl, 32, 32, &[1, 33]), 2);
    assert_eq!(eval1(AluOp::inot, 1, 1, &[0]), 1);
    assert_eq!(eval1(AluOp::bitfield_reverse, 8, 8, &[1]), 0x80);
    assert_eq!(eval1(AluOp::ufind_msb, 32, 32, &[0]), 0xffff_ffff);
    assert_eq!(eval1(AluOp::ifind_msb, 32, 32, &[0xffff_ffff]), 0xffff_ffff);
    assert_eq!(eval1(AluOp::ibitfield_extract, 32, 32, &[0xf0, 4, 4]), 0xffff_ffff);
    assert_eq!(eval1(AluOp::bitfield_insert, 32, 32, &[0, 0xff, 4, 4]), 0xf0);
}

#[test]
fn conversions_round_and_saturate() {
    assert_eq!(eval1(AluOp::f2i, 32, 32, &[f(-1.9)]), 0xffff_ffff);
    assert_eq!(eval1(AluOp::f2i_sat, 32, 8, &[f(1000.0)]), 0x7f);
    assert_eq!(eval1(AluOp::f2u_sat, 32, 8, &[f(-5.0)]), 0);
    assert_eq!(eval1(AluOp::f2u_rtp, 32, 32, &[f(1.1)]), 2);
    assert_eq!(eval1(AluOp::f2i_rte, 32, 32, &[f(2.5)]), 2);
    assert_eq!(eval1(AluOp::f2i_sat, 32, 32, &[f(f32::NAN)]), 0);
    // 65520 is half way between the largest half and infinity.
    assert_eq!(eval1(AluOp::f2f, 32, 16, &[f(65520.0)]), 0x7c00);
    assert_eq!(eval1(AluOp::f2f_rtz, 32, 16, &[f(65520.0)]), 0x7bff);
    assert_eq!(eval1(AluOp::f2f_rtp, 32, 16, &[f(1e-10)]), 1);
    assert_eq!(eval1(AluOp::f2f_rtn, 32, 16, &[f(-1e-10)]), 0x8001);
    assert_eq!(eval1(AluOp::f2f_rtp, 32, 16, &[f(-1e-10)]), 0x8000);
    assert_eq!(eval1(AluOp::i2f, 64, 32, &[0x7fff_ffff_ffff_ffff]), f(9.223_372e18));
    assert_eq!(eval1(AluOp::u2f_rtz, 64, 32, &[u64::MAX]), f(1.844_674_3e19));
    assert_eq!(eval1(AluOp::u2i_sat, 32, 8, &[200]), 0x7f);
    assert_eq!(eval1(AluOp::i2i, 8, 32, &[0x80]), 0xffff_ff80);
    assert_eq!(eval1(AluOp::u2u, 8, 32, &[0x80]), 0x80);
}

#[test]
fn vectors_and_packing() {
    let v = AluOp::vec3.eval(32, Ty::new(3, 32), &[lanes(&[1]), lanes(&[2]), lanes(&[3])]).unwrap();
    assert_eq!(v, [1, 2, 3, 0]);
    let d = AluOp::fdot3
        .eval(32, Ty::new(1, 32), &[lanes(&[f(1.0), f(2.0), f(3.0)]), lanes(&[f(4.0), f(5.0), f(6.0)])])
        .unwrap();
    assert_eq!(d[0], f(32.0));
    let p = AluOp::pack_unorm_4x8
        .eval(32, Ty::new(1, 32), &[lanes(&[f(0.0), f(1.0), f(0.5), f(f32::NAN)])])
        .unwrap();
    assert_eq!(p[0], 0x0080_ff00);
    let u = AluOp::unpack_snorm_2x16.eval(32, Ty::new(2, 32), &[lanes(&[0x8000_7fff])]).unwrap();
    assert_eq!(u[..2], [f(1.0), f(-1.0)]);
}

#[test]
fn derivatives_see_the_quad() {
    let q = [f(1.0), f(3.0), f(10.0), f(30.0)];
    assert_eq!(AluOp::fddx.eval_quad(32, q, 3), Some(f(20.0)));
    assert_eq!(AluOp::fddy_fine.eval_quad(32, q, 1), Some(f(27.0)));
    assert_eq!(AluOp::fddx_coarse.eval_quad(32, q, 3), Some(f(2.0)));
    assert_eq!(AluOp::fddx.eval(32, Ty::B32, &[lanes(&[q[0]])]), None);
}

#[test]
fn halves_are_rounded_by_all_bits_of_a_double() {
    let half = |x: f64| eval1(AluOp::f2f, 64, 16, &[x.to_bits()]);
    // A tie, and a value just above one: in a normal number and in a subnormal one.
    assert_eq!(half(1.0 + 2f64.powi(-11)), 0x3c00);
    assert_eq!(half(1.0 + 2f64.powi(-11) + 2f64.powi(-50)), 0x3c01);
    assert_eq!(half(-(2f64.powi(-25) + 2f64.powi(-70))), 0x8001);
    assert_eq!(half(2f64.powi(-25)), 0);
    assert_eq!(half(65520.0 - 2f64.powi(-30)), 0x7bff);
    assert_eq!(half(f64::from_bits(1)), 0);
    assert_eq!(half(f64::MAX), 0x7c00);
}

#[test]
fn ldexp_covers_the_whole_range() {
    let ldexp =
        |x: f64, e: i32| f64::from_bits(eval1(AluOp::fldexp, 64, 64, &[x.to_bits(), e as u32 as u64]));
    assert_eq!(ldexp(f64::from_bits(1), 2097), 2f64.powi(1023));
    assert_eq!(ldexp(f64::INFINITY, i32::MIN), f64::INFINITY);
    assert_eq!(ldexp(0.0, i32::MAX).to_bits(), 0);
    assert_eq!(ldexp(f64::MAX, -2045), 2f64.powi(-1022) * (2.0 - f64::EPSILON));
}

#[test]
fn ldexp_flushes_subnormal_results() {
    let ldexp = |x: f32, e: i32| eval1(AluOp::fldexp, 32, 32, &[f(x), e as u32 as u64]);
    assert_eq!(ldexp(0.5, -125), f(f32::MIN_POSITIVE));
    assert_eq!(ldexp(0.5, -126), f(0.0));
    assert_eq!(ldexp(-0.75, -127), f(-0.0));
    assert_eq!(ldexp(1e-40, 20), f(1e-40 * 1048576.0));
    let double = |e: i32| eval1(AluOp::fldexp, 64, 64, &[1f64.to_bits(), e as u32 as u64]);
    assert_eq!((double(-1022), double(-1023)), (f64::MIN_POSITIVE.to_bits(), 0));
}

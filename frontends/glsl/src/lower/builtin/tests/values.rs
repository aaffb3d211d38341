//! Values computed by hand, mainly of corner cases.

use super::{builtin, constant, fold, fold_as, pure, vector};
use crate::hir::Constant;
use crate::types::{Base, Type};

fn float(x: f32) -> u64 {
    u64::from(x.to_bits())
}

/// A float scalar or vector.
fn f(x: &[f32]) -> Constant {
    constant(vector(Base::Float, x.len() as u8), &x.iter().map(|&x| float(x)).collect::<Vec<_>>())
}

fn i(x: &[i32]) -> Constant {
    constant(vector(Base::Int, x.len() as u8), &x.iter().map(|&x| u64::from(x as u32)).collect::<Vec<_>>())
}

fn u(x: &[u32]) -> Constant {
    constant(vector(Base::Uint, x.len() as u8), &x.iter().map(|&x| u64::from(x)).collect::<Vec<_>>())
}

fn b(x: &[bool]) -> Constant {
    constant(vector(Base::Bool, x.len() as u8), &x.iter().map(|&x| u64::from(x)).collect::<Vec<_>>())
}

fn d(x: &[f64]) -> Constant {
    constant(vector(Base::Double, x.len() as u8), &x.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
}

fn mat(cols: u8, rows: u8, x: &[f32]) -> Constant {
    constant(Type::Matrix { base: Base::Float, cols, rows }, &x.iter().map(|&x| float(x)).collect::<Vec<_>>())
}

#[track_caller]
fn is(f: &str, args: &[Constant], want: Constant) {
    let got = fold(f, args, want.ty);
    assert_eq!(got.as_deref(), Some(&want.scalars[..]), "{f}({args:?})");
}

#[track_caller]
fn close(f: &str, args: &[Constant], want: f32) {
    let got = fold(f, args, Type::FLOAT).map(|s| f32::from_bits(s[0] as u32));
    let got = got.unwrap_or(f32::NAN);
    assert!((got - want).abs() <= 2e-6 * want.abs().max(1e-3), "{f}({args:?}) is {got}, not {want}");
}

/// Floats that are equal as numbers: zeros may have any sign.
#[track_caller]
fn equal(f: &str, args: &[Constant], want: Constant) {
    let numbers = |scalars: &[u64]| scalars.iter().map(|&s| f32::from_bits(s as u32)).collect::<Vec<_>>();
    let got = fold(f, args, want.ty).unwrap_or_default();
    assert_eq!(numbers(&got), numbers(&want.scalars), "{f}({args:?})");
}

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

#[test]
fn angles_and_exponentials() {
    close("radians", &[f(&[180.0])], std::f32::consts::PI);
    close("degrees", &[f(&[std::f32::consts::FRAC_PI_2])], 90.0);
    close("atan", &[f(&[-1.0]), f(&[-1.0])], -2.356_194_5);
    close("acosh", &[f(&[2.0])], 1.316_958);
    is("pow", &[f(&[2.0]), f(&[10.0])], f(&[1024.0]));
    is("exp2", &[f(&[-1.0, 0.0, 3.0])], f(&[0.5, 1.0, 8.0]));
    is("log2", &[f(&[0.0])], f(&[-INF]));
    is("inversesqrt", &[f(&[4.0, 0.25])], f(&[0.5, 2.0]));
    is("sqrt", &[d(&[2.0])], d(&[std::f64::consts::SQRT_2]));
}

#[test]
fn common_functions() {
    is("mod", &[f(&[-1.0, 7.5, 5.0]), f(&[3.0])], f(&[2.0, 1.5, 2.0]));
    is("mod", &[f(&[1.0]), f(&[-3.0])], f(&[-2.0]));
    is("fract", &[f(&[-0.25])], f(&[0.75]));
    is("sign", &[f(&[-3.0, 0.0, 7.0])], f(&[-1.0, 0.0, 1.0]));
    is("sign", &[i(&[-3, 0, 7])], i(&[-1, 0, 1]));
    is("abs", &[i(&[i32::MIN, -1])], i(&[i32::MIN, 1]));
    is("roundEven", &[f(&[0.5, 1.5, -2.5])], f(&[0.0, 2.0, -2.0]));
    is("trunc", &[f(&[-1.75])], f(&[-1.0]));
    is("min", &[f(&[NAN, 1.0]), f(&[1.0, NAN])], f(&[1.0, 1.0]));
    is("max", &[u(&[u32::MAX, 1]), u(&[2])], u(&[u32::MAX, 2]));
    is("max", &[i(&[-1, 1]), i(&[2])], i(&[2, 2]));
    is("clamp", &[f(&[-2.0, 0.5, 9.0]), f(&[0.0]), f(&[1.0])], f(&[0.0, 0.5, 1.0]));
    is("clamp", &[i(&[-5, 5]), i(&[-1]), i(&[1])], i(&[-1, 1]));
    is("clamp", &[u(&[u32::MAX]), u(&[1]), u(&[3])], u(&[3]));
    is("mix", &[f(&[2.0, 4.0]), f(&[4.0, 8.0]), f(&[0.25])], f(&[2.5, 5.0]));
    is("mix", &[f(&[1.0, 2.0]), f(&[3.0, NAN]), b(&[true, false])], f(&[3.0, 2.0]));
    is("mix", &[i(&[1]), i(&[2]), b(&[true])], i(&[2]));
    is("step", &[f(&[1.0]), f(&[0.5, 1.0, 2.0])], f(&[0.0, 1.0, 1.0]));
    is("smoothstep", &[f(&[0.0]), f(&[2.0]), f(&[-1.0, 1.0, 9.0])], f(&[0.0, 0.5, 1.0]));
    is("isnan", &[f(&[NAN, INF, 0.0])], b(&[true, false, false]));
    is("isinf", &[f(&[NAN, -INF, 0.0])], b(&[false, true, false]));
    // 1 + 2^-23 squared minus 1 + 2^-22 is 2^-46 only if the product is not rounded.
    let x = 1.0 + f32::EPSILON;
    is("fma", &[f(&[x]), f(&[x]), f(&[-(1.0 + 2.0 * f32::EPSILON)])], f(&[f32::EPSILON * f32::EPSILON]));
    is("ldexp", &[f(&[0.75, 1.0]), i(&[4, -149])], f(&[12.0, 0.0]));
    is("min3", &[i(&[3]), i(&[1]), i(&[2])], i(&[1]));
    is("max3", &[f(&[3.0]), f(&[1.0]), f(&[2.0])], f(&[3.0]));
    for [x, y, z] in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
        is("mid3", &[u(&[x]), u(&[y]), u(&[z])], u(&[2]));
    }
}

#[test]
fn bits_and_packing() {
    is("floatBitsToInt", &[f(&[1.0, -0.0])], i(&[0x3f80_0000, i32::MIN]));
    is("uintBitsToFloat", &[u(&[0x7f80_0000])], f(&[INF]));
    is("packDouble2x32", &[u(&[0, 0x3ff0_0000])], d(&[1.0]));
    is("unpackDouble2x32", &[d(&[1.0])], u(&[0, 0x3ff0_0000]));
    let bytes = constant(vector(Base::Uint8, 4), &[1, 2, 3, 0xff]);
    is("pack32", std::slice::from_ref(&bytes), u(&[0xff03_0201]));
    is("unpack8", &[u(&[0xff03_0201])], bytes);
    let pair = constant(vector(Base::Uint8, 2), &[0x34, 0x12]);
    let word = constant(vector(Base::Uint16, 1), &[0x1234]);
    is("pack16", std::slice::from_ref(&pair), word.clone());
    is("unpack8", &[word], pair);
    let pack = pure("packDouble2x32", &[vector(Base::Uint, 2)]);
    assert_eq!(fold_as(pack, &[u(&[1, 2, 3])], Type::DOUBLE), None);
    is("packUnorm4x8", &[f(&[0.0, 1.0, 2.0, -1.0])], u(&[0x00ff_ff00]));
    is("packSnorm2x16", &[f(&[-1.0, 1.0])], u(&[0x7fff_8001]));
    is("unpackSnorm2x16", &[u(&[0x7fff_8000])], f(&[-1.0, 1.0]));
    is("packHalf2x16", &[f(&[1.0, -2.0])], u(&[0xc000_3c00]));
    is("unpackHalf2x16", &[u(&[0xc000_3c00])], f(&[1.0, -2.0]));
    is("unpackUnorm4x8", &[u(&[0xff00_00ff])], f(&[1.0, 0.0, 0.0, 1.0]));
}

#[test]
fn integers() {
    is("bitfieldExtract", &[i(&[0xf0]), i(&[4]), i(&[4])], i(&[-1]));
    is("bitfieldExtract", &[u(&[0xf0]), i(&[4]), i(&[4])], u(&[15]));
    is("bitfieldExtract", &[i(&[-1, 5]), i(&[0]), i(&[0])], i(&[0, 0]));
    is("bitfieldExtract", &[u(&[u32::MAX]), i(&[32]), i(&[0])], u(&[0]));
    is("bitfieldExtract", &[u(&[0xdead_beef]), i(&[0]), i(&[32])], u(&[0xdead_beef]));
    is("bitfieldExtract", &[i(&[i32::MIN]), i(&[31]), i(&[1])], i(&[-1]));
    is("bitfieldInsert", &[u(&[0xffff_ffff]), u(&[0]), i(&[8]), i(&[8])], u(&[0xffff_00ff]));
    is("bitfieldInsert", &[u(&[7]), u(&[9]), i(&[32]), i(&[0])], u(&[7]));
    is("bitfieldInsert", &[i(&[0]), i(&[-1]), i(&[0]), i(&[32])], i(&[-1]));
    is("bitfieldReverse", &[u(&[1, 0x8000_0000])], u(&[0x8000_0000, 1]));
    is("bitCount", &[i(&[-1, 0, 5])], i(&[32, 0, 2]));
    is("findLSB", &[u(&[0, 8])], i(&[-1, 3]));
    is("findMSB", &[i(&[0])], i(&[-1]));
    is("findMSB", &[i(&[-1, -2, i32::MIN, 1])], i(&[-1, 0, 30, 0]));
    is("findMSB", &[u(&[u32::MAX, 0])], i(&[31, -1]));
    is("countLeadingZeros", &[u(&[0, 1, u32::MAX])], u(&[32, 31, 0]));
    is("countTrailingZeros", &[u(&[0, 1, 0x8000_0000])], u(&[32, 0, 31]));
    is("absoluteDifference", &[i(&[i32::MIN, 3]), i(&[i32::MAX, 5])], u(&[u32::MAX, 2]));
    is("addSaturate", &[u(&[u32::MAX]), u(&[1])], u(&[u32::MAX]));
    is("subtractSaturate", &[i(&[i32::MIN]), i(&[1])], i(&[i32::MIN]));
    is("average", &[u(&[u32::MAX]), u(&[u32::MAX - 1])], u(&[u32::MAX - 1]));
    is("averageRounded", &[i(&[-1]), i(&[-2])], i(&[-1]));
    is("multiply32x16", &[i(&[3]), i(&[0x1_ffff])], i(&[-3]));
    is("multiply32x16", &[u(&[3]), u(&[0x1_ffff])], u(&[0x2_fffd]));
    is("dotEXT", &[i(&[1, -2, 3]), i(&[4, 5, 6])], i(&[12]));
    is("dotPacked4x8EXT", &[i(&[-1]), i(&[0x0102_0304])], i(&[-10]));
    is("dotPacked4x8EXT", &[u(&[u32::MAX]), u(&[0x0102_0304])], u(&[2550]));
    is("dotAccSatEXT", &[i(&[1, 1]), i(&[1, 1]), i(&[i32::MAX])], i(&[i32::MAX]));
}

#[test]
fn geometry() {
    is("length", &[f(&[3.0, 4.0])], f(&[5.0]));
    is("length", &[f(&[-3.0])], f(&[3.0]));
    is("distance", &[f(&[1.0, 1.0]), f(&[4.0, 5.0])], f(&[5.0]));
    is("dot", &[f(&[1.0, 2.0, 3.0]), f(&[4.0, 5.0, 6.0])], f(&[32.0]));
    is("dot", &[f(&[3.0]), f(&[4.0])], f(&[12.0]));
    is("cross", &[f(&[1.0, 0.0, 0.0]), f(&[0.0, 1.0, 0.0])], f(&[0.0, 0.0, 1.0]));
    is("normalize", &[f(&[0.0, 0.0, 4.0])], f(&[0.0, 0.0, 1.0]));
    is("normalize", &[f(&[-9.0])], f(&[-1.0]));
    is("faceforward", &[f(&[1.0]), f(&[2.0]), f(&[3.0])], f(&[-1.0]));
    is("reflect", &[f(&[1.0, -1.0]), f(&[0.0, 1.0])], f(&[1.0, 1.0]));
    is("refract", &[f(&[0.0, -1.0]), f(&[0.0, 1.0]), f(&[0.5])], f(&[0.0, -1.0]));
    // Total reflection.
    is("refract", &[f(&[1.0, 0.0]), f(&[0.0, 1.0]), f(&[2.0])], f(&[0.0, 0.0]));
}

#[test]
fn matrices() {
    let m = mat(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    is("transpose", std::slice::from_ref(&m), mat(3, 2, &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    is("matrixCompMult", &[m.clone(), m], mat(2, 3, &[1.0, 4.0, 9.0, 16.0, 25.0, 36.0]));
    let outer = mat(2, 3, &[3.0, 6.0, 9.0, 4.0, 8.0, 12.0]);
    is("outerProduct", &[f(&[1.0, 2.0, 3.0]), f(&[3.0, 4.0])], outer);
    is("determinant", &[mat(2, 2, &[1.0, 2.0, 3.0, 4.0])], f(&[-2.0]));
    is("determinant", &[mat(3, 3, &[2.0, 0.0, 1.0, 1.0, 3.0, 2.0, 1.0, 1.0, 4.0])], f(&[18.0]));
    let m = [1.0, 2.0, 0.0, 1.0, 0.0, 1.0, 3.0, 2.0, 2.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
    is("determinant", &[mat(4, 4, &m)], f(&[8.0]));
    equal("inverse", &[mat(2, 2, &[4.0, 2.0, 6.0, 4.0])], mat(2, 2, &[1.0, -0.5, -1.5, 1.0]));
    let inverse = mat(3, 3, &[0.5, 0.0, 0.0, 0.0, 0.25, 0.0, -2.0, -0.75, 1.0]);
    equal("inverse", &[mat(3, 3, &[2.0, 0.0, 0.0, 0.0, 4.0, 0.0, 4.0, 3.0, 1.0])], inverse);
}

#[test]
fn four_by_four_inverses_undo() {
    let m: Vec<f32> =
        (0..16).map(|i| ((i * 7 + 3) % 11) as f32 + if i % 5 == 0 { 9.0 } else { 0.0 }).collect();
    let ty = Type::MAT4;
    let inverse = fold("inverse", &[mat(4, 4, &m)], ty).unwrap_or_default();
    let inverse: Vec<f64> = inverse.iter().map(|&s| f64::from(f32::from_bits(s as u32))).collect();
    for c in 0..4 {
        for r in 0..4 {
            let sum: f64 = (0..4).map(|k| f64::from(m[k * 4 + r]) * inverse[c * 4 + k]).sum();
            let want = if c == r { 1.0 } else { 0.0 };
            assert!((sum - want).abs() < 1e-4, "{c} {r}: {sum}");
        }
    }
}

#[test]
fn relations() {
    is("lessThan", &[f(&[1.0, NAN]), f(&[2.0, 2.0])], b(&[true, false]));
    is("greaterThan", &[i(&[-1, 3]), i(&[0, 2])], b(&[false, true]));
    is("greaterThanEqual", &[u(&[u32::MAX, 2]), u(&[0, 2])], b(&[true, true]));
    is("lessThanEqual", &[i(&[-1, 3]), i(&[-1, 2])], b(&[true, false]));
    is("equal", &[f(&[0.0, NAN]), f(&[-0.0, NAN])], b(&[true, false]));
    is("notEqual", &[b(&[true, false]), b(&[true, true])], b(&[false, true]));
    is("notEqual", &[f(&[NAN, 1.0]), f(&[NAN, 1.0])], b(&[true, false]));
    is("any", &[b(&[false, true, false])], b(&[true]));
    is("all", &[b(&[false, true, false, true])], b(&[false]));
    is("not", &[b(&[false, true])], b(&[true, false]));
}

#[test]
fn functions_that_are_not_constant_do_not_fold() {
    for (name, args) in [
        ("helperInvocationEXT", &[][..]),
        ("subgroupBroadcastFirst", &[Type::FLOAT]),
        ("noise1", &[Type::FLOAT]),
        ("modf", &[Type::FLOAT, Type::FLOAT]),
    ] {
        assert!(!builtin(name, args).is_constant_function(), "{name}");
    }
    assert!(builtin("sin", &[Type::FLOAT]).is_constant_function());
    assert_eq!(fold("modf", &[f(&[1.5]), f(&[0.0])], Type::FLOAT), None);
    // The scalars of a constant must fit its type.
    assert_eq!(fold("sin", &[constant(Type::VEC3, &[0])], Type::VEC3), None);
}

#[test]
fn narrow_floats_round_to_their_width() {
    let half = |x: f32| constant(vector(Base::Half, 1), &[float(x)]);
    is("fma", &[half(2048.0), half(1.0), half(1.0)], half(2048.0));
    is("sqrt", &[half(2.0)], half(1.414_062_5));
    is("abs", &[half(-65504.0)], half(65504.0));
}

//! Arithmetic: GLSL 4.60 sections 8.1 to 8.3, 8.5 to 8.8, 8.14 and extensions to them; and functions that belong to no
//! other group.

use super::generic::{
    BOOL, COLUMN, FLOAT, FLOATS, HIGH, INT, INTEGERS, INTS, M, NUMBERS, OPERANDS, ROW, S, SINGLES, Sizes, T,
    TRANSPOSED, UINT, VALUES, VOID, constant, float, integer, interpolant, n, out, s, v,
};
use super::row::{ALL, BIT_CAST, COMPUTE, FRAGMENT, GEOMETRY, Group, VERTEX, by, fixed, row};
use crate::builtin::code;
use crate::builtin::op::CallPrecision::{Full, Operands, Result};
use crate::builtin::op::Derivative as D;
use crate::builtin::op::DerivativePrecision as Dp;
use crate::builtin::op::{Builtin, InterpolateAt, Lowering};
use crate::builtin::pure::AluByBase as Ops;
use crate::extension::Ext;
use crate::types::Base;
use crate::version::{Avail, NEVER};
use Sizes::{Any as ANY, Matrices, Square, Vectors};
use airfoil_ir::{AluOp as A, IntrinsicOp, Precision};
use std::f64::consts::PI;

const V110: Avail = Avail::since(110, 100);
const V120: Avail = Avail::since(120, 300);
const V130: Avail = Avail::since(130, 300);
/// EXT_gpu_shader4 adds integers and some of their functions.
const V130_INT: Avail = V130.or(&[Ext::EXT_gpu_shader4]);
const COMPAT: Avail = Avail::since(110, NEVER).until(140, NEVER).or(&[Ext::ARB_compatibility]);
const FP64: Avail = Avail::since(400, NEVER)
    .or(&[Ext::ARB_gpu_shader_fp64, Ext::EXT_shader_explicit_arithmetic_types_float64]);
const FMA: Avail = Avail::since(400, 320).or(&[
    Ext::ARB_gpu_shader5,
    Ext::ARB_gpu_shader_fp64,
    Ext::EXT_gpu_shader5,
    Ext::OES_gpu_shader5,
]);
const INTEGER: Avail = Avail::since(400, 310).or(&[Ext::ARB_gpu_shader5, Ext::MESA_shader_integer_functions]);
const FREXP: Avail = Avail::since(400, 310).or(&[
    Ext::ARB_gpu_shader5,
    Ext::ARB_gpu_shader_fp64,
    Ext::MESA_shader_integer_functions,
]);
const DERIVATIVES: Avail = Avail::since(110, 300).or(&[Ext::OES_standard_derivatives]);
const DERIVATIVE_CONTROL: Avail = Avail::since(450, NEVER).or(&[Ext::ARB_derivative_control]);
const COMPUTE_DERIVATIVES: Avail =
    by(&[Ext::KHR_compute_shader_derivatives, Ext::NV_compute_shader_derivatives]);
const INTERPOLATE: Avail =
    Avail::since(400, 320).or(&[Ext::ARB_gpu_shader5, Ext::OES_shader_multisample_interpolation]);
const GEOMETRY_SHADER: Avail =
    Avail::since(150, 320).or(&[Ext::EXT_geometry_shader, Ext::OES_geometry_shader]);
const INTEGER_MIX: Avail = Avail::since(450, 310).or(&[Ext::EXT_shader_integer_mix]);
/// Integers of other widths than 32 bits have their functions wherever the types are.
const WIDTHS: &[Base] = &[Base::Int64, Base::Uint64, Base::Int16, Base::Uint16, Base::Int8, Base::Uint8];
const SIGNED_WIDTHS: &[Base] = &[Base::Int64, Base::Int16, Base::Int8];
const COMPARED: &[Base] = NUMBERS;
const FLOAT_ONLY: &[Base] = &[Base::Float];
const B: super::generic::Arg = n(Base::Bool);

// Operations of several rows.
const ABS: Builtin = Builtin::alu(Ops::signed(A::fabs, A::iabs), OPERANDS).cheap();
const SIGN: Builtin = Builtin::alu(Ops::signed(A::fsign, A::isign), OPERANDS).cheap();
const MIN: Builtin = Builtin::alu(Ops::number(A::fmin, A::imin, A::umin), OPERANDS).cheap();
const MAX: Builtin = Builtin::alu(Ops::number(A::fmax, A::imax, A::umax), OPERANDS).cheap();
const CLAMP: Builtin = Builtin::pure(code::clamp, OPERANDS).cheap();
/// `mix(x, y, a)` with booleans `a` selects components.
const SELECT: Builtin = Builtin::ternary(|b, x, y, a| b.bcsel(a, y, x), OPERANDS).cheap();
const ABSOLUTE_DIFFERENCE: Builtin = Builtin::pure(code::absolute_difference, HIGH);
const MULTIPLY_32X16: Builtin = Builtin::pure(code::multiply_32x16, HIGH);
const DOT: Builtin = Builtin::pure(code::dot, HIGH);
const DOT_PACKED: Builtin = Builtin::pure(code::dot_packed, HIGH);
const DOT_ACC_SAT: Builtin = Builtin::pure(code::dot_acc_sat, HIGH);
const DOT_PACKED_ACC_SAT: Builtin = Builtin::pure(code::dot_packed_acc_sat, HIGH);

const fn compare(ops: Ops) -> Builtin {
    Builtin::alu(ops, OPERANDS).cheap()
}

const fn derivative(which: D, precision: Dp) -> Builtin {
    Builtin::new(Lowering::Derivative(which, precision), OPERANDS)
}

const fn interpolate(at: InterpolateAt) -> Builtin {
    Builtin::new(Lowering::Interpolate(at), Operands(1))
}

macro_rules! derivatives {
    ($($name:literal $which:ident $precision:ident;)+) => {
        &[$( row($name, derivative(D::$which, Dp::$precision), T, &[T], SINGLES, ANY), )+]
    };
}

#[rustfmt::skip]
pub(super) static GROUPS: &[Group] = &[
    Group { avail: V110, stages: ALL, rows: &[
        row("radians", Builtin::unary(|b, v| code::scale(b, v, PI / 180.0), OPERANDS).cheap(), T, &[T], SINGLES, ANY),
        row("degrees", Builtin::unary(|b, v| code::scale(b, v, 180.0 / PI), OPERANDS).cheap(), T, &[T], SINGLES, ANY),
        row("sin", float(A::fsin, OPERANDS), T, &[T], SINGLES, ANY),
        row("cos", float(A::fcos, OPERANDS), T, &[T], SINGLES, ANY),
        row("tan", float(A::ftan, OPERANDS), T, &[T], SINGLES, ANY),
        row("asin", float(A::fasin, OPERANDS), T, &[T], SINGLES, ANY),
        row("acos", float(A::facos, OPERANDS), T, &[T], SINGLES, ANY),
        row("atan", float(A::fatan2, OPERANDS), T, &[T, T], SINGLES, ANY),
        row("atan", float(A::fatan, OPERANDS), T, &[T], SINGLES, ANY),
        row("pow", float(A::fpow, OPERANDS), T, &[T, T], SINGLES, ANY),
        row("exp", float(A::fexp, OPERANDS), T, &[T], SINGLES, ANY),
        row("log", float(A::flog, OPERANDS), T, &[T], SINGLES, ANY),
        row("exp2", float(A::fexp2, OPERANDS), T, &[T], SINGLES, ANY),
        row("log2", float(A::flog2, OPERANDS), T, &[T], SINGLES, ANY),
        row("sqrt", float(A::fsqrt, OPERANDS), T, &[T], FLOATS, ANY),
        row("inversesqrt", float(A::frsq, OPERANDS), T, &[T], FLOATS, ANY),
        row("abs", ABS, T, &[T], FLOATS, ANY),
        row("sign", SIGN, T, &[T], FLOATS, ANY),
        row("floor", float(A::ffloor, OPERANDS).cheap(), T, &[T], FLOATS, ANY),
        row("ceil", float(A::fceil, OPERANDS).cheap(), T, &[T], FLOATS, ANY),
        row("fract", float(A::ffract, OPERANDS).cheap(), T, &[T], FLOATS, ANY),
        row("mod", float(A::fmod, OPERANDS), T, &[T, T], FLOATS, ANY),
        row("mod", float(A::fmod, OPERANDS), T, &[T, S], FLOATS, Vectors),
        row("min", MIN, T, &[T, T], FLOATS, ANY),
        row("min", MIN, T, &[T, S], FLOATS, Vectors),
        row("max", MAX, T, &[T, T], FLOATS, ANY),
        row("max", MAX, T, &[T, S], FLOATS, Vectors),
        row("clamp", CLAMP, T, &[T, T, T], FLOATS, ANY),
        row("clamp", CLAMP, T, &[T, S, S], FLOATS, Vectors),
        row("mix", float(A::flrp, OPERANDS).cheap(), T, &[T, T, T], FLOATS, ANY),
        row("mix", float(A::flrp, OPERANDS).cheap(), T, &[T, T, S], FLOATS, Vectors),
        row("step", Builtin::binary(|b, edge, x| b.step(edge, x), OPERANDS).cheap(), T, &[T, T], FLOATS, ANY),
        row("step", Builtin::binary(|b, edge, x| b.step(edge, x), OPERANDS).cheap(), T, &[S, T], FLOATS, Vectors),
        row("smoothstep", Builtin::ternary(|b, low, high, x| b.smooth_step(low, high, x), OPERANDS), T, &[T, T, T], FLOATS, ANY),
        row("smoothstep", Builtin::ternary(|b, low, high, x| b.smooth_step(low, high, x), OPERANDS), T, &[S, S, T], FLOATS, Vectors),
        row("length", Builtin::unary(|b, v| b.length(v), OPERANDS), S, &[T], FLOATS, ANY),
        row("distance", Builtin::binary(code::distance, OPERANDS), S, &[T, T], FLOATS, ANY),
        row("dot", Builtin::binary(|b, x, y| b.fdot(x, y), OPERANDS).cheap(), S, &[T, T], FLOATS, ANY),
        row("cross", Builtin::binary(|b, x, y| b.cross(x, y), OPERANDS), T, &[T, T], FLOATS, Sizes::Of(3)),
        row("normalize", Builtin::unary(|b, v| b.normalize(v), OPERANDS), T, &[T], FLOATS, ANY),
        row("faceforward", Builtin::ternary(|b, n, i, reference| b.face_forward(n, i, reference), OPERANDS), T, &[T, T, T], FLOATS, ANY),
        row("reflect", Builtin::binary(|b, i, n| b.reflect(i, n), OPERANDS), T, &[T, T], FLOATS, ANY),
        row("refract", Builtin::ternary(|b, i, n, eta| b.refract(i, n, eta), OPERANDS), T, &[T, T, S], FLOATS, ANY),
        row("matrixCompMult", Builtin::pure(code::matrix_comp_mult, OPERANDS), M, &[M, M], FLOATS, Matrices),
        row("lessThan", compare(Ops::number(A::flt, A::ilt, A::ult)), B, &[T, T], COMPARED, Vectors),
        row("lessThanEqual", compare(Ops::number(A::fge, A::ige, A::uge).swapped()), B, &[T, T], COMPARED, Vectors),
        row("greaterThan", compare(Ops::number(A::flt, A::ilt, A::ult).swapped()), B, &[T, T], COMPARED, Vectors),
        row("greaterThanEqual", compare(Ops::number(A::fge, A::ige, A::uge)), B, &[T, T], COMPARED, Vectors),
        row("equal", compare(Ops::number(A::feq, A::ieq, A::ieq).or_boolean(A::ieq)), B, &[T, T], VALUES, Vectors),
        row("notEqual", compare(Ops::number(A::fneu, A::ine, A::ine).or_boolean(A::ine)), B, &[T, T], VALUES, Vectors),
        row("any", Builtin::unary(|b, v| b.any(v), HIGH).cheap(), BOOL, &[B], FLOAT_ONLY, Vectors),
        row("all", Builtin::unary(|b, v| b.all(v), HIGH).cheap(), BOOL, &[B], FLOAT_ONLY, Vectors),
        row("not", Builtin::alu(Ops::boolean(A::inot), HIGH).cheap(), B, &[B], FLOAT_ONLY, Vectors),
    ]},
    Group { avail: V120, stages: ALL, rows: &[
        row("outerProduct", Builtin::pure(code::outer_product, OPERANDS), M, &[COLUMN, ROW], FLOATS, Matrices),
        row("transpose", Builtin::pure(code::transpose, OPERANDS), TRANSPOSED, &[M], FLOATS, Matrices),
    ]},
    Group { avail: Avail::since(140, 300), stages: ALL, rows: &[
        row("inverse", Builtin::pure(code::inverse, OPERANDS), M, &[M], FLOATS, Square),
    ]},
    Group { avail: Avail::since(150, 300), stages: ALL, rows: &[
        row("determinant", Builtin::pure(code::determinant, OPERANDS), S, &[M], FLOATS, Square),
    ]},
    Group { avail: V130, stages: ALL, rows: &[
        row("sinh", float(A::fsinh, OPERANDS), T, &[T], SINGLES, ANY),
        row("cosh", float(A::fcosh, OPERANDS), T, &[T], SINGLES, ANY),
        row("tanh", float(A::ftanh, OPERANDS), T, &[T], SINGLES, ANY),
        row("asinh", float(A::fasinh, OPERANDS), T, &[T], SINGLES, ANY),
        row("acosh", float(A::facosh, OPERANDS), T, &[T], SINGLES, ANY),
        row("atanh", float(A::fatanh, OPERANDS), T, &[T], SINGLES, ANY),
        row("trunc", float(A::ftrunc, OPERANDS).cheap(), T, &[T], FLOATS, ANY),
        row("round", float(A::fround, OPERANDS), T, &[T], FLOATS, ANY),
        row("roundEven", float(A::fround_even, OPERANDS), T, &[T], FLOATS, ANY),
        row("modf", Builtin::with_outs(1, code::modf, Operands(1)), T, &[T, out(T)], FLOATS, ANY),
        row("mix", SELECT, T, &[T, T, B], FLOATS, ANY),
        row("isnan", Builtin::unary(|b, v| b.is_nan(v), OPERANDS).cheap(), B, &[T], FLOATS, ANY),
        row("isinf", Builtin::unary(|b, v| b.is_inf(v), OPERANDS).cheap(), B, &[T], FLOATS, ANY),
    ]},
    Group { avail: by(&[Ext::EXT_gpu_shader4]), stages: ALL, rows: &[
        row("truncate", float(A::ftrunc, OPERANDS).cheap(), T, &[T], FLOAT_ONLY, ANY),
        row("round", float(A::fround, OPERANDS), T, &[T], FLOAT_ONLY, ANY),
    ]},
    // Before GLSL 4.00 these have no double; 32-bit integers come with versions, others with their types.
    Group { avail: V130_INT, stages: ALL, rows: &[
        row("abs", ABS, T, &[T], &[Base::Int], ANY),
        row("sign", SIGN, T, &[T], &[Base::Int], ANY),
        row("min", MIN, T, &[T, T], INTS, ANY),
        row("min", MIN, T, &[T, S], INTS, Vectors),
        row("max", MAX, T, &[T, T], INTS, ANY),
        row("max", MAX, T, &[T, S], INTS, Vectors),
        row("clamp", CLAMP, T, &[T, T, T], INTS, ANY),
        row("clamp", CLAMP, T, &[T, S, S], INTS, Vectors),
    ]},
    Group { avail: V110, stages: ALL, rows: &[
        row("abs", ABS, T, &[T], SIGNED_WIDTHS, ANY),
        row("sign", SIGN, T, &[T], SIGNED_WIDTHS, ANY),
        row("min", MIN, T, &[T, T], WIDTHS, ANY),
        row("min", MIN, T, &[T, S], WIDTHS, Vectors),
        row("max", MAX, T, &[T, T], WIDTHS, ANY),
        row("max", MAX, T, &[T, S], WIDTHS, Vectors),
        row("clamp", CLAMP, T, &[T, T, T], WIDTHS, ANY),
        row("clamp", CLAMP, T, &[T, S, S], WIDTHS, Vectors),
        row("mix", SELECT, T, &[T, T, B], WIDTHS, ANY),
    ]},
    Group { avail: INTEGER_MIX, stages: ALL, rows: &[
        row("mix", SELECT, T, &[T, T, B], &[Base::Int, Base::Uint], ANY),
        row("mix", SELECT, B, &[B, B, B], FLOAT_ONLY, ANY),
    ]},
    Group { avail: FMA, stages: ALL, rows: &[
        row("fma", float(A::ffma, OPERANDS).cheap(), T, &[T, T, T], FLOATS, ANY),
    ]},
    Group { avail: FREXP, stages: ALL, rows: &[
        row("frexp", Builtin::with_outs(1, code::frexp, HIGH), T, &[T, out(n(Base::Int))], FLOATS, ANY),
        row("ldexp", float(A::fldexp, HIGH), T, &[T, n(Base::Int)], FLOATS, ANY),
    ]},
    Group { avail: INTEGER, stages: ALL, rows: &[
        row("bitfieldExtract", integer(A::ibitfield_extract, A::ubitfield_extract, Operands(1)), T, &[T, INT, INT], INTS, ANY),
        row("bitfieldInsert", integer(A::bitfield_insert, A::bitfield_insert, Operands(2)), T, &[T, T, INT, INT], INTS, ANY),
        row("bitfieldReverse", integer(A::bitfield_reverse, A::bitfield_reverse, HIGH), T, &[T], INTS, ANY),
        row("bitCount", integer(A::bit_count, A::bit_count, Result(Precision::Low)), n(Base::Int), &[T], INTS, ANY),
        row("findLSB", integer(A::find_lsb, A::find_lsb, Result(Precision::Low)), n(Base::Int), &[T], INTS, ANY),
        row("findMSB", integer(A::ifind_msb, A::ufind_msb, Full(Precision::Low)), n(Base::Int), &[T], INTS, ANY),
        row("uaddCarry", Builtin::with_outs(1, code::uadd_carry, HIGH), T, &[T, T, out(T)], &[Base::Uint], ANY),
        row("usubBorrow", Builtin::with_outs(1, code::usub_borrow, HIGH), T, &[T, T, out(T)], &[Base::Uint], ANY),
        row("umulExtended", Builtin::with_outs(2, code::mul_extended, HIGH), VOID, &[T, T, out(T), out(T)], &[Base::Uint], ANY),
        row("imulExtended", Builtin::with_outs(2, code::mul_extended, HIGH), VOID, &[T, T, out(T), out(T)], &[Base::Int], ANY),
    ]},
    Group { avail: by(&[Ext::INTEL_shader_integer_functions2]), stages: ALL, rows: &[
        row("countLeadingZeros", Builtin::unary(code::count_leading_zeros, HIGH), T, &[T], &[Base::Uint], ANY),
        row("countTrailingZeros", Builtin::unary(code::count_trailing_zeros, HIGH), T, &[T], &[Base::Uint], ANY),
        row("absoluteDifference", ABSOLUTE_DIFFERENCE, n(Base::Uint), &[T, T], INTS, ANY),
        row("absoluteDifference", ABSOLUTE_DIFFERENCE, n(Base::Uint64), &[T, T], &[Base::Int64, Base::Uint64], ANY),
        row("addSaturate", integer(A::iadd_sat, A::uadd_sat, HIGH), T, &[T, T], INTEGERS, ANY),
        row("subtractSaturate", integer(A::isub_sat, A::usub_sat, HIGH), T, &[T, T], INTEGERS, ANY),
        row("average", integer(A::ihadd, A::uhadd, HIGH), T, &[T, T], INTEGERS, ANY),
        row("averageRounded", integer(A::irhadd, A::urhadd, HIGH), T, &[T, T], INTEGERS, ANY),
        row("multiply32x16", MULTIPLY_32X16, T, &[T, n(Base::Int16)], &[Base::Int], ANY),
        row("multiply32x16", MULTIPLY_32X16, T, &[T, n(Base::Uint16)], &[Base::Uint], ANY),
        row("multiply32x16", MULTIPLY_32X16, T, &[T, T], INTS, ANY),
    ]},
    Group { avail: by(&[Ext::EXT_integer_dot_product]), stages: ALL, rows: &[
        row("dotEXT", DOT, UINT, &[T, T], &[Base::Uint, Base::Uint16, Base::Uint8], Vectors),
        row("dotEXT", DOT, INT, &[T, T], &[Base::Int, Base::Int16, Base::Int8], Vectors),
        row("dotEXT", DOT, INT, &[n(Base::Int), n(Base::Uint)], FLOAT_ONLY, Vectors),
        row("dotEXT", DOT, INT, &[n(Base::Uint), n(Base::Int)], FLOAT_ONLY, Vectors),
        row("dotEXT", DOT, INT, &[n(Base::Int16), n(Base::Uint16)], &[Base::Int16], Vectors),
        row("dotEXT", DOT, INT, &[n(Base::Uint16), n(Base::Int16)], &[Base::Int16], Vectors),
        row("dotEXT", DOT, INT, &[n(Base::Int8), n(Base::Uint8)], &[Base::Int8], Vectors),
        row("dotEXT", DOT, INT, &[n(Base::Uint8), n(Base::Int8)], &[Base::Int8], Vectors),
        row("dotEXT", DOT, S, &[T, T], &[Base::Int64, Base::Uint64], Vectors),
        fixed("dotPacked4x8EXT", DOT_PACKED, UINT, &[UINT, UINT]),
        fixed("dotPacked4x8EXT", DOT_PACKED, INT, &[INT, INT]),
        fixed("dotPacked4x8EXT", DOT_PACKED, INT, &[INT, UINT]),
        fixed("dotPacked4x8EXT", DOT_PACKED, INT, &[UINT, INT]),
        row("dotAccSatEXT", DOT_ACC_SAT, UINT, &[T, T, UINT], &[Base::Uint, Base::Uint16, Base::Uint8], Vectors),
        row("dotAccSatEXT", DOT_ACC_SAT, INT, &[T, T, INT], &[Base::Int, Base::Int16, Base::Int8], Vectors),
        row("dotAccSatEXT", DOT_ACC_SAT, INT, &[n(Base::Int), n(Base::Uint), INT], FLOAT_ONLY, Vectors),
        row("dotAccSatEXT", DOT_ACC_SAT, INT, &[n(Base::Uint), n(Base::Int), INT], FLOAT_ONLY, Vectors),
        row("dotAccSatEXT", DOT_ACC_SAT, INT, &[n(Base::Int16), n(Base::Uint16), INT], &[Base::Int16], Vectors),
        row("dotAccSatEXT", DOT_ACC_SAT, INT, &[n(Base::Uint16), n(Base::Int16), INT], &[Base::Int16], Vectors),
        row("dotAccSatEXT", DOT_ACC_SAT, INT, &[n(Base::Int8), n(Base::Uint8), INT], &[Base::Int8], Vectors),
        row("dotAccSatEXT", DOT_ACC_SAT, INT, &[n(Base::Uint8), n(Base::Int8), INT], &[Base::Int8], Vectors),
        row("dotAccSatEXT", DOT_ACC_SAT, S, &[T, T, S], &[Base::Int64, Base::Uint64], Vectors),
        fixed("dotPacked4x8AccSatEXT", DOT_PACKED_ACC_SAT, UINT, &[UINT, UINT, UINT]),
        fixed("dotPacked4x8AccSatEXT", DOT_PACKED_ACC_SAT, INT, &[INT, INT, INT]),
        fixed("dotPacked4x8AccSatEXT", DOT_PACKED_ACC_SAT, INT, &[INT, UINT, INT]),
        fixed("dotPacked4x8AccSatEXT", DOT_PACKED_ACC_SAT, INT, &[UINT, INT, INT]),
    ]},
    Group { avail: by(&[Ext::AMD_shader_trinary_minmax]), stages: ALL, rows: &[
        row("min3", Builtin::pure(code::min3, HIGH).cheap(), T, &[T, T, T], NUMBERS, ANY),
        row("max3", Builtin::pure(code::max3, HIGH).cheap(), T, &[T, T, T], NUMBERS, ANY),
        row("mid3", Builtin::pure(code::mid3, HIGH).cheap(), T, &[T, T, T], NUMBERS, ANY),
    ]},
    Group { avail: FP64, stages: ALL, rows: &[
        fixed("packDouble2x32", BIT_CAST, s(Base::Double), &[v(Base::Uint, 2)]),
        fixed("unpackDouble2x32", BIT_CAST, v(Base::Uint, 2), &[s(Base::Double)]),
    ]},
    Group { avail: COMPAT, stages: VERTEX, rows: &[
        fixed("ftransform", Builtin::high(Lowering::Ftransform), v(Base::Float, 4), &[]),
    ]},
    // Noise is 0 where implementations like (GLSL 4.60 section 8.16); ES and Vulkan have none.
    Group { avail: Avail::since(110, NEVER), stages: ALL, rows: &[
        row("noise1", Builtin::high(Lowering::Noise), FLOAT, &[T], FLOAT_ONLY, ANY),
        row("noise2", Builtin::high(Lowering::Noise), v(Base::Float, 2), &[T], FLOAT_ONLY, ANY),
        row("noise3", Builtin::high(Lowering::Noise), v(Base::Float, 3), &[T], FLOAT_ONLY, ANY),
        row("noise4", Builtin::high(Lowering::Noise), v(Base::Float, 4), &[T], FLOAT_ONLY, ANY),
    ]},
    Group { avail: DERIVATIVES, stages: FRAGMENT, rows: DERIVATIVE_ROWS },
    Group { avail: COMPUTE_DERIVATIVES, stages: COMPUTE, rows: DERIVATIVE_ROWS },
    Group { avail: DERIVATIVE_CONTROL, stages: FRAGMENT, rows: DERIVATIVE_CONTROL_ROWS },
    Group { avail: COMPUTE_DERIVATIVES, stages: COMPUTE, rows: DERIVATIVE_CONTROL_ROWS },
    Group { avail: INTERPOLATE, stages: FRAGMENT, rows: &[
        row("interpolateAtCentroid", interpolate(InterpolateAt::Centroid), T, &[interpolant(T)], SINGLES, ANY),
        row("interpolateAtSample", interpolate(InterpolateAt::Sample), T, &[interpolant(T), INT], SINGLES, ANY),
        row("interpolateAtOffset", interpolate(InterpolateAt::Offset), T, &[interpolant(T), v(Base::Float, 2)], &[Base::Float], ANY),
        row("interpolateAtOffset", interpolate(InterpolateAt::Offset), T, &[interpolant(T), v(Base::Half, 2)], &[Base::Half], ANY),
    ]},
    Group { avail: by(&[Ext::EXT_demote_to_helper_invocation]), stages: FRAGMENT, rows: &[
        fixed("helperInvocationEXT", Builtin::high(Lowering::Intrinsic(IntrinsicOp::is_helper_invocation)), BOOL, &[]),
    ]},
    Group { avail: GEOMETRY_SHADER, stages: GEOMETRY, rows: &[
        fixed("EmitVertex", Builtin::high(Lowering::EmitVertex), VOID, &[]),
        fixed("EndPrimitive", Builtin::high(Lowering::EndPrimitive), VOID, &[]),
    ]},
    Group { avail: Avail::since(400, NEVER).or(&[Ext::ARB_gpu_shader5]), stages: GEOMETRY, rows: &[
        fixed("EmitStreamVertex", Builtin::high(Lowering::EmitVertex), VOID, &[constant(INT)]),
        fixed("EmitStreamVertex", Builtin::high(Lowering::EmitVertex), VOID, &[constant(UINT)]),
        fixed("EndStreamPrimitive", Builtin::high(Lowering::EndPrimitive), VOID, &[constant(INT)]),
        fixed("EndStreamPrimitive", Builtin::high(Lowering::EndPrimitive), VOID, &[constant(UINT)]),
    ]},
    Group { avail: by(&[Ext::ARB_shader_clock]), stages: ALL, rows: &[
        fixed("clock2x32ARB", Builtin::high(Lowering::ShaderClock { realtime: false }), v(Base::Uint, 2), &[]),
        fixed("clockARB", Builtin::high(Lowering::ShaderClock { realtime: false }), s(Base::Uint64), &[]),
    ]},
    Group { avail: by(&[Ext::EXT_shader_realtime_clock]), stages: ALL, rows: &[
        fixed("clockRealtime2x32EXT", Builtin::high(Lowering::ShaderClock { realtime: true }), v(Base::Uint, 2), &[]),
        fixed("clockRealtimeEXT", Builtin::high(Lowering::ShaderClock { realtime: true }), s(Base::Uint64), &[]),
    ]},
    Group { avail: by(&[Ext::EXT_expect_assume]), stages: ALL, rows: &[
        row("expectEXT", Builtin::binary(|_, value, _| value, HIGH), T, &[T, T], super::generic::BITS, ANY),
        fixed("assumeEXT", Builtin::high(Lowering::Assume), VOID, &[BOOL]),
    ]},
];

static DERIVATIVE_ROWS: &[super::row::Row] = derivatives! {
    "dFdx" X Any; "dFdy" Y Any; "fwidth" Width Any;
};

static DERIVATIVE_CONTROL_ROWS: &[super::row::Row] = derivatives! {
    "dFdxFine" X Fine; "dFdyFine" Y Fine; "fwidthFine" Width Fine;
    "dFdxCoarse" X Coarse; "dFdyCoarse" Y Coarse; "fwidthCoarse" Width Coarse;
};

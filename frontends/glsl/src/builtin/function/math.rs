//! Arithmetic: GLSL 4.60 sections 8.1 to 8.3, 8.5 to 8.8, 8.14 and extensions to them; and what fits nowhere else.

use super::generic::{
    BOOL, COLUMN, FLOAT, FLOATS, INT, INTEGERS, INTS, M, NUMBERS, ROW, S, SINGLES, Sizes, T, TRANSPOSED,
    UINT, VALUES, VOID, constant, fixed, interpolant, n, out, row, s, v,
};
use super::{ALL, COMPUTE, FRAGMENT, GEOMETRY, Group, VERTEX, by};
use crate::builtin::op::Builtin::*;
use crate::builtin::op::Derivative as D;
use crate::builtin::op::DerivativePrecision as Dp;
use crate::extension::Ext;
use crate::types::Base;
use crate::version::{Avail, NEVER};
use Sizes::{Any as ANY, Matrices, Square, Vectors};

const V110: Avail = Avail::since(110, 100);
const V120: Avail = Avail::since(120, 300);
const V130: Avail = Avail::since(130, 300);
/// EXT_gpu_shader4 brings integers and some of their functions.
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

macro_rules! derivatives {
    ($($name:literal $which:ident $precision:ident;)+) => {
        &[$( row($name, Derivative(D::$which, Dp::$precision), T, &[T], SINGLES, ANY), )+]
    };
}

#[rustfmt::skip]
pub(super) static GROUPS: &[Group] = &[
    Group { avail: V110, stages: ALL, rows: &[
        row("radians", Radians, T, &[T], SINGLES, ANY),
        row("degrees", Degrees, T, &[T], SINGLES, ANY),
        row("sin", Sin, T, &[T], SINGLES, ANY),
        row("cos", Cos, T, &[T], SINGLES, ANY),
        row("tan", Tan, T, &[T], SINGLES, ANY),
        row("asin", Asin, T, &[T], SINGLES, ANY),
        row("acos", Acos, T, &[T], SINGLES, ANY),
        row("atan", Atan2, T, &[T, T], SINGLES, ANY),
        row("atan", Atan, T, &[T], SINGLES, ANY),
        row("pow", Pow, T, &[T, T], SINGLES, ANY),
        row("exp", Exp, T, &[T], SINGLES, ANY),
        row("log", Log, T, &[T], SINGLES, ANY),
        row("exp2", Exp2, T, &[T], SINGLES, ANY),
        row("log2", Log2, T, &[T], SINGLES, ANY),
        row("sqrt", Sqrt, T, &[T], FLOATS, ANY),
        row("inversesqrt", InverseSqrt, T, &[T], FLOATS, ANY),
        row("abs", Abs, T, &[T], FLOATS, ANY),
        row("sign", Sign, T, &[T], FLOATS, ANY),
        row("floor", Floor, T, &[T], FLOATS, ANY),
        row("ceil", Ceil, T, &[T], FLOATS, ANY),
        row("fract", Fract, T, &[T], FLOATS, ANY),
        row("mod", Mod, T, &[T, T], FLOATS, ANY),
        row("mod", Mod, T, &[T, S], FLOATS, Vectors),
        row("min", Min, T, &[T, T], FLOATS, ANY),
        row("min", Min, T, &[T, S], FLOATS, Vectors),
        row("max", Max, T, &[T, T], FLOATS, ANY),
        row("max", Max, T, &[T, S], FLOATS, Vectors),
        row("clamp", Clamp, T, &[T, T, T], FLOATS, ANY),
        row("clamp", Clamp, T, &[T, S, S], FLOATS, Vectors),
        row("mix", Mix, T, &[T, T, T], FLOATS, ANY),
        row("mix", Mix, T, &[T, T, S], FLOATS, Vectors),
        row("step", Step, T, &[T, T], FLOATS, ANY),
        row("step", Step, T, &[S, T], FLOATS, Vectors),
        row("smoothstep", Smoothstep, T, &[T, T, T], FLOATS, ANY),
        row("smoothstep", Smoothstep, T, &[S, S, T], FLOATS, Vectors),
        row("length", Length, S, &[T], FLOATS, ANY),
        row("distance", Distance, S, &[T, T], FLOATS, ANY),
        row("dot", Dot, S, &[T, T], FLOATS, ANY),
        row("cross", Cross, T, &[T, T], FLOATS, Sizes::Of(3)),
        row("normalize", Normalize, T, &[T], FLOATS, ANY),
        row("faceforward", Faceforward, T, &[T, T, T], FLOATS, ANY),
        row("reflect", Reflect, T, &[T, T], FLOATS, ANY),
        row("refract", Refract, T, &[T, T, S], FLOATS, ANY),
        row("matrixCompMult", MatrixCompMult, M, &[M, M], FLOATS, Matrices),
        row("lessThan", LessThan, B, &[T, T], COMPARED, Vectors),
        row("lessThanEqual", LessThanEqual, B, &[T, T], COMPARED, Vectors),
        row("greaterThan", GreaterThan, B, &[T, T], COMPARED, Vectors),
        row("greaterThanEqual", GreaterThanEqual, B, &[T, T], COMPARED, Vectors),
        row("equal", Equal, B, &[T, T], VALUES, Vectors),
        row("notEqual", NotEqual, B, &[T, T], VALUES, Vectors),
        row("any", Any, BOOL, &[B], FLOAT_ONLY, Vectors),
        row("all", All, BOOL, &[B], FLOAT_ONLY, Vectors),
        row("not", Not, B, &[B], FLOAT_ONLY, Vectors),
    ]},
    Group { avail: V120, stages: ALL, rows: &[
        row("outerProduct", OuterProduct, M, &[COLUMN, ROW], FLOATS, Matrices),
        row("transpose", Transpose, TRANSPOSED, &[M], FLOATS, Matrices),
    ]},
    Group { avail: Avail::since(140, 300), stages: ALL, rows: &[
        row("inverse", Inverse, M, &[M], FLOATS, Square),
    ]},
    Group { avail: Avail::since(150, 300), stages: ALL, rows: &[
        row("determinant", Determinant, S, &[M], FLOATS, Square),
    ]},
    Group { avail: V130, stages: ALL, rows: &[
        row("sinh", Sinh, T, &[T], SINGLES, ANY),
        row("cosh", Cosh, T, &[T], SINGLES, ANY),
        row("tanh", Tanh, T, &[T], SINGLES, ANY),
        row("asinh", Asinh, T, &[T], SINGLES, ANY),
        row("acosh", Acosh, T, &[T], SINGLES, ANY),
        row("atanh", Atanh, T, &[T], SINGLES, ANY),
        row("trunc", Trunc, T, &[T], FLOATS, ANY),
        row("round", Round, T, &[T], FLOATS, ANY),
        row("roundEven", RoundEven, T, &[T], FLOATS, ANY),
        row("modf", Modf, T, &[T, out(T)], FLOATS, ANY),
        row("mix", MixBool, T, &[T, T, B], FLOATS, ANY),
        row("isnan", IsNan, B, &[T], FLOATS, ANY),
        row("isinf", IsInf, B, &[T], FLOATS, ANY),
    ]},
    Group { avail: by(&[Ext::EXT_gpu_shader4]), stages: ALL, rows: &[
        row("truncate", Trunc, T, &[T], FLOAT_ONLY, ANY),
        row("round", Round, T, &[T], FLOAT_ONLY, ANY),
    ]},
    // Before GLSL 4.00 these have no double; 32-bit integers come with versions, others with their types.
    Group { avail: V130_INT, stages: ALL, rows: &[
        row("abs", Abs, T, &[T], &[Base::Int], ANY),
        row("sign", Sign, T, &[T], &[Base::Int], ANY),
        row("min", Min, T, &[T, T], INTS, ANY),
        row("min", Min, T, &[T, S], INTS, Vectors),
        row("max", Max, T, &[T, T], INTS, ANY),
        row("max", Max, T, &[T, S], INTS, Vectors),
        row("clamp", Clamp, T, &[T, T, T], INTS, ANY),
        row("clamp", Clamp, T, &[T, S, S], INTS, Vectors),
    ]},
    Group { avail: V110, stages: ALL, rows: &[
        row("abs", Abs, T, &[T], SIGNED_WIDTHS, ANY),
        row("sign", Sign, T, &[T], SIGNED_WIDTHS, ANY),
        row("min", Min, T, &[T, T], WIDTHS, ANY),
        row("min", Min, T, &[T, S], WIDTHS, Vectors),
        row("max", Max, T, &[T, T], WIDTHS, ANY),
        row("max", Max, T, &[T, S], WIDTHS, Vectors),
        row("clamp", Clamp, T, &[T, T, T], WIDTHS, ANY),
        row("clamp", Clamp, T, &[T, S, S], WIDTHS, Vectors),
        row("mix", MixBool, T, &[T, T, B], WIDTHS, ANY),
    ]},
    Group { avail: INTEGER_MIX, stages: ALL, rows: &[
        row("mix", MixBool, T, &[T, T, B], &[Base::Int, Base::Uint], ANY),
        row("mix", MixBool, B, &[B, B, B], FLOAT_ONLY, ANY),
    ]},
    Group { avail: FMA, stages: ALL, rows: &[
        row("fma", Fma, T, &[T, T, T], FLOATS, ANY),
    ]},
    Group { avail: FREXP, stages: ALL, rows: &[
        row("frexp", Frexp, T, &[T, out(n(Base::Int))], FLOATS, ANY),
        row("ldexp", Ldexp, T, &[T, n(Base::Int)], FLOATS, ANY),
    ]},
    Group { avail: INTEGER, stages: ALL, rows: &[
        row("bitfieldExtract", BitfieldExtract, T, &[T, INT, INT], INTS, ANY),
        row("bitfieldInsert", BitfieldInsert, T, &[T, T, INT, INT], INTS, ANY),
        row("bitfieldReverse", BitfieldReverse, T, &[T], INTS, ANY),
        row("bitCount", BitCount, n(Base::Int), &[T], INTS, ANY),
        row("findLSB", FindLsb, n(Base::Int), &[T], INTS, ANY),
        row("findMSB", FindMsb, n(Base::Int), &[T], INTS, ANY),
        row("uaddCarry", UaddCarry, T, &[T, T, out(T)], &[Base::Uint], ANY),
        row("usubBorrow", UsubBorrow, T, &[T, T, out(T)], &[Base::Uint], ANY),
        row("umulExtended", UmulExtended, VOID, &[T, T, out(T), out(T)], &[Base::Uint], ANY),
        row("imulExtended", ImulExtended, VOID, &[T, T, out(T), out(T)], &[Base::Int], ANY),
    ]},
    Group { avail: by(&[Ext::INTEL_shader_integer_functions2]), stages: ALL, rows: &[
        row("countLeadingZeros", CountLeadingZeros, T, &[T], &[Base::Uint], ANY),
        row("countTrailingZeros", CountTrailingZeros, T, &[T], &[Base::Uint], ANY),
        row("absoluteDifference", AbsoluteDifference, n(Base::Uint), &[T, T], INTS, ANY),
        row("absoluteDifference", AbsoluteDifference, n(Base::Uint64), &[T, T], &[Base::Int64, Base::Uint64], ANY),
        row("addSaturate", AddSaturate, T, &[T, T], INTEGERS, ANY),
        row("subtractSaturate", SubtractSaturate, T, &[T, T], INTEGERS, ANY),
        row("average", Average, T, &[T, T], INTEGERS, ANY),
        row("averageRounded", AverageRounded, T, &[T, T], INTEGERS, ANY),
        row("multiply32x16", Multiply32x16, T, &[T, n(Base::Int16)], &[Base::Int], ANY),
        row("multiply32x16", Multiply32x16, T, &[T, n(Base::Uint16)], &[Base::Uint], ANY),
        row("multiply32x16", Multiply32x16, T, &[T, T], INTS, ANY),
    ]},
    Group { avail: by(&[Ext::EXT_integer_dot_product]), stages: ALL, rows: &[
        row("dotEXT", DotInteger, UINT, &[T, T], &[Base::Uint, Base::Uint16, Base::Uint8], Vectors),
        row("dotEXT", DotInteger, INT, &[T, T], &[Base::Int, Base::Int16, Base::Int8], Vectors),
        row("dotEXT", DotInteger, INT, &[n(Base::Int), n(Base::Uint)], FLOAT_ONLY, Vectors),
        row("dotEXT", DotInteger, INT, &[n(Base::Uint), n(Base::Int)], FLOAT_ONLY, Vectors),
        row("dotEXT", DotInteger, INT, &[n(Base::Int16), n(Base::Uint16)], &[Base::Int16], Vectors),
        row("dotEXT", DotInteger, INT, &[n(Base::Uint16), n(Base::Int16)], &[Base::Int16], Vectors),
        row("dotEXT", DotInteger, INT, &[n(Base::Int8), n(Base::Uint8)], &[Base::Int8], Vectors),
        row("dotEXT", DotInteger, INT, &[n(Base::Uint8), n(Base::Int8)], &[Base::Int8], Vectors),
        row("dotEXT", DotInteger, S, &[T, T], &[Base::Int64, Base::Uint64], Vectors),
        fixed("dotPacked4x8EXT", DotPacked4x8, UINT, &[UINT, UINT]),
        fixed("dotPacked4x8EXT", DotPacked4x8, INT, &[INT, INT]),
        fixed("dotPacked4x8EXT", DotPacked4x8, INT, &[INT, UINT]),
        fixed("dotPacked4x8EXT", DotPacked4x8, INT, &[UINT, INT]),
        row("dotAccSatEXT", DotAccSat, UINT, &[T, T, UINT], &[Base::Uint, Base::Uint16, Base::Uint8], Vectors),
        row("dotAccSatEXT", DotAccSat, INT, &[T, T, INT], &[Base::Int, Base::Int16, Base::Int8], Vectors),
        row("dotAccSatEXT", DotAccSat, INT, &[n(Base::Int), n(Base::Uint), INT], FLOAT_ONLY, Vectors),
        row("dotAccSatEXT", DotAccSat, INT, &[n(Base::Uint), n(Base::Int), INT], FLOAT_ONLY, Vectors),
        row("dotAccSatEXT", DotAccSat, INT, &[n(Base::Int16), n(Base::Uint16), INT], &[Base::Int16], Vectors),
        row("dotAccSatEXT", DotAccSat, INT, &[n(Base::Uint16), n(Base::Int16), INT], &[Base::Int16], Vectors),
        row("dotAccSatEXT", DotAccSat, INT, &[n(Base::Int8), n(Base::Uint8), INT], &[Base::Int8], Vectors),
        row("dotAccSatEXT", DotAccSat, INT, &[n(Base::Uint8), n(Base::Int8), INT], &[Base::Int8], Vectors),
        row("dotAccSatEXT", DotAccSat, S, &[T, T, S], &[Base::Int64, Base::Uint64], Vectors),
        fixed("dotPacked4x8AccSatEXT", DotPacked4x8AccSat, UINT, &[UINT, UINT, UINT]),
        fixed("dotPacked4x8AccSatEXT", DotPacked4x8AccSat, INT, &[INT, INT, INT]),
        fixed("dotPacked4x8AccSatEXT", DotPacked4x8AccSat, INT, &[INT, UINT, INT]),
        fixed("dotPacked4x8AccSatEXT", DotPacked4x8AccSat, INT, &[UINT, INT, INT]),
    ]},
    Group { avail: by(&[Ext::AMD_shader_trinary_minmax]), stages: ALL, rows: &[
        row("min3", Min3, T, &[T, T, T], NUMBERS, ANY),
        row("max3", Max3, T, &[T, T, T], NUMBERS, ANY),
        row("mid3", Mid3, T, &[T, T, T], NUMBERS, ANY),
    ]},
    Group { avail: FP64, stages: ALL, rows: &[
        fixed("packDouble2x32", BitCast, s(Base::Double), &[v(Base::Uint, 2)]),
        fixed("unpackDouble2x32", BitCast, v(Base::Uint, 2), &[s(Base::Double)]),
    ]},
    Group { avail: COMPAT, stages: VERTEX, rows: &[
        fixed("ftransform", Ftransform, v(Base::Float, 4), &[]),
    ]},
    // Noise is 0 where implementations like (GLSL 4.60 section 8.16); ES and Vulkan have none.
    Group { avail: Avail::since(110, NEVER), stages: ALL, rows: &[
        row("noise1", Noise, FLOAT, &[T], FLOAT_ONLY, ANY),
        row("noise2", Noise, v(Base::Float, 2), &[T], FLOAT_ONLY, ANY),
        row("noise3", Noise, v(Base::Float, 3), &[T], FLOAT_ONLY, ANY),
        row("noise4", Noise, v(Base::Float, 4), &[T], FLOAT_ONLY, ANY),
    ]},
    Group { avail: DERIVATIVES, stages: FRAGMENT, rows: DERIVATIVE_ROWS },
    Group { avail: COMPUTE_DERIVATIVES, stages: COMPUTE, rows: DERIVATIVE_ROWS },
    Group { avail: DERIVATIVE_CONTROL, stages: FRAGMENT, rows: DERIVATIVE_CONTROL_ROWS },
    Group { avail: COMPUTE_DERIVATIVES, stages: COMPUTE, rows: DERIVATIVE_CONTROL_ROWS },
    Group { avail: INTERPOLATE, stages: FRAGMENT, rows: &[
        row("interpolateAtCentroid", InterpolateAtCentroid, T, &[interpolant(T)], SINGLES, ANY),
        row("interpolateAtSample", InterpolateAtSample, T, &[interpolant(T), INT], SINGLES, ANY),
        row("interpolateAtOffset", InterpolateAtOffset, T, &[interpolant(T), v(Base::Float, 2)], &[Base::Float], ANY),
        row("interpolateAtOffset", InterpolateAtOffset, T, &[interpolant(T), v(Base::Half, 2)], &[Base::Half], ANY),
    ]},
    Group { avail: by(&[Ext::EXT_demote_to_helper_invocation]), stages: FRAGMENT, rows: &[
        fixed("helperInvocationEXT", HelperInvocation, BOOL, &[]),
    ]},
    Group { avail: GEOMETRY_SHADER, stages: GEOMETRY, rows: &[
        fixed("EmitVertex", EmitVertex, VOID, &[]),
        fixed("EndPrimitive", EndPrimitive, VOID, &[]),
    ]},
    Group { avail: Avail::since(400, NEVER).or(&[Ext::ARB_gpu_shader5]), stages: GEOMETRY, rows: &[
        fixed("EmitStreamVertex", EmitStreamVertex, VOID, &[constant(INT)]),
        fixed("EmitStreamVertex", EmitStreamVertex, VOID, &[constant(UINT)]),
        fixed("EndStreamPrimitive", EndStreamPrimitive, VOID, &[constant(INT)]),
        fixed("EndStreamPrimitive", EndStreamPrimitive, VOID, &[constant(UINT)]),
    ]},
    Group { avail: by(&[Ext::ARB_shader_clock]), stages: ALL, rows: &[
        fixed("clock2x32ARB", ShaderClock { realtime: false }, v(Base::Uint, 2), &[]),
        fixed("clockARB", ShaderClock { realtime: false }, s(Base::Uint64), &[]),
    ]},
    Group { avail: by(&[Ext::EXT_shader_realtime_clock]), stages: ALL, rows: &[
        fixed("clockRealtime2x32EXT", ShaderClock { realtime: true }, v(Base::Uint, 2), &[]),
        fixed("clockRealtimeEXT", ShaderClock { realtime: true }, s(Base::Uint64), &[]),
    ]},
    Group { avail: by(&[Ext::EXT_expect_assume]), stages: ALL, rows: &[
        row("expectEXT", Expect, T, &[T, T], super::generic::BITS, ANY),
        fixed("assumeEXT", Assume, VOID, &[BOOL]),
    ]},
];

static DERIVATIVE_ROWS: &[super::Row] = derivatives! {
    "dFdx" X Any; "dFdy" Y Any; "fwidth" Width Any;
};

static DERIVATIVE_CONTROL_ROWS: &[super::Row] = derivatives! {
    "dFdxFine" X Fine; "dFdyFine" Y Fine; "fwidthFine" Width Fine;
    "dFdxCoarse" X Coarse; "dFdyCoarse" Y Coarse; "fwidthCoarse" Width Coarse;
};

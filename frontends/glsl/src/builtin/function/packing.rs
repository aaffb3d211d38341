//! Bits seen as other types: GLSL 4.60 section 8.4, the bit casts of section 8.3 and of extensions with other widths.

use super::generic::{HIGH, Sizes, T, UINT, float, integer, n, s, v};
use super::row::{ALL, BIT_CAST, Group, by, fixed, row};
use crate::builtin::op::{Builtin, CallPrecision};
use crate::extension::Ext;
use crate::types::Base::{Double, Float, Half, Int, Int8, Int16, Int64, Uint, Uint8, Uint16, Uint64};
use crate::version::Avail;
use airfoil_ir::{AluOp, AluOp as A, Precision};

const BIT_ENCODING: Avail = Avail::since(330, 300).or(&[
    Ext::ARB_shader_bit_encoding,
    Ext::ARB_gpu_shader5,
    Ext::MESA_shader_integer_functions,
]);
const PACKING: Avail = Avail::since(400, 310).or(&[Ext::ARB_gpu_shader5, Ext::ARB_shading_language_packing]);
const PACK_UNORM_2X16: Avail =
    Avail::since(400, 300).or(&[Ext::ARB_gpu_shader5, Ext::ARB_shading_language_packing]);
const PACK_HALF: Avail = Avail::since(420, 300).or(&[Ext::ARB_shading_language_packing]);
const INT64: Avail = by(&[
    Ext::ARB_gpu_shader_int64,
    Ext::AMD_gpu_shader_int64,
    Ext::EXT_shader_explicit_arithmetic_types_int64,
]);
const INT16: Avail = by(&[Ext::EXT_shader_explicit_arithmetic_types_int16, Ext::AMD_gpu_shader_int16]);
const INT8: Avail = by(&[Ext::EXT_shader_explicit_arithmetic_types_int8]);
const HALF: Avail = by(&[Ext::EXT_shader_explicit_arithmetic_types_float16, Ext::AMD_gpu_shader_half_float]);
const EXPLICIT: Avail = by(&[
    Ext::EXT_shader_explicit_arithmetic_types_int8,
    Ext::EXT_shader_explicit_arithmetic_types_int16,
    Ext::EXT_shader_explicit_arithmetic_types_int32,
    Ext::EXT_shader_explicit_arithmetic_types_int64,
]);
const MEDIUM: CallPrecision = CallPrecision::Full(Precision::Medium);

const fn unpack(op: AluOp, precision: CallPrecision) -> Builtin {
    integer(op, op, precision)
}

/// A row whose only argument is of this one base type.
macro_rules! cast {
    ($name:literal $from:ident => $to:ident) => {
        row($name, BIT_CAST, n($to), &[T], &[$from], Sizes::Any)
    };
}

#[rustfmt::skip]
pub(super) static GROUPS: &[Group] = &[
    Group { avail: BIT_ENCODING, stages: ALL, rows: &[
        cast!("floatBitsToInt" Float => Int),
        cast!("floatBitsToUint" Float => Uint),
        cast!("intBitsToFloat" Int => Float),
        cast!("uintBitsToFloat" Uint => Float),
    ]},
    Group { avail: PACK_UNORM_2X16, stages: ALL, rows: &[
        fixed("packUnorm2x16", float(A::pack_unorm_2x16, HIGH), UINT, &[v(Float, 2)]),
        fixed("unpackUnorm2x16", unpack(A::unpack_unorm_2x16, HIGH), v(Float, 2), &[UINT]),
    ]},
    Group { avail: PACKING, stages: ALL, rows: &[
        fixed("packUnorm4x8", float(A::pack_unorm_4x8, HIGH), UINT, &[v(Float, 4)]),
        fixed("packSnorm4x8", float(A::pack_snorm_4x8, HIGH), UINT, &[v(Float, 4)]),
        fixed("unpackUnorm4x8", unpack(A::unpack_unorm_4x8, MEDIUM), v(Float, 4), &[UINT]),
        fixed("unpackSnorm4x8", unpack(A::unpack_snorm_4x8, MEDIUM), v(Float, 4), &[UINT]),
    ]},
    Group { avail: PACK_HALF, stages: ALL, rows: &[
        fixed("packSnorm2x16", float(A::pack_snorm_2x16, HIGH), UINT, &[v(Float, 2)]),
        fixed("packHalf2x16", float(A::pack_half_2x16, HIGH), UINT, &[v(Float, 2)]),
        fixed("unpackSnorm2x16", unpack(A::unpack_snorm_2x16, HIGH), v(Float, 2), &[UINT]),
        fixed("unpackHalf2x16", unpack(A::unpack_half_2x16, MEDIUM), v(Float, 2), &[UINT]),
    ]},
    Group { avail: INT64, stages: ALL, rows: &[
        cast!("doubleBitsToInt64" Double => Int64),
        cast!("doubleBitsToUint64" Double => Uint64),
        cast!("int64BitsToDouble" Int64 => Double),
        cast!("uint64BitsToDouble" Uint64 => Double),
        fixed("packInt2x32", BIT_CAST, s(Int64), &[v(Int, 2)]),
        fixed("packUint2x32", BIT_CAST, s(Uint64), &[v(Uint, 2)]),
        fixed("unpackInt2x32", BIT_CAST, v(Int, 2), &[s(Int64)]),
        fixed("unpackUint2x32", BIT_CAST, v(Uint, 2), &[s(Uint64)]),
    ]},
    Group { avail: HALF, stages: ALL, rows: &[
        fixed("packFloat2x16", BIT_CAST, UINT, &[v(Half, 2)]),
        fixed("unpackFloat2x16", BIT_CAST, v(Half, 2), &[UINT]),
    ]},
    Group { avail: INT16, stages: ALL, rows: &[
        cast!("float16BitsToInt16" Half => Int16),
        cast!("float16BitsToUint16" Half => Uint16),
        cast!("halfBitsToInt16" Half => Int16),
        cast!("halfBitsToUint16" Half => Uint16),
        cast!("int16BitsToFloat16" Int16 => Half),
        cast!("uint16BitsToFloat16" Uint16 => Half),
        cast!("int16BitsToHalf" Int16 => Half),
        cast!("uint16BitsToHalf" Uint16 => Half),
        fixed("packInt2x16", BIT_CAST, s(Int), &[v(Int16, 2)]),
        fixed("packUint2x16", BIT_CAST, s(Uint), &[v(Uint16, 2)]),
        fixed("unpackInt2x16", BIT_CAST, v(Int16, 2), &[s(Int)]),
        fixed("unpackUint2x16", BIT_CAST, v(Uint16, 2), &[s(Uint)]),
        fixed("packInt4x16", BIT_CAST, s(Int64), &[v(Int16, 4)]),
        fixed("packUint4x16", BIT_CAST, s(Uint64), &[v(Uint16, 4)]),
        fixed("unpackInt4x16", BIT_CAST, v(Int16, 4), &[s(Int64)]),
        fixed("unpackUint4x16", BIT_CAST, v(Uint16, 4), &[s(Uint64)]),
    ]},
    Group { avail: INT8, stages: ALL, rows: &[
        fixed("pack16", BIT_CAST, s(Int16), &[v(Int8, 2)]),
        fixed("pack16", BIT_CAST, s(Uint16), &[v(Uint8, 2)]),
        fixed("unpack8", BIT_CAST, v(Int8, 2), &[s(Int16)]),
        fixed("unpack8", BIT_CAST, v(Uint8, 2), &[s(Uint16)]),
        fixed("unpack8", BIT_CAST, v(Int8, 4), &[s(Int)]),
        fixed("unpack8", BIT_CAST, v(Uint8, 4), &[s(Uint)]),
    ]},
    Group { avail: EXPLICIT, stages: ALL, rows: &[
        fixed("pack32", BIT_CAST, s(Int), &[v(Int8, 4)]),
        fixed("pack32", BIT_CAST, s(Uint), &[v(Uint8, 4)]),
        fixed("pack32", BIT_CAST, s(Int), &[v(Int16, 2)]),
        fixed("pack32", BIT_CAST, s(Uint), &[v(Uint16, 2)]),
        fixed("unpack16", BIT_CAST, v(Int16, 2), &[s(Int)]),
        fixed("unpack16", BIT_CAST, v(Uint16, 2), &[s(Uint)]),
        fixed("unpack16", BIT_CAST, v(Int16, 4), &[s(Int64)]),
        fixed("unpack16", BIT_CAST, v(Uint16, 4), &[s(Uint64)]),
        fixed("pack64", BIT_CAST, s(Int64), &[v(Int16, 4)]),
        fixed("pack64", BIT_CAST, s(Uint64), &[v(Uint16, 4)]),
        fixed("pack64", BIT_CAST, s(Int64), &[v(Int, 2)]),
        fixed("pack64", BIT_CAST, s(Uint64), &[v(Uint, 2)]),
        fixed("unpack32", BIT_CAST, v(Int, 2), &[s(Int64)]),
        fixed("unpack32", BIT_CAST, v(Uint, 2), &[s(Uint64)]),
    ]},
];

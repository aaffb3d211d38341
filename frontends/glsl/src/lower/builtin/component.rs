//! Functions that are one operation of the IR on each component.

use crate::builtin::Builtin;
use crate::types::Base;
use airfoil_ir::AluOp;

/// Operations by kind of operand: floats, signed and unsigned integers, booleans. `None` where there is no overload.
#[derive(Clone, Copy, Default)]
struct Row {
    float: Option<AluOp>,
    signed: Option<AluOp>,
    unsigned: Option<AluOp>,
    boolean: Option<AluOp>,
    /// The operands change places (`a > b` is `b < a`).
    swap: bool,
}

const fn float(op: AluOp) -> Row {
    Row { float: Some(op), signed: None, unsigned: None, boolean: None, swap: false }
}

const fn integer(signed: AluOp, unsigned: AluOp) -> Row {
    Row { float: None, signed: Some(signed), unsigned: Some(unsigned), boolean: None, swap: false }
}

const fn number(float: AluOp, signed: AluOp, unsigned: AluOp) -> Row {
    Row { float: Some(float), signed: Some(signed), unsigned: Some(unsigned), boolean: None, swap: false }
}

impl Row {
    const fn or_boolean(self, op: AluOp) -> Row {
        Row { boolean: Some(op), ..self }
    }

    const fn swapped(self) -> Row {
        Row { swap: true, ..self }
    }
}

/// The row of a function; `None` if it is more than one operation a component.
fn row(f: Builtin) -> Option<Row> {
    use AluOp as A;
    use Builtin as B;
    Some(match f {
        B::Sin => float(A::fsin),
        B::Cos => float(A::fcos),
        B::Tan => float(A::ftan),
        B::Asin => float(A::fasin),
        B::Acos => float(A::facos),
        B::Atan => float(A::fatan),
        B::Atan2 => float(A::fatan2),
        B::Sinh => float(A::fsinh),
        B::Cosh => float(A::fcosh),
        B::Tanh => float(A::ftanh),
        B::Asinh => float(A::fasinh),
        B::Acosh => float(A::facosh),
        B::Atanh => float(A::fatanh),
        B::Pow => float(A::fpow),
        B::Exp => float(A::fexp),
        B::Log => float(A::flog),
        B::Exp2 => float(A::fexp2),
        B::Log2 => float(A::flog2),
        B::Sqrt => float(A::fsqrt),
        B::InverseSqrt => float(A::frsq),
        B::Abs => number(A::fabs, A::iabs, A::mov),
        B::Sign => Row { float: Some(A::fsign), signed: Some(A::isign), ..Row::default() },
        B::Floor => float(A::ffloor),
        B::Trunc => float(A::ftrunc),
        B::Round => float(A::fround),
        B::RoundEven => float(A::fround_even),
        B::Ceil => float(A::fceil),
        B::Fract => float(A::ffract),
        B::Mod => float(A::fmod),
        B::Min => number(A::fmin, A::imin, A::umin),
        B::Max => number(A::fmax, A::imax, A::umax),
        B::Mix => float(A::flrp),
        B::Fma => float(A::ffma),
        B::Ldexp => float(A::fldexp),
        B::PackUnorm2x16 => float(A::pack_unorm_2x16),
        B::PackSnorm2x16 => float(A::pack_snorm_2x16),
        B::PackUnorm4x8 => float(A::pack_unorm_4x8),
        B::PackSnorm4x8 => float(A::pack_snorm_4x8),
        B::PackHalf2x16 => float(A::pack_half_2x16),
        B::UnpackUnorm2x16 => integer(A::unpack_unorm_2x16, A::unpack_unorm_2x16),
        B::UnpackSnorm2x16 => integer(A::unpack_snorm_2x16, A::unpack_snorm_2x16),
        B::UnpackUnorm4x8 => integer(A::unpack_unorm_4x8, A::unpack_unorm_4x8),
        B::UnpackSnorm4x8 => integer(A::unpack_snorm_4x8, A::unpack_snorm_4x8),
        B::UnpackHalf2x16 => integer(A::unpack_half_2x16, A::unpack_half_2x16),
        B::LessThan => number(A::flt, A::ilt, A::ult),
        B::GreaterThan => number(A::flt, A::ilt, A::ult).swapped(),
        B::LessThanEqual => number(A::fge, A::ige, A::uge).swapped(),
        B::GreaterThanEqual => number(A::fge, A::ige, A::uge),
        B::Equal => number(A::feq, A::ieq, A::ieq).or_boolean(A::ieq),
        B::NotEqual => number(A::fneu, A::ine, A::ine).or_boolean(A::ine),
        B::Not => Row { boolean: Some(A::inot), ..Row::default() },
        B::BitfieldExtract => integer(A::ibitfield_extract, A::ubitfield_extract),
        B::BitfieldInsert => integer(A::bitfield_insert, A::bitfield_insert),
        B::BitfieldReverse => integer(A::bitfield_reverse, A::bitfield_reverse),
        B::BitCount => integer(A::bit_count, A::bit_count),
        B::FindLsb => integer(A::find_lsb, A::find_lsb),
        B::FindMsb => integer(A::ifind_msb, A::ufind_msb),
        B::AddSaturate => integer(A::iadd_sat, A::uadd_sat),
        B::SubtractSaturate => integer(A::isub_sat, A::usub_sat),
        B::Average => integer(A::ihadd, A::uhadd),
        B::AverageRounded => integer(A::irhadd, A::urhadd),
        _ => return None,
    })
}

/// The operation of a function on components of a base type, and whether its operands change places.
pub(super) fn operation(f: Builtin, base: Base) -> Option<(AluOp, bool)> {
    let row = row(f)?;
    let op = if base.is_float() {
        row.float
    } else if base == Base::Bool {
        row.boolean
    } else if base.is_signed() {
        row.signed
    } else {
        row.unsigned
    };
    op.map(|op| (op, row.swap))
}

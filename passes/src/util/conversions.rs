//! The conversion operations of the ALU table, by types, rounding and saturation.

use airfoil_ir::alu::Base;
use airfoil_ir::{AluOp, RoundingMode, Scalar};

/// A conversion operation of the ALU table.
#[derive(Debug)]
pub struct Conversion {
    /// The operation.
    pub op: AluOp,
    /// Base type of the operand.
    pub from: Base,
    /// Base type of the result.
    pub to: Base,
    /// Rounding; `Undef` = the default of the pair of types.
    pub rounding: RoundingMode,
    /// Whether it saturates.
    pub saturate: bool,
}

macro_rules! conversions {
    ($($op:ident: $from:ident -> $to:ident $rounding:ident $saturate:literal;)+) => {
        /// Every conversion that rounds, saturates or goes between integers and floats, or between widths.
        pub static CONVERSIONS: &[Conversion] = &[$( Conversion {
            op: AluOp::$op,
            from: Base::$from,
            to: Base::$to,
            rounding: RoundingMode::$rounding,
            saturate: $saturate,
        }, )+];
    };
}

conversions! {
    f2f: Float -> Float Undef false;
    f2f_rtz: Float -> Float Rtz false;
    f2f_rtp: Float -> Float Rtp false;
    f2f_rtn: Float -> Float Rtn false;
    f2i: Float -> Int Undef false;
    f2i_rte: Float -> Int Rte false;
    f2i_rtp: Float -> Int Rtp false;
    f2i_rtn: Float -> Int Rtn false;
    f2i_sat: Float -> Int Undef true;
    f2i_rte_sat: Float -> Int Rte true;
    f2i_rtp_sat: Float -> Int Rtp true;
    f2i_rtn_sat: Float -> Int Rtn true;
    f2u: Float -> Uint Undef false;
    f2u_rte: Float -> Uint Rte false;
    f2u_rtp: Float -> Uint Rtp false;
    f2u_rtn: Float -> Uint Rtn false;
    f2u_sat: Float -> Uint Undef true;
    f2u_rte_sat: Float -> Uint Rte true;
    f2u_rtp_sat: Float -> Uint Rtp true;
    f2u_rtn_sat: Float -> Uint Rtn true;
    i2f: Int -> Float Undef false;
    i2f_rtz: Int -> Float Rtz false;
    i2f_rtp: Int -> Float Rtp false;
    i2f_rtn: Int -> Float Rtn false;
    u2f: Uint -> Float Undef false;
    u2f_rtz: Uint -> Float Rtz false;
    u2f_rtp: Uint -> Float Rtp false;
    u2f_rtn: Uint -> Float Rtn false;
    i2i: Int -> Int Undef false;
    u2u: Uint -> Uint Undef false;
    i2i_sat: Int -> Int Undef true;
    i2u_sat: Int -> Uint Undef true;
    u2i_sat: Uint -> Int Undef true;
    u2u_sat: Uint -> Uint Undef true;
    b2f: Bool -> Float Undef false;
    b2i: Bool -> Int Undef false;
}

impl Conversion {
    /// The row of an operation.
    pub fn of(op: AluOp) -> Option<&'static Conversion> {
        CONVERSIONS.iter().find(|c| c.op == op)
    }
}

/// The base type and size of a scalar type.
fn base_of(scalar: Scalar) -> Base {
    match scalar {
        Scalar::Any => Base::Any,
        Scalar::Bool => Base::Bool,
        s if s.is_float() => Base::Float,
        s if s.is_signed() => Base::Int,
        _ => Base::Uint,
    }
}

/// The scalar type of `bits` bits that is read as `base`.
pub fn scalar_of(base: Base, bits: u8) -> Scalar {
    match base {
        Base::Float => Scalar::float(bits),
        Base::Int => Scalar::int(bits, true),
        Base::Uint => Scalar::int(bits, false),
        Base::Bool => Scalar::Bool,
        Base::Any => Scalar::Any,
    }
}

/// The ALU operation that converts between two types; `None` if it does not exist.
pub fn alu_of_conversion(from: Scalar, to: Scalar, rounding: RoundingMode, saturate: bool) -> Option<AluOp> {
    let (src, dest) = (base_of(from), base_of(to));
    if dest == Base::Bool {
        return None;
    }
    let floats = (src == Base::Float, dest == Base::Float);
    // A mode that is the default of the pair, or does not matter, is omitted.
    let rounding = match (floats, rounding) {
        ((false, false), _) | ((true, false), RoundingMode::Rtz) | ((_, true), RoundingMode::Rte) => {
            RoundingMode::Undef
        }
        (_, r) => r,
    };
    // Saturation applies to integer results only; floats have infinities.
    let saturate = saturate && dest != Base::Float && src != Base::Bool;
    let dest = match (floats, saturate, src) {
        // Integer to integer without saturation: only the source's sign matters.
        ((false, false), false, Base::Bool) => Base::Int,
        ((false, false), false, _) => src,
        _ => dest,
    };
    let rounding = if src == Base::Bool { RoundingMode::Undef } else { rounding };
    let same =
        |c: &&Conversion| c.from == src && c.to == dest && c.rounding == rounding && c.saturate == saturate;
    CONVERSIONS.iter().find(same).map(|c| c.op)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_found_by_types() {
        use RoundingMode::*;
        let op = |from, to, r, sat| alu_of_conversion(from, to, r, sat).map(AluOp::name);
        assert_eq!(op(Scalar::Float32, Scalar::Int32, Undef, false), Some("f2i"));
        assert_eq!(op(Scalar::Float32, Scalar::Int32, Rtz, true), Some("f2i_sat"));
        assert_eq!(op(Scalar::Float32, Scalar::Uint8, Rte, true), Some("f2u_rte_sat"));
        assert_eq!(op(Scalar::Uint8, Scalar::Float16, Rte, true), Some("u2f"));
        assert_eq!(op(Scalar::Int8, Scalar::Uint32, Rtp, false), Some("i2i"));
        assert_eq!(op(Scalar::Int8, Scalar::Uint32, Rtp, true), Some("i2u_sat"));
        assert_eq!(op(Scalar::Float32, Scalar::Float16, Rtn, false), Some("f2f_rtn"));
        assert_eq!(op(Scalar::Bool, Scalar::Uint32, Undef, false), Some("b2i"));
        assert_eq!(op(Scalar::Float32, Scalar::Bool, Undef, false), None);
        assert_eq!(op(Scalar::Uint32, Scalar::Bool, Undef, false), None);
    }

    #[test]
    fn every_sized_operation_is_here() {
        for &op in airfoil_ir::alu::ALU_OPS {
            let sized = op.info().props.contains(airfoil_ir::alu::AluProps::SIZED);
            assert_eq!(sized, Conversion::of(op).is_some(), "{}", op.name());
        }
    }
}

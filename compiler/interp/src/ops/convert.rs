//! Conversions between number types with rounding and saturation.

use crate::fault::Fault;
use crate::machine::code::Op;
use crate::machine::group::Group;
use crate::machine::lanes::lanes;
use crate::machine::registers::Reg;
use crate::memory::Value;
use crate::world::World;
use airfoil_ir::{AluOp, Intrinsic, RoundingMode, Scalar, bit_mask};

/// The ALU operation of a conversion, if there is one.
fn conversion(i: &Intrinsic) -> Option<AluOp> {
    let (from, to, sat) = (i.src_type(), i.dest_type(), i.saturate());
    let pick = |plain, rtz, rtp, rtn, rte| match i.rounding() {
        RoundingMode::Undef => plain,
        RoundingMode::Rte => rte,
        RoundingMode::Rtz => rtz,
        RoundingMode::Rtp => rtp,
        RoundingMode::Rtn => rtn,
    };
    use AluOp as O;
    Some(match (from.is_float(), to.is_float()) {
        _ if to == Scalar::Bool || to == Scalar::Any || from == Scalar::Any => return None,
        _ if from == Scalar::Bool => {
            if to.is_float() {
                O::b2f
            } else {
                O::b2i
            }
        }
        (true, true) => pick(O::f2f, O::f2f_rtz, O::f2f_rtp, O::f2f_rtn, O::f2f),
        // The plain row saturates as the others do.
        (true, false) if to.is_signed() => pick(O::f2i, O::f2i, O::f2i_rtp, O::f2i_rtn, O::f2i_rte),
        (true, false) => pick(O::f2u, O::f2u, O::f2u_rtp, O::f2u_rtn, O::f2u_rte),
        (false, true) if from.is_signed() => pick(O::i2f, O::i2f_rtz, O::i2f_rtp, O::i2f_rtn, O::i2f),
        (false, true) => pick(O::u2f, O::u2f_rtz, O::u2f_rtp, O::u2f_rtn, O::u2f),
        (false, false) => match (from.is_signed(), to.is_signed(), sat) {
            (true, _, false) => O::i2i,
            (false, _, false) => O::u2u,
            (true, true, true) => O::i2i_sat,
            (true, false, true) => O::i2u_sat,
            (false, true, true) => O::u2i_sat,
            (false, false, true) => O::u2u_sat,
        },
    })
}

impl<W: World> Group<'_, W> {
    /// Executes `convert_alu_types` and `convert_air`.
    pub(crate) fn convert(&mut self, op: &Op, i: &Intrinsic, value: Reg) -> Result<(), Fault> {
        let (from, to) = (i.src_type(), i.dest_type());
        let same =
            from == to || (from.bits() == to.bits() && !from.is_float() && !to.is_float() && !i.saturate());
        let alu = if same { Some(AluOp::mov) } else { conversion(i) };
        let Some(alu) = alu else {
            return Err(Fault::unsupported(format!("conversion from {from} to {to} is not supported")));
        };
        for lane in lanes(self.active) {
            let v = self.get(value, lane);
            let floats = &self.limits.floats;
            let bits = floats.eval(alu, u32::from(from.bits()), op.ty, &[v.bits]).unwrap_or_default();
            let mut bits = bits;
            bits.iter_mut().for_each(|b| *b &= bit_mask(u32::from(op.ty.bits)));
            self.set(op.dst, lane, Value { bits, undef: v.undef & op.ty.full_mask() });
        }
        Ok(())
    }
}

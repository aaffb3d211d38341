//! Slots, types and names shared by [`stage_inputs`](super::stage_inputs) and [`stage_outputs`](super::stage_outputs).

use super::SignatureBuilder;
use crate::select::errors;
use crate::select::types::Class;
use airfoil_ir::{Body, Modes, Name, NameBuilder, Scalar, Slot};
use airfoil_passes::stages::interface::{self, Leaf};
use std::fmt::Write;

impl SignatureBuilder<'_> {
    /// The declared variables of a mode, split into vectors, by slot and component.
    pub(crate) fn leaves(&self, mode: Modes) -> Vec<Leaf> {
        interface::leaves(self.shader, mode)
    }

    /// The slots that an access with a slot operand can reach.
    pub(crate) fn reach(
        &self,
        location: Slot,
        slots: u8,
        offset: airfoil_ir::InstrId,
    ) -> std::ops::Range<u32> {
        let first = u32::from(location.0);
        match self.body[offset].as_const() {
            Some(c) => {
                let at = first.saturating_add(c[0].min(255) as u32);
                at..at + 1
            }
            None => first..first + u32::from(slots),
        }
    }

    /// Type of an access, from its own word or from the width of the value.
    pub(crate) fn access_scalar(&self, ty: Scalar, value: airfoil_ir::InstrId) -> Scalar {
        if ty == Scalar::Bool {
            return Scalar::Uint32;
        }
        if ty != Scalar::Any {
            return ty;
        }
        let bits = self.body[value].ty.bits;
        match self.usage.class(value, bits) {
            Class::Float => Scalar::float(bits),
            Class::Int => Scalar::int(bits, false),
        }
    }

    pub(crate) fn check_scalar(&mut self, scalar: Scalar, what: &str, instr: airfoil_ir::InstrId) -> bool {
        let bad = scalar.bits() == 64;
        if bad {
            let loc = self.body[instr].loc;
            let code = if scalar == Scalar::Float64 { errors::DOUBLE } else { errors::INTERFACE };
            self.errors.at(
                self.shader,
                loc,
                code,
                format!("{what} of 64-bit components is not possible in Metal (lower_64bit_io makes pairs of them)"),
            );
        }
        !bad
    }
}

/// The operand of an input or output access that counts slots.
pub(crate) fn offset_operand(body: &Body, instr: airfoil_ir::InstrId) -> airfoil_ir::InstrId {
    match body[instr].as_intrinsic() {
        Some(i) => i.srcs().last().copied().unwrap_or(instr),
        None => instr,
    }
}

/// Name that both ends of a varying share.
pub(crate) fn varying_name(slot: Slot, component: u8) -> Name {
    let mut name = NameBuilder::new();
    name.push_str("user(");
    match slot.as_generic() {
        Some(n) => {
            name.push_str("locn");
            push_number(&mut name, n);
        }
        None => _ = write!(name, "{slot}"),
    }
    if component != 0 {
        name.push('_');
        push_number(&mut name, u32::from(component));
    }
    name.push(')');
    name.finish()
}

/// Appends a number, without the formatter.
fn push_number(text: &mut NameBuilder, n: u32) {
    if n >= 10 {
        push_number(text, n / 10);
    }
    text.push(char::from(b'0' + (n % 10) as u8));
}

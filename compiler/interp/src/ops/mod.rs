//! Instructions, executed for all active lanes: methods of [`Group`], and functions of registers.
//!
//! * `alu.rs`, `float_mode.rs`, `convert.rs`, `subgroup.rs`: values. `intrinsics.rs`: dispatch of intrinsics.
//! * `deref.rs`, `access.rs`, `atomic.rs`: memory. `io.rs`: inputs and outputs. `image.rs`: textures and storage images.

mod access;
mod alu;
mod atomic;
mod claims;
mod convert;
mod deref;
pub(crate) mod float_mode;
mod image;
mod intrinsics;
mod io;
mod subgroup;

use crate::fault::Fault;
use crate::machine::code::{Op, OpKind};
use crate::machine::group::Group;
use crate::memory::{Pointer, Value};
use crate::world::World;
use airfoil_ir::bit_mask;

impl<W: World> Group<'_, W> {
    /// Executes an instruction that is not control flow.
    pub(crate) fn op(&mut self, op: &Op) -> Result<(), Fault> {
        match &op.kind {
            OpKind::Alu(alu) if alu.quad => alu::quad(&mut self.regs, self.active, op, alu),
            OpKind::Alu(alu) => alu::all(&mut self.regs, self.active, &self.limits.floats, op, alu),
            OpKind::Const(bits) => self.set_all(op.dst, Value { bits: *bits, undef: 0 }),
            OpKind::Undef => {
                let mask = bit_mask(u32::from(op.ty.bits));
                self.set_all(op.dst, Value { bits: [self.limits.undef & mask; 4], undef: 0xf });
            }
            OpKind::Var(v) => self.set_all(op.dst, Pointer::new(self.memory.vars[*v]).to_value()),
            OpKind::Element(e) => self.element(op.dst, e),
            OpKind::Field { parent, offset, objects } => self.field(op.dst, *parent, *offset, *objects),
            OpKind::Cast { parent, address } => self.cast(op.dst, *parent, *address),
            OpKind::Intrinsic(i, regs, pointee) => {
                self.claims_stage(i)?;
                if let Some(offset) = claims::offset_operand(i.op) {
                    self.claims_alignment(i, regs[offset])?;
                }
                self.intrinsic(op, i, regs, *pointee)?;
                self.claims_effects(i)?;
            }
            OpKind::Copy(copy) => self.copy(copy)?,
            OpKind::Tex(tex, srcs) => self.texture(op, tex, srcs)?,
            OpKind::Phi(_) | OpKind::Jump(_) | OpKind::Call(..) | OpKind::Barrier => {}
        }
        Ok(())
    }
}

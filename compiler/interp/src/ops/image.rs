//! Texture instructions and instructions on storage images; the world executes them for each lane.

use crate::fault::Fault;
use crate::machine::code::Op;
use crate::machine::group::Group;
use crate::machine::lanes::lanes;
use crate::machine::registers::Reg;
use crate::memory::Value;
use crate::world::{ImageCall, TexCall, World};
use airfoil_ir::intrinsic::IntrinsicFlags;
use airfoil_ir::{Intrinsic, IntrinsicOp, Tex, TexSrc};

/// The residency code of all texels: no image of the interpreter is sparse.
const RESIDENT: Value = Value { bits: [1, 0, 0, 0], undef: 0 };

impl<W: World> Group<'_, W> {
    pub(crate) fn texture(&mut self, op: &Op, tex: &Tex, srcs: &[(TexSrc, Reg)]) -> Result<(), Fault> {
        if tex.residency {
            self.set_all(op.dst, RESIDENT);
            return Ok(());
        }
        let call = TexCall { tex, srcs, ty: op.ty };
        for lane in lanes(self.active) {
            let value = self.world.texture(&call, &self.regs, &self.memory, self.active, lane)?;
            self.set(op.dst, lane, value);
        }
        Ok(())
    }

    pub(crate) fn image(&mut self, op: &Op, intrinsic: &Intrinsic, srcs: &[Reg; 4]) -> Result<(), Fault> {
        if intrinsic.op == IntrinsicOp::image_residency {
            self.set_all(op.dst, RESIDENT);
            return Ok(());
        }
        self.effects |= match intrinsic.op {
            IntrinsicOp::image_load => IntrinsicFlags::READS,
            IntrinsicOp::image_store => IntrinsicFlags::WRITES,
            IntrinsicOp::image_atomic | IntrinsicOp::image_atomic_swap => {
                IntrinsicFlags::READS | IntrinsicFlags::WRITES
            }
            _ => IntrinsicFlags::empty(),
        };
        let call = ImageCall { intrinsic, srcs, ty: op.ty };
        for lane in lanes(self.active) {
            let effects = self.helpers >> lane & 1 == 0;
            if let Some(value) = self.world.image(&call, &self.regs, &mut self.memory, lane, effects)? {
                self.set(op.dst, lane, value);
            }
        }
        Ok(())
    }
}

//! Texture instructions and instructions on storage images; the world executes them for each lane.

use crate::fault::Fault;
use crate::machine::code::Op;
use crate::machine::group::Group;
use crate::machine::lanes::lanes;
use crate::machine::registers::Reg;
use crate::world::{ImageCall, TexCall, World};
use airfoil_ir::{Intrinsic, Tex, TexSrc};

impl<W: World> Group<'_, W> {
    pub(crate) fn texture(&mut self, op: &Op, tex: &Tex, srcs: &[(TexSrc, Reg)]) -> Result<(), Fault> {
        let call = TexCall { tex, srcs, ty: op.ty };
        for lane in lanes(self.active) {
            let value = self.world.texture(&call, &self.regs, &self.memory, self.active, lane)?;
            self.set(op.dst, lane, value);
        }
        Ok(())
    }

    pub(crate) fn image(&mut self, op: &Op, intrinsic: &Intrinsic, srcs: &[Reg; 4]) -> Result<(), Fault> {
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

//! Atomic instructions on memory.

use crate::fault::Fault;
use crate::machine::code::Op;
use crate::machine::group::Group;
use crate::machine::lanes::lanes;
use crate::machine::registers::Reg;
use crate::memory::atomic::atomic;
use crate::memory::{Pointer, Value};
use crate::world::World;
use airfoil_ir::intrinsic::{IntrinsicFlags, MemoryAction};
use airfoil_ir::{AtomicOp, Intrinsic};

impl<W: World> Group<'_, W> {
    /// Executes an atomic operation at the location of each lane.
    pub(crate) fn atomic(
        &mut self,
        op: &Op,
        i: &Intrinsic,
        data: &[Reg],
        location: impl Fn(&Self, usize) -> Pointer,
    ) -> Result<(), Fault> {
        let bits = u32::from(op.ty.bits);
        let swap = i.op.memory().is_some_and(|m| m.action == MemoryAction::Exchange);
        let kind = if swap { AtomicOp::Cmpxchg } else { i.atomic_op() };
        self.effects |= IntrinsicFlags::WRITES;
        for lane in lanes(self.active) {
            let p = location(self, lane);
            self.reads(p.target());
            if !self.memory.has_effects(p.target(), self.helpers >> lane & 1 != 0) {
                self.set(op.dst, lane, Value { bits: [0; 4], undef: 1 });
                continue;
            }
            if !self.memory.reaches(&p, p.offset, op.ty.bytes(), self.limits.robust)? {
                self.set(op.dst, lane, Value::default());
                continue;
            }
            let first = self.get(data[0], lane);
            let (compare, new) = if swap { (first, self.get(data[1], lane)) } else { (first, first) };
            let (old, unknown) = self.memory.get(p.target(), lane, p.offset, bits);
            let met = if kind == AtomicOp::Load {
                self.memory.read(p.target(), lane, p.offset, bits).1
            } else {
                let now = atomic(kind, bits, old, compare.bits[0], new.bits[0]);
                let undef = (compare.undef | new.undef) & 1 != 0 || (unknown && kind != AtomicOp::Xchg);
                let undef = if kind == AtomicOp::Store { new.undef & 1 != 0 } else { undef };
                let commutes = !matches!(kind, AtomicOp::Cmpxchg | AtomicOp::Xchg | AtomicOp::Store);
                self.memory.write(p.target(), lane, p.offset, bits, now, undef, (true, commutes))
            };
            self.memory.known_location(p.wild, "memory")?;
            let met = met && !self.memory.given;
            let open = met || unknown || p.wild || kind == AtomicOp::Store;
            self.set(op.dst, lane, Value { undef: u8::from(open), ..Value::scalar(old) });
        }
        Ok(())
    }
}

//! Loads, stores and the length of run-time arrays.

use crate::fault::Fault;
use crate::machine::code::Op;
use crate::machine::group::Group;
use crate::machine::lanes::lanes;
use crate::machine::registers::Reg;
use crate::memory::{GLOBAL, Pointer, Value};
use crate::world::World;
use airfoil_ir::intrinsic::IntrinsicFlags;
use airfoil_ir::{Intrinsic, Ty, Type, TypeId};

impl<W: World> Group<'_, W> {
    /// A pointer, advanced by `offset` bytes.
    pub(crate) fn at(&self, mut p: Pointer, offset: Reg, lane: usize) -> Pointer {
        let v = self.get(offset, lane);
        p.wild |= v.undef & 1 != 0 && self.limits.report;
        p.offset = p.offset.wrapping_add(v.bits[0]);
        p
    }

    /// Loads from the location of each lane.
    pub(crate) fn load(&mut self, op: &Op, location: impl Fn(&Self, usize) -> Pointer) -> Result<(), Fault> {
        let bits = u32::from(op.ty.bits);
        let bytes = op.ty.with_comps(1).bytes();
        for lane in lanes(self.active) {
            let p = location(self, lane);
            self.reads(p.target());
            let stride = if p.stride != 0 { p.stride } else { bytes };
            let mut value = Value::default();
            for c in 0..usize::from(op.ty.comps) {
                let at = p.offset.wrapping_add(c as u64 * u64::from(stride));
                if !self.memory.reaches(&p, at, bytes, self.limits.robust)? {
                    continue;
                }
                let (v, undef) = self.memory.read(p.target(), lane, at, bits);
                value.bits[c] = v;
                value.undef |= u8::from(undef || p.wild) << c;
            }
            self.set(op.dst, lane, value);
        }
        Ok(())
    }

    /// Loads from an object that is addressed by offset only.
    pub(crate) fn load_from(&mut self, op: &Op, offset: Reg, object: Option<u32>) -> Result<(), Fault> {
        let base = Pointer::new(object.unwrap_or(GLOBAL - 1));
        self.load(op, |m, lane| m.at(base, offset, lane))
    }

    /// Stores to the location of each lane.
    pub(crate) fn store(
        &mut self,
        i: &Intrinsic,
        value: Reg,
        location: impl Fn(&Self, usize) -> Pointer,
    ) -> Result<(), Fault> {
        let bits = self.regs.width(value);
        let bytes = Ty::new(1, bits as u8).bytes();
        let mask = i.write_mask();
        self.effects |= IntrinsicFlags::WRITES;
        for lane in lanes(self.active) {
            let p = location(self, lane);
            if !self.memory.has_effects(p.target(), self.helpers >> lane & 1 != 0) || mask == 0 {
                continue;
            }
            let v = self.get(value, lane);
            let stride = if p.stride != 0 { p.stride } else { bytes };
            for c in (0..4).filter(|c| mask >> c & 1 != 0) {
                let at = p.offset.wrapping_add(c as u64 * u64::from(stride));
                let undef = v.undef >> c & 1 != 0;
                if self.memory.reaches(&p, at, bytes, self.limits.robust)? {
                    self.memory.write(p.target(), lane, at, bits, v.bits[c], undef, (false, false));
                }
            }
            self.memory.known_location(p.wild, "memory")?;
        }
        Ok(())
    }

    /// Length of the run-time array that is the pointee of a deref or its last member.
    pub(crate) fn array_length(&mut self, op: &Op, deref: Reg, pointee: Option<TypeId>) {
        let Some(mut ty) = pointee else { return };
        let mut offset = 0;
        if let Type::Struct(s) = &self.shader.types[ty]
            && let Some(last) = s.members.len().checked_sub(1)
        {
            offset = self.layouts.member(ty, last);
            ty = s.members[last].ty;
        }
        let stride = self.layouts.stride(ty).max(1);
        for lane in lanes(self.active) {
            let p = self.pointer(deref, lane);
            let size = self.memory.objects.get(p.target() as usize).map_or(0, |o| o.size);
            let n = size.saturating_sub(p.offset + offset) / stride;
            self.set(op.dst, lane, Value { undef: u8::from(p.wild), ..Value::scalar(n) });
        }
    }
}

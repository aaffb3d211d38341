//! Derefs, and copies of variables.

use crate::fault::Fault;
use crate::machine::code::{CopyCode, Element};
use crate::machine::group::Group;
use crate::machine::lanes::lanes;
use crate::machine::registers::Reg;
use crate::memory::{GLOBAL, Pointer, Value};
use crate::world::World;

impl<W: World> Group<'_, W> {
    /// An element of an array, matrix or vector.
    pub(crate) fn element(&mut self, dst: Reg, e: &Element) {
        for lane in lanes(self.active) {
            let mut p = self.pointer(e.parent, lane);
            let index = e.index.map_or(Value::scalar(0), |i| self.get(i, lane));
            let n = index.bits[0];
            let signed = i64::from(n as u32 as i32);
            // A run-time length is checked by the size of the buffer.
            let out = if e.len == u64::MAX { false } else { n >= e.len };
            p.wild |= (index.undef & 1 != 0 && self.limits.report) || out;
            if e.objects {
                p.element += if out { 0 } else { n as u32 * e.stride as u32 };
            } else {
                let stride = if e.component && p.stride != 0 { u64::from(p.stride) } else { e.stride };
                p.offset = p.offset.wrapping_add((signed as u64).wrapping_mul(stride));
                if p.object != GLOBAL {
                    p.offset &= 0xffff_ffff;
                }
                p.stride = e.inner;
            }
            self.set(dst, lane, p.to_value());
        }
    }

    /// A member of a structure: `offset` bytes, or objects, after its start.
    pub(crate) fn field(&mut self, dst: Reg, parent: Reg, offset: u64, objects: bool) {
        for lane in lanes(self.active) {
            let mut p = self.pointer(parent, lane);
            if objects {
                p.element += offset as u32;
            } else {
                p.offset = p.offset.wrapping_add(offset);
            }
            self.set(dst, lane, p.to_value());
        }
    }

    /// A pointer from a pointer, or from a 64-bit address.
    pub(crate) fn cast(&mut self, dst: Reg, parent: Reg, address: bool) {
        for lane in lanes(self.active) {
            let v = self.get(parent, lane);
            let p = if address {
                Pointer { offset: v.bits[0], wild: v.undef != 0, ..Pointer::new(GLOBAL) }
            } else {
                Pointer::of(v)
            };
            self.set(dst, lane, p.to_value());
        }
    }

    /// Copies a variable or a part of one.
    pub(crate) fn copy(&mut self, copy: &CopyCode) -> Result<(), Fault> {
        let total = copy.wild.iter().fold(1u64, |n, w| n.saturating_mul(w.0));
        let n = total.saturating_mul(copy.leaves.len() as u64);
        self.count(n.saturating_mul(u64::from(self.active.count_ones())))?;
        let mut values: Vec<(u64, bool)> = Vec::new();
        let seeded = !self.memory.given;
        for lane in lanes(self.active) {
            let (dst, src) = (self.pointer(copy.dst, lane), self.pointer(copy.src, lane));
            values.clear();
            // All is read before anything is written: source and destination may be the same variable.
            for k in 0..total {
                let (_, from) = wild_offsets(&copy.wild, k);
                for (_, leaf) in &copy.leaves {
                    for c in 0..u64::from(leaf.comps) {
                        let at = src.offset.wrapping_add(from + leaf.offset + c * u64::from(leaf.stride));
                        let bits = u32::from(leaf.scalar.bits());
                        if !self.memory.reaches(&src, at, bits.div_ceil(8), self.limits.robust)? {
                            values.push((0, false));
                            continue;
                        }
                        let (v, u) = self.memory.read(src.target(), lane, at, bits);
                        values.push((v, u || (seeded && src.wild)));
                    }
                }
            }
            if !self.memory.has_effects(dst.target(), self.helpers >> lane & 1 != 0) {
                continue;
            }
            let mut next = values.iter();
            for k in 0..total {
                let (to, _) = wild_offsets(&copy.wild, k);
                for (leaf, _) in &copy.leaves {
                    for c in 0..u64::from(leaf.comps) {
                        let at = dst.offset.wrapping_add(to + leaf.offset + c * u64::from(leaf.stride));
                        let &(v, u) = next.next().unwrap_or(&(0, true));
                        let bits = u32::from(leaf.scalar.bits());
                        if self.memory.reaches(&dst, at, bits.div_ceil(8), self.limits.robust)? {
                            self.memory.write(dst.target(), lane, at, bits, v, u, (false, false));
                        }
                    }
                }
            }
            self.memory.known_location(dst.wild, "memory")?;
        }
        Ok(())
    }
}

/// Offsets on both sides of the `k`-th combination of wildcards.
fn wild_offsets(wild: &[(u64, u64, u64)], mut k: u64) -> (u64, u64) {
    let (mut to, mut from) = (0, 0);
    for &(n, a, b) in wild.iter().rev() {
        to += k % n * a;
        from += k % n * b;
        k /= n;
    }
    (to, from)
}

//! Steps to elements, copies of variables, and whether memory is there.

use crate::Fault;
use crate::machine::{Machine, lanes};
use crate::memory::{GLOBAL, Pointer, Value};
use crate::program::{CopyCode, Element, Reg};
use airfoil_ir::Modes;

impl Machine<'_> {
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

    /// Whether a lane's writes to memory that others see have an effect.
    pub(crate) fn has_effects(&self, lane: usize, object: u32) -> bool {
        let local = self
            .memory
            .objects
            .get(object as usize)
            .is_some_and(|o| o.mode.intersects(Modes::FUNCTION_TEMP | Modes::SHADER_TEMP | Modes::OUT));
        local || self.helpers >> lane & 1 == 0
    }

    /// Whether the `bytes` bytes at a pointer exist. Otherwise it is a fault, unless access is robust. In a seeded world
    /// the memory itself tracks undefined values.
    pub(crate) fn reaches(&self, p: &Pointer, at: u64, bytes: u32) -> Result<bool, Fault> {
        if self.data.is_none() {
            return Ok(true);
        }
        let inside = !p.wild && self.memory.is_inside(p.target(), at, bytes);
        if inside || self.limits.robust {
            return Ok(inside);
        }
        Err(Fault::undefined(self.memory.out_of_bounds(p, at)))
    }

    /// A write whose location is not known is a fault of a seeded execution: the program has no defined meaning from
    /// there on (GLSL 4.60 section 5.11), so lowering may branch on the index or write elsewhere.
    pub(crate) fn known_location(&self, unknown: bool, object: &str) -> Result<(), Fault> {
        match unknown && self.data.is_none() && self.limits.report {
            true => Err(Fault::undefined(format!(
                "a write to {object} has an index that is undefined or out of range"
            ))),
            false => Ok(()),
        }
    }

    pub(crate) fn copy(&mut self, copy: &CopyCode) -> Result<(), Fault> {
        let total = copy.wild.iter().fold(1u64, |n, w| n.saturating_mul(w.0));
        let n = total.saturating_mul(copy.leaves.len() as u64);
        self.count(n.saturating_mul(u64::from(self.active.count_ones())))?;
        let mut values: Vec<(u64, bool)> = Vec::new();
        let seeded = self.data.is_none();
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
                        if !self.reaches(&src, at, bits.div_ceil(8))? {
                            values.push((0, false));
                            continue;
                        }
                        let (v, u) = self.memory.read(src.target(), lane, at, bits);
                        values.push((v, u || (seeded && src.wild)));
                    }
                }
            }
            if !self.has_effects(lane, dst.target()) {
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
                        if self.reaches(&dst, at, bits.div_ceil(8))? {
                            self.memory.write(dst.target(), lane, at, bits, v, u, (false, false));
                        }
                    }
                }
            }
            self.known_location(dst.wild, "memory")?;
            if dst.wild && seeded {
                self.memory.lose(dst.target(), lane);
            }
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

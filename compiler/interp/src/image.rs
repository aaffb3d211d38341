//! Storage images of a world made of a seed: a map of the texels that were written; the others hold hashes of their place.
//!
//! Coordinates have no bounds here. Texels keep the lanes that were stored, whatever the format.

use crate::Fault;
use crate::env::{mix, unit};
use crate::intrinsics::atomic;
use crate::machine::{Machine, lanes};
use crate::memory::Value;
use crate::program::{Op, Reg};
use crate::race::Accessor;
use airfoil_ir::alu::f64_to_bits;
use airfoil_ir::{AtomicOp, Dim, Intrinsic, IntrinsicOp, Scalar, bit_mask};
use std::collections::BTreeMap;

/// Object, coordinates and sample.
pub(crate) type TexelKey = (u32, [i32; 4], i32);

/// A texel that was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texel {
    pub(crate) value: Value,
    pub(crate) scalar: Scalar,
    race: u32,
}

/// Texels of all images.
#[derive(Debug)]
pub(crate) struct Images {
    pub(crate) texels: BTreeMap<TexelKey, Texel>,
    seed: u64,
}

impl Images {
    pub(crate) fn new(seed: u64) -> Images {
        Images { texels: BTreeMap::new(), seed }
    }

    /// The initial value of a texel.
    fn fresh(&self, hash: u64, key: &TexelKey, scalar: Scalar) -> Value {
        let place = key.1.iter().fold(mix(self.seed, hash), |h, &c| mix(h, c as u32 as u64));
        let place = mix(place, key.2 as u32 as u64);
        let mut value = Value::default();
        for (c, bits) in value.bits.iter_mut().enumerate() {
            let h = mix(place, c as u64);
            *bits = if scalar.is_float() {
                f64_to_bits(unit(h), u32::from(scalar.bits()))
            } else {
                (h % 8) & bit_mask(u32::from(scalar.bits().max(1)))
            };
        }
        value
    }
}

/// Components of the size of an image or texture.
pub(crate) fn size_of(hash: u64, dim: Dim, array: bool, lod: u64) -> [u64; 4] {
    let mut out = [0; 4];
    let n = match dim {
        Dim::D1 | Dim::Buffer => 1,
        Dim::D3 => 3,
        _ => 2,
    };
    for (c, o) in out.iter_mut().enumerate().take(n) {
        // Faces of cubes are squares.
        let side = if dim == Dim::Cube { 0 } else { c as u64 };
        *o = ((4 + mix(hash, side) % 13) >> lod.min(31)).max(1);
    }
    if array {
        out[n] = 3;
    }
    out
}

impl Machine<'_> {
    /// Executes an intrinsic on images.
    pub(crate) fn image_intrinsic(&mut self, op: &Op, i: &Intrinsic, regs: &[Reg; 4]) -> Result<(), Fault> {
        use IntrinsicOp as O;
        if self.data.is_some() {
            return self.data_image(op, i, regs);
        }
        for lane in lanes(self.active) {
            let p = self.pointer(regs[0], lane);
            let hash = self.memory.objects[p.target() as usize].hash;
            if matches!(i.op, O::image_size | O::image_samples) {
                let size = i.op == O::image_size;
                let lod = if size { self.get(regs[1], lane) } else { Value::default() };
                let bits = if size { size_of(hash, i.dim(), i.array(), lod.bits[0]) } else { [4, 0, 0, 0] };
                let undef = if p.wild || lod.undef & 1 != 0 { op.ty.full_mask() } else { 0 };
                self.set(op.dst, lane, Value { bits, undef });
                continue;
            }
            let (coord, sample) = (self.get(regs[1], lane), self.get(regs[2], lane));
            let used = (1u8 << (i.dim().coord_comps() + u8::from(i.array())).min(4)) - 1;
            let unknown = p.wild || coord.undef & used != 0 || sample.undef & 1 != 0;
            let mut place = [0; 4];
            for c in (0..4).filter(|c| used >> c & 1 != 0) {
                // One dimension is the first row of two: the layer is the third component.
                let shift = usize::from(i.dim() == Dim::D1 && c == 1);
                place[c + shift] = coord.bits[c] as i32;
            }
            let sample = if i.dim().is_multisampled() { sample.bits[0] as i32 } else { 0 };
            self.texel(op, i, regs, lane, (p.target(), place, sample), hash, unknown)?;
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn texel(
        &mut self,
        op: &Op,
        i: &Intrinsic,
        regs: &[Reg; 4],
        lane: usize,
        key: TexelKey,
        hash: u64,
        unknown: bool,
    ) -> Result<(), Fault> {
        use IntrinsicOp as O;
        let scalar = match i.op {
            O::image_load => i.dest_type(),
            O::image_store => i.src_type(),
            _ => Scalar::int(op.ty.bits, false),
        };
        let own = |is_atomic| Accessor { lane: lane as u32, atomic: is_atomic, epoch: self.memory.epoch };
        let old = self.images.texels.get(&key).copied();
        let mut texel = old.unwrap_or_else(|| {
            let value = self.images.fresh(hash, &key, scalar);
            Texel { value, scalar, race: 0 }
        });
        let store = i.op == O::image_store;
        if i.op == O::image_load {
            let raced = self.env.lanes > 1 && own(false).read(texel.race);
            let mut value = texel.value;
            value.bits.iter_mut().for_each(|b| *b &= bit_mask(u32::from(op.ty.bits)));
            value.undef |= if raced || unknown { 0xf } else { 0 };
            value.undef &= op.ty.full_mask();
            self.set(op.dst, lane, value);
            return Ok(());
        }
        let effects = self.helpers >> lane & 1 == 0;
        if !effects {
            if !store {
                self.set(op.dst, lane, Value { bits: [0; 4], undef: 1 });
            }
            return Ok(());
        }
        self.known_location(unknown, "an image")?;
        if unknown {
            // Any texel of the image may have been meant; those that were touched are not known any more.
            let image = (key.0, [i32::MIN; 4], i32::MIN)..=(key.0, [i32::MAX; 4], i32::MAX);
            self.images.texels.range_mut(image).for_each(|(_, t)| t.value.undef = 0xf);
            if !store {
                self.set(op.dst, lane, Value { bits: [0; 4], undef: 1 });
            }
            return Ok(());
        }
        let many = self.env.lanes > 1;
        if store {
            texel.value = self.get(regs[3], lane);
            texel.scalar = scalar;
            if many && own(false).write(&mut texel.race, false).1 {
                texel.value.undef = 0xf;
            }
        } else {
            let bits = u32::from(op.ty.bits);
            let data = self.get(regs[3], lane);
            let swap = i.op == O::image_atomic_swap;
            let (compare, new) = if swap { (data.bits[0], data.bits[1]) } else { (0, data.bits[0]) };
            let kind = if swap { AtomicOp::Cmpxchg } else { i.atomic_op() };
            let before = texel.value.bits[0] & bit_mask(bits);
            let commutes = !matches!(kind, AtomicOp::Cmpxchg | AtomicOp::Xchg | AtomicOp::Store);
            let (met, open) = if many { own(true).write(&mut texel.race, commutes) } else { (false, false) };
            let unknown_data = data.undef & if swap { 3 } else { 1 };
            let undef = u8::from(met || texel.value.undef & 1 != 0);
            self.set(op.dst, lane, Value { bits: [before, 0, 0, 0], undef });
            texel.value.bits[0] = atomic(kind, bits, before, compare, new);
            texel.value.undef |= u8::from(open || unknown_data != 0);
        }
        self.images.texels.insert(key, texel);
        Ok(())
    }
}

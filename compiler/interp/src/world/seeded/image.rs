//! Storage images of a seeded world: a map of the texels that were written; the others hold hashes of their coordinates.
//!
//! Coordinates have no bounds here. Texels keep the components that were stored, whatever the format.

use crate::fault::Fault;
use crate::hash::{mix, unit};
use crate::machine::registers::Registers;
use crate::memory::atomic::atomic;
use crate::memory::race::Accessor;
use crate::memory::{Memory, Value};
use crate::world::ImageCall;
use airfoil_ir::alu::f64_to_bits;
use airfoil_ir::{AtomicOp, Dim, IntrinsicOp, Scalar, bit_mask};
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

/// The texels of all images that were written.
#[derive(Debug)]
pub(super) struct Images {
    pub(crate) texels: BTreeMap<TexelKey, Texel>,
    seed: u64,
}

impl Images {
    pub(crate) fn new(seed: u64) -> Images {
        Images { texels: BTreeMap::new(), seed }
    }

    /// The initial value of a texel.
    fn fresh(&self, hash: u64, key: &TexelKey, scalar: Scalar) -> Value {
        let at = key.1.iter().fold(mix(self.seed, hash), |h, &c| mix(h, c as u32 as u64));
        let at = mix(at, key.2 as u32 as u64);
        let mut value = Value::default();
        for (c, bits) in value.bits.iter_mut().enumerate() {
            let h = mix(at, c as u64);
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

/// A texel that an instruction accesses.
struct Access {
    key: TexelKey,
    /// Hash of the image.
    hash: u64,
    /// An index or coordinate is undefined.
    unknown: bool,
    lane: usize,
    effects: bool,
}

impl Images {
    /// Executes an instruction for a lane.
    pub(super) fn execute(
        &mut self,
        call: &ImageCall<'_>,
        regs: &Registers,
        memory: &Memory,
        lane: usize,
        effects: bool,
    ) -> Result<Option<Value>, Fault> {
        use IntrinsicOp as O;
        let i = call.intrinsic;
        let p = regs.pointer(call.srcs[0], lane);
        let hash = memory.objects[p.target() as usize].hash;
        if matches!(i.op, O::image_size | O::image_samples) {
            let size = i.op == O::image_size;
            let lod = if size { regs.get(call.srcs[1], lane) } else { Value::default() };
            let bits = if size { size_of(hash, i.dim(), i.array(), lod.bits[0]) } else { [4, 0, 0, 0] };
            let undef = if p.wild || lod.undef & 1 != 0 { call.ty.full_mask() } else { 0 };
            return Ok(Some(Value { bits, undef }));
        }
        let (coord, sample) = (regs.get(call.srcs[1], lane), regs.get(call.srcs[2], lane));
        let used = (1u8 << (i.dim().coord_comps() + u8::from(i.array())).min(4)) - 1;
        let unknown = p.wild || coord.undef & used != 0 || sample.undef & 1 != 0;
        let mut at = [0; 4];
        for c in (0..4).filter(|c| used >> c & 1 != 0) {
            // One dimension is the first row of two: the layer is the third component.
            let shift = usize::from(i.dim() == Dim::D1 && c == 1);
            at[c + shift] = coord.bits[c] as i32;
        }
        let sample = if i.dim().is_multisampled() { sample.bits[0] as i32 } else { 0 };
        let key = (p.target(), at, sample);
        self.texel(call, regs, memory, &Access { key, hash, unknown, lane, effects })
    }

    fn texel(
        &mut self,
        call: &ImageCall<'_>,
        regs: &Registers,
        memory: &Memory,
        access: &Access,
    ) -> Result<Option<Value>, Fault> {
        use IntrinsicOp as O;
        let (i, lane) = (call.intrinsic, access.lane);
        let bits = u32::from(call.ty.bits);
        let scalar = match i.op {
            O::image_load => i.dest_type(),
            O::image_store => i.src_type(),
            _ => Scalar::int(call.ty.bits, false),
        };
        let own = |is_atomic| Accessor { lane: lane as u32, atomic: is_atomic, epoch: memory.epoch };
        let old = self.texels.get(&access.key).copied();
        let mut texel = old.unwrap_or_else(|| {
            let value = self.fresh(access.hash, &access.key, scalar);
            Texel { value, scalar, race: 0 }
        });
        let many = regs.lanes > 1;
        let store = i.op == O::image_store;
        if i.op == O::image_load {
            let raced = many && own(false).read(texel.race);
            let mut value = texel.value;
            value.bits.iter_mut().for_each(|b| *b &= bit_mask(bits));
            value.undef |= if raced || access.unknown { 0xf } else { 0 };
            value.undef &= call.ty.full_mask();
            return Ok(Some(value));
        }
        if !access.effects {
            return Ok((!store).then_some(Value { bits: [0; 4], undef: 1 }));
        }
        memory.known_location(access.unknown, "an image")?;
        let data = regs.get(call.srcs[3], lane);
        let mut result = None;
        if store {
            texel.value = data;
            texel.scalar = scalar;
            if many && own(false).write(&mut texel.race, false).1 {
                texel.value.undef = 0xf;
            }
        } else {
            let swap = i.op == O::image_atomic_swap;
            let (compare, new) = if swap { (data.bits[0], data.bits[1]) } else { (0, data.bits[0]) };
            let kind = if swap { AtomicOp::Cmpxchg } else { i.atomic_op() };
            let before = texel.value.bits[0] & bit_mask(bits);
            let commutes = !matches!(kind, AtomicOp::Cmpxchg | AtomicOp::Xchg | AtomicOp::Store);
            let (met, open) = if many { own(true).write(&mut texel.race, commutes) } else { (false, false) };
            let unknown_data = data.undef & if swap { 3 } else { 1 };
            let undef = u8::from(met || texel.value.undef & 1 != 0);
            result = Some(Value { bits: [before, 0, 0, 0], undef });
            texel.value.bits[0] = atomic(kind, bits, before, compare, new);
            texel.value.undef |= u8::from(open || unknown_data != 0);
        }
        self.texels.insert(access.key, texel);
        Ok(result)
    }
}

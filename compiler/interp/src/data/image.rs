//! Storage images that callers bring: loads, stores and atomics on texels.
//!
//! Out of bounds, loads and atomics give zero and stores do nothing; a fault unless access is robust.

use super::texture::{raw, size_of, zero};
use crate::Fault;
use crate::intrinsics::atomic;
use crate::machine::{Machine, lanes};
use crate::memory::{Pointer, Value};
use crate::program::{Op, Reg};
use crate::resources::Binding;
use crate::texture::{Color, Format, View, Viewed};
use airfoil_ir::alu::f64_from_bits;
use airfoil_ir::{AtomicOp, Dim, Intrinsic, IntrinsicOp, Scalar, bit_mask, sign_extend};

/// A texel: buffer or image, level, layer, place, sample.
#[derive(Clone, Copy, Debug)]
enum Place {
    Buffer { buffer: usize, byte: usize },
    Image { image: usize, level: u32, layer: u32, at: [u32; 3], sample: u32 },
}

impl Machine<'_> {
    /// Executes an intrinsic on images.
    pub(crate) fn data_image(&mut self, op: &Op, i: &Intrinsic, regs: &[Reg; 4]) -> Result<(), Fault> {
        use IntrinsicOp as O;
        for lane in lanes(self.active) {
            let p = self.pointer(regs[0], lane);
            match i.op {
                O::image_size | O::image_samples => {
                    let bits = self.image_size(i, &p, regs, lane);
                    self.set(op.dst, lane, Value { bits, undef: 0 });
                }
                _ => {
                    let found = self.place(i, &p, regs, lane)?;
                    self.access(op, i, regs, lane, found)?;
                }
            }
        }
        Ok(())
    }

    fn image_size(&self, i: &Intrinsic, p: &Pointer, regs: &[Reg; 4], lane: usize) -> [u64; 4] {
        let Some(data) = &self.data else { return [0; 4] };
        match data.binding(p.target()) {
            Some(&Binding::TexelBuffer { buffer, offset, size, format }) => {
                [self.texel_count(buffer, offset, size, format), 0, 0, 0]
            }
            Some(&Binding::Image { image, level, layer, .. }) => {
                let Some(image) = data.images.get(image) else { return [0; 4] };
                if i.op == IntrinsicOp::image_samples {
                    return [u64::from(image.num_samples()), 0, 0, 0];
                }
                let view = View { base_level: level, ..View::default() };
                let view = match layer {
                    Some(layer) => View { base_layer: layer, layers: 1, ..view },
                    None => view,
                };
                let lod = self.get(regs[1], lane).bits[0] as u32;
                size_of(&Viewed { image, view: &view }, i.dim(), i.array(), lod)
            }
            _ => [0; 4],
        }
    }

    /// The texel that is meant and its format; `None` if there is none.
    fn place(
        &self,
        i: &Intrinsic,
        p: &Pointer,
        regs: &[Reg; 4],
        lane: usize,
    ) -> Result<Option<(Place, Format)>, Fault> {
        let Some(data) = &self.data else { return Ok(None) };
        let coord = self.get(regs[1], lane).bits.map(|b| sign_extend(b, 32));
        let sample = self.get(regs[2], lane).bits[0] as u32;
        let name = || self.memory.objects.get(p.target() as usize).map_or("", |o| &o.name.name);
        let missing = |message: String| {
            if self.limits.robust { Ok(None) } else { Err(Fault::undefined(message)) }
        };
        if p.wild {
            return missing(self.memory.out_of_bounds(p, 0));
        }
        let found = match data.binding(p.target()) {
            Some(&Binding::TexelBuffer { buffer, offset, size, format }) => {
                let texels = self.texel_count(buffer, offset, size, format);
                let at = u64::try_from(coord[0]).ok().filter(|&a| a < texels);
                at.map(|a| {
                    let byte = (offset + a * format.bytes() as u64) as usize;
                    (Place::Buffer { buffer, byte }, format)
                })
            }
            Some(&Binding::Image { image, level, layer: only, format }) => {
                let n = usize::from(i.dim().coord_comps());
                let mut at = [0i64; 3];
                at[..n.min(3)].copy_from_slice(&coord[..n.min(3)]);
                let mut layer = if i.array() { coord[n.min(3)] } else { 0 };
                match i.dim() {
                    Dim::Cube => {
                        // The layer holds the face, with or without an array.
                        layer = coord[2];
                        at[2] = 0;
                    }
                    Dim::Subpass | Dim::SubpassMs => {
                        let [x, y] = self.pixel(lane);
                        (at[0], at[1]) = (at[0] + x, at[1] + y);
                    }
                    // A slice of a block bound as a plane.
                    Dim::D2 if data.images.get(image).is_some_and(|i| i.dim == Dim::D3) => {
                        at[2] = i64::from(only.unwrap_or(0));
                    }
                    _ => {}
                }
                let flat = data.images.get(image).is_some_and(|i| i.dim == Dim::D3);
                let layer = match only {
                    Some(_) if layer != 0 && !flat => None,
                    Some(only) if !flat => Some(only),
                    _ => u32::try_from(layer).ok(),
                };
                let [x, y, z] = at.map(|c| u32::try_from(c).ok());
                data.images.get(image).zip(layer).zip(x.zip(y).zip(z)).and_then(
                    |((img, layer), ((x, y), z))| {
                        let at = [x, y, z];
                        img.texel(level, layer, at, sample)?;
                        let format = format.filter(|f| f.bytes() == img.format.bytes()).unwrap_or(img.format);
                        Some((Place::Image { image, level, layer, at, sample }, format))
                    },
                )
            }
            Some(_) => return Err(Fault::unsupported(format!("`{}`: expected an image binding", name()))),
            None => return missing(format!("no image is bound to `{}`", name())),
        };
        match found {
            // A declared format of the same size says how texels are read.
            Some((place, format)) => {
                let declared = Format::declared(i.format()).filter(|f| f.bytes() == format.bytes());
                Ok(Some((place, declared.unwrap_or(format))))
            }
            None => missing(format!("`{}`: texel {coord:?} is out of bounds", name())),
        }
    }

    fn bytes_of(&mut self, place: Place) -> Option<&mut [u8]> {
        match place {
            Place::Buffer { buffer, byte } => {
                self.memory.buffers.get_mut(buffer).and_then(|b| b.bytes.get_mut(byte..))
            }
            Place::Image { image, level, layer, at, sample } => {
                self.data.as_mut()?.images.get_mut(image)?.texel_mut(level, layer, at, sample)
            }
        }
    }

    fn access(
        &mut self,
        op: &Op,
        i: &Intrinsic,
        regs: &[Reg; 4],
        lane: usize,
        found: Option<(Place, Format)>,
    ) -> Result<(), Fault> {
        use IntrinsicOp as O;
        let bits = u32::from(op.ty.bits);
        let effects = self.helpers >> lane & 1 == 0;
        match i.op {
            O::image_load => {
                let color = match found {
                    Some((place, format)) => {
                        let texel =
                            self.bytes_of(place).map(|t| format.read(&t[..format.bytes().min(t.len())]));
                        texel.unwrap_or_else(|| zero(format))
                    }
                    None => Color::Int([0; 4]),
                };
                let mut value = raw(color, i.dest_type().is_float(), bits);
                value[usize::from(op.ty.comps).min(4)..].fill(0);
                self.set(op.dst, lane, Value { bits: value, undef: 0 });
            }
            O::image_store => {
                let width = u32::from(self.widths[regs[3] as usize]);
                let value = self.get(regs[3], lane).bits;
                let Some((place, format)) = found.filter(|_| effects) else { return Ok(()) };
                let color = match i.src_type() {
                    s if s.is_float() => Color::Float(value.map(|v| f64_from_bits(v, width))),
                    s if s.is_signed() => Color::Int(value.map(|v| sign_extend(v, width))),
                    Scalar::Any if !format.is_integer() => {
                        Color::Float(value.map(|v| f64_from_bits(v, width)))
                    }
                    _ => Color::Int(value.map(|v| v as i64)),
                };
                if let Some(texel) = self.bytes_of(place) {
                    let n = format.bytes().min(texel.len());
                    format.write(&mut texel[..n], color);
                }
            }
            _ => {
                let data = self.get(regs[3], lane).bits;
                let swap = i.op == O::image_atomic_swap;
                let kind = if swap { AtomicOp::Cmpxchg } else { i.atomic_op() };
                let (compare, new) = if swap { (data[0], data[1]) } else { (0, data[0]) };
                let bytes = (bits / 8) as usize;
                let place = found.filter(|(_, f)| effects && f.bytes() == bytes).map(|f| f.0);
                let mut old = 0;
                if let Some(texel) = place.and_then(|p| self.bytes_of(p)).and_then(|t| t.get_mut(..bytes)) {
                    let mut word = [0; 8];
                    word[..bytes].copy_from_slice(texel);
                    old = u64::from_le_bytes(word);
                    let now = atomic(kind, bits, old, compare, new) & bit_mask(bits);
                    texel.copy_from_slice(&now.to_le_bytes()[..bytes]);
                }
                self.set(op.dst, lane, Value { bits: [old, 0, 0, 0], undef: 0 });
            }
        }
        Ok(())
    }
}

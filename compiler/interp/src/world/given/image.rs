//! Storage images of a caller: loads, stores and atomics on texels.
//!
//! Out of bounds, loads and atomics return zero and stores do nothing; a fault unless access is robust.

use super::data::Given;
use super::texture::texel_count;
use crate::fault::Fault;
use crate::machine::registers::Registers;
use crate::memory::atomic::atomic;
use crate::memory::{Memory, Pointer, Value};
use crate::resources::Binding;
use crate::texture::{Color, Format, View, Viewed, raw, size_of, zero};
use crate::world::ImageCall;
use airfoil_ir::alu::f64_from_bits;
use airfoil_ir::{AtomicOp, Dim, IntrinsicOp, Scalar, bit_mask, sign_extend};

/// The location of a texel.
#[derive(Clone, Copy, Debug)]
enum Location {
    Buffer { buffer: usize, byte: usize },
    Image { image: usize, level: u32, layer: u32, at: [u32; 3], sample: u32 },
}

/// Executes an instruction for a lane.
pub(super) fn execute(
    given: &mut Given,
    call: &ImageCall<'_>,
    regs: &Registers,
    memory: &mut Memory,
    lane: usize,
    effects: bool,
) -> Result<Option<Value>, Fault> {
    let mut images = Images { given, regs, memory };
    let p = regs.pointer(call.srcs[0], lane);
    if matches!(call.intrinsic.op, IntrinsicOp::image_size | IntrinsicOp::image_samples) {
        let bits = images.size(call, &p, lane);
        return Ok(Some(Value { bits, undef: 0 }));
    }
    let found = images.locate(call, &p, lane)?;
    Ok(images.access(call, lane, found, effects))
}

/// The images as a group of invocations sees them.
struct Images<'a> {
    given: &'a mut Given,
    regs: &'a Registers,
    memory: &'a mut Memory,
}

impl Images<'_> {
    fn size(&self, call: &ImageCall<'_>, p: &Pointer, lane: usize) -> [u64; 4] {
        let i = call.intrinsic;
        match self.given.binding(p.target()) {
            Some(&Binding::TexelBuffer { buffer, offset, size, format }) => {
                [texel_count(self.memory, buffer, offset, size, format), 0, 0, 0]
            }
            Some(&Binding::Image { image, level, layer, .. }) => {
                let Some(image) = self.given.images.get(image) else { return [0; 4] };
                if i.op == IntrinsicOp::image_samples {
                    return [u64::from(image.num_samples()), 0, 0, 0];
                }
                let view = View { base_level: level, ..View::default() };
                let view = match layer {
                    Some(layer) => View { base_layer: layer, layers: 1, ..view },
                    None => view,
                };
                let lod = self.regs.get(call.srcs[1], lane).bits[0] as u32;
                size_of(&Viewed { image, view: &view }, i.dim(), i.array(), lod)
            }
            _ => [0; 4],
        }
    }

    /// The texel that is meant and its format; `None` if there is none.
    fn locate(
        &self,
        call: &ImageCall<'_>,
        p: &Pointer,
        lane: usize,
    ) -> Result<Option<(Location, Format)>, Fault> {
        let i = call.intrinsic;
        let coord = self.regs.get(call.srcs[1], lane).bits.map(|b| sign_extend(b, 32));
        let sample = self.regs.get(call.srcs[2], lane).bits[0] as u32;
        let name = || self.memory.objects.get(p.target() as usize).map_or("", |o| &o.name.name);
        let missing = |message: String| {
            if self.given.robust { Ok(None) } else { Err(Fault::undefined(message)) }
        };
        if p.wild {
            return missing(self.memory.out_of_bounds(p, 0));
        }
        let found = match self.given.binding(p.target()) {
            Some(&Binding::TexelBuffer { buffer, offset, size, format }) => {
                let texels = texel_count(self.memory, buffer, offset, size, format);
                let at = u64::try_from(coord[0]).ok().filter(|&a| a < texels);
                at.map(|a| {
                    let byte = (offset + a * format.bytes() as u64) as usize;
                    (Location::Buffer { buffer, byte }, format)
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
                        let [x, y] = self.given.pixel(lane);
                        (at[0], at[1]) = (at[0] + x, at[1] + y);
                    }
                    // A slice of a block bound as a plane.
                    Dim::D2 if self.given.images.get(image).is_some_and(|i| i.dim == Dim::D3) => {
                        at[2] = i64::from(only.unwrap_or(0));
                    }
                    _ => {}
                }
                let flat = self.given.images.get(image).is_some_and(|i| i.dim == Dim::D3);
                let layer = match only {
                    Some(_) if layer != 0 && !flat => None,
                    Some(only) if !flat => Some(only),
                    _ => u32::try_from(layer).ok(),
                };
                let [x, y, z] = at.map(|c| u32::try_from(c).ok());
                self.given.images.get(image).zip(layer).zip(x.zip(y).zip(z)).and_then(
                    |((img, layer), ((x, y), z))| {
                        let at = [x, y, z];
                        img.texel(level, layer, at, sample)?;
                        let format = format.filter(|f| f.bytes() == img.format.bytes()).unwrap_or(img.format);
                        Some((Location::Image { image, level, layer, at, sample }, format))
                    },
                )
            }
            Some(_) => return Err(Fault::unsupported(format!("`{}`: expected an image binding", name()))),
            None => return missing(format!("no image is bound to `{}`", name())),
        };
        match found {
            // A declared format of the same size determines how texels are read.
            Some((location, format)) => {
                let declared = Format::declared(i.format()).filter(|f| f.bytes() == format.bytes());
                Ok(Some((location, declared.unwrap_or(format))))
            }
            None => missing(format!("`{}`: texel {coord:?} is out of bounds", name())),
        }
    }

    fn bytes_of(&mut self, location: Location) -> Option<&mut [u8]> {
        match location {
            Location::Buffer { buffer, byte } => {
                self.memory.buffers.get_mut(buffer).and_then(|b| b.bytes.get_mut(byte..))
            }
            Location::Image { image, level, layer, at, sample } => {
                self.given.images.get_mut(image)?.texel_mut(level, layer, at, sample)
            }
        }
    }

    fn access(
        &mut self,
        call: &ImageCall<'_>,
        lane: usize,
        found: Option<(Location, Format)>,
        effects: bool,
    ) -> Option<Value> {
        use IntrinsicOp as O;
        let (i, ty) = (call.intrinsic, call.ty);
        let bits = u32::from(ty.bits);
        match i.op {
            O::image_load => {
                let color = match found {
                    Some((location, format)) => {
                        let texel =
                            self.bytes_of(location).map(|t| format.read(&t[..format.bytes().min(t.len())]));
                        texel.unwrap_or_else(|| zero(format))
                    }
                    None => Color::Int([0; 4]),
                };
                let mut value = raw(color, i.dest_type().is_float(), bits);
                value[usize::from(ty.comps).min(4)..].fill(0);
                Some(Value { bits: value, undef: 0 })
            }
            O::image_store => {
                let width = self.regs.width(call.srcs[3]);
                let value = self.regs.get(call.srcs[3], lane).bits;
                let (location, format) = found.filter(|_| effects)?;
                let color = match i.src_type() {
                    s if s.is_float() => Color::Float(value.map(|v| f64_from_bits(v, width))),
                    s if s.is_signed() => Color::Int(value.map(|v| sign_extend(v, width))),
                    Scalar::Any if !format.is_integer() => {
                        Color::Float(value.map(|v| f64_from_bits(v, width)))
                    }
                    _ => Color::Int(value.map(|v| v as i64)),
                };
                if let Some(texel) = self.bytes_of(location) {
                    let n = format.bytes().min(texel.len());
                    format.write(&mut texel[..n], color);
                }
                None
            }
            _ => {
                let data = self.regs.get(call.srcs[3], lane).bits;
                let swap = i.op == O::image_atomic_swap;
                let kind = if swap { AtomicOp::Cmpxchg } else { i.atomic_op() };
                let (compare, new) = if swap { (data[0], data[1]) } else { (0, data[0]) };
                let bytes = (bits / 8) as usize;
                let location = found.filter(|(_, f)| effects && f.bytes() == bytes).map(|f| f.0);
                let mut old = 0;
                if let Some(texel) = location.and_then(|p| self.bytes_of(p)).and_then(|t| t.get_mut(..bytes))
                {
                    let mut word = [0; 8];
                    word[..bytes].copy_from_slice(texel);
                    old = u64::from_le_bytes(word);
                    let now = atomic(kind, bits, old, compare, new) & bit_mask(bits);
                    texel.copy_from_slice(&now.to_le_bytes()[..bytes]);
                }
                Some(Value { bits: [old, 0, 0, 0], undef: 0 })
            }
        }
    }
}

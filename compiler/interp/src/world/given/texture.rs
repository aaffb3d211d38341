//! Texture instructions on the textures of a caller: operands to requests, texels to results.

use super::data::Given;
use crate::fault::Fault;
use crate::machine::registers::{Reg, Registers};
use crate::memory::{Memory, Pointer, Value};
use crate::resources::Binding;
use crate::texture::{
    Color, Format, Level, Request, Sampler, Viewed, gather, query_lod, raw, sample, size_of, zero,
};
use crate::world::TexCall;
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{Dim, Stage, Tex, TexOp, TexSrc, Ty, sign_extend};

/// Registers of the operands.
struct Operands<'a>(&'a [(TexSrc, Reg)]);

impl Operands<'_> {
    fn get(&self, role: TexSrc) -> Option<Reg> {
        self.0.iter().find(|s| s.0 == role).map(|s| s.1)
    }
}

/// The textures as a group of invocations sees them.
pub(super) struct Textures<'a> {
    pub(super) given: &'a Given,
    pub(super) regs: &'a Registers,
    pub(super) memory: &'a Memory,
}

impl<'a> Textures<'a> {
    /// Executes a texture instruction for a lane.
    pub(super) fn execute(&self, call: &TexCall<'_>, lane: usize) -> Result<Value, Fault> {
        let tex = call.tex;
        let undef = call.srcs.iter().any(|&(role, reg)| {
            let used = match role {
                TexSrc::Texture | TexSrc::Sampler => return false,
                TexSrc::Coord => tex.coord_comps(),
                TexSrc::Offset | TexSrc::Ddx | TexSrc::Ddy => tex.dim.coord_comps(),
                _ => 1,
            };
            self.regs.get(reg, lane).undef & ((1 << used) - 1) != 0
        });
        let bits = self.lookup(call.ty, tex, &Operands(call.srcs), lane)?;
        Ok(Value { bits, undef: if undef { call.ty.full_mask() } else { 0 } })
    }

    /// The pointee of a deref operand; a fault if an index is out of range and access is not robust.
    fn resource(&self, reg: Option<Reg>, lane: usize) -> Result<Option<&'a Binding>, Fault> {
        let Some(reg) = reg else { return Ok(None) };
        let p: Pointer = self.regs.pointer(reg, lane);
        if p.wild && !self.given.robust {
            return Err(Fault::undefined(self.memory.out_of_bounds(&p, 0)));
        }
        if p.wild {
            return Ok(None);
        }
        match self.given.binding(p.target()) {
            None if !self.given.robust => {
                let name = self.memory.objects.get(p.target() as usize).map(|o| o.name.name.clone());
                Err(Fault::undefined(format!("nothing is bound to `{}`", name.unwrap_or_default())))
            }
            binding => Ok(binding),
        }
    }

    fn integers(&self, reg: Option<Reg>, lane: usize) -> [i64; 4] {
        reg.map_or([0; 4], |r| {
            let width = self.regs.width(r);
            self.regs.get(r, lane).bits.map(|b| sign_extend(b, width))
        })
    }

    fn floats(&self, reg: Reg, lane: usize) -> [f64; 4] {
        let width = self.regs.width(reg);
        self.regs.get(reg, lane).bits.map(|b| f64_from_bits(b, width))
    }

    fn float(&self, operands: &Operands<'_>, role: TexSrc, lane: usize) -> Option<f64> {
        operands.get(role).map(|r| self.floats(r, lane)[0])
    }

    fn lookup(&self, ty: Ty, tex: &Tex, operands: &Operands<'_>, lane: usize) -> Result<[u64; 4], Fault> {
        let texture = self.resource(operands.get(TexSrc::Texture), lane)?;
        let (image, view, own) = match texture {
            Some(Binding::Texture { image, view, sampler }) => (*image, view, *sampler),
            Some(&Binding::TexelBuffer { buffer, offset, size, format }) => {
                let texels = texel_count(self.memory, buffer, offset, size, format);
                if tex.op == TexOp::Txs {
                    return Ok([texels, 0, 0, 0]);
                }
                let at = self.integers(operands.get(TexSrc::Coord), lane)[0];
                let texel = self.buffer_texel(buffer, offset, texels, format, at)?;
                return Ok(result(ty, tex, texel));
            }
            _ => return Ok([0; 4]),
        };
        let Some(image) = self.given.images.get(image) else {
            return Err(Fault::unsupported(format!("image {image} does not exist")));
        };
        let v = Viewed { image, view };
        match tex.op {
            TexOp::Txs => {
                let lod = self.integers(operands.get(TexSrc::Lod), lane)[0];
                return Ok(size_of(&v, tex.dim, tex.arrayed, u32::try_from(lod).unwrap_or(u32::MAX)));
            }
            TexOp::QueryLevels => return Ok([u64::from(v.levels()), 0, 0, 0]),
            TexOp::Samples => return Ok([u64::from(image.num_samples()), 0, 0, 0]),
            TexOp::Txf | TexOp::TxfMs => {
                return Ok(result(ty, tex, self.fetch(tex, operands, lane, &v)?));
            }
            _ => {}
        }
        let sampler = match self.resource(operands.get(TexSrc::Sampler), lane)? {
            Some(Binding::Sampler(n)) => Some(*n),
            Some(Binding::Texture { sampler, .. }) => *sampler,
            _ => own,
        };
        let plain = Sampler::default();
        let sampler = sampler.and_then(|n| self.given.samplers.get(n)).unwrap_or(&plain);
        let q = self.request(tex, operands, lane)?;
        Ok(match tex.op {
            TexOp::Lod => {
                let bits = u32::from(ty.bits);
                let [a, b] = query_lod(&v, sampler, &q).map(|x| f64_to_bits(x, bits));
                [a, b, 0, 0]
            }
            TexOp::Tg4 => result(ty, tex, gather(&v, sampler, &q, usize::from(tex.component), tex.offsets)),
            _ => result(ty, tex, sample(&v, sampler, &q)),
        })
    }

    /// Coordinates of a lane without layer, divided by the projector, and the layer.
    fn coordinates(&self, tex: &Tex, operands: &Operands<'_>, lane: usize) -> ([f64; 3], Option<f64>) {
        let Some(reg) = operands.get(TexSrc::Coord) else { return ([0.0; 3], None) };
        let all = self.floats(reg, lane);
        let n = usize::from(tex.dim.coord_comps());
        let divisor = self.float(operands, TexSrc::Projector, lane).unwrap_or(1.0);
        let width = self.regs.width(reg);
        let mut coord = [0.0; 3];
        for (c, x) in coord.iter_mut().zip(all).take(n) {
            *c = quotient(x, divisor, width);
        }
        (coord, (tex.arrayed && tex.op != TexOp::Lod).then(|| all[n.min(3)]))
    }

    fn request(&self, tex: &Tex, operands: &Operands<'_>, lane: usize) -> Result<Request, Fault> {
        let (coord, layer) = self.coordinates(tex, operands, lane);
        let vector = |role| {
            operands.get(role).map(|r| {
                let [x, y, z, _] = self.floats(r, lane);
                let n = usize::from(tex.dim.coord_comps());
                let mut d = [x, y, z];
                d[n.min(3)..].fill(0.0);
                d
            })
        };
        let bias = self.float(operands, TexSrc::Bias, lane).unwrap_or(0.0);
        let level = match (tex.op, self.float(operands, TexSrc::Lod, lane)) {
            (_, Some(lod)) => Level::Given(lod),
            (TexOp::Txd, _) => {
                let (dx, dy) = (vector(TexSrc::Ddx), vector(TexSrc::Ddy));
                Level::Gradient { dx: dx.unwrap_or_default(), dy: dy.unwrap_or_default(), bias }
            }
            (TexOp::Tg4, _) => Level::Given(0.0),
            // In compute shaders four invocations in a row are a quad (GL_KHR_compute_shader_derivatives, linear groups).
            _ if matches!(self.given.stage, Stage::Fragment | Stage::Compute)
                && (lane & !3) + 4 <= self.regs.lanes =>
            {
                let at = |k: usize| self.coordinates(tex, operands, k).0;
                let change = |a: usize, b: usize| {
                    let (from, to) = (at(a), at(b));
                    std::array::from_fn(|c| to[c] - from[c])
                };
                let dx = change(lane & !1, lane | 1);
                let dy = change(lane & !2, lane | 2);
                Level::Gradient { dx, dy, bias }
            }
            // OpenGL 4.6 section 8.14: elsewhere there are no implicit derivatives; the base level.
            _ => Level::Given(bias),
        };
        let divisor = self.float(operands, TexSrc::Projector, lane).unwrap_or(1.0);
        let offset = self.integers(operands.get(TexSrc::Offset), lane);
        Ok(Request {
            dim: tex.dim,
            coord,
            layer,
            level,
            min_lod: self.float(operands, TexSrc::MinLod, lane),
            offset: [offset[0], offset[1], offset[2]],
            reference: self.float(operands, TexSrc::Comparator, lane).map(|r| quotient(r, divisor, 32)),
        })
    }

    fn fetch(&self, tex: &Tex, operands: &Operands<'_>, lane: usize, v: &Viewed<'_>) -> Result<Color, Fault> {
        let coord = self.integers(operands.get(TexSrc::Coord), lane);
        let offset = self.integers(operands.get(TexSrc::Offset), lane);
        let n = usize::from(tex.dim.coord_comps());
        let mut at = [0; 3];
        for c in 0..n {
            at[c] = coord[c].wrapping_add(offset[c]);
        }
        let mut layer = if tex.arrayed { coord[n.min(3)] } else { 0 };
        if matches!(tex.dim, Dim::Subpass | Dim::SubpassMs) {
            let [x, y] = self.given.pixel(lane);
            (at[0], at[1]) = (at[0] + x, at[1] + y);
        }
        if tex.dim == Dim::Cube {
            layer = layer * 6 + at[2];
            at[2] = 0;
        }
        let lod = self.integers(operands.get(TexSrc::Lod), lane)[0];
        let sample = self.integers(operands.get(TexSrc::MsIndex), lane)[0];
        let index = |i: i64| u32::try_from(i).ok();
        let texel = index(lod).zip(index(layer)).zip(index(sample));
        let texel = texel.and_then(|((lod, layer), sample)| v.texel(lod, layer, at, sample));
        match texel {
            Some(texel) => Ok(texel),
            None if self.given.robust => Ok(zero(v.format())),
            None => Err(Fault::undefined(format!(
                "texel {at:?} in layer {layer} of level {lod}, sample {sample}, is out of bounds"
            ))),
        }
    }

    /// A texel of a texel buffer; zero outside.
    fn buffer_texel(
        &self,
        buffer: usize,
        offset: u64,
        texels: u64,
        format: Format,
        at: i64,
    ) -> Result<Color, Fault> {
        let Some(at) = u64::try_from(at).ok().filter(|&a| a < texels) else {
            if self.given.robust {
                return Ok(zero(format));
            }
            return Err(Fault::undefined(format!("texel {at} is out of bounds: the buffer has {texels}")));
        };
        let first = (offset + at * format.bytes() as u64) as usize;
        let bytes = self.memory.buffers.get(buffer).and_then(|b| b.bytes.get(first..first + format.bytes()));
        Ok(format.read(bytes.unwrap_or_default()))
    }
}

/// Number of texels of a texel buffer.
pub(super) fn texel_count(
    memory: &Memory,
    buffer: usize,
    offset: u64,
    size: Option<u64>,
    format: Format,
) -> u64 {
    let bytes = memory.buffers.get(buffer).map_or(0, |b| b.bytes.len() as u64);
    let rest = bytes.saturating_sub(offset);
    size.unwrap_or(rest).min(rest) / format.bytes() as u64
}

/// A quotient as a float of some width, as `fdiv` gives it.
fn quotient(x: f64, y: f64, width: u32) -> f64 {
    f64_from_bits(f64_to_bits(x / y, width), width)
}

fn result(ty: Ty, tex: &Tex, color: Color) -> [u64; 4] {
    let mut out = raw(color, tex.dest_type.is_float(), u32::from(ty.bits));
    out[usize::from(ty.comps).min(4)..].fill(0);
    out
}

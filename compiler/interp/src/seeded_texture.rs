//! Textures of a world made of a seed: smooth functions of coordinates, levels and references, hashes of integer operands.
//!
//! There are no texels and no filters; what counts is that every operand and the texture's identity matter, and that
//! values stay between 0 and 1. The output of the `lower_tex_*` passes has the same result as the original operation: coordinates are divided by
//! projectors and sizes of rectangles as 32-bit floats, a texture of one dimension is the middle of a row of two, and each of
//! four offsets is one of a gather.

use crate::env::{mix, unit};
use crate::image::size_of;
use crate::machine::{Machine, lanes};
use crate::memory::Value;
use crate::program::{Op, Reg};
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{Dim, SystemValue, Tex, TexOp, TexSrc, bit_mask};

impl Machine<'_> {
    /// Executes a texture instruction.
    pub(crate) fn texture(&mut self, op: &Op, tex: &Tex, srcs: &[(TexSrc, Reg)]) {
        for lane in lanes(self.active) {
            let value = self.sample(op, tex, srcs, lane);
            self.set(op.dst, lane, value);
        }
    }

    fn sample(&self, op: &Op, tex: &Tex, srcs: &[(TexSrc, Reg)], lane: usize) -> Value {
        let bits = u32::from(op.ty.bits);
        let mut undef = false;
        let mut key = mix(self.env.seed, tex.op as u64 / 4 * 4);
        if tex.op == TexOp::Tg4 {
            key = mix(key, u64::from(tex.component));
        }
        let projector = srcs.iter().find(|s| s.0 == TexSrc::Projector).map(|s| s.1);
        let mut smooth = 0.0;
        let (mut texture, mut lod) = (0, 0);
        for &(role, reg) in srcs {
            let v = self.get(reg, lane);
            let tag = role as u64;
            let comps = match role {
                TexSrc::Texture | TexSrc::Sampler => {
                    let p = self.pointer(reg, lane);
                    undef |= p.wild;
                    let hash = self.memory.objects.get(p.target() as usize).map_or(0, |o| o.hash);
                    texture = if role == TexSrc::Texture { hash } else { texture };
                    key = mix(key, mix(hash, tag));
                    continue;
                }
                TexSrc::Coord if tex.op == TexOp::Lod => tex.dim.coord_comps(),
                TexSrc::Coord => tex.coord_comps(),
                TexSrc::Offset | TexSrc::Ddx | TexSrc::Ddy => tex.dim.coord_comps(),
                _ => 1,
            };
            if role == TexSrc::Lod {
                lod = v.bits[0];
            }
            undef |= v.undef & ((1 << comps) - 1) != 0;
            if role == TexSrc::Projector {
                continue;
            }
            let plain = usize::from(tex.dim.coord_comps());
            // A second component of a texture of one dimension that is not there.
            let row = tex.dim == Dim::D1
                && matches!(role, TexSrc::Coord | TexSrc::Offset | TexSrc::Ddx | TexSrc::Ddy);
            let width = u32::from(self.widths[reg as usize]);
            let divisor = |c: usize| match role {
                TexSrc::Comparator => projector,
                TexSrc::Coord if c < plain => projector,
                _ => None,
            };
            let integer = matches!(role, TexSrc::Offset | TexSrc::MsIndex)
                || (tex.op.is_fetch() && matches!(role, TexSrc::Coord | TexSrc::Lod))
                || tex.op == TexOp::Txs;
            let pixel = match (role, tex.dim) {
                (TexSrc::Coord, Dim::Subpass | Dim::SubpassMs) => {
                    // Relative to the fragment.
                    self.env
                        .system_value(lane, SystemValue::frag_coord)
                        .map(|x| f32::from_bits(x as u32) as u64)
                }
                _ => [0; 4],
            };
            for place in 0..usize::from(comps) + usize::from(row) {
                let weight = 0.5 + unit(mix(tag, place as u64 + 5));
                if row && place == 1 {
                    if integer {
                        key = mix(key, mix(tag, 0));
                    } else if role == TexSrc::Coord {
                        smooth += weight * 0.5;
                    }
                    continue;
                }
                let c = place - usize::from(row && place > 1);
                if integer {
                    key = mix(key, mix(tag, v.bits[c].wrapping_add(pixel[c]) & bit_mask(width)));
                } else {
                    let scaled = |lane: usize, bits: u64| {
                        let mut x = f64_from_bits(bits, width);
                        if let Some(q) = divisor(c) {
                            let q_width = u32::from(self.widths[q as usize]);
                            x = quotient(x, f64_from_bits(self.get(q, lane).bits[0], q_width), width);
                        }
                        if tex.dim == Dim::Rect && matches!(role, TexSrc::Coord | TexSrc::Ddx | TexSrc::Ddy) {
                            x = quotient(x, size_of(texture, tex.dim, false, 0)[c] as f64, width);
                        }
                        x
                    };
                    smooth += weight * finite(scaled(lane, v.bits[c]));
                    if role == TexSrc::Coord && tex.op.is_quad() {
                        let (change, gone) = self.change(reg, c, lane, scaled);
                        smooth += 0.25 * weight * change;
                        undef |= gone;
                    }
                }
            }
        }
        let mut value = Value { bits: [0; 4], undef: if undef { op.ty.full_mask() } else { 0 } };
        match tex.op {
            TexOp::Txs => {
                value.bits = size_of(texture, tex.dim, tex.arrayed, lod);
            }
            TexOp::QueryLevels | TexOp::Samples => value.bits[0] = 4,
            _ => {
                for at in 0..usize::from(op.ty.comps) {
                    // The last component of a gather with one offset.
                    let (key, c) = match tex.offsets {
                        Some(offsets) => {
                            let tag = TexSrc::Offset as u64;
                            let word = |o: i8| u64::from(i32::from(o) as u32);
                            (offsets[at & 3].iter().fold(key, |key, &o| mix(key, mix(tag, word(o)))), 3)
                        }
                        None => (key, at),
                    };
                    let h = mix(key, c as u64);
                    value.bits[at] = if tex.dest_type.is_float() {
                        let phase = unit(h) * std::f64::consts::TAU;
                        f64_to_bits(0.5 + 0.5 * (smooth * (1.0 + c as f64 / 4.0) + phase).sin(), bits)
                    } else {
                        let n = (smooth * 16.0).floor() as i64 as u64;
                        (mix(h, n) % 8) & bit_mask(bits)
                    };
                }
            }
        }
        value
    }

    /// How much a coordinate changes over the quad, and whether a neighbour is not there.
    fn change(&self, reg: Reg, c: usize, lane: usize, scaled: impl Fn(usize, u64) -> f64) -> (f64, bool) {
        use airfoil_ir::Stage;
        let base = lane & !3;
        if self.env.stage != Stage::Fragment || base + 4 > self.env.lanes {
            return (0.0, false);
        }
        let at = |k: usize| {
            let v = self.get(reg, base + k);
            (finite(scaled(base + k, v.bits[c])), self.active >> (base + k) & 1 == 0 || v.undef >> c & 1 != 0)
        };
        let quad = [at(0), at(1), at(2), at(3)];
        let change = (quad[1].0 - quad[0].0).abs() + (quad[2].0 - quad[0].0).abs();
        (change, quad.iter().any(|q| q.1))
    }
}

/// A quotient of floats of some width.
fn quotient(x: f64, y: f64, width: u32) -> f64 {
    f64_from_bits(f64_to_bits(x / y, width), width)
}

/// A float that a texture can be sampled at.
fn finite(x: f64) -> f64 {
    if x.is_finite() && x.abs() < 1e6 { x } else { 0.5 }
}

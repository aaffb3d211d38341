//! Textures of a world made of a seed: smooth functions of coordinates, levels and references, hashes of integer operands.
//!
//! There are no texels and no filters; what counts is that every operand and the texture's identity matter, and that
//! values stay between 0 and 1.

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
            for offset in tex.offsets.iter().flatten().flatten() {
                key = mix(key, *offset as u8 as u64);
            }
        }
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
            for (c, &pixel) in pixel.iter().enumerate().take(usize::from(comps)) {
                let weight = 0.5 + unit(mix(tag, c as u64 + 5));
                let width = u32::from(self.widths[reg as usize]);
                if integer {
                    key = mix(key, mix(tag, v.bits[c].wrapping_add(pixel) & bit_mask(width)));
                } else {
                    smooth += weight * finite(f64_from_bits(v.bits[c], width));
                    if role == TexSrc::Coord && tex.op.is_quad() {
                        let (change, gone) = self.change(reg, c, lane, width);
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
                for c in 0..usize::from(op.ty.comps) {
                    let h = mix(key, c as u64);
                    value.bits[c] = if tex.dest_type.is_float() {
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
    fn change(&self, reg: Reg, c: usize, lane: usize, width: u32) -> (f64, bool) {
        use airfoil_ir::Stage;
        let base = lane & !3;
        if self.env.stage != Stage::Fragment || base + 4 > self.env.lanes {
            return (0.0, false);
        }
        let at = |k: usize| {
            let v = self.get(reg, base + k);
            (
                finite(f64_from_bits(v.bits[c], width)),
                self.active >> (base + k) & 1 == 0 || v.undef >> c & 1 != 0,
            )
        };
        let quad = [at(0), at(1), at(2), at(3)];
        let change = (quad[1].0 - quad[0].0).abs() + (quad[2].0 - quad[0].0).abs();
        (change, quad.iter().any(|q| q.1))
    }
}

/// A float that a texture can be sampled at.
fn finite(x: f64) -> f64 {
    if x.is_finite() && x.abs() < 1e6 { x } else { 0.5 }
}

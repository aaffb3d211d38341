//! Textures of a seeded world: smooth functions of coordinates, levels and references, hashes of integer operands.
//!
//! There are no texels and no filters; the result depends on every operand and the texture's identity, and
//! values are between 0 and 1. The output of the `lower_tex_*` passes has the same result as the original operation:
//! coordinates are divided by projectors and sizes of rectangles as 32-bit floats, a texture of one dimension is the
//! middle of a row of two, and each of four offsets is one of a gather.

use super::env::Env;
use super::image::size_of;
use crate::hash::{mix, unit};
use crate::machine::registers::{Reg, Registers};
use crate::memory::{Memory, Value};
use crate::world::TexCall;
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{Dim, Stage, SystemValue, TexOp, TexSrc, bit_mask};

/// The textures as a group of invocations sees them.
pub(super) struct Textures<'a> {
    pub(super) env: &'a Env,
    pub(super) regs: &'a Registers,
    pub(super) memory: &'a Memory,
    /// Mask of the lanes that execute.
    pub(super) active: u64,
}

impl Textures<'_> {
    /// Executes a texture instruction for a lane.
    pub(super) fn sample(&self, call: &TexCall<'_>, lane: usize) -> Value {
        let (tex, ty) = (call.tex, call.ty);
        let bits = u32::from(ty.bits);
        let mut undef = false;
        let mut key = mix(self.env.seed, tex.op as u64 / 4 * 4);
        if tex.op == TexOp::Tg4 {
            key = mix(key, u64::from(tex.component));
        }
        let projector = call.srcs.iter().find(|s| s.0 == TexSrc::Projector).map(|s| s.1);
        let mut smooth = 0.0;
        let (mut texture, mut lod) = (0, 0);
        for &(role, reg) in call.srcs {
            let v = self.regs.get(reg, lane);
            let tag = role as u64;
            let comps = match role {
                TexSrc::Texture | TexSrc::Sampler => {
                    let p = self.regs.pointer(reg, lane);
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
            // A second component that a texture of one dimension does not have.
            let row = tex.dim == Dim::D1
                && matches!(role, TexSrc::Coord | TexSrc::Offset | TexSrc::Ddx | TexSrc::Ddy);
            let width = self.regs.width(reg);
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
                            let q_width = self.regs.width(q);
                            x = quotient(x, f64_from_bits(self.regs.get(q, lane).bits[0], q_width), width);
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
        let mut value = Value { bits: [0; 4], undef: if undef { ty.full_mask() } else { 0 } };
        match tex.op {
            TexOp::Txs => {
                value.bits = size_of(texture, tex.dim, tex.arrayed, lod);
            }
            TexOp::QueryLevels | TexOp::Samples => value.bits[0] = 4,
            _ => {
                for at in 0..usize::from(ty.comps) {
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

    /// How much a coordinate changes over the quad, and whether a neighbour is absent.
    fn change(&self, reg: Reg, c: usize, lane: usize, scaled: impl Fn(usize, u64) -> f64) -> (f64, bool) {
        let base = lane & !3;
        if self.env.stage != Stage::Fragment || base + 4 > self.regs.lanes {
            return (0.0, false);
        }
        let at = |k: usize| {
            let v = self.regs.get(reg, base + k);
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

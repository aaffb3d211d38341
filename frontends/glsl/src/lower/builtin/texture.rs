//! Textures: every form of lookup becomes a [`Tex`] with tagged sources.

use super::{Lowerer, Res, arg, operand};
use crate::builtin::op::{TexArgs, TexCall, TexOffset, TexOp as Lookup, TextureQuery};
use crate::hir::{ExprId, ExprKind};
use crate::lower::{MALFORMED, Value, fail, scalar_of, shape_of};
use crate::types::Opaque;
use airfoil_ir::{Access, Dim, InstrId, Scalar, Stage, Tex, TexOp, TexSrc, Ty};
use smallvec::SmallVec;

/// The four offsets of a gather.
enum Offsets {
    /// Small constants, which are part of the instruction.
    Fixed([[i8; 2]; 4]),
    /// Others.
    Values([InstrId; 4]),
}

impl Lowerer<'_, '_> {
    /// A texture instruction on the texture of an argument, without other sources but its sampler if `samples`.
    fn new_tex(&mut self, op: TexOp, texture: ExprId, dest: Scalar, samples: bool) -> Res<Tex> {
        let ty = self.opaque_type(texture)?;
        let (deref, sampler) = self.opaque(texture)?;
        let mut tex = Tex::new(op, ty.dim, dest);
        tex.arrayed = ty.arrayed;
        tex.non_uniform = self.memory_qualifiers(texture).contains(Access::NON_UNIFORM);
        tex.set_src(TexSrc::Texture, deref);
        if samples {
            match sampler {
                Some(sampler) => tex.set_src(TexSrc::Sampler, sampler),
                None => return fail(MALFORMED, "a texture is sampled without a sampler"),
            }
        }
        Ok(tex)
    }

    /// Whether implicit levels of detail come from derivatives. Elsewhere they are the base level
    /// (GLSL 4.60 section 8.9).
    fn has_derivatives(&self) -> bool {
        match self.m.unit.stage {
            Stage::Fragment => true,
            Stage::Compute => self.m.unit.layout.derivative_group.is_some(),
            _ => false,
        }
    }

    /// The operands before and after the offset, evaluated from left to right, and four offsets.
    fn texture_operands(
        &mut self,
        args: &[ExprId],
        call: TexCall,
        places: TexArgs,
    ) -> Res<(SmallVec<[InstrId; 8]>, Option<Offsets>)> {
        let mut values: SmallVec<[InstrId; 8]> = SmallVec::new();
        let mut offsets = None;
        for i in 1..places.count {
            let arg = arg(args, i)?;
            let four = call.offset == TexOffset::Four && places.offset == Some(i);
            if four {
                offsets = Some(self.four_offsets(arg)?);
            }
            // A placeholder: four offsets are not an operand.
            values.push(if four { operand(&values, 0)? } else { self.ssa(arg)? });
        }
        Ok((values, offsets))
    }

    /// An array of four offsets.
    fn four_offsets(&mut self, arg: ExprId) -> Res<Offsets> {
        let unit = self.m.unit;
        if let ExprKind::Const(c) = unit[arg].kind {
            let scalars: SmallVec<[i32; 8]> = unit[c].scalars.iter().map(|&s| s as i32).collect();
            let Ok(scalars) = <[i32; 8]>::try_from(&scalars[..]) else {
                return fail(MALFORMED, "a gather has four offsets of two components");
            };
            if scalars.iter().all(|&s| i8::try_from(s).is_ok()) {
                let at = |i: usize| [scalars[2 * i] as i8, scalars[2 * i + 1] as i8];
                return Ok(Offsets::Fixed([at(0), at(1), at(2), at(3)]));
            }
            let offset = |l: &mut Self, i: usize| {
                let lanes = [scalars[2 * i] as u64, scalars[2 * i + 1] as u64, 0, 0];
                l.b.constant(Ty::new(2, 32), lanes)
            };
            return Ok(Offsets::Values([offset(self, 0), offset(self, 1), offset(self, 2), offset(self, 3)]));
        }
        let Value::Memory(array) = self.expr(arg)? else {
            return fail(MALFORMED, "four offsets are an array");
        };
        let mut values: SmallVec<[InstrId; 4]> = SmallVec::new();
        for i in 0..4 {
            let index = self.b.imm_u32(i);
            let Some(deref) = self.b.try_deref_array(&mut self.m.shader.types, array, index) else {
                return fail(MALFORMED, "four offsets are an array");
            };
            values.push(self.b.load_deref(deref, Ty::new(2, 32)));
        }
        match <[InstrId; 4]>::try_from(&values[..]) {
            Ok(values) => Ok(Offsets::Values(values)),
            Err(_) => fail(MALFORMED, "a gather has four offsets"),
        }
    }

    /// A lookup.
    pub(super) fn texture(&mut self, id: ExprId, call: TexCall, args: &[ExprId]) -> Res<Value> {
        let ty = self.m.unit[id].ty;
        let texture = arg(args, 0)?;
        let sampler = self.opaque_type(texture)?;
        let Some(result) = shape_of(ty) else { return fail(MALFORMED, "a texel is a vector") };
        let places = call.args(sampler);
        let dest = ty.base().map_or(Scalar::Float32, scalar_of);
        let fetch = call.op == Lookup::Fetch;
        let mut tex = self.new_tex(TexOp::Tex, texture, dest, !fetch)?;
        tex.shadow = sampler.shadow && !fetch;
        tex.relaxed = self.m.relaxed.is_relaxed(id);
        let (values, offsets) = self.texture_operands(args, call, places)?;
        let value = |i: usize| operand(&values, i - 1);
        let optional = |i: Option<usize>| i.map(value).transpose();

        let coord = value(places.coord)?;
        self.set_coordinates(&mut tex, call, sampler, coord)?;
        if let Some(reference) = optional(places.compare)? {
            tex.set_src(TexSrc::Comparator, reference);
        }
        if let (TexOffset::One, Some(offset)) = (call.offset, optional(places.offset)?) {
            tex.set_src(TexSrc::Offset, offset);
        }
        if let Some(component) = optional(places.component)? {
            tex.component = match self.b.scalar_const(component) {
                Some(c @ 0..=3) => c as u8,
                _ => return fail(MALFORMED, "the gathered component must be a constant below 4"),
            };
        }
        let level = optional(places.lod)?;
        match call.op {
            Lookup::Sample => self.implicit_level(&mut tex, optional(places.bias)?, optional(places.clamp)?),
            Lookup::Lod => {
                tex.op = TexOp::Txl;
                if let Some(lod) = level {
                    tex.set_src(TexSrc::Lod, lod);
                }
            }
            Lookup::Grad => {
                tex.op = TexOp::Txd;
                for (role, place) in [(TexSrc::Ddx, places.ddx), (TexSrc::Ddy, places.ddy)] {
                    if let Some(d) = optional(place)? {
                        let comps = tex.dim.coord_comps();
                        tex.set_src(role, self.b.resize(d, comps));
                    }
                }
                if let Some(clamp) = optional(places.clamp)? {
                    tex.set_src(TexSrc::MinLod, clamp);
                }
            }
            Lookup::Fetch => {
                tex.op = if tex.dim.is_multisampled() { TexOp::TxfMs } else { TexOp::Txf };
                if let Some(lod) = level {
                    tex.set_src(TexSrc::Lod, lod);
                }
                if let Some(sample) = optional(places.sample)? {
                    tex.set_src(TexSrc::MsIndex, sample);
                }
            }
            Lookup::Gather => tex.op = TexOp::Tg4,
        }
        let texture = tex.src(TexSrc::Texture).filter(|_| call.shadow_vec4);
        let v = self.insert_lookup(tex, offsets);
        let have = self.b.ty(v).comps;
        Ok(Value::Ssa(match texture {
            Some(texture) if have == 1 => self.b.depth_vector(v, texture, self.m.depth_mode),
            _ if have > result.comps => self.b.resize(v, result.comps),
            _ => v,
        }))
    }

    /// Coordinate, divisor and the reference value that is one of the coordinate's components.
    fn set_coordinates(&mut self, tex: &mut Tex, call: TexCall, sampler: Opaque, coord: InstrId) -> Res<()> {
        let have = self.b.ty(coord).comps;
        let comps = tex.coord_comps();
        let reference = call.reference_component(sampler);
        let need = reference.map_or(comps, |c| comps.max(c + 1)) + u8::from(call.proj);
        if have < need {
            return fail(MALFORMED, "a coordinate has too few components");
        }
        if let Some(c) = reference {
            tex.set_src(TexSrc::Comparator, self.b.channel(coord, usize::from(c)));
        }
        if call.proj {
            tex.set_src(TexSrc::Projector, self.b.channel(coord, usize::from(have) - 1));
        }
        tex.set_src(TexSrc::Coord, self.b.resize(coord, comps));
        Ok(())
    }

    /// The level of detail comes from derivatives, or is the base level without them.
    fn implicit_level(&mut self, tex: &mut Tex, bias: Option<InstrId>, clamp: Option<InstrId>) {
        if self.has_derivatives() {
            if let Some(bias) = bias {
                tex.op = TexOp::Txb;
                tex.set_src(TexSrc::Bias, bias);
            }
            if let Some(clamp) = clamp {
                tex.set_src(TexSrc::MinLod, clamp);
            }
            return;
        }
        tex.op = TexOp::Txl;
        let base = self.b.imm_f32(0.0);
        // The lowest level of detail bounds the base level too.
        let lod = match clamp {
            Some(clamp) => self.b.fmax(base, clamp),
            None => base,
        };
        tex.set_src(TexSrc::Lod, lod);
    }

    /// Inserts a lookup; four offsets that are not part of the instruction are four lookups, of which each gives the
    /// texel at the footprint's origin, the last component (GLSL 4.60 section 8.9.4).
    fn insert_lookup(&mut self, mut tex: Tex, offsets: Option<Offsets>) -> InstrId {
        let compares = tex.shadow && tex.op != TexOp::Tg4;
        let ty = Ty::new(if compares { 1 } else { 4 }, tex.dest_type.bits());
        match offsets {
            None => self.b.tex(tex, ty),
            Some(Offsets::Fixed(offsets)) => {
                tex.offsets = Some(offsets);
                self.b.tex(tex, ty)
            }
            Some(Offsets::Values(offsets)) => {
                let lanes = offsets.map(|offset| {
                    let mut one = tex.clone();
                    one.set_src(TexSrc::Offset, offset);
                    let v = self.b.tex(one, ty);
                    self.b.channel(v, 3)
                });
                self.b.vec(&lanes)
            }
        }
    }

    /// `subpassLoad`: the texel of the input attachment at the fragment's own position, where its coordinates are zero.
    pub(super) fn subpass_load(&mut self, id: ExprId, args: &[ExprId]) -> Res<Value> {
        let ty = self.m.unit[id].ty;
        let attachment = arg(args, 0)?;
        let (Some(result), Some(base)) = (shape_of(ty), ty.base()) else {
            return fail(MALFORMED, "a texel is a vector");
        };
        let mut tex = self.new_tex(TexOp::Txf, attachment, scalar_of(base), false)?;
        tex.relaxed = self.m.relaxed.is_relaxed(id);
        tex.set_src(TexSrc::Coord, self.b.zero(Ty::new(2, 32)));
        match args.get(1) {
            Some(&sample) => {
                tex.op = TexOp::TxfMs;
                tex.set_src(TexSrc::MsIndex, self.ssa(sample)?);
            }
            None => tex.set_src(TexSrc::Lod, self.b.imm_u32(0)),
        }
        let v = self.b.tex(tex, result.with_comps(4));
        Ok(Value::Ssa(self.b.resize(v, result.comps)))
    }

    // ---- queries ----

    pub(super) fn texture_query(&mut self, query: TextureQuery, args: &[ExprId]) -> Res<Value> {
        match query {
            TextureQuery::Size => self.texture_size(args),
            TextureQuery::Lod => self.texture_query_lod(args),
            TextureQuery::Levels => self.texture_count(TexOp::QueryLevels, args),
            TextureQuery::Samples => self.texture_count(TexOp::Samples, args),
            TextureQuery::SamplesIdentical => self.texture_samples_identical(args),
        }
    }

    fn texture_size(&mut self, args: &[ExprId]) -> Res<Value> {
        let texture = arg(args, 0)?;
        let mut tex = self.new_tex(TexOp::Txs, texture, Scalar::Int32, false)?;
        if let Some(&lod) = args.get(1) {
            tex.set_src(TexSrc::Lod, self.ssa(lod)?);
        }
        let comps = if tex.dim == Dim::Cube { 2 } else { tex.dim.coord_comps() } + u8::from(tex.arrayed);
        Ok(Value::Ssa(self.b.tex(tex, Ty::new(comps, 32))))
    }

    fn texture_query_lod(&mut self, args: &[ExprId]) -> Res<Value> {
        let texture = arg(args, 0)?;
        let mut tex = self.new_tex(TexOp::Lod, texture, Scalar::Float32, true)?;
        let coord = self.ssa(arg(args, 1)?)?;
        let comps = tex.dim.coord_comps();
        tex.set_src(TexSrc::Coord, self.b.resize(coord, comps));
        Ok(Value::Ssa(self.b.tex(tex, Ty::new(2, 32))))
    }

    /// Number of levels or samples.
    fn texture_count(&mut self, op: TexOp, args: &[ExprId]) -> Res<Value> {
        let tex = self.new_tex(op, arg(args, 0)?, Scalar::Int32, false)?;
        Ok(Value::Ssa(self.b.tex(tex, Ty::B32)))
    }

    /// `textureSamplesIdenticalEXT` may always return false (EXT_shader_samples_identical).
    fn texture_samples_identical(&mut self, args: &[ExprId]) -> Res<Value> {
        self.opaque(arg(args, 0)?)?;
        self.ssa(arg(args, 1)?)?;
        Ok(Value::Ssa(self.b.imm_bool(false)))
    }
}

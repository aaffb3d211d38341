//! Images, textures and samplers.

use crate::error::*;
use crate::state::{FunctionTranslator, Kind, TyIx, Val, flag};
use airfoil_ir::*;
use spirv::{ImageOperands as O, Op};

/// Optional operands of an image instruction.
#[derive(Default)]
struct Operands {
    bias: Option<InstrId>,
    lod: Option<InstrId>,
    grad: Option<(InstrId, InstrId)>,
    offset: Option<InstrId>,
    offsets: Option<[[i8; 2]; 4]>,
    sample: Option<InstrId>,
    min_lod: Option<InstrId>,
    access: Access,
}

/// An image and its properties.
#[derive(Clone, Copy)]
struct Image {
    ty: ImageType,
    image: InstrId,
    sampler: Option<InstrId>,
    non_uniform: bool,
}

/// Components of a size.
fn size_comps(ty: &ImageType) -> u8 {
    let n = match ty.dim {
        Dim::D1 | Dim::Buffer => 1,
        Dim::D3 => 3,
        _ => 2,
    };
    n + u8::from(ty.arrayed)
}

/// Components of the coordinate of a storage image; a cube's holds face and layer in one.
fn storage_coord_comps(ty: &ImageType) -> u8 {
    if ty.dim == Dim::Cube { 3 } else { ty.dim.coord_comps() + u8::from(ty.arrayed) }
}

/// The operation on texels alone of one that also returns their residency code.
fn without_residency(op: Op) -> Option<Op> {
    Some(match op {
        Op::ImageSparseSampleImplicitLod => Op::ImageSampleImplicitLod,
        Op::ImageSparseSampleExplicitLod => Op::ImageSampleExplicitLod,
        Op::ImageSparseSampleDrefImplicitLod => Op::ImageSampleDrefImplicitLod,
        Op::ImageSparseSampleDrefExplicitLod => Op::ImageSampleDrefExplicitLod,
        Op::ImageSparseFetch => Op::ImageFetch,
        Op::ImageSparseGather => Op::ImageGather,
        Op::ImageSparseDrefGather => Op::ImageDrefGather,
        Op::ImageSparseRead => Op::ImageRead,
        _ => return None,
    })
}

impl FunctionTranslator<'_, '_> {
    /// Whether an operation is handled by [`FunctionTranslator::image_op`].
    pub fn is_image_op(&self, op: Op) -> bool {
        let n = op as u32;
        (Op::ImageSampleImplicitLod as u32..=Op::ImageWrite as u32).contains(&n)
            || without_residency(op).is_some()
            || (Op::ImageQueryFormat as u32..=Op::ImageQuerySamples as u32).contains(&n)
    }

    pub fn op_sampled_image(&mut self) -> Res<()> {
        let ((_, image), (_, sampler)) = (self.value(self.inst.word(3)?)?, self.value(self.inst.word(4)?)?);
        let (Val::Opaque { image, .. }, Val::Opaque { image: sampler, .. }) = (image, sampler) else {
            return fail(TYPE, "OpSampledImage needs an image and a sampler");
        };
        let ty = self.result_type()?;
        if !matches!(self.r.kind(ty), Kind::SampledImage(_)) {
            return fail(TYPE, "the result of OpSampledImage is not a sampled image");
        }
        self.set(Val::Opaque { image, sampler: Some(sampler) }, ty)
    }

    pub fn op_image(&mut self) -> Res<()> {
        let (_, value) = self.value(self.inst.word(3)?)?;
        let Val::Opaque { image, .. } = value else {
            return fail(TYPE, "OpImage needs a sampled image");
        };
        let ty = self.result_type()?;
        self.set(Val::Opaque { image, sampler: None }, ty)
    }

    fn image(&mut self, id: u32) -> Res<Image> {
        let (_, value) = self.value(id)?;
        let Val::Opaque { image, sampler } = value else {
            bail!(TYPE, "{} is not an image", self.r.show(id));
        };
        // The variable's type counts, whatever the types of the values in between are.
        let type_of = |deref| self.b.pointee(deref).map(|(ty, _)| &self.r.shader.types[ty]);
        let Some(&Type::Image(ty)) = type_of(image) else {
            bail!(TYPE, "{} is not an image", self.r.show(id));
        };
        let samples = |t: &Type| matches!(t, Type::Sampler | Type::Image(ImageType { combined: true, .. }));
        if !sampler.is_none_or(|s| type_of(s).is_some_and(samples)) {
            bail!(TYPE, "{} has no sampler", self.r.show(id));
        }
        let non_uniform = self.r.id(id).flags & flag::NON_UNIFORM != 0;
        Ok(Image { ty, image, sampler, non_uniform })
    }

    /// The coordinate of a storage image must have enough components of 32 bits.
    pub fn check_coord(&self, ty: &ImageType, coord: InstrId) -> Res<()> {
        let have = self.b.ty(coord);
        if have.bits != 32 || have.comps != storage_coord_comps(ty) {
            bail!(UNSUPPORTED, "a coordinate of shape {have} is not supported for this image");
        }
        Ok(())
    }

    /// A float operand in 32 bits.
    fn float32(&mut self, id: u32) -> Res<InstrId> {
        let v = self.ssa(id)?;
        match self.b.ty(v).bits {
            32 => Ok(v),
            16 | 64 => Ok(self.b.convert(AluOp::f2f, v, 32)),
            _ => bail!(TYPE, "{} is not a float", self.r.show(id)),
        }
    }

    /// An integer operand in 32 bits.
    fn ints32(&mut self, id: u32) -> Res<InstrId> {
        let (ty, _) = self.value(id)?;
        let v = self.ssa(id)?;
        match self.b.ty(v).bits {
            32 => Ok(v),
            8 | 16 | 64 => {
                let signed = self.r.scalar(ty)?.is_signed();
                Ok(self.b.convert(if signed { AluOp::i2i } else { AluOp::u2u }, v, 32))
            }
            _ => bail!(TYPE, "{} is not an integer", self.r.show(id)),
        }
    }

    /// A float scalar in 32 bits.
    fn float1(&mut self, id: u32) -> Res<InstrId> {
        let v = self.float32(id)?;
        self.one(id, v)
    }

    /// An integer scalar in 32 bits.
    fn int1(&mut self, id: u32) -> Res<InstrId> {
        let v = self.ints32(id)?;
        self.one(id, v)
    }

    fn one(&self, id: u32, v: InstrId) -> Res<InstrId> {
        if self.b.ty(v).comps != 1 {
            bail!(TYPE, "{} is not a scalar", self.r.show(id));
        }
        Ok(v)
    }

    /// The first `comps` components of an operand.
    fn cut_to(&mut self, v: InstrId, comps: u8) -> Res<InstrId> {
        if self.b.ty(v).comps < comps {
            return fail(TYPE, "an operand has too few components for this image");
        }
        Ok(self.b.resize(v, comps))
    }

    /// Optional operands that start at word `i`. `fetch`: levels are integers.
    fn operands(&mut self, i: usize, ty: &ImageType, fetch: bool) -> Res<Operands> {
        let mut o = Operands::default();
        let Some(&bits) = self.inst.words.get(i) else { return Ok(o) };
        let mut next = i + 1;
        let mut take = || {
            next += 1;
            next - 1
        };
        let comps = ty.dim.coord_comps();
        let mut rest = bits;
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            rest &= !bit;
            match O::from_bits_truncate(bit) {
                O::BIAS => o.bias = Some(self.float1(self.inst.word(take())?)?),
                O::LOD => {
                    let id = self.inst.word(take())?;
                    o.lod = Some(if fetch { self.int1(id)? } else { self.float1(id)? });
                }
                O::GRAD => {
                    let x = self.float32(self.inst.word(take())?)?;
                    let y = self.float32(self.inst.word(take())?)?;
                    o.grad = Some((self.cut_to(x, comps)?, self.cut_to(y, comps)?));
                }
                O::CONST_OFFSET | O::OFFSET => {
                    let v = self.ints32(self.inst.word(take())?)?;
                    o.offset = Some(self.cut_to(v, comps)?);
                }
                O::CONST_OFFSETS => {
                    let id = self.inst.word(take())?;
                    o.offsets = Some(self.const_offsets(id)?);
                }
                O::SAMPLE => o.sample = Some(self.int1(self.inst.word(take())?)?),
                O::MIN_LOD => o.min_lod = Some(self.float1(self.inst.word(take())?)?),
                O::MAKE_TEXEL_AVAILABLE | O::MAKE_TEXEL_VISIBLE => {
                    let i = take();
                    o.access |= self.coherent_within(i)?;
                }
                O::VOLATILE_TEXEL => o.access |= Access::VOLATILE,
                O::NON_PRIVATE_TEXEL => o.access |= Access::NON_PRIVATE,
                O::SIGN_EXTEND | O::ZERO_EXTEND | O::NONTEMPORAL => {}
                _ => bail!(UNSUPPORTED, "image operand {bit:#x} is not supported"),
            }
        }
        Ok(o)
    }

    fn const_offsets(&mut self, id: u32) -> Res<[[i8; 2]; 4]> {
        let c = self.r.const_index(id)?;
        let mut offsets = [[0; 2]; 4];
        for (i, offset) in offsets.iter_mut().enumerate() {
            let part = self.r.const_part(c, i as u32)?;
            let lanes = self.r.fixed_lanes(part).unwrap_or_default();
            *offset = [lanes[0] as u32 as i32 as i8, lanes[1] as u32 as i32 as i8];
        }
        Ok(offsets)
    }

    pub fn image_op(&mut self, op: Op) -> Res<()> {
        use Op::*;
        let op = without_residency(op).unwrap_or(op);
        match op {
            ImageSampleImplicitLod
            | ImageSampleExplicitLod
            | ImageSampleDrefImplicitLod
            | ImageSampleDrefExplicitLod
            | ImageSampleProjImplicitLod
            | ImageSampleProjExplicitLod
            | ImageSampleProjDrefImplicitLod
            | ImageSampleProjDrefExplicitLod
            | ImageGather
            | ImageDrefGather => self.sample(op),
            ImageFetch => self.fetch(),
            ImageRead => self.image_read(),
            ImageWrite => self.image_write(),
            ImageQuerySizeLod | ImageQuerySize => self.query_size(),
            ImageQueryLod => self.query_lod(),
            ImageQueryLevels | ImageQuerySamples => {
                let image = self.image(self.inst.word(3)?)?;
                if image.ty.storage {
                    let query = Intrinsic::new(IntrinsicOp::image_samples, &[image.image])
                        .with(Index::Dim, image.ty.dim)
                        .with(Index::Array, image.ty.arrayed);
                    let v = self.b.insert_intrinsic(query, Ty::B32);
                    return self.set_ssa(v);
                }
                let op = if op == ImageQueryLevels { TexOp::QueryLevels } else { TexOp::Samples };
                let tex = self.new_tex(op, &image)?;
                let v = self.b.tex(tex, Ty::B32);
                self.set_ssa(v)
            }
            _ => bail!(UNSUPPORTED, "{} is not supported", self.inst.name()),
        }
    }

    /// Whether the instruction returns a residency code before the texels.
    fn is_sparse(&self) -> bool {
        self.inst.op().is_some_and(|op| without_residency(op).is_some())
    }

    /// The type of the texels: the result, or its second member.
    fn texel_type(&self) -> Res<TyIx> {
        let ty = self.result_type()?;
        if !self.is_sparse() {
            return Ok(ty);
        }
        if !matches!(self.r.kind(ty), Kind::Struct { n: 2, .. })
            || self.r.shape(self.r.part(ty, 0)?)? != Ty::B32
        {
            bail!(TYPE, "{} returns a structure of a 32-bit integer and texels", self.inst.name());
        }
        self.r.part(ty, 1)
    }

    /// Defines the result by texels and, if the instruction returns it, their residency code.
    fn set_texels(&mut self, code: Option<InstrId>, texels: InstrId) -> Res<()> {
        let Some(code) = code else { return self.set_ssa(texels) };
        let (ty, result) = (self.texel_type()?, self.result_type()?);
        if self.r.shape(ty)? != self.b.ty(texels) {
            bail!(TYPE, "the texels of {} do not have the type of the result", self.inst.name());
        }
        let both = self.tree(&[Val::Ssa(code), Val::Ssa(texels)])?;
        self.set(both, result)
    }

    /// OpImageSparseTexelsResident.
    pub fn op_texels_resident(&mut self) -> Res<()> {
        let code = self.int(self.inst.word(3)?)?;
        let v = self.b.intrinsic(IntrinsicOp::is_resident, Ty::BOOL, &[code]);
        self.set_ssa(v)
    }

    fn new_tex(&mut self, op: TexOp, image: &Image) -> Res<Tex> {
        if image.ty.storage {
            bail!(TYPE, "{} needs a sampled image, not a storage image", self.inst.name());
        }
        let dest = self.r.scalar(self.texel_type()?)?;
        let mut tex = Tex::new(op, image.ty.dim, dest);
        tex.arrayed = image.ty.arrayed;
        tex.non_uniform = image.non_uniform;
        tex.relaxed = !op.is_query() && self.r.id(self.inst.word(2)?).flags & flag::RELAXED != 0;
        tex.set_src(TexSrc::Texture, image.image);
        Ok(tex)
    }

    /// Inserts a texture instruction and defines the result.
    fn finish_tex(&mut self, tex: Tex, ty: Ty) -> Res<()> {
        let code = self.is_sparse().then(|| {
            let code = Tex { residency: true, relaxed: false, ..tex.clone() };
            self.b.tex(code, Ty::B32)
        });
        let v = self.b.tex(tex, ty);
        let want = self.r.shape(self.texel_type()?)?;
        let v = if want.comps < ty.comps && want.bits == ty.bits { self.b.resize(v, want.comps) } else { v };
        self.set_texels(code, v)
    }

    fn sample(&mut self, op: Op) -> Res<()> {
        use Op::*;
        let dref = matches!(
            op,
            ImageSampleDrefImplicitLod
                | ImageSampleDrefExplicitLod
                | ImageSampleProjDrefImplicitLod
                | ImageSampleProjDrefExplicitLod
                | ImageDrefGather
        );
        let proj = matches!(
            op,
            ImageSampleProjImplicitLod
                | ImageSampleProjExplicitLod
                | ImageSampleProjDrefImplicitLod
                | ImageSampleProjDrefExplicitLod
        );
        let gather = matches!(op, ImageGather | ImageDrefGather);
        let image = self.image(self.inst.word(3)?)?;
        let mut tex = self.new_tex(TexOp::Tex, &image)?;
        let Some(sampler) = image.sampler else {
            bail!(TYPE, "{} needs an image with sampler", self.inst.name());
        };
        tex.set_src(TexSrc::Sampler, sampler);
        tex.shadow = dref;
        let coord = self.float32(self.inst.word(4)?)?;
        let comps = tex.coord_comps();
        if proj {
            if self.b.ty(coord).comps <= comps {
                return fail(TYPE, "the coordinate has no divisor");
            }
            tex.set_src(TexSrc::Projector, self.b.channel(coord, comps as usize));
        }
        tex.set_src(TexSrc::Coord, self.cut_to(coord, comps)?);
        let o = self.operands(if dref || gather { 6 } else { 5 }, &image.ty, false)?;
        if dref {
            tex.set_src(TexSrc::Comparator, self.float1(self.inst.word(5)?)?);
        } else if gather {
            let id = self.inst.word(5)?;
            let Some(c) = self.r.const_u32(id).filter(|&c| c < 4) else {
                return fail(TYPE, "the gathered component must be a constant below 4");
            };
            tex.component = c as u8;
        }
        tex.op = if gather {
            TexOp::Tg4
        } else if o.grad.is_some() {
            TexOp::Txd
        } else if o.lod.is_some() {
            TexOp::Txl
        } else if o.bias.is_some() {
            TexOp::Txb
        } else {
            TexOp::Tex
        };
        if gather && (o.bias.is_some() || o.lod.is_some() || o.grad.is_some() || o.min_lod.is_some()) {
            return fail(UNSUPPORTED, "gathering at a level is not supported");
        }
        let levels = [o.bias.is_some(), o.lod.is_some(), o.grad.is_some()];
        let too_many =
            levels.into_iter().filter(|&l| l).count() > 1 || (o.lod.is_some() && o.min_lod.is_some());
        if too_many || o.sample.is_some() || (!gather && o.offsets.is_some()) {
            return fail(TYPE, "these image operands do not go together");
        }
        if let Some((x, y)) = o.grad {
            tex.set_src(TexSrc::Ddx, x);
            tex.set_src(TexSrc::Ddy, y);
        }
        for (role, v) in [
            (TexSrc::Lod, o.lod),
            (TexSrc::Bias, o.bias),
            (TexSrc::Offset, o.offset),
            (TexSrc::MinLod, o.min_lod),
        ] {
            if let Some(v) = v {
                tex.set_src(role, v);
            }
        }
        tex.offsets = o.offsets;
        let ty = Ty::new(if dref && !gather { 1 } else { 4 }, tex.dest_type.bits());
        self.finish_tex(tex, ty)
    }

    fn fetch(&mut self) -> Res<()> {
        let image = self.image(self.inst.word(3)?)?;
        let mut tex = self.new_tex(TexOp::Txf, &image)?;
        let coord = self.ints32(self.inst.word(4)?)?;
        tex.set_src(TexSrc::Coord, self.cut_to(coord, tex.coord_comps())?);
        let o = self.operands(5, &image.ty, true)?;
        if o.bias.is_some() || o.grad.is_some() || o.min_lod.is_some() || o.offsets.is_some() {
            return fail(TYPE, "a fetch has no such image operand");
        }
        if o.sample.is_some() && o.lod.is_some() {
            return fail(TYPE, "a fetch has either a level or a sample");
        }
        if let Some(sample) = o.sample {
            tex.op = TexOp::TxfMs;
            tex.set_src(TexSrc::MsIndex, sample);
        } else if !matches!(image.ty.dim, Dim::Buffer | Dim::Rect) {
            let lod = match o.lod {
                Some(lod) => lod,
                None => self.small(0),
            };
            tex.set_src(TexSrc::Lod, lod);
        }
        if let Some(offset) = o.offset {
            tex.set_src(TexSrc::Offset, offset);
        }
        let ty = Ty::new(4, tex.dest_type.bits());
        self.finish_tex(tex, ty)
    }

    fn query_size(&mut self) -> Res<()> {
        let image = self.image(self.inst.word(3)?)?;
        let lod = match self.inst.words.get(4) {
            Some(&id) => Some(self.int32(id)?),
            None => None,
        };
        let ty = Ty::new(size_comps(&image.ty), 32);
        let v = if image.ty.storage {
            let lod = lod.unwrap_or_else(|| self.small(0));
            let query = Intrinsic::new(IntrinsicOp::image_size, &[image.image, lod])
                .with(Index::Dim, image.ty.dim)
                .with(Index::Array, image.ty.arrayed);
            self.b.insert_intrinsic(query, ty)
        } else {
            let mut tex = self.new_tex(TexOp::Txs, &image)?;
            tex.dest_type = Scalar::Int32;
            if let Some(lod) = lod {
                tex.set_src(TexSrc::Lod, lod);
            }
            self.b.tex(tex, ty)
        };
        let v = self.fit_result(v, false)?;
        self.set_ssa(v)
    }

    fn query_lod(&mut self) -> Res<()> {
        let image = self.image(self.inst.word(3)?)?;
        let mut tex = self.new_tex(TexOp::Lod, &image)?;
        let Some(sampler) = image.sampler else {
            return fail(TYPE, "OpImageQueryLod needs an image with sampler");
        };
        tex.set_src(TexSrc::Sampler, sampler);
        let coord = self.float32(self.inst.word(4)?)?;
        // The level does not depend on the layer.
        tex.set_src(TexSrc::Coord, self.cut_to(coord, tex.dim.coord_comps())?);
        let ty = Ty::new(2, tex.dest_type.bits());
        self.finish_tex(tex, ty)
    }

    fn storage_operands(&mut self, image: &Image, coord: u32, i: usize) -> Res<(InstrId, InstrId, Access)> {
        let coord = self.ints32(coord)?;
        let coord = self.cut_to(coord, storage_coord_comps(&image.ty))?;
        let o = self.operands(i, &image.ty, true)?;
        if o.lod.is_some() || o.offset.is_some() || o.bias.is_some() || o.grad.is_some() {
            return fail(UNSUPPORTED, "this operand of a storage image is not supported");
        }
        let sample = match o.sample {
            Some(s) => s,
            None => self.small(0),
        };
        let mut access = o.access;
        if image.non_uniform {
            access |= Access::NON_UNIFORM;
        }
        Ok((coord, sample, access))
    }

    fn image_read(&mut self) -> Res<()> {
        let image = self.image(self.inst.word(3)?)?;
        if matches!(image.ty.dim, Dim::Subpass | Dim::SubpassMs) {
            // Coordinates are relative to the fragment, as they are in the IR.
            return self.fetch();
        }
        if !image.ty.storage {
            return fail(TYPE, "OpImageRead needs a storage image");
        }
        let (coord, sample, access) = self.storage_operands(&image, self.inst.word(4)?, 5)?;
        let ty = self.texel_type()?;
        let (shape, scalar) = (self.r.shape(ty)?, self.r.scalar(ty)?);
        let code = self.is_sparse().then(|| {
            let code = Intrinsic::new(IntrinsicOp::image_residency, &[image.image, coord, sample])
                .with(Index::Dim, image.ty.dim)
                .with(Index::Array, image.ty.arrayed)
                .with(Index::Format, image.ty.format)
                .with(Index::Access, access);
            self.b.insert_intrinsic(code, Ty::B32)
        });
        let load = Intrinsic::new(IntrinsicOp::image_load, &[image.image, coord, sample])
            .with(Index::Dim, image.ty.dim)
            .with(Index::Array, image.ty.arrayed)
            .with(Index::Format, image.ty.format)
            .with(Index::Access, access)
            .with(Index::DestType, scalar);
        let v = self.b.insert_intrinsic(load, shape.with_comps(4));
        let v = self.b.resize(v, shape.comps);
        self.set_texels(code, v)
    }

    fn image_write(&mut self) -> Res<()> {
        let image = self.image(self.inst.word(1)?)?;
        if !image.ty.storage {
            return fail(TYPE, "OpImageWrite needs a storage image");
        }
        let (coord, sample, access) = self.storage_operands(&image, self.inst.word(2)?, 4)?;
        let (ty, value) = self.value(self.inst.word(3)?)?;
        let scalar = self.r.scalar(ty)?;
        let texel = self.ssa_from(value, ty)?;
        let texel = self.b.resize(texel, 4);
        let store = Intrinsic::new(IntrinsicOp::image_store, &[image.image, coord, sample, texel])
            .with(Index::Dim, image.ty.dim)
            .with(Index::Array, image.ty.arrayed)
            .with(Index::Format, image.ty.format)
            .with(Index::Access, access)
            .with(Index::SrcType, scalar);
        self.b.insert_intrinsic(store, Ty::NONE);
        Ok(())
    }
}

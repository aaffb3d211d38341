//! Texture instructions.

use super::{Code, Want};
use crate::errors::*;
use crate::module::Class;
use crate::types::class_of;
use airfoil_ir::{AluOp, Dim, ImageType, InstrId, Lanes, Scalar, Src, Stage, Tex, TexOp, TexSrc, Ty, Type};
use smallvec::SmallVec;
use spirv::{Capability, Decoration, ImageOperands, Op};

const FLOAT: Want = Want::Exactly(Class::Float);

/// Image operands in the order of their bits.
#[derive(Default)]
struct Operands(SmallVec<[(ImageOperands, u32, Option<u32>); 4]>);

impl Operands {
    fn push(&mut self, bit: ImageOperands, id: u32) {
        self.0.push((bit, id, None));
    }

    fn write(mut self, words: &mut SmallVec<[u32; 12]>) {
        if self.0.is_empty() {
            return;
        }
        self.0.sort_by_key(|o| o.0.bits());
        words.push(self.0.iter().fold(0, |bits, o| bits | o.0.bits()));
        for (_, a, b) in self.0 {
            words.push(a);
            words.extend(b);
        }
    }
}

/// The operation that also returns the residency code of the texels.
fn with_residency(op: Op) -> Option<Op> {
    Some(match op {
        Op::ImageSampleImplicitLod => Op::ImageSparseSampleImplicitLod,
        Op::ImageSampleExplicitLod => Op::ImageSparseSampleExplicitLod,
        Op::ImageSampleDrefImplicitLod => Op::ImageSparseSampleDrefImplicitLod,
        Op::ImageSampleDrefExplicitLod => Op::ImageSparseSampleDrefExplicitLod,
        Op::ImageFetch => Op::ImageSparseFetch,
        Op::ImageGather => Op::ImageSparseGather,
        Op::ImageDrefGather => Op::ImageSparseDrefGather,
        Op::ImageRead => Op::ImageSparseRead,
        _ => return None,
    })
}

impl Code<'_, '_, '_> {
    pub(super) fn texture(&mut self, id: InstrId, tex: &Tex) -> Res<()> {
        let Some(deref) = tex.src(TexSrc::Texture) else {
            return fail(MEMORY, "a texture instruction without a texture");
        };
        let image = self.image_at(deref)?;
        let value = match tex.op {
            TexOp::Tex | TexOp::Txb | TexOp::Txl | TexOp::Txd => self.sample(id, tex, deref, &image)?,
            TexOp::Tg4 => self.gather(id, tex, deref, &image)?,
            TexOp::Txf | TexOp::TxfMs => self.fetch(id, tex, deref, &image)?,
            TexOp::Txs | TexOp::QueryLevels | TexOp::Samples | TexOp::Lod => {
                self.query(id, tex, deref, &image)?
            }
        };
        if tex.relaxed && !tex.residency {
            self.w.m.decorate(value, Decoration::RelaxedPrecision, &[]);
        }
        self.define(id, value);
        Ok(())
    }

    /// The image with its sampler: an instruction in the block of its use (SPIR-V, OpSampledImage).
    fn sampled_image(&mut self, tex: &Tex, deref: InstrId, image: &ImageType) -> Res<u32> {
        if image.dim == Dim::Buffer {
            return fail(OPERATION, "a texel buffer cannot be sampled");
        }
        let sampler = tex.src(TexSrc::Sampler).unwrap_or(deref);
        if image.combined && (sampler == deref || self.is_combined(sampler)) {
            return self.opaque(deref, tex.non_uniform);
        }
        let texture = self.bare_image(tex, deref, image)?;
        if self.is_combined(sampler) {
            return fail(
                OPERATION,
                "the sampler of a combined image with another image is not supported in SPIR-V",
            );
        }
        let sampler = self.opaque(sampler, tex.non_uniform)?;
        let bare = self.w.bare_image_type(image)?;
        let t = self.w.m.declare(Op::TypeSampledImage, &[bare], 0).0;
        let v = self.op(Op::SampledImage, t, &[texture, sampler]);
        if tex.non_uniform {
            self.mark_non_uniform(v)?;
        }
        Ok(v)
    }

    fn is_combined(&self, deref: InstrId) -> bool {
        let ty = self.body[deref].as_deref().map(|d| &self.shader.types[d.ty]);
        matches!(ty, Some(Type::Image(_)))
    }

    /// The image without a sampler.
    fn bare_image(&mut self, tex: &Tex, deref: InstrId, image: &ImageType) -> Res<u32> {
        let v = self.opaque(deref, tex.non_uniform)?;
        if !image.combined || image.dim == Dim::Buffer {
            return Ok(v);
        }
        let t = self.w.bare_image_type(image)?;
        let v = self.op(Op::Image, t, &[v]);
        if tex.non_uniform {
            self.mark_non_uniform(v)?;
        }
        Ok(v)
    }

    /// Writes an instruction that reads texels. One with a residency code serves both the code and the texels.
    fn texels(&mut self, tex: &Tex, op: Op, texels: u32, words: &[u32]) -> Res<u32> {
        let both = self.sparse.iter().any(|&code| {
            self.body[code].as_tex().is_some_and(|t| t.does_same(&Tex { residency: true, ..tex.clone() }))
        });
        if !both {
            return Ok(self.op(op, texels, words));
        }
        let Some(op) = with_residency(op) else {
            return fail(OPERATION, "projected lookups have no residency code in SPIR-V");
        };
        self.sparse(op, texels, words, u32::from(!tex.residency))
    }

    /// A member of the structure that an instruction with residency code returns.
    pub(super) fn sparse(&mut self, op: Op, texels: u32, words: &[u32], member: u32) -> Res<u32> {
        self.w.m.require(Capability::SparseResidency)?;
        let code = self.w.m.scalar(Class::Uint, 32)?;
        let both = self.pair_type(code, texels);
        let pair = self.shared(op, both, words);
        let part = if member == 0 { code } else { texels };
        Ok(self.op(Op::CompositeExtract, part, &[pair, member]))
    }

    /// The type of four texels, and of the result.
    fn texel_type(&mut self, id: InstrId, tex: &Tex, image: &ImageType) -> Res<u32> {
        let one = tex.src(TexSrc::Comparator).is_some() && tex.op != TexOp::Tg4;
        let comps = if one { 1 } else { 4 };
        debug_assert!(tex.residency || self.ty(id).comps == comps);
        let scalar = if image.sampled == Scalar::Any { Scalar::Float32 } else { image.sampled };
        self.w.m.value_type(class_of(image.sampled), Ty::new(comps, scalar.bits()))
    }

    /// Whether derivatives for the level of detail exist.
    fn has_implicit_level(&self) -> bool {
        match self.shader.stage {
            Stage::Fragment => true,
            Stage::Compute | Stage::Task | Stage::Mesh => self.shader.info.quad_groups,
            Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry => false,
        }
    }

    /// Only gathers have offsets that are not constant in Vulkan (VUID-StandaloneSpirv-Offset-04663).
    fn offset(&mut self, tex: &Tex, operands: &mut Operands) -> Res<()> {
        let Some(offset) = tex.src(TexSrc::Offset) else { return Ok(()) };
        if let Some(lanes) = self.constant_lanes(offset) {
            let id = self.constant(Class::Sint, self.ty(offset), &lanes)?;
            operands.push(ImageOperands::CONST_OFFSET, id);
        } else if tex.op == TexOp::Tg4 || !self.w.m.target().is_vulkan() {
            let id = self.value(offset, Want::Exactly(Class::Sint))?;
            self.w.m.require(Capability::ImageGatherExtended)?;
            operands.push(ImageOperands::OFFSET, id);
        } else {
            return fail(
                OPERATION,
                "an offset of a lookup must be constant in Vulkan, unless it is a gather",
            );
        }
        Ok(())
    }

    /// The components of a value that is constant after moves, which code may have that was not simplified.
    fn constant_lanes(&self, value: InstrId) -> Option<Lanes> {
        let mut lanes = Lanes::default();
        for (comp, lane) in lanes.iter_mut().enumerate().take(self.ty(value).comps.into()) {
            *lane = self.constant_lane(value, comp)?;
        }
        Some(lanes)
    }

    fn constant_lane(&self, mut value: InstrId, mut comp: usize) -> Option<u64> {
        const MOVES: usize = 8;
        for _ in 0..MOVES {
            let instr = self.instr(value);
            if let Some(lanes) = instr.as_const() {
                return Some(lanes[comp]);
            }
            let alu = instr.as_alu()?;
            let src = match alu.op {
                AluOp::mov => alu.src(0),
                AluOp::vec2 | AluOp::vec3 | AluOp::vec4 => alu.src(std::mem::take(&mut comp)),
                _ => return None,
            };
            (value, comp) = (src.value, src.swizzle.get(comp));
        }
        None
    }

    /// The coordinate, followed by the divisor if there is one.
    fn coordinate(&mut self, tex: &Tex) -> Res<u32> {
        let Some(coord) = tex.src(TexSrc::Coord) else {
            return fail(OPERATION, "a texture instruction without coordinates");
        };
        let Some(projector) = tex.src(TexSrc::Projector) else { return self.value(coord, FLOAT) };
        let ty = self.ty(coord);
        let mut srcs: SmallVec<[Src; 4]> = (0..usize::from(ty.comps)).map(|c| Src::comp(coord, c)).collect();
        srcs.push(Src::comp(projector, 0));
        self.vector(&srcs, Class::Float, ty.with_comps(ty.comps + 1))
    }

    fn sample(&mut self, id: InstrId, tex: &Tex, deref: InstrId, image: &ImageType) -> Res<u32> {
        let coord = self.coordinate(tex)?;
        let projected = tex.src(TexSrc::Projector).is_some();
        let comparator = match tex.src(TexSrc::Comparator) {
            Some(v) => Some(self.value(v, FLOAT)?),
            None => None,
        };
        let mut operands = Operands::default();
        let mut explicit = false;
        match tex.op {
            TexOp::Txl => {
                explicit = true;
                let lod = match tex.src(TexSrc::Lod) {
                    Some(v) => self.value(v, FLOAT)?,
                    None => self.float(Ty::B32, 0.0)?,
                };
                operands.push(ImageOperands::LOD, lod);
            }
            TexOp::Txd => {
                explicit = true;
                if let (Some(x), Some(y)) = (tex.src(TexSrc::Ddx), tex.src(TexSrc::Ddy)) {
                    let (x, y) = (self.value(x, FLOAT)?, self.value(y, FLOAT)?);
                    operands.0.push((ImageOperands::GRAD, x, Some(y)));
                }
            }
            // Without derivatives the level is 0.
            _ if !self.has_implicit_level() && self.is_without_derivatives() => {
                explicit = true;
                let lod = match tex.src(TexSrc::Bias) {
                    Some(v) => self.value(v, FLOAT)?,
                    None => self.float(Ty::B32, 0.0)?,
                };
                operands.push(ImageOperands::LOD, lod);
            }
            _ => {
                self.needs_derivatives()?;
                if let Some(bias) = tex.src(TexSrc::Bias) {
                    let bias = self.value(bias, FLOAT)?;
                    operands.push(ImageOperands::BIAS, bias);
                }
            }
        }
        self.offset(tex, &mut operands)?;
        if let Some(least) = tex.src(TexSrc::MinLod) {
            self.w.m.require(Capability::MinLod)?;
            let least = self.value(least, FLOAT)?;
            operands.push(ImageOperands::MIN_LOD, least);
        }
        let op = match (comparator.is_some(), projected, explicit) {
            (false, false, false) => Op::ImageSampleImplicitLod,
            (false, false, true) => Op::ImageSampleExplicitLod,
            (true, false, false) => Op::ImageSampleDrefImplicitLod,
            (true, false, true) => Op::ImageSampleDrefExplicitLod,
            (false, true, false) => Op::ImageSampleProjImplicitLod,
            (false, true, true) => Op::ImageSampleProjExplicitLod,
            (true, true, false) => Op::ImageSampleProjDrefImplicitLod,
            (true, true, true) => Op::ImageSampleProjDrefExplicitLod,
        };
        let t = self.texel_type(id, tex, image)?;
        let sampled = self.sampled_image(tex, deref, image)?;
        let mut words: SmallVec<[u32; 12]> = SmallVec::from_slice(&[sampled, coord]);
        words.extend(comparator);
        operands.write(&mut words);
        self.texels(tex, op, t, &words)
    }

    /// Stages whose invocations have no neighbours.
    fn is_without_derivatives(&self) -> bool {
        !matches!(self.shader.stage, Stage::Fragment | Stage::Compute | Stage::Task | Stage::Mesh)
    }

    fn gather(&mut self, id: InstrId, tex: &Tex, deref: InstrId, image: &ImageType) -> Res<u32> {
        let coord = self.coordinate(tex)?;
        let (op, extra) = match tex.src(TexSrc::Comparator) {
            Some(v) => (Op::ImageDrefGather, self.value(v, FLOAT)?),
            None => (Op::ImageGather, self.w.m.uint(u32::from(tex.component))?),
        };
        let mut operands = Operands::default();
        self.offset(tex, &mut operands)?;
        if let Some(offsets) = &tex.offsets {
            self.w.m.require(Capability::ImageGatherExtended)?;
            let pair = Ty::new(2, 32);
            let mut parts: SmallVec<[u32; 5]> = SmallVec::new();
            let t = self.w.m.value_type(Class::Sint, pair)?;
            let four = self.w.m.uint(4)?;
            parts.push(self.w.m.declare(Op::TypeArray, &[t, four], 0).0);
            for [x, y] in offsets {
                let lanes = [i64::from(*x) as u64, i64::from(*y) as u64, 0, 0];
                parts.push(self.w.m.constant(Class::Sint, pair, &lanes)?);
            }
            let constant = self.w.m.declare(Op::ConstantComposite, &parts, 0).0;
            operands.push(ImageOperands::CONST_OFFSETS, constant);
        }
        let t = self.texel_type(id, tex, image)?;
        let sampled = self.sampled_image(tex, deref, image)?;
        let mut words: SmallVec<[u32; 12]> = SmallVec::from_slice(&[sampled, coord, extra]);
        operands.write(&mut words);
        self.texels(tex, op, t, &words)
    }

    fn fetch(&mut self, id: InstrId, tex: &Tex, deref: InstrId, image: &ImageType) -> Res<u32> {
        let Some(coord) = tex.src(TexSrc::Coord) else {
            return fail(OPERATION, "a texture instruction without coordinates");
        };
        let coord = self.value(coord, Want::Integer)?;
        let mut operands = Operands::default();
        let attachment = matches!(image.dim, Dim::Subpass | Dim::SubpassMs);
        if let Some(sample) = tex.src(TexSrc::MsIndex) {
            let sample = self.value(sample, Want::Integer)?;
            operands.push(ImageOperands::SAMPLE, sample);
        } else if let (Some(lod), false) =
            (tex.src(TexSrc::Lod), attachment || matches!(image.dim, Dim::Buffer | Dim::Rect))
        {
            let lod = self.value(lod, Want::Integer)?;
            operands.push(ImageOperands::LOD, lod);
        }
        self.offset(tex, &mut operands)?;
        let t = self.texel_type(id, tex, image)?;
        let value = self.bare_image(tex, deref, image)?;
        let mut words: SmallVec<[u32; 12]> = SmallVec::from_slice(&[value, coord]);
        operands.write(&mut words);
        self.texels(tex, if attachment { Op::ImageRead } else { Op::ImageFetch }, t, &words)
    }

    fn query(&mut self, id: InstrId, tex: &Tex, deref: InstrId, image: &ImageType) -> Res<u32> {
        self.w.m.require(Capability::ImageQuery)?;
        if tex.op == TexOp::Lod {
            self.needs_derivatives()?;
            let Some(coord) = tex.src(TexSrc::Coord) else {
                return fail(OPERATION, "a texture instruction without coordinates");
            };
            let coord = self.first_components(coord, image.dim.coord_comps(), FLOAT)?;
            let sampled = self.sampled_image(tex, deref, image)?;
            let t = self.value_type(Class::Float, self.ty(id))?;
            return Ok(self.op(Op::ImageQueryLod, t, &[sampled, coord]));
        }
        let t = self.result_type(id)?;
        let has_levels = matches!(image.dim, Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube);
        let mut words: SmallVec<[u32; 2]> = SmallVec::new();
        words.push(self.bare_image(tex, deref, image)?);
        let op = match tex.op {
            TexOp::Samples => Op::ImageQuerySamples,
            TexOp::QueryLevels => Op::ImageQueryLevels,
            _ if has_levels => {
                words.push(match tex.src(TexSrc::Lod) {
                    Some(v) => self.value(v, Want::Integer)?,
                    None => self.w.m.uint(0)?,
                });
                Op::ImageQuerySizeLod
            }
            _ => Op::ImageQuerySize,
        };
        Ok(self.op(op, t, &words))
    }
}

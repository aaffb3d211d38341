//! Lowers 1D textures to 2D textures that are one texel high.
//!
//! Accepts any form. Preserves control flow. Metal does not have 1D depth textures (Metal Shading Language
//! section 2.9), and 1D colour textures do not support level-of-detail queries, so textures used in these
//! ways are lowered. With `all` every 1D texture and image is: 1D textures do not have mipmaps in Metal, so a
//! program that needs them creates 2D textures. The second coordinate is 0.5, the centre of the only row, or
//! 0 for unnormalised coordinates; then filters do not reach another row, whatever the sampler's address
//! mode. Second components of derivatives and offsets are 0, the height is removed from sizes, and layers
//! stay layers. All textures of one type are lowered together.
//!
//! Source: `lower_1d` of NIR's `nir_lower_tex`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "example" {
//!   form variables
//!   uniform sampled(1d float32 shadow) map set=0 binding=0
//!   fn main {
//!     %0 = deref_var &map
//!     32x1 %1 = undef
//!     32x1 %2 = tex 1d float32 shadow texture=%0 sampler=%0 coord=%1 comparator=%1
//!     32x1 %3 = txs 1d int32 texture=%0
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "example" {
//!   form variables
//!   uniform sampled(2d float32 shadow) map set=0 binding=0
//!   fn main {
//!     %0 = deref_var &map
//!     32x1 %1 = undef
//!     32x1 %4 = const 0.5
//!     32x2 %5 = vec2 %1, %4
//!     32x1 %2 = tex 2d float32 shadow texture=%0 sampler=%0 coord=%5 comparator=%1
//!     32x2 %6 = txs 2d int32 texture=%0
//!     32x1 %3 = mov %6.x
//!   }
//! }
//! ```

use crate::lower::lower_tex_projector::divide;
use crate::util::textures;
use crate::{Changes, Context, Pass, PassInfo, pass_options};
use airfoil_ir::{
    Alu, AluOp, Body, Builder, Diagnostic, Dim, ImageType, Index, InstrId, InstrKind, IntrinsicOp, Shader,
    Src, Swizzle, TexOp, TexSrc, Type,
};
use smallvec::SmallVec;

pass_options! {
    /// See the [module documentation](self).
    pub struct Lower1dTextures {
        /// Lower every 1D texture and image, not only those unsupported by Metal.
        all: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_1d_textures",
    "lowers 1D textures unsupported by Metal to 2D textures",
    include_str!("lower_1d_textures.rs"),
)
.options(<Lower1dTextures as crate::PassOptions>::OPTIONS);

impl Pass for Lower1dTextures {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if !textures::any_of(shader, |image| image.dim == Dim::D1) {
            return Ok(Changes::NONE);
        }
        let lacking = if self.all { Vec::new() } else { lacking(shader) };
        let flat = |image: &ImageType| {
            let wanted = self.all || (image.shadow && !image.storage) || lacking.contains(image);
            (image.dim == Dim::D1 && wanted).then_some(ImageType { dim: Dim::D2, ..*image })
        };
        if !textures::retype(shader, flat) {
            return Ok(Changes::NONE);
        }
        for function in shader.functions.values_mut() {
            let body = &mut function.body;
            let flat = |body: &Body, deref: Option<InstrId>| {
                let ty = deref.and_then(|d| body[d].as_deref()).map(|d| &shader.types[d.ty]);
                matches!(ty, Some(Type::Image(image)) if image.dim == Dim::D2)
            };
            let mut found = textures::instructions(body, |t| t.dim == Dim::D1);
            found.retain(|&id| flat(body, body[id].as_tex().and_then(|t| t.src(TexSrc::Texture))));
            found.into_iter().for_each(|id| lower_texture(body, id));
            let mut found = textures::image_accesses(body, Dim::D1);
            found.retain(|&id| flat(body, body[id].as_intrinsic().map(|i| i.src(0))));
            found.into_iter().for_each(|id| lower_image(body, id));
        }
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}

/// The types of 1D textures that are used in ways unsupported by Metal.
fn lacking(shader: &Shader) -> Vec<ImageType> {
    let mut types: Vec<ImageType> = Vec::new();
    for function in shader.functions.values() {
        let body = &function.body;
        for id in textures::instructions(body, |t| t.dim == Dim::D1 && (t.shadow || t.op == TexOp::Lod)) {
            let deref = body[id].as_tex().and_then(|t| t.src(TexSrc::Texture));
            let ty = deref.and_then(|d| body[d].as_deref()).map(|d| &shader.types[d.ty]);
            if let Some(Type::Image(image)) = ty
                && !types.contains(image)
            {
                types.push(*image);
            }
        }
    }
    types
}

/// `(x)` or `(x, layer)` with a component inserted after x.
fn widened(b: &mut Builder<'_>, value: InstrId, middle: InstrId) -> InstrId {
    let mut srcs: SmallVec<[Src; 4]> = smallvec::smallvec![Src::comp(value, 0), middle.into()];
    if b.ty(value).comps > 1 {
        srcs.push(Src::comp(value, 1));
    }
    b.vec_srcs(&srcs)
}

fn lower_texture(body: &mut Body, id: InstrId) {
    textures::edit(body, id, |b, tex| {
        divide(b, tex);
        tex.dim = Dim::D2;
        for role in [TexSrc::Coord, TexSrc::Offset, TexSrc::Ddx, TexSrc::Ddy] {
            let Some(value) = tex.src(role) else { continue };
            let bits = b.ty(value).bits;
            let middle = match role {
                TexSrc::Coord if !tex.op.is_fetch() => b.imm_float(bits, 0.5),
                _ => b.imm(bits, 0),
            };
            let wide = widened(b, value, middle);
            tex.set_src(role, wide);
        }
    });
    if body[id].as_tex().is_some_and(|t| t.op == TexOp::Txs) {
        narrow_size(body, id);
    }
}

fn lower_image(body: &mut Body, id: InstrId) {
    let Some(&access) = body[id].as_intrinsic() else { return };
    let mut flat = access;
    flat.set(Index::Dim, Dim::D2);
    if !matches!(access.op, IntrinsicOp::image_size | IntrinsicOp::image_samples) {
        let mut b = Builder::before(body, id);
        let zero = b.imm(b.ty(access.src(1)).bits, 0);
        let coord = widened(&mut b, access.src(1), zero);
        flat.set_src(1, coord);
    }
    body.edit(id, |i| i.kind = InstrKind::Intrinsic(flat));
    if access.op == IntrinsicOp::image_size {
        narrow_size(body, id);
    }
}

/// A size that now includes a height is reduced to width and layers: the instruction moves before itself, and
/// its old uses read a part of the result.
fn narrow_size(body: &mut Body, id: InstrId) {
    let mut size = body[id].clone();
    let (loc, comps) = (size.loc, size.ty.comps);
    size.ty = size.ty.with_comps(comps + 1);
    let whole = Builder::before(body, id).insert(airfoil_ir::Instr::new(size.kind, size.ty).at(loc));
    let lanes = [0, 2];
    let part = Src { value: whole, swizzle: Swizzle::from_lanes(&lanes[..usize::from(comps)]) };
    body.set_kind(id, InstrKind::Alu(Alu::new(AluOp::mov, comps, &[part])));
}

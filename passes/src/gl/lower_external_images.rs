//! Samples external images by their planes and converts them to RGB.
//!
//! Accepts forms `slots` and `target`. Preserves control flow. `two` and `three` are masks of the 2D textures of floats, by
//! binding in set 0, that are bound as two planes (NV12: Y, then U and V) or as three (I420: Y, U, V), with chroma at half the size.
//! The texture itself becomes the plane of Y. The other planes are textures of the driver's [descriptor
//! set](crate::stages::stage_buffer::SET): the texture of binding n has them at the bindings 64 + n and 96 + n. They use its sampler.
//!
//! The values of the planes are multiplied by the matrix of the texture in the block
//! [`external`](crate::util::driver_values::EXTERNAL), so that the color space and the range of the values are not part of the code; alpha is
//! one. The block also has an offset of the chroma coordinates, for chroma samples that are not between those of Y. Fetches read the
//! chroma texel that covers the texel. Queries are about the plane of Y. External images have neither offsets nor gathers
//! (GL_OES_EGL_image_external_essl3), which are errors. An array of textures has one bit.
//!
//! Source: the lowering of `nir_lower_tex` for external textures (`lower_y_uv_external`, `lower_y_u_v_external`).
//!
//! ```foil-example (two=1)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   uniform sampled(2d float32) video set=0 binding=0
//!   out vec4 color location=0
//!   fn main {
//!     32x1 %z = const 0
//!     %0 = deref_var &video
//!     32x2 %1 = load_point_coord
//!     32x4 %2 = tex 2d float32 texture=%0 sampler=%0 coord=%1
//!     store_output %2, %z io=0 mask=xyzw src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   uniform sampled(2d float32) video set=0 binding=0
//!   out vec4 color location=0
//!   ubo external { vec4[128 stride=16] images @0 } external set=65535 binding=19
//!   uniform texture(2d float32) video_uv set=65535 binding=64
//!
//!   fn main {
//!   b0:
//!     32x1 %0 = const 0
//!     %1 = deref_var &video
//!     32x2 %2 = load_point_coord
//!     %3 = deref_var &external
//!     32x1 %4 = const 48
//!     32x2 %5 = load_ubo %3, %4 align=16
//!     32x2 %6 = fadd %2, %5
//!     32x4 %7 = tex 2d float32 texture=%1 sampler=%1 coord=%2
//!     32x1 %8 = mov %7.x
//!     %9 = deref_var &video_uv
//!     32x4 %10 = tex 2d float32 texture=%9 sampler=%1 coord=%6
//!     32x1 %11 = mov %10.x
//!     32x1 %12 = mov %10.y
//!     %13 = deref_var &external
//!     32x1 %14 = const 0
//!     32x4 %15 = load_ubo %13, %14 align=16
//!     32x1 %16 = mov %15.w
//!     32x1 %17 = mov %15.x
//!     32x1 %18 = ffma %17, %8, %16
//!     32x1 %19 = mov %15.y
//!     32x1 %20 = ffma %19, %11, %18
//!     32x1 %21 = mov %15.z
//!     32x1 %22 = ffma %21, %12, %20
//!     %23 = deref_var &external
//!     32x1 %24 = const 16
//!     32x4 %25 = load_ubo %23, %24 align=16
//!     32x1 %26 = mov %25.w
//!     32x1 %27 = mov %25.x
//!     32x1 %28 = ffma %27, %8, %26
//!     32x1 %29 = mov %25.y
//!     32x1 %30 = ffma %29, %11, %28
//!     32x1 %31 = mov %25.z
//!     32x1 %32 = ffma %31, %12, %30
//!     %33 = deref_var &external
//!     32x1 %34 = const 32
//!     32x4 %35 = load_ubo %33, %34 align=16
//!     32x1 %36 = mov %35.w
//!     32x1 %37 = mov %35.x
//!     32x1 %38 = ffma %37, %8, %36
//!     32x1 %39 = mov %35.y
//!     32x1 %40 = ffma %39, %11, %38
//!     32x1 %41 = mov %35.z
//!     32x1 %42 = ffma %41, %12, %40
//!     32x1 %43 = const 1.0
//!     32x4 %44 = vec4 %22, %32, %42, %43
//!     store_output %44, %0 io=0 mask=xyzw src_type=float32
//!   }
//! }
//! ```

use crate::stages::stage_buffer::SET;
use crate::util::deref_path::root_var;
use crate::util::driver_values::{EXTERNAL, load_vector};
use crate::util::retarget::array_step;
use crate::util::rewrite::rewrite_where;
use crate::util::textures::{self, Bits};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Alu, AluOp, Body, Builder, DerefKind, Diagnostic, Dim, Form, ImageType, InstrId, InstrKind, Modes,
    Scalar, Shader, Src, Tex, TexOp, TexSrc, Ty, Type, TypeId, Types, VarId,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerExternalImages {
        /// Mask of the textures that are bound as two planes.
        two: u32 = 0,
        /// Mask of the textures that are bound as three planes.
        three: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_external_images",
    "samples external images by their planes and converts them to RGB",
    include_str!("lower_external_images.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerExternalImages as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerExternalImages {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let wanted = self.two | self.three;
        if wanted == 0 || !textures::any_of(shader, is_plane) {
            return Ok(Changes::NONE);
        }
        let bits = Bits::of(shader);
        let reads = |body: &Body, tex: &Tex| samples_2d(tex) && bits.of_tex(body, tex) & wanted != 0;
        let mut images: Vec<VarId> = Vec::new();
        for body in shader.functions.values().map(|f| &f.body) {
            for tex in body.entries().filter_map(|(_, instr)| instr.as_tex()).filter(|tex| reads(body, tex)) {
                if tex.op == TexOp::Tg4 || tex.src(TexSrc::Offset).is_some() || tex.residency {
                    let message = "external images have neither gathers nor offsets \
                                   (GL_OES_EGL_image_external_essl3)";
                    return Err(Diagnostic::error("E0335", message));
                }
                let var = tex.src(TexSrc::Texture).and_then(|texture| root_var(body, texture));
                images.extend(var.filter(|var| !images.contains(var)));
            }
        }
        if images.is_empty() {
            return Ok(Changes::NONE);
        }
        let block = EXTERNAL.declare(shader);
        let planes: Vec<(VarId, Planes)> = images
            .into_iter()
            .map(|var| (var, Planes::declare(shader, var, bits.of_var(var) & self.three != 0)))
            .collect();
        let changes = rewrite_where(
            shader,
            |kind| matches!(kind, InstrKind::Tex(tex) if samples_2d(tex)),
            |b, id| {
                let InstrKind::Tex(tex) = &b.body[id].kind else { return false };
                let (tex, var) = (tex.clone(), tex.src(TexSrc::Texture).and_then(|t| root_var(b.body, t)));
                let found = planes.iter().find(|(image, _)| Some(*image) == var);
                found.is_some_and(|(_, planes)| {
                    planes.lower(b, id, &tex, block);
                    true
                })
            },
        );
        Ok(changes | Changes::VARIABLES)
    }
}

/// Whether images of a type are planes of external images.
fn is_plane(image: &ImageType) -> bool {
    image.dim == Dim::D2
        && !image.arrayed
        && !image.shadow
        && !image.storage
        && image.sampled == Scalar::Float32
}

/// Whether an operation reads texels of a 2D texture of floats.
fn samples_2d(tex: &Tex) -> bool {
    tex.dim == Dim::D2
        && !tex.arrayed
        && !tex.shadow
        && tex.dest_type == Scalar::Float32
        && !tex.op.is_query()
        && tex.op != TexOp::TxfMs
}

/// The planes of chroma of an image.
struct Planes {
    /// The binding of the image.
    binding: u32,
    /// Their variables with their types, the types of elements last.
    chroma: Vec<(VarId, Vec<TypeId>)>,
}

impl Planes {
    fn declare(shader: &mut Shader, var: VarId, three: bool) -> Planes {
        let image = shader.vars[var].clone();
        let binding = image.binding.unwrap_or(0);
        let ty = texture_type(&mut shader.types, image.ty);
        let types: Vec<TypeId> = std::iter::successors(Some(ty), |&ty| shader.types.element(ty)).collect();
        let names: &[&str] = if three { &["u", "v"] } else { &["uv"] };
        let mut declare = |(n, name): (u32, &&str)| {
            let mut plane = image.clone();
            plane.name = format!("{}_{name}", image.name).into();
            (plane.ty, plane.set, plane.binding) = (ty, Some(SET), Some(32 * n + binding));
            (shader.add_var(plane), types.clone())
        };
        let chroma = (2..).zip(names).map(&mut declare).collect();
        Planes { binding, chroma }
    }

    /// Replaces a lookup.
    fn lower(&self, b: &mut Builder<'_>, id: InstrId, tex: &Tex, block: (VarId, TypeId)) {
        let words = 16 * self.binding;
        let mut of_chroma = tex.clone();
        if let Some(coord) = tex.src(TexSrc::Coord) {
            let coord = if tex.op.is_fetch() {
                let one = b.imm_u32(1);
                b.ishr(coord, one)
            } else {
                let mut offset = load_vector(b, block, words + 12, 2);
                // The coordinates are divided afterwards.
                if let Some(projector) = tex.src(TexSrc::Projector) {
                    let projector = b.swizzle(projector, &[0, 0]);
                    offset = b.fmul(offset, projector);
                }
                b.fadd(coord, offset)
            };
            of_chroma.set_src(TexSrc::Coord, coord);
        }
        let vec4 = Ty::new(4, 32);
        let luma = b.tex(tex.clone(), vec4);
        let mut values = vec![b.channel(luma, 0)];
        for (var, types) in &self.chroma {
            let mut lookup = of_chroma.clone();
            if let Some(texture) = tex.src(TexSrc::Texture) {
                let plane = plane_of(b, texture, *var, types);
                lookup.set_src(TexSrc::Texture, plane);
            }
            let chroma = b.tex(lookup, vec4);
            let comps = if self.chroma.len() == 1 { 2 } else { 1 };
            values.extend((0..comps).map(|c| b.channel(chroma, c)));
        }
        let rows: Vec<InstrId> = (0..3)
            .map(|row| {
                let row = load_vector(b, block, words + 4 * row, 4);
                let constant = b.channel(row, 3);
                values.iter().zip(0..).fold(constant, |sum, (&value, c)| {
                    let factor = b.channel(row, c);
                    b.ffma(factor, value, sum)
                })
            })
            .collect();
        let one = b.imm_f32(1.0);
        let srcs: Vec<Src> = rows.into_iter().chain([one]).map(Src::from).collect();
        b.body.set_kind(id, InstrKind::Alu(Alu::new(AluOp::vec4, 4, &srcs)));
    }
}

/// The deref of a plane of an image, or of an element of an array of images.
fn plane_of(b: &mut Builder<'_>, texture: InstrId, var: VarId, types: &[TypeId]) -> InstrId {
    let (mut steps, mut at, mut modes) = (Vec::new(), texture, Modes::UNIFORM);
    while let Some(deref) = b.body[at].as_deref() {
        modes = deref.modes;
        let Some((parent, step)) = array_step(deref.kind) else { break };
        steps.push(step);
        at = parent;
    }
    let root = b.deref(DerefKind::Var(var), types[0], modes);
    steps.iter().rev().zip(&types[1..]).fold(root, |at, (step, &ty)| b.deref(step.kind(at), ty, modes))
}

/// The type of textures, or arrays of them, without samplers.
fn texture_type(types: &mut Types, ty: TypeId) -> TypeId {
    match types[ty].clone() {
        Type::Array { elem, len, stride } => {
            let elem = texture_type(types, elem);
            types.intern(Type::Array { elem, len, stride })
        }
        Type::Image(image) => types.intern(Type::Image(ImageType { combined: false, ..image })),
        _ => ty,
    }
}

/// Mask of the textures that a shader reads and that can be external images.
pub fn planar(shader: &Shader) -> u32 {
    if !textures::any_of(shader, is_plane) {
        return 0;
    }
    let bits = Bits::of(shader);
    let of = |body: &Body| {
        let lookups = body.entries().filter_map(|(_, instr)| instr.as_tex()).filter(|tex| samples_2d(tex));
        lookups.fold(0, |mask, tex| mask | bits.of_tex(body, tex))
    };
    shader.functions.values().fold(0, |mask, f| mask | of(&f.body))
}

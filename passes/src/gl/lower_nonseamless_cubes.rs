//! Samples cube maps without filtering across their edges.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. Metal filters across the faces of a cube map;
//! OpenGL does with `GL_TEXTURE_CUBE_MAP_SEAMLESS` only (OpenGL 4.6 section 8.13). `cubes` is the mask of the cube maps, by
//! binding in set 0, that are not seamless: they become arrays of 2D textures, whose layers are the faces, and the
//! driver binds such a view. The face and its coordinates are computed from the direction (table 8.19; on edges z precedes
//! y and x). In fragment shaders implicit levels become derivatives of the coordinates on the face, a bias their factor. Queries
//! of sizes return the size of a face and the count of cubes. An array of cube maps has one bit.
//!
//! Source: the cube maps of Mesa's Zink without seamless filtering.
//!
//! ```foil-example (cubes=1)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   uniform sampled(cube float32) sky set=0 binding=0
//!   fn main {
//!     32x1 %z = const 0
//!     %0 = deref_var &sky
//!     32x2 %1 = txs cube int32 texture=%0 lod=%z
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   uniform sampled(2d float32 array) sky set=0 binding=0
//!   fn main {
//!     32x1 %z = const 0
//!     %0 = deref_var &sky
//!     32x3 %1 = txs 2d int32 array texture=%0 lod=%z
//!     32x2 %2 = mov %1.xy
//!   }
//! }
//! ```

use crate::util::rewrite::rewrite_tex;
use crate::util::textures::{self, Bits};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    Alu, AluOp, Builder, Diagnostic, Dim, Form, ImageType, InstrId, InstrKind, Shader, Src, Stage, Tex,
    TexOp, TexSrc, Ty,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerNonseamlessCubes {
        /// Mask of the cube maps that are not seamless.
        cubes: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_nonseamless_cubes",
    "samples cube maps without filtering across their edges",
    include_str!("lower_nonseamless_cubes.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerNonseamlessCubes as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerNonseamlessCubes {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if self.cubes == 0 {
            return Ok(Changes::NONE);
        }
        let bits = Bits::of(shader);
        let is_fragment = shader.stage == Stage::Fragment;
        let flat = |image: &ImageType| {
            let is_cube = image.dim == Dim::Cube && !image.storage;
            is_cube.then_some(ImageType { dim: Dim::D2, arrayed: true, ..*image })
        };
        if !textures::retype_vars(shader, |id| bits.of_var(id) & self.cubes != 0, flat) {
            return Ok(Changes::NONE);
        }
        let _ = rewrite_tex(shader, |b, id, tex| {
            if tex.dim != Dim::Cube || bits.of_tex(b.body, &tex) & self.cubes == 0 {
                return false;
            }
            lower(b, id, *tex, is_fragment);
            true
        });
        Ok(Changes::ALL_BUT_CONTROL_FLOW)
    }
}

fn lower(b: &mut Builder<'_>, id: InstrId, mut tex: Tex, is_fragment: bool) {
    let is_array = tex.arrayed;
    (tex.dim, tex.arrayed) = (Dim::D2, true);
    if tex.op == TexOp::Txs {
        let size = b.tex(tex, Ty::new(3, 32));
        let kind = if is_array {
            let (layers, six) = (b.channel(size, 2), b.imm_u32(6));
            let cubes = b.udiv(layers, six);
            Alu::new(AluOp::vec3, 3, &[Src::comp(size, 0), Src::comp(size, 1), cubes.into()])
        } else {
            Alu::new(AluOp::mov, 2, &[size.into()])
        };
        return b.body.set_kind(id, InstrKind::Alu(kind));
    }
    if let Some(coord) = tex.src(TexSrc::Coord) {
        let direction = b.swizzle(coord, &[0, 1, 2]);
        let face = Face::of(b, direction);
        let place = face.project(b, direction);
        let half = b.imm_f32(0.5);
        let [s, t] = [place.s, place.t].map(|x| {
            let x = b.fdiv(x, place.major);
            b.ffma(x, half, half)
        });
        let mut layer = face.layer(b);
        // Queries of the level may omit the cube.
        if is_array && b.ty(coord).comps > 3 {
            let (cube, zero, six) = (b.channel(coord, 3), b.imm_f32(0.0), b.imm_f32(6.0));
            let cube = b.fround_even(cube);
            let cube = b.fmax(cube, zero);
            layer = b.ffma(cube, six, layer);
        }
        let on_face = b.vec(&[s, t, layer]);
        if matches!(tex.op, TexOp::Tex | TexOp::Txb) && is_fragment {
            let mut changes = [AluOp::fddx, AluOp::fddy].map(|op| b.alu(op, &[direction]));
            if let Some(bias) = textures::remove_src(&mut tex, TexSrc::Bias) {
                let factor = b.fexp2(bias);
                changes = changes.map(|d| b.fmul(d, factor));
            }
            tex.op = TexOp::Txd;
            tex.set_src(TexSrc::Ddx, changes[0]);
            tex.set_src(TexSrc::Ddy, changes[1]);
        }
        for role in [TexSrc::Ddx, TexSrc::Ddy] {
            if let Some(change) = tex.src(role) {
                let change = face.derivative(b, &place, change);
                tex.set_src(role, change);
            }
        }
        tex.set_src(TexSrc::Coord, on_face);
    }
    b.body.set_kind(id, InstrKind::Tex(Box::new(tex)));
}

/// The face that a direction hits, as conditions.
struct Face {
    is_y: InstrId,
    is_z: InstrId,
    is_negative: InstrId,
}

/// A vector relative to a face: along s, along t, and outwards.
struct Relative {
    s: InstrId,
    t: InstrId,
    major: InstrId,
}

impl Face {
    fn of(b: &mut Builder<'_>, direction: InstrId) -> Face {
        let [x, y, z] = [0, 1, 2].map(|c| b.channel(direction, c));
        let [ax, ay, az] = [x, y, z].map(|v| b.fabs(v));
        let (above_x, above_y) = (b.fge(az, ax), b.fge(az, ay));
        let is_z = b.iand(above_x, above_y);
        let is_y = b.fge(ay, ax);
        let major = b.bcsel(is_y, y, x);
        let major = b.bcsel(is_z, z, major);
        let zero = b.imm_f32(0.0);
        let is_negative = b.flt(major, zero);
        Face { is_y, is_z, is_negative }
    }

    /// The layer: +x, -x, +y, -y, +z, -z.
    fn layer(&self, b: &mut Builder<'_>) -> InstrId {
        let [zero, one, two, four] = [0.0, 1.0, 2.0, 4.0].map(|x| b.imm_f32(x));
        let axis = b.bcsel(self.is_y, two, zero);
        let axis = b.bcsel(self.is_z, four, axis);
        let side = b.bcsel(self.is_negative, one, zero);
        b.fadd(axis, side)
    }

    /// Table 8.19.
    fn project(&self, b: &mut Builder<'_>, v: InstrId) -> Relative {
        let [x, y, z] = [0, 1, 2].map(|c| b.channel(v, c));
        let [minus_x, minus_y, minus_z] = [x, y, z].map(|v| b.fneg(v));
        let on_x = b.bcsel(self.is_negative, z, minus_z);
        let on_z = b.bcsel(self.is_negative, minus_x, x);
        let s = b.bcsel(self.is_y, x, on_x);
        let s = b.bcsel(self.is_z, on_z, s);
        let on_y = b.bcsel(self.is_negative, minus_z, z);
        let t = b.bcsel(self.is_y, on_y, minus_y);
        let t = b.bcsel(self.is_z, minus_y, t);
        let along = b.bcsel(self.is_y, y, x);
        let along = b.bcsel(self.is_z, z, along);
        let minus = b.fneg(along);
        let major = b.bcsel(self.is_negative, minus, along);
        Relative { s, t, major }
    }

    /// The change of the coordinates on the face, (s / major + 1) / 2, if the direction changes by `change`.
    fn derivative(&self, b: &mut Builder<'_>, at: &Relative, change: InstrId) -> InstrId {
        let change = self.project(b, change);
        let (half, square) = (b.imm_f32(0.5), b.fmul(at.major, at.major));
        let scale = b.fdiv(half, square);
        let along = [(change.s, at.s), (change.t, at.t)].map(|(change_along, at_along)| {
            let (up, down) = (b.fmul(change_along, at.major), b.fmul(at_along, change.major));
            let difference = b.fsub(up, down);
            b.fmul(difference, scale)
        });
        b.vec(&along)
    }
}

/// Mask of the cube maps that a shader samples or queries.
pub fn cubes(shader: &Shader) -> u32 {
    let bits = Bits::of(shader);
    let of = |body: &airfoil_ir::Body| {
        let textures = body.entries().filter_map(|(_, instr)| instr.as_tex());
        textures.filter(|tex| tex.dim == Dim::Cube).fold(0, |mask, tex| mask | bits.of_tex(body, tex))
    };
    shader.functions.values().fold(0, |mask, f| mask | of(&f.body))
}

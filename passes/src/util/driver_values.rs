//! Driver-supplied uniform blocks: per-draw values that Metal lacks. They are in the descriptor set of the
//! buffers between stages, which applications do not use. The reflection lists those that a function reads.
//!
//! | binding | block | members | by the pass |
//! |---|---|---|---|
//! | 16 | `xfb_draw` | `vertices`, `first`, `end` | [`lower_xfb`](crate::gl::lower_xfb) |
//! | 17 | `draw` | `draw_id`, `base_vertex` | [`lower_draw_parameters`](crate::gl::lower_draw_parameters) |
//! | 18 | `driver` | see [`DRIVER`] | the passes for state of the API |
//! | 19 | `external` | 16 words per texture, see [`EXTERNAL`] | [`lower_external_images`](crate::gl::lower_external_images) |
//! | 26 | `vertex_buffers` | 8 words per location, see [`VERTEX_BUFFERS`] | [`lower_vertex_buffers`](crate::gl::lower_vertex_buffers) |
//!
//! The state of the API that need not be code is in one block, `driver`, so that a driver binds one buffer for all functions of a
//! draw. Its layout is fixed; a function reads the members that it requires.
//!
//! | offset | member | by the pass |
//! |---|---|---|
//! | 0 | `height` of the framebuffer in pixels | [`lower_window_origin`](crate::gl::lower_window_origin) |
//! | 4 | `width` of the framebuffer in pixels | |
//! | 8 | `alpha_reference` | [`lower_alpha_test`](crate::gl::lower_alpha_test) |
//! | 12 | `sample_mask` | [`lower_sample_mask`](crate::gl::lower_sample_mask) |
//! | 16 | `point_size` | [`lower_point_size`](crate::gl::lower_point_size) |
//! | 20 | `point_size_min` | [`lower_point_size`](crate::gl::lower_point_size) |
//! | 24 | `point_size_max` | [`lower_point_size`](crate::gl::lower_point_size) |
//! | 28 | `clip_enable` | [`lower_clip_disable`](crate::gl::lower_clip_disable) |
//! | 32 | `fog_color` | [`lower_fog`](crate::gl::lower_fog) |
//! | 48 | `fog_parameters`: density, end, 1 / (end - start) | [`lower_fog`](crate::gl::lower_fog) |
//! | 64 | `clip_planes` | [`lower_clip_planes`](crate::gl::lower_clip_planes) |
//! | 192 | `polygon_stipple` | [`lower_polygon_stipple`](crate::gl::lower_polygon_stipple) |
//! | 320 | `viewport`: half of its width and height in pixels | [`expand_lines`](crate::gl::expand_lines) |
//! | 328 | `line_width` | [`expand_lines`](crate::gl::expand_lines) |
//! | 332 | `line_stipple`: the pattern, and the factor shifted left by 16 | [`lower_line_fragments`](crate::gl::lower_line_fragments) |
//! | 336 | `faces`: bit 0 culls front faces, bit 1 back faces, bit 2 makes clockwise faces front faces | [`expand_polygons`](crate::gl::expand_polygons) |
//! | 340 | `polygon_triangles`: triangles that a polygon consists of | [`passthrough_geometry`](crate::stages::passthrough_geometry) |
//! | 344 | `reserved` | |

use crate::stages::stage_buffer::SET;
use airfoil_ir::{
    Align, Builder, DerefKind, Index, InstrId, Intrinsic, IntrinsicOp, Member, Modes, Scalar, Shader,
    StructType, Ty, Type, TypeId, VarId, Variable,
};

/// A block of words.
///
/// # Examples
/// ```
/// use airfoil_ir::{Shader, Stage, text};
/// use airfoil_passes::util::driver_values::{DRAW, DRIVER, words};
///
/// let mut shader = Shader::new("main", Stage::Vertex);
/// assert_eq!(DRAW.find(&shader), None);
/// let block = DRAW.declare(&mut shader);
/// assert_eq!(DRAW.declare(&mut shader), block, "one variable for all passes");
/// let line = "ubo draw { uint draw_id @0, uint base_vertex @4 } draw set=65535 binding=17";
/// assert!(text::print(&shader).contains(line));
/// let before_fog = DRIVER.members.iter().take_while(|(name, ..)| *name != "fog_color");
/// assert_eq!(before_fog.map(|(.., words)| words).sum::<u32>(), words::FOG_COLOR);
/// ```
#[derive(Debug)]
pub struct DriverBlock {
    /// Name of the block and of its variable.
    pub name: &'static str,
    /// Binding in [`SET`].
    pub binding: u32,
    /// The members in order, with their words: a scalar, a vector of two to four, or an array of vectors of four.
    pub members: &'static [(&'static str, Scalar, u32)],
}

/// Parameters of transform feedback.
pub static XFB_DRAW: DriverBlock = DriverBlock {
    name: "xfb_draw",
    binding: 16,
    members: &[("vertices", Scalar::Uint32, 1), ("first", Scalar::Uint32, 1), ("end", Scalar::Uint32, 1)],
};

/// Parameters of a draw.
pub static DRAW: DriverBlock = DriverBlock {
    name: "draw",
    binding: 17,
    members: &[("draw_id", Scalar::Uint32, 1), ("base_vertex", Scalar::Uint32, 1)],
};

/// State of the API.
pub static DRIVER: DriverBlock = DriverBlock {
    name: "driver",
    binding: 18,
    members: &[
        ("height", Scalar::Float32, 1),
        ("width", Scalar::Float32, 1),
        ("alpha_reference", Scalar::Float32, 1),
        ("sample_mask", Scalar::Uint32, 1),
        ("point_size", Scalar::Float32, 1),
        ("point_size_min", Scalar::Float32, 1),
        ("point_size_max", Scalar::Float32, 1),
        ("clip_enable", Scalar::Uint32, 1),
        ("fog_color", Scalar::Float32, 4),
        ("fog_parameters", Scalar::Float32, 4),
        ("clip_planes", Scalar::Float32, 32),
        ("polygon_stipple", Scalar::Uint32, 32),
        ("viewport", Scalar::Float32, 2),
        ("line_width", Scalar::Float32, 1),
        ("line_stipple", Scalar::Uint32, 1),
        ("faces", Scalar::Uint32, 1),
        ("polygon_triangles", Scalar::Uint32, 1),
        ("reserved", Scalar::Uint32, 2),
    ],
};

/// External images, by the binding of the texture: the rows of a matrix of three rows and four columns, then the offset of
/// the chroma coordinates and two words that are not read.
pub static EXTERNAL: DriverBlock =
    DriverBlock { name: "external", binding: 19, members: &[("images", Scalar::Float32, 32 * 16)] };

/// Attributes that are read from buffers, by location: two words of the address of the first element, the count of elements,
/// the stride in bytes, the divisor of attributes that advance by instance, and three words that are not read.
pub static VERTEX_BUFFERS: DriverBlock =
    DriverBlock { name: "vertex_buffers", binding: 26, members: &[("attributes", Scalar::Uint32, 32 * 8)] };

/// First words of the members of [`DRIVER`].
pub mod words {
    /// Height of the framebuffer in pixels.
    pub const HEIGHT: u32 = 0;
    /// Reference value of the alpha test.
    pub const ALPHA_REFERENCE: u32 = 2;
    /// Samples that are written.
    pub const SAMPLE_MASK: u32 = 3;
    /// Size of points.
    pub const POINT_SIZE: u32 = 4;
    /// Least size of points.
    pub const POINT_SIZE_MIN: u32 = 5;
    /// Largest size of points.
    pub const POINT_SIZE_MAX: u32 = 6;
    /// Mask of the clip distances that clip.
    pub const CLIP_ENABLE: u32 = 7;
    /// Color of the fog.
    pub const FOG_COLOR: u32 = 8;
    /// Density of the fog.
    pub const FOG_DENSITY: u32 = 12;
    /// End of linear fog.
    pub const FOG_END: u32 = 13;
    /// Reciprocal of the depth of linear fog.
    pub const FOG_SCALE: u32 = 14;
    /// Clip planes, four words each.
    pub const CLIP_PLANES: u32 = 16;
    /// Rows of the stipple pattern.
    pub const POLYGON_STIPPLE: u32 = 48;
    /// Half of the width of the viewport in pixels, then half of its height.
    pub const VIEWPORT: u32 = 80;
    /// Width of lines in pixels.
    pub const LINE_WIDTH: u32 = 82;
    /// Pattern of the line stipple in the lower half, factor in the upper half.
    pub const LINE_STIPPLE: u32 = 83;
    /// Faces that are culled, and the winding of front faces.
    pub const FACES: u32 = 84;
    /// Triangles that a polygon consists of.
    pub const POLYGON_TRIANGLES: u32 = 85;
}

impl DriverBlock {
    /// The block's variable, if a shader has it.
    pub fn find(&self, shader: &Shader) -> Option<(VarId, TypeId)> {
        let is_it =
            |v: &Variable| v.mode == Modes::UBO && (v.set, v.binding) == (Some(SET), Some(self.binding));
        shader.vars.iter().find(|(_, v)| is_it(v)).map(|(id, v)| (id, v.ty))
    }

    /// The block's variable, declared if it is missing.
    pub fn declare(&self, shader: &mut Shader) -> (VarId, TypeId) {
        if let Some(found) = self.find(shader) {
            return found;
        }
        let mut members = Vec::with_capacity(self.members.len());
        let mut word = 0;
        for &(name, scalar, words) in self.members {
            let mut ty = shader.types.vector(scalar, words.min(4) as u8);
            if words > 4 {
                ty = shader.types.intern(Type::Array { elem: ty, len: words / 4, stride: 16 });
            }
            members.push(Member { offset: Some(word * 4), ..Member::new(name, ty) });
            word += words;
        }
        let ty = StructType { name: self.name.into(), members: members.into(), block: true };
        let ty = shader.types.intern(Type::Struct(ty));
        let mut var = Variable::new(self.name, ty, Modes::UBO);
        (var.set, var.binding) = (Some(SET), Some(self.binding));
        (shader.add_var(var), ty)
    }
}

/// Loads words of a block.
pub fn load<const N: usize>(
    b: &mut Builder<'_>,
    (var, ty): (VarId, TypeId),
    words: [u32; N],
) -> [InstrId; N] {
    let block = b.deref(DerefKind::Var(var), ty, Modes::UBO);
    words.map(|word| {
        let offset = b.imm_u32(word * 4);
        let load = Intrinsic::new(IntrinsicOp::load_ubo, &[block, offset]).with(Index::Align, Align::new(4));
        b.insert_intrinsic(load, Ty::B32)
    })
}

/// Loads consecutive words of a block as a vector. The first word is a multiple of four.
pub fn load_vector(b: &mut Builder<'_>, (var, ty): (VarId, TypeId), word: u32, comps: u8) -> InstrId {
    let block = b.deref(DerefKind::Var(var), ty, Modes::UBO);
    let offset = b.imm_u32(word * 4);
    let load = Intrinsic::new(IntrinsicOp::load_ubo, &[block, offset]).with(Index::Align, Align::new(16));
    b.insert_intrinsic(load, Ty::new(comps, 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_members() {
        let word = |name: &str| {
            let before = DRIVER.members.iter().take_while(|m| m.0 != name);
            before.map(|m| m.2).sum::<u32>()
        };
        for (name, first) in [
            ("height", words::HEIGHT),
            ("alpha_reference", words::ALPHA_REFERENCE),
            ("sample_mask", words::SAMPLE_MASK),
            ("point_size", words::POINT_SIZE),
            ("point_size_min", words::POINT_SIZE_MIN),
            ("point_size_max", words::POINT_SIZE_MAX),
            ("clip_enable", words::CLIP_ENABLE),
            ("fog_color", words::FOG_COLOR),
            ("fog_parameters", words::FOG_DENSITY),
            ("clip_planes", words::CLIP_PLANES),
            ("polygon_stipple", words::POLYGON_STIPPLE),
            ("viewport", words::VIEWPORT),
            ("line_width", words::LINE_WIDTH),
            ("line_stipple", words::LINE_STIPPLE),
            ("faces", words::FACES),
            ("polygon_triangles", words::POLYGON_TRIANGLES),
        ] {
            assert_eq!(word(name), first, "{name}");
        }
    }
}

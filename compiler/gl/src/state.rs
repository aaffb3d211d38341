//! The state of a draw that a function can depend on.

use bitflags::bitflags;

bitflags! {
    /// State that is on or off.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[repr(transparent)]
    pub struct StateFlags: u32 {
        /// Positions have y flipped: the framebuffer's first row is the upper one.
        const FLIP_Y = 1 << 0;
        /// Depths of clip space are in -w to w (`GL_NEGATIVE_ONE_TO_ONE`); without it they are in 0 to w.
        const HALF_Z = 1 << 1;
        /// Fragment shaders see y of the window flipped. The driver's block holds the height of the framebuffer.
        const FLIP_WINDOW = 1 << 2;
        /// `gl_FrontFacing` is inverted.
        const FLIP_FACE = 1 << 3;
        /// Transform feedback is active: the vertex function writes the captures of the program to buffers. Programs with
        /// tessellation or geometry shaders capture by [`StateKey::capture_step`].
        const CAPTURE = 1 << 4;
        /// The first vertex of a primitive provokes (`GL_FIRST_VERTEX_CONVENTION`).
        const FIRST_PROVOKES = 1 << 5;
        /// `GL_RASTERIZER_DISCARD`: the last stage before rasterisation has no outputs.
        const RASTERIZER_DISCARD = 1 << 6;
        /// Fragments write only the samples of the mask in the driver's block (`glSampleMaski`, `glSampleCoverage`).
        const SAMPLE_MASK = 1 << 7;
        /// There is no depth attachment.
        const NO_DEPTH = 1 << 8;
        /// There is no stencil attachment.
        const NO_STENCIL = 1 << 9;
        /// Blending does not read the second source.
        const NO_DUAL_SOURCE = 1 << 10;
        /// Colors are those of the provoking vertex (`GL_FLAT`).
        const FLAT_COLORS = 1 << 11;
        /// Back faces have the back colors (`GL_VERTEX_PROGRAM_TWO_SIDE`).
        const TWO_SIDED_COLORS = 1 << 12;
        /// Colors of vertices are clamped to 0 to 1 (`GL_CLAMP_VERTEX_COLOR`).
        const CLAMP_VERTEX_COLORS = 1 << 13;
        /// Colors of fragments are clamped to 0 to 1 (`GL_CLAMP_FRAGMENT_COLOR`).
        const CLAMP_FRAGMENT_COLORS = 1 << 14;
        /// The fragment shader runs once per sample (`GL_SAMPLE_SHADING`).
        const SAMPLE_SHADING = 1 << 15;
        /// Fragments are left out by the pattern in the driver's block (`GL_POLYGON_STIPPLE`); for filled polygons only.
        const POLYGON_STIPPLE = 1 << 16;
        /// The origin of points is their lower left corner (`GL_POINT_SPRITE_COORD_ORIGIN`); for points only.
        const POINT_LOWER_LEFT = 1 << 17;
        /// The coordinate of the fog is the distance to the eye plane (`GL_FRAGMENT_DEPTH`) instead of the varying.
        const FOG_DEPTH = 1 << 18;
        /// The mask of the enabled clip distances is in the driver's block, not in the key.
        const DYNAMIC_CLIP = 1 << 19;
        /// Lines have the pattern in the driver's block (`GL_LINE_STIPPLE`); for lines, and polygons with [`PolygonMode::Lines`].
        const LINE_STIPPLE = 1 << 20;
        /// All lines of the draw are one strip or loop of one instance, along which the pattern continues.
        const LINE_STRIP = 1 << 21;
        /// Vertices have edge flags: a `uint` attribute at [`StateKey::EDGE_FLAG_LOCATION`], zero for edges that are not drawn.
        const EDGE_FLAGS = 1 << 22;
        /// Points are smooth (`GL_POINT_SMOOTH`); for points that are not sprites.
        const SMOOTH_POINTS = 1 << 23;
    }
}

pub use airfoil::passes::gl::lower_advanced_blend::BlendEquation;
pub use airfoil::passes::gl::lower_alpha_test::CompareFunc;
pub use airfoil::passes::gl::lower_fog::FogMode;
pub use airfoil::passes::gl::lower_logic_op::LogicOp;
pub use airfoil::passes::stages::geometry_to_capture::CaptureStep;
pub use airfoil::passes::stages::passthrough_geometry::PolygonKind;
pub use airfoil::passes::util::vertex_formats::{FormatKind, VertexFormat};

/// How lines are rasterised. Modes other than [`LineMode::Native`] make a program without a geometry stage have one, see
/// [`Program::draw_stages`](crate::Program::draw_stages).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LineMode {
    /// As Metal does, with a width of one pixel; and for draws of other primitives.
    #[default]
    Native = 0,
    /// With the width in the driver's block, extended in x or y (OpenGL 4.6 section 14.5.2.1).
    Aliased = 1,
    /// With the width in the driver's block, extended at right angles: for multisampling (section 14.5.4).
    Rectangle = 2,
    /// With the width in the driver's block and smooth edges (`GL_LINE_SMOOTH`, section 14.5.2.2).
    Smooth = 3,
}

impl LineMode {
    /// All modes, by number.
    pub const ALL: [LineMode; 4] =
        [LineMode::Native, LineMode::Aliased, LineMode::Rectangle, LineMode::Smooth];
}

/// How polygons are rasterised (`glPolygonMode`). Modes other than [`PolygonMode::Native`] make a program without a geometry stage
/// have one, see [`Program::draw_stages`](crate::Program::draw_stages).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PolygonMode {
    /// As Metal does: filled, or as the lines of triangles; and for draws of other primitives.
    #[default]
    Native = 0,
    /// As lines, with [`StateKey::lines`] and edge flags.
    Lines = 1,
    /// As points, with edge flags.
    Points = 2,
}

impl PolygonMode {
    /// All modes, by number.
    pub const ALL: [PolygonMode; 3] = [PolygonMode::Native, PolygonMode::Lines, PolygonMode::Points];
}

/// The kind of a color attachment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Attachment {
    /// The kind that the shader writes.
    #[default]
    AsWritten = 0,
    /// There is none.
    None = 1,
    /// Floats or normalised values.
    Float = 2,
    /// Signed integers.
    Int = 3,
    /// Unsigned integers.
    Uint = 4,
    /// Unsigned normalised values of 8 bits: floats with logic operations.
    Unorm8 = 5,
}

/// A word of the default uniform block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct InlinedUniform {
    /// Byte offset, a multiple of 4.
    pub offset: u32,
    /// Bits.
    pub value: u32,
}

/// The size of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PointSize {
    /// Other primitives than points are drawn.
    #[default]
    None = 0,
    /// Points are drawn with the size that the shader writes, or 1.0 if it writes none (`GL_PROGRAM_POINT_SIZE`, OpenGL ES).
    Shader = 1,
    /// Points are drawn with the size in the driver's block (`glPointSize`).
    State = 2,
    /// Points are drawn with the size that the shader writes, clamped to the limits in the driver's block: for shaders that stand
    /// for fixed functions (`GL_POINT_SIZE_MIN`, `GL_POINT_SIZE_MAX`). The size of other shaders is not limited by this state
    /// (OpenGL 4.6 compatibility section 14.4).
    Clamped = 3,
}

/// The state of a draw, as plain data without padding. Fields that a program does not depend on are reset by
/// [`Program::canonical`](crate::Program::canonical), so that keys of equal functions are equal. [`crate::table`] lists the
/// state of OpenGL and the field that covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct StateKey {
    /// State that is on or off.
    pub flags: StateFlags,
    /// Mask of the enabled clip distances (`GL_CLIP_DISTANCE0` is bit 0).
    pub clip_enable: u8,
    /// The size of points.
    pub point_size: PointSize,
    /// Color attachments that `gl_FragColor` is written to, 1 to 8; 0 means 1.
    pub color_attachments: u8,
    /// Vertices of an input patch (`GL_PATCH_VERTICES`); 0 means 3.
    pub patch_vertices: u8,
    /// Bits of the indices of draws whose vertex stage is a kernel: 16 or 32, or 0 for draws without indices.
    pub index_bits: u8,
    /// How lines are rasterised.
    pub lines: LineMode,
    /// How polygons are rasterised.
    pub polygon_mode: PolygonMode,
    /// The polygons that triangles are parts of, with [`StateKey::polygon_mode`].
    pub polygons: PolygonKind,
    /// The color attachments.
    pub attachments: [Attachment; 8],
    /// The comparison of the alpha test; the reference value is in the driver's block.
    pub alpha_func: CompareFunc,
    /// The fog of fragment shaders that stand for fixed functions.
    pub fog: FogMode,
    /// Mask of the texture coordinates that are replaced by the position in a point (`GL_COORD_REPLACE`); for points only.
    pub coord_replace: u8,
    /// Mask of the enabled clip planes, for programs that do not write clip distances.
    pub clip_planes: u8,
    /// The logic operation, for attachments of integers and of [`Attachment::Unorm8`]. It reads the attachment.
    pub logic_op: LogicOp,
    /// Elements of `inlined` that are used.
    pub inlined_count: u8,
    /// The advanced blend equation of attachment 0. It reads the attachment.
    pub blend: BlendEquation,
    /// The kernel for transform feedback that the last stage before rasterisation becomes, instead of the function that draws. State
    /// that changes outputs does not apply to it. Vertex shaders require it for draws with indices, strips or fans.
    pub capture_step: CaptureStep,
    /// Masks of the textures, by binding in the reflection, whose samplers have the wrap mode `GL_CLAMP`: S, T and R.
    pub gl_clamp: [u32; 3],
    /// Mask of the shadow textures, by binding in the reflection, whose samplers do not compare.
    pub compare_off: u32,
    /// Mask of the cube maps, by binding in the reflection, that are not seamless: arrays of 2D textures are bound.
    pub nonseamless: u32,
    /// Words of the default uniform block that are constants.
    pub inlined: [InlinedUniform; 4],
    /// Formats of the vertex attributes, by location: those that Metal does not convert to floats, and those of `pulled`.
    pub vertex_formats: [VertexFormat; 32],
    /// Masks of the textures, by binding in the reflection, whose `GL_DEPTH_TEXTURE_MODE` is `GL_INTENSITY`, `GL_ALPHA` and
    /// `GL_RED`; the others have `GL_LUMINANCE`. It applies to lookups that compare and return vectors (`shadow2D`, assembly
    /// programs); for others the driver's texture view has the swizzle.
    pub depth_modes: [u32; 3],
    /// Masks of the external images, by binding of the texture in the reflection, that are bound as two planes (NV12) and as
    /// three (I420); the others are RGB. Their [matrices](crate::ExternalImage) are in a block of the driver.
    pub external_planes: [u32; 2],
    /// Mask of the vertex attributes, by location, that the function reads from [buffers](crate::VertexBuffer) by their addresses
    /// instead of Metal's vertex descriptor: for strides and offsets that Metal excludes, and more buffers than it has.
    pub pulled: u32,
    /// Mask of the attributes of `pulled` that advance by instance.
    pub instanced: u32,
    /// Mask of the attributes of `pulled` whose addresses or strides are not multiples of 4: they are read in bytes.
    pub unaligned: u32,
}

impl Default for StateKey {
    /// Triangles, without any enabled state.
    fn default() -> StateKey {
        StateKey {
            flags: StateFlags::empty(),
            clip_enable: 0,
            point_size: PointSize::None,
            color_attachments: 1,
            patch_vertices: 3,
            index_bits: 0,
            lines: LineMode::Native,
            polygon_mode: PolygonMode::Native,
            polygons: PolygonKind::Triangles,
            attachments: [Attachment::AsWritten; 8],
            alpha_func: CompareFunc::Always,
            fog: FogMode::None,
            coord_replace: 0,
            clip_planes: 0,
            logic_op: LogicOp::Copy,
            inlined_count: 0,
            blend: BlendEquation::None,
            capture_step: CaptureStep::None,
            gl_clamp: [0; 3],
            compare_off: 0,
            nonseamless: 0,
            inlined: [InlinedUniform::default(); 4],
            vertex_formats: [VertexFormat::default(); 32],
            depth_modes: [0; 3],
            external_planes: [0; 2],
            pulled: 0,
            instanced: 0,
            unaligned: 0,
        }
    }
}

bitflags! {
    /// Fields of a [`StateKey`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct StateMask: u64 {
        /// [`StateFlags::FLIP_Y`].
        const FLIP_Y = 1 << 0;
        /// [`StateFlags::HALF_Z`].
        const HALF_Z = 1 << 1;
        /// [`StateFlags::FLIP_WINDOW`].
        const FLIP_WINDOW = 1 << 2;
        /// [`StateFlags::FLIP_FACE`].
        const FLIP_FACE = 1 << 3;
        /// [`StateFlags::CAPTURE`].
        const CAPTURE = 1 << 4;
        /// [`StateFlags::FIRST_PROVOKES`].
        const FIRST_PROVOKES = 1 << 5;
        /// [`StateFlags::RASTERIZER_DISCARD`].
        const RASTERIZER_DISCARD = 1 << 6;
        /// [`StateFlags::SAMPLE_MASK`].
        const SAMPLE_MASK = 1 << 7;
        /// [`StateFlags::NO_DEPTH`].
        const NO_DEPTH = 1 << 8;
        /// [`StateFlags::NO_STENCIL`].
        const NO_STENCIL = 1 << 9;
        /// [`StateFlags::NO_DUAL_SOURCE`].
        const NO_DUAL_SOURCE = 1 << 10;
        /// [`StateFlags::FLAT_COLORS`].
        const FLAT_COLORS = 1 << 11;
        /// [`StateFlags::TWO_SIDED_COLORS`].
        const TWO_SIDED_COLORS = 1 << 12;
        /// [`StateFlags::CLAMP_VERTEX_COLORS`].
        const CLAMP_VERTEX_COLORS = 1 << 13;
        /// [`StateFlags::CLAMP_FRAGMENT_COLORS`].
        const CLAMP_FRAGMENT_COLORS = 1 << 14;
        /// [`StateFlags::SAMPLE_SHADING`].
        const SAMPLE_SHADING = 1 << 15;
        /// [`StateFlags::POLYGON_STIPPLE`].
        const POLYGON_STIPPLE = 1 << 16;
        /// [`StateFlags::POINT_LOWER_LEFT`].
        const POINT_LOWER_LEFT = 1 << 17;
        /// [`StateFlags::FOG_DEPTH`].
        const FOG_DEPTH = 1 << 18;
        /// [`StateFlags::DYNAMIC_CLIP`].
        const DYNAMIC_CLIP = 1 << 19;
        /// [`StateFlags::LINE_STIPPLE`].
        const LINE_STIPPLE = 1 << 20;
        /// [`StateFlags::LINE_STRIP`].
        const LINE_STRIP = 1 << 21;
        /// [`StateFlags::EDGE_FLAGS`].
        const EDGE_FLAGS = 1 << 22;
        /// [`StateFlags::SMOOTH_POINTS`].
        const SMOOTH_POINTS = 1 << 23;
        /// [`StateKey::clip_enable`].
        const CLIP_ENABLE = 1 << 32;
        /// [`StateKey::point_size`].
        const POINT_SIZE = 1 << 33;
        /// [`StateKey::color_attachments`].
        const COLOR_ATTACHMENTS = 1 << 34;
        /// [`StateKey::patch_vertices`].
        const PATCH_VERTICES = 1 << 35;
        /// [`StateKey::index_bits`].
        const INDEX_BITS = 1 << 36;
        /// [`StateKey::attachments`].
        const ATTACHMENTS = 1 << 37;
        /// [`StateKey::alpha_func`].
        const ALPHA_FUNC = 1 << 38;
        /// [`StateKey::fog`].
        const FOG = 1 << 39;
        /// [`StateKey::coord_replace`].
        const COORD_REPLACE = 1 << 40;
        /// [`StateKey::clip_planes`].
        const CLIP_PLANES = 1 << 41;
        /// [`StateKey::logic_op`].
        const LOGIC_OP = 1 << 42;
        /// [`StateKey::inlined`].
        const INLINED = 1 << 43;
        /// [`StateKey::gl_clamp`].
        const GL_CLAMP = 1 << 44;
        /// [`StateKey::compare_off`].
        const COMPARE_OFF = 1 << 45;
        /// [`StateKey::vertex_formats`].
        const VERTEX_FORMATS = 1 << 46;
        /// [`StateKey::blend`].
        const BLEND = 1 << 47;
        /// [`StateKey::nonseamless`].
        const NONSEAMLESS = 1 << 48;
        /// [`StateKey::depth_modes`].
        const DEPTH_MODES = 1 << 49;
        /// [`StateKey::external_planes`].
        const EXTERNAL_PLANES = 1 << 50;
        /// [`StateKey::capture_step`].
        const CAPTURE_STEP = 1 << 51;
        /// [`StateKey::lines`].
        const LINES = 1 << 52;
        /// [`StateKey::polygon_mode`].
        const POLYGON_MODE = 1 << 53;
        /// [`StateKey::polygons`].
        const POLYGONS = 1 << 54;
        /// [`StateKey::pulled`] and its masks.
        const PULLED = 1 << 55;
    }
}

impl StateMask {
    /// The flags among the fields; they have the same bits.
    pub fn flags(self) -> StateFlags {
        StateFlags::from_bits_truncate(self.bits() as u32)
    }
}

impl StateKey {
    /// The location of the attribute with the edge flag.
    pub const EDGE_FLAG_LOCATION: u32 = 30;

    /// The key with values that mean the same in one form.
    fn normalized(mut self) -> StateKey {
        if self.patch_vertices == 0 {
            self.patch_vertices = StateKey::default().patch_vertices;
        }
        self.color_attachments = self.color_attachments.clamp(1, 8);
        self.inlined_count = self.inlined_count.min(4);
        self.instanced &= self.pulled;
        self.unaligned &= self.pulled;
        self
    }
}

/// The methods that treat all fields alike, apart from flags: each field of a mask, and the members that it stands for.
macro_rules! fields {
    ($($field:ident: $($member:ident),+;)+) => {
        impl StateKey {
            /// The fields that do not have their defaults.
            pub fn fields(&self) -> StateMask {
                let (key, default) = (self.normalized(), StateKey::default());
                let mut fields = StateMask::from_bits_truncate(key.flags.bits().into());
                $( fields.set(StateMask::$field, $( key.$member != default.$member )||+); )+
                fields
            }

            /// The key with the fields outside of a mask, and values that mean the same, at their defaults.
            #[must_use]
            pub fn masked(self, mask: StateMask) -> StateKey {
                let (mut key, default) = (self.normalized(), StateKey::default());
                key.flags &= mask.flags();
                $( if !mask.contains(StateMask::$field) {
                    $( key.$member = default.$member; )+
                } )+
                key
            }
        }
    };
}

fields! {
    CLIP_ENABLE: clip_enable;
    POINT_SIZE: point_size;
    COLOR_ATTACHMENTS: color_attachments;
    PATCH_VERTICES: patch_vertices;
    INDEX_BITS: index_bits;
    LINES: lines;
    POLYGON_MODE: polygon_mode;
    POLYGONS: polygons;
    ATTACHMENTS: attachments;
    ALPHA_FUNC: alpha_func;
    FOG: fog;
    COORD_REPLACE: coord_replace;
    CLIP_PLANES: clip_planes;
    LOGIC_OP: logic_op;
    INLINED: inlined_count, inlined;
    BLEND: blend;
    CAPTURE_STEP: capture_step;
    GL_CLAMP: gl_clamp;
    COMPARE_OFF: compare_off;
    NONSEAMLESS: nonseamless;
    VERTEX_FORMATS: vertex_formats;
    DEPTH_MODES: depth_modes;
    EXTERNAL_PLANES: external_planes;
    PULLED: pulled, instanced, unaligned;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_no_padding() {
        assert_eq!(
            size_of::<StateKey>(),
            4 + 1
                + 1
                + 1
                + 1
                + 1
                + 3
                + 8
                + 1
                + 1
                + 1
                + 1
                + 1
                + 1
                + 1
                + 1
                + 12
                + 4
                + 4
                + 32
                + 64
                + 12
                + 8
                + 12
        );
    }

    #[test]
    fn flags_and_their_mask_bits_agree() {
        for (name, flag) in StateFlags::all().iter_names() {
            let mask = StateMask::from_name(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(mask.flags(), flag, "{name}");
        }
    }

    #[test]
    fn masked_keys_keep_only_the_fields_of_the_mask() {
        let key = StateKey {
            flags: StateFlags::all(),
            clip_enable: 5,
            point_size: PointSize::Shader,
            color_attachments: 4,
            patch_vertices: 0,
            index_bits: 16,
            lines: LineMode::Smooth,
            polygon_mode: PolygonMode::Lines,
            polygons: PolygonKind::Quads,
            attachments: [Attachment::Int; 8],
            alpha_func: CompareFunc::Less,
            fog: FogMode::Exp,
            coord_replace: 3,
            clip_planes: 6,
            logic_op: LogicOp::Xor,
            inlined_count: 1,
            blend: BlendEquation::Screen,
            capture_step: CaptureStep::Write,
            gl_clamp: [1, 2, 3],
            compare_off: 4,
            nonseamless: 1,
            inlined: [InlinedUniform { offset: 4, value: 5 }; 4],
            vertex_formats: [VertexFormat { kind: FormatKind::Fixed, components: 2 }; 32],
            depth_modes: [1, 2, 4],
            external_planes: [9; 2],
            pulled: 6,
            instanced: 2,
            unaligned: 4,
        };
        assert_eq!(key.masked(StateMask::empty()), StateKey::default());
        let all = key.masked(StateMask::all());
        assert_eq!(all, StateKey { patch_vertices: 3, ..key });
        let one = key.masked(StateMask::CLIP_ENABLE);
        assert_eq!(one, StateKey { clip_enable: 5, ..StateKey::default() });
    }
}

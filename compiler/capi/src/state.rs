//! The key of draw-time state.

use crate::sized::{self, Versioned};
use crate::types::AfResult;
use airfoil_gl::{
    Attachment, BlendEquation, CaptureStep, CompareFunc, FogMode, FormatKind, InlinedUniform, LineMode,
    LogicOp, PointSize, PolygonKind, PolygonMode, StateFlags, StateKey, VertexFormat,
};

/// Mask of state that is on or off.
pub type AfStateFlags = u32;
/// Positions have y flipped.
pub const AF_STATE_FLIP_Y: AfStateFlags = 1;
/// Depths of clip space are in -w to w (GL_NEGATIVE_ONE_TO_ONE); without it they are in 0 to w.
pub const AF_STATE_HALF_Z: AfStateFlags = 2;
/// Fragment shaders see y of the window flipped. The driver's block holds the height of the framebuffer.
pub const AF_STATE_FLIP_WINDOW: AfStateFlags = 4;
/// gl_FrontFacing is inverted.
pub const AF_STATE_FLIP_FACE: AfStateFlags = 8;
/// Transform feedback is active; for programs with tessellation or geometry shaders see capture_step.
pub const AF_STATE_CAPTURE: AfStateFlags = 16;
/// The first vertex of a primitive provokes (GL_FIRST_VERTEX_CONVENTION).
pub const AF_STATE_FIRST_PROVOKES: AfStateFlags = 32;
/// GL_RASTERIZER_DISCARD: the last stage before rasterisation has no outputs.
pub const AF_STATE_RASTERIZER_DISCARD: AfStateFlags = 64;
/// Fragments write only the samples of the mask in the driver's block (glSampleMaski, glSampleCoverage).
pub const AF_STATE_SAMPLE_MASK: AfStateFlags = 128;
/// There is no depth attachment.
pub const AF_STATE_NO_DEPTH: AfStateFlags = 256;
/// There is no stencil attachment.
pub const AF_STATE_NO_STENCIL: AfStateFlags = 512;
/// Blending does not read the second source.
pub const AF_STATE_NO_DUAL_SOURCE: AfStateFlags = 1024;
/// Colors are those of the provoking vertex (GL_FLAT).
pub const AF_STATE_FLAT_COLORS: AfStateFlags = 2048;
/// Back faces have the back colors (GL_VERTEX_PROGRAM_TWO_SIDE).
pub const AF_STATE_TWO_SIDED_COLORS: AfStateFlags = 4096;
/// Colors of vertices are clamped to 0 to 1 (GL_CLAMP_VERTEX_COLOR).
pub const AF_STATE_CLAMP_VERTEX_COLORS: AfStateFlags = 8192;
/// Colors of fragments are clamped to 0 to 1 (GL_CLAMP_FRAGMENT_COLOR).
pub const AF_STATE_CLAMP_FRAGMENT_COLORS: AfStateFlags = 16384;
/// The fragment shader runs once per sample (GL_SAMPLE_SHADING).
pub const AF_STATE_SAMPLE_SHADING: AfStateFlags = 32768;
/// Fragments are left out by the pattern in the driver's block (GL_POLYGON_STIPPLE); for filled polygons only.
pub const AF_STATE_POLYGON_STIPPLE: AfStateFlags = 65536;
/// The origin of points is their lower left corner (GL_POINT_SPRITE_COORD_ORIGIN); for points only.
pub const AF_STATE_POINT_LOWER_LEFT: AfStateFlags = 131072;
/// The coordinate of the fog is the distance to the eye plane (GL_FRAGMENT_DEPTH) instead of the varying.
pub const AF_STATE_FOG_DEPTH: AfStateFlags = 262144;
/// The mask of the enabled clip distances is in the driver's block, not in the key.
pub const AF_STATE_DYNAMIC_CLIP: AfStateFlags = 524288;
/// Lines have the pattern in the driver's block (GL_LINE_STIPPLE); for lines, and polygons with polygon_mode 1.
pub const AF_STATE_LINE_STIPPLE: AfStateFlags = 1048576;
/// All lines of the draw are one strip or loop of one instance, along which the pattern continues.
pub const AF_STATE_LINE_STRIP: AfStateFlags = 2097152;
/// Vertices have edge flags: a uint attribute at location 30, zero for edges that are not drawn.
pub const AF_STATE_EDGE_FLAGS: AfStateFlags = 4194304;
/// Points are smooth (GL_POINT_SMOOTH); for points that are not sprites.
pub const AF_STATE_SMOOTH_POINTS: AfStateFlags = 8388608;

/// Kind of a color attachment.
pub type AfAttachment = u8;
/// The kind that the shader writes.
pub const AF_ATTACHMENT_AS_WRITTEN: AfAttachment = 0;
/// There is no attachment.
pub const AF_ATTACHMENT_NONE: AfAttachment = 1;
/// Floats or normalised values.
pub const AF_ATTACHMENT_FLOAT: AfAttachment = 2;
/// Signed integers.
pub const AF_ATTACHMENT_INT: AfAttachment = 3;
/// Unsigned integers.
pub const AF_ATTACHMENT_UINT: AfAttachment = 4;
/// Unsigned normalised values of 8 bits: floats with logic operations.
pub const AF_ATTACHMENT_UNORM8: AfAttachment = 5;

/// Kind of a vertex format that Metal does not convert to floats.
pub type AfVertexFormatKind = u8;
/// Metal converts it.
pub const AF_VERTEX_FORMAT_NATIVE: AfVertexFormatKind = 0;
/// Signed integers; the attribute is an int4.
pub const AF_VERTEX_FORMAT_INT: AfVertexFormatKind = 1;
/// Unsigned integers; the attribute is a uint4.
pub const AF_VERTEX_FORMAT_UINT: AfVertexFormatKind = 2;
/// Normalised signed integers of 32 bits; the attribute is an int4.
pub const AF_VERTEX_FORMAT_SNORM32: AfVertexFormatKind = 3;
/// Normalised unsigned integers of 32 bits; the attribute is a uint4.
pub const AF_VERTEX_FORMAT_UNORM32: AfVertexFormatKind = 4;
/// Fixed point (GL_FIXED); the attribute is an int4.
pub const AF_VERTEX_FORMAT_FIXED: AfVertexFormatKind = 5;
/// GL_INT_2_10_10_10_REV that is not normalised; the attribute is a uint.
pub const AF_VERTEX_FORMAT_PACKED_INT: AfVertexFormatKind = 6;
/// GL_UNSIGNED_INT_2_10_10_10_REV that is not normalised; the attribute is a uint.
pub const AF_VERTEX_FORMAT_PACKED_UINT: AfVertexFormatKind = 7;
/// GL_DOUBLE; the attribute is a uint4, and another one at its location plus 16 has components z and w. For locations below 16.
pub const AF_VERTEX_FORMAT_DOUBLE: AfVertexFormatKind = 8;

/// Signed integers of 8 bits. In the vertex descriptor, integers of all widths mean AF_VERTEX_FORMAT_INT or UINT.
pub const AF_VERTEX_FORMAT_INT8: AfVertexFormatKind = 9;
/// Unsigned integers of 8 bits.
pub const AF_VERTEX_FORMAT_UINT8: AfVertexFormatKind = 10;
/// Normalised signed integers of 8 bits. Metal converts this format and those after it, apart from integers, to floats: in the vertex
/// descriptor they mean AF_VERTEX_FORMAT_NATIVE.
pub const AF_VERTEX_FORMAT_SNORM8: AfVertexFormatKind = 11;
/// Normalised unsigned integers of 8 bits.
pub const AF_VERTEX_FORMAT_UNORM8: AfVertexFormatKind = 12;
/// Normalised unsigned integers of 8 bits in the order blue, green, red, alpha (size GL_BGRA).
pub const AF_VERTEX_FORMAT_UNORM8_BGRA: AfVertexFormatKind = 13;
/// Signed integers of 16 bits.
pub const AF_VERTEX_FORMAT_INT16: AfVertexFormatKind = 14;
/// Unsigned integers of 16 bits.
pub const AF_VERTEX_FORMAT_UINT16: AfVertexFormatKind = 15;
/// Normalised signed integers of 16 bits.
pub const AF_VERTEX_FORMAT_SNORM16: AfVertexFormatKind = 16;
/// Normalised unsigned integers of 16 bits.
pub const AF_VERTEX_FORMAT_UNORM16: AfVertexFormatKind = 17;
/// Floats of 16 bits (GL_HALF_FLOAT).
pub const AF_VERTEX_FORMAT_HALF: AfVertexFormatKind = 18;
/// GL_INT_2_10_10_10_REV, normalised.
pub const AF_VERTEX_FORMAT_PACKED_SNORM: AfVertexFormatKind = 19;
/// The same in the order blue, green, red, alpha (size GL_BGRA).
pub const AF_VERTEX_FORMAT_PACKED_SNORM_BGRA: AfVertexFormatKind = 20;
/// GL_UNSIGNED_INT_2_10_10_10_REV, normalised.
pub const AF_VERTEX_FORMAT_PACKED_UNORM: AfVertexFormatKind = 21;
/// The same in the order blue, green, red, alpha (size GL_BGRA).
pub const AF_VERTEX_FORMAT_PACKED_UNORM_BGRA: AfVertexFormatKind = 22;
/// GL_UNSIGNED_INT_10F_11F_11F_REV.
pub const AF_VERTEX_FORMAT_PACKED_FLOAT: AfVertexFormatKind = 23;

/// Format of a vertex attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct AfVertexFormat {
    /// Its kind.
    pub kind: AfVertexFormatKind,
    /// Its components, 1 to 4; 0: 4.
    pub components: u8,
}

impl AfVertexFormat {
    pub(crate) fn format(self) -> Result<VertexFormat, AfResult> {
        match FormatKind::NAMES.get(usize::from(self.kind)) {
            Some(&(kind, _)) if self.components <= 4 => {
                Ok(VertexFormat { kind, components: self.components })
            }
            _ => Err(AfResult::AF_ERROR_INVALID_ARGUMENT),
        }
    }
}

/// A word of the default uniform block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct AfInlinedUniform {
    /// Byte offset, a multiple of 4.
    pub offset: u32,
    /// Bits.
    pub value: u32,
}

/// State of a draw that functions can depend on: plain data without padding, so that keys can be compared and hashed as bytes
/// after af_program_canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct AfStateKey {
    /// sizeof(AfStateKey).
    pub size: u32,
    /// State that is on or off.
    pub flags: AfStateFlags,
    /// Mask of the enabled clip distances (GL_CLIP_DISTANCE0 is bit 0).
    pub clip_enable: u8,
    /// 0: other primitives than points are drawn. 1: points of the size that the shader writes, or 1.0. 2: points of the size in the
    /// driver's block (glPointSize). 3: as 1, clamped to the limits in the driver's block.
    pub point_size: u8,
    /// Color attachments that gl_FragColor is written to, 1 to 8; 0: 1.
    pub color_attachments: u8,
    /// Vertices of an input patch (GL_PATCH_VERTICES); 0: 3.
    pub patch_vertices: u8,
    /// Bits of the indices of draws whose vertex stage is a kernel: 16 or 32, or 0 for draws without indices.
    pub index_bits: u8,
    /// Zero.
    pub reserved: [u8; 3],
    /// The color attachments.
    pub attachments: [AfAttachment; 8],
    /// The comparison of the alpha test: 0: none; otherwise GL_NEVER to GL_ALWAYS less 0x1ff. The reference value is in the driver's block.
    pub alpha_func: u8,
    /// Fog of fragment shaders that stand for fixed functions. 0: none. 1: GL_LINEAR. 2: GL_EXP. 3: GL_EXP2.
    pub fog: u8,
    /// Mask of the texture coordinates that are replaced by the position in a point (GL_COORD_REPLACE); for points only.
    pub coord_replace: u8,
    /// Mask of the enabled clip planes, for programs that do not write clip distances.
    pub clip_planes: u8,
    /// The logic operation: 0: none; otherwise GL_CLEAR to GL_SET less 0x14ff. It applies to attachments of integers and of
    /// AF_ATTACHMENT_UNORM8, which the function reads.
    pub logic_op: u8,
    /// Elements of `inlined` that are used.
    pub inlined_count: u8,
    /// The advanced blend equation of attachment 0, which the function reads. 0: none; otherwise 1 to 11 for GL_MULTIPLY_KHR to
    /// GL_EXCLUSION_KHR, 12 to 15 for GL_HSL_HUE_KHR to GL_HSL_LUMINOSITY_KHR.
    pub blend: u8,
    /// Zero.
    pub spare: u8,
    /// Masks of the textures, by binding of their arguments, whose samplers have the wrap mode GL_CLAMP: S, T and R.
    pub gl_clamp: [u32; 3],
    /// Mask of the shadow textures, by binding of their arguments, whose samplers do not compare.
    pub compare_off: u32,
    /// Mask of the cube maps, by binding of their arguments, that are not seamless: arrays of 2D textures are bound.
    pub nonseamless: u32,
    /// Words of the default uniform block that are constants.
    pub inlined: [AfInlinedUniform; 4],
    /// Formats of the vertex attributes, by location: those that Metal does not convert to floats, and those of `pulled`, where
    /// AF_VERTEX_FORMAT_NATIVE is a component of 32 bits that is read as it is.
    pub vertex_formats: [AfVertexFormat; 32],
    /// Masks of the textures, by binding of their arguments, whose GL_DEPTH_TEXTURE_MODE is GL_INTENSITY, GL_ALPHA and GL_RED; the
    /// others have GL_LUMINANCE. It applies to lookups that compare and return vectors (shadow2D, assembly programs); for others
    /// the texture view has the swizzle.
    pub depth_modes: [u32; 3],
    /// Masks of the external images, by binding in the reflection, that are bound as two planes (NV12) and as three (I420). The
    /// planes of chroma of binding n are textures of the set AF_DRIVER_SET with the bindings 64 + n and 96 + n.
    pub external_planes: [u32; 2],
    /// How lines are rasterised. 0: as Metal does, and for draws of other primitives. 1: with the width in the driver's block,
    /// extended in x or y. 2: extended at right angles, for multisampling. 3: with smooth edges (GL_LINE_SMOOTH).
    /// Values other than 0 add stages, see af_program_draw_stages.
    pub lines: u8,
    /// How polygons are rasterised (glPolygonMode). 0: as Metal does, and for draws of other primitives. 1: as lines with edge
    /// flags. 2: as points with edge flags. Values other than 0 add stages, see af_program_draw_stages.
    pub polygon_mode: u8,
    /// The polygons that triangles are parts of, with polygon_mode. 0: each triangle. 1: two consecutive ones are a quad. 2: all
    /// triangles of an instance are one polygon.
    pub polygons: u8,
    /// The kernel for transform feedback that the last stage before rasterisation becomes, instead of the function that draws. 0: none.
    /// 1: it counts primitives, for geometry shaders. 2: it writes primitives.
    pub capture_step: u8,
    /// Mask of the vertex attributes, by location, that the function reads by their addresses in the block "vertex_buffers", see
    /// AfVertexBuffer, instead of the vertex descriptor.
    pub pulled: u32,
    /// Mask of the attributes of `pulled` that advance by instance.
    pub instanced: u32,
    /// Mask of the attributes of `pulled` whose addresses or strides are not multiples of 4: they are read in bytes.
    pub unaligned: u32,
}

// SAFETY: `repr(C)`, with integers.
unsafe impl Versioned for AfStateKey {
    const FIRST: usize = std::mem::offset_of!(AfStateKey, attachments);
}

/// The contents of the uniform block "driver" (set 65535, binding 18), which functions of some keys read. One buffer serves all
/// functions of a draw; af_function_argument returns its Metal index, which driver_buffer of AfDeviceInfo can fix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct AfDriverValues {
    /// Height of the framebuffer in pixels.
    pub height: f32,
    /// Width of the framebuffer in pixels.
    pub width: f32,
    /// Reference value of the alpha test (glAlphaFunc).
    pub alpha_reference: f32,
    /// Samples that are written: the conjunction of glSampleMaski and the mask of glSampleCoverage.
    pub sample_mask: u32,
    /// Size of points (glPointSize), clamped by the driver.
    pub point_size: f32,
    /// Least size of points.
    pub point_size_min: f32,
    /// Largest size of points.
    pub point_size_max: f32,
    /// Mask of the enabled clip distances (GL_CLIP_DISTANCE0 is bit 0).
    pub clip_enable: u32,
    /// Color of the fog.
    pub fog_color: [f32; 4],
    /// Density of the fog.
    pub fog_density: f32,
    /// End of linear fog.
    pub fog_end: f32,
    /// 1 / (end - start) of linear fog.
    pub fog_scale: f32,
    /// Zero.
    pub reserved: u32,
    /// Clip planes: in eye coordinates for shaders that write gl_ClipVertex, otherwise in clip coordinates.
    pub clip_planes: [[f32; 4]; 8],
    /// The stipple pattern: bit x of row y is the pixel (x, y), modulo 32, from the lower left corner of the window.
    pub polygon_stipple: [u32; 32],
    /// Half of the width and of the height of the viewport in pixels.
    pub viewport: [f32; 2],
    /// Width of lines in pixels, clamped by the driver; a whole number for lines that are aliased.
    pub line_width: f32,
    /// The pattern of glLineStipple in the lower 16 bits, and the factor in the upper ones.
    pub line_stipple: u32,
    /// Bit 0: front faces are culled. Bit 1: back faces are culled. Bit 2: front faces are clockwise in the clip coordinates that
    /// the function writes, with y upwards.
    pub faces: u32,
    /// Triangles of a polygon, if the key has polygons 2.
    pub polygon_triangles: u32,
    /// Zero.
    pub reserved_end: [u32; 2],
}

/// The logic operations in the order of OpenGL's constants.
const LOGIC_OPS: [LogicOp; 16] = [
    LogicOp::Clear,
    LogicOp::And,
    LogicOp::AndReverse,
    LogicOp::Copy,
    LogicOp::AndInverted,
    LogicOp::Noop,
    LogicOp::Xor,
    LogicOp::Or,
    LogicOp::Nor,
    LogicOp::Equiv,
    LogicOp::Invert,
    LogicOp::OrReverse,
    LogicOp::CopyInverted,
    LogicOp::OrInverted,
    LogicOp::Nand,
    LogicOp::Set,
];

impl AfStateKey {
    pub(crate) fn key(&self) -> Result<StateKey, AfResult> {
        const INVALID: AfResult = AfResult::AF_ERROR_INVALID_ARGUMENT;
        let &AfStateKey { clip_enable, color_attachments, patch_vertices, index_bits, .. } = self;
        let &AfStateKey { coord_replace, clip_planes, .. } = self;
        let is_reserved = self.reserved != [0; 3] || self.spare != 0;
        if is_reserved || color_attachments > 8 || ![0, 16, 32].contains(&index_bits) {
            return Err(INVALID);
        }
        let point_size = match self.point_size {
            0 => PointSize::None,
            1 => PointSize::Shader,
            2 => PointSize::State,
            3 => PointSize::Clamped,
            _ => return Err(INVALID),
        };
        let lines = *LineMode::ALL.get(usize::from(self.lines)).ok_or(INVALID)?;
        let polygon_mode = *PolygonMode::ALL.get(usize::from(self.polygon_mode)).ok_or(INVALID)?;
        let polygons = *PolygonKind::ALL.get(usize::from(self.polygons)).ok_or(INVALID)?;
        let mut attachments = [Attachment::AsWritten; 8];
        for (to, &from) in attachments.iter_mut().zip(&self.attachments) {
            *to = match from {
                AF_ATTACHMENT_AS_WRITTEN => Attachment::AsWritten,
                AF_ATTACHMENT_NONE => Attachment::None,
                AF_ATTACHMENT_FLOAT => Attachment::Float,
                AF_ATTACHMENT_INT => Attachment::Int,
                AF_ATTACHMENT_UINT => Attachment::Uint,
                AF_ATTACHMENT_UNORM8 => Attachment::Unorm8,
                _ => return Err(INVALID),
            };
        }
        let alpha_func = match self.alpha_func {
            0 => CompareFunc::Always,
            n => CompareFunc::NAMES.get(usize::from(n) - 1).ok_or(INVALID)?.0,
        };
        let fog = match self.fog {
            0 => FogMode::None,
            1 => FogMode::Linear,
            2 => FogMode::Exp,
            3 => FogMode::Exp2,
            _ => return Err(INVALID),
        };
        let logic_op = match self.logic_op {
            0 => LogicOp::Copy,
            n => LOGIC_OPS.get(usize::from(n) - 1).copied().ok_or(INVALID)?,
        };
        let capture_step = CaptureStep::NAMES.get(usize::from(self.capture_step)).ok_or(INVALID)?.0;
        let blend = BlendEquation::NAMES.get(usize::from(self.blend)).ok_or(INVALID)?.0;
        if self.inlined_count > 4 || self.inlined.iter().any(|w| w.offset % 4 != 0) {
            return Err(INVALID);
        }
        let inlined = self.inlined.map(|w| InlinedUniform { offset: w.offset, value: w.value });
        let mut vertex_formats = [VertexFormat::default(); 32];
        for (to, from) in vertex_formats.iter_mut().zip(&self.vertex_formats) {
            *to = from.format()?;
        }
        Ok(StateKey {
            flags: StateFlags::from_bits(self.flags).ok_or(INVALID)?,
            clip_enable,
            point_size,
            color_attachments,
            patch_vertices,
            index_bits,
            lines,
            polygon_mode,
            polygons,
            attachments,
            alpha_func,
            fog,
            coord_replace,
            clip_planes,
            logic_op,
            blend,
            inlined_count: self.inlined_count,
            capture_step,
            gl_clamp: self.gl_clamp,
            compare_off: self.compare_off,
            nonseamless: self.nonseamless,
            inlined,
            vertex_formats,
            depth_modes: self.depth_modes,
            external_planes: self.external_planes,
            pulled: self.pulled,
            instanced: self.instanced,
            unaligned: self.unaligned,
        })
    }

    pub(crate) fn of(key: &StateKey) -> AfStateKey {
        AfStateKey {
            size: size_of::<AfStateKey>() as u32,
            flags: key.flags.bits(),
            clip_enable: key.clip_enable,
            point_size: key.point_size as u8,
            color_attachments: key.color_attachments,
            patch_vertices: key.patch_vertices,
            index_bits: key.index_bits,
            reserved: [0; 3],
            attachments: key.attachments.map(|kind| kind as u8),
            alpha_func: if key.alpha_func == CompareFunc::Always { 0 } else { key.alpha_func as u8 + 1 },
            fog: key.fog as u8,
            coord_replace: key.coord_replace,
            clip_planes: key.clip_planes,
            logic_op: match key.logic_op {
                LogicOp::Copy => 0,
                op => (1..).zip(LOGIC_OPS).find(|o| o.1 == op).map_or(0, |o| o.0),
            },
            inlined_count: key.inlined_count,
            blend: key.blend as u8,
            spare: 0,
            gl_clamp: key.gl_clamp,
            compare_off: key.compare_off,
            nonseamless: key.nonseamless,
            inlined: key.inlined.map(|w| AfInlinedUniform { offset: w.offset, value: w.value }),
            vertex_formats: key
                .vertex_formats
                .map(|f| AfVertexFormat { kind: f.kind as u8, components: f.components }),
            depth_modes: key.depth_modes,
            external_planes: key.external_planes,
            lines: key.lines as u8,
            polygon_mode: key.polygon_mode as u8,
            polygons: key.polygons as u8,
            capture_step: key.capture_step as u8,
            pulled: key.pulled,
            instanced: key.instanced,
            unaligned: key.unaligned,
        }
    }
}

/// The key of a call; NULL is the default state.
///
/// # Safety
/// The pointer is NULL or of a key that begins with its size.
pub(crate) unsafe fn key_of(key: *const AfStateKey) -> Result<StateKey, AfResult> {
    match key.is_null() {
        true => Ok(StateKey::default()),
        // SAFETY: the caller's contract.
        false => unsafe { sized::read(key) }?.key(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_the_rust_interface() {
        let flags = [
            (AF_STATE_FLIP_Y, StateFlags::FLIP_Y),
            (AF_STATE_HALF_Z, StateFlags::HALF_Z),
            (AF_STATE_FLIP_WINDOW, StateFlags::FLIP_WINDOW),
            (AF_STATE_FLIP_FACE, StateFlags::FLIP_FACE),
            (AF_STATE_CAPTURE, StateFlags::CAPTURE),
            (AF_STATE_FIRST_PROVOKES, StateFlags::FIRST_PROVOKES),
            (AF_STATE_RASTERIZER_DISCARD, StateFlags::RASTERIZER_DISCARD),
            (AF_STATE_SAMPLE_MASK, StateFlags::SAMPLE_MASK),
            (AF_STATE_NO_DEPTH, StateFlags::NO_DEPTH),
            (AF_STATE_NO_STENCIL, StateFlags::NO_STENCIL),
            (AF_STATE_NO_DUAL_SOURCE, StateFlags::NO_DUAL_SOURCE),
            (AF_STATE_FLAT_COLORS, StateFlags::FLAT_COLORS),
            (AF_STATE_TWO_SIDED_COLORS, StateFlags::TWO_SIDED_COLORS),
            (AF_STATE_CLAMP_VERTEX_COLORS, StateFlags::CLAMP_VERTEX_COLORS),
            (AF_STATE_CLAMP_FRAGMENT_COLORS, StateFlags::CLAMP_FRAGMENT_COLORS),
            (AF_STATE_SAMPLE_SHADING, StateFlags::SAMPLE_SHADING),
            (AF_STATE_POLYGON_STIPPLE, StateFlags::POLYGON_STIPPLE),
            (AF_STATE_POINT_LOWER_LEFT, StateFlags::POINT_LOWER_LEFT),
            (AF_STATE_FOG_DEPTH, StateFlags::FOG_DEPTH),
            (AF_STATE_DYNAMIC_CLIP, StateFlags::DYNAMIC_CLIP),
            (AF_STATE_LINE_STIPPLE, StateFlags::LINE_STIPPLE),
            (AF_STATE_LINE_STRIP, StateFlags::LINE_STRIP),
            (AF_STATE_EDGE_FLAGS, StateFlags::EDGE_FLAGS),
            (AF_STATE_SMOOTH_POINTS, StateFlags::SMOOTH_POINTS),
        ];
        assert!(flags.iter().all(|(c, rust)| *c == rust.bits()));
        assert_eq!(flags.len(), StateFlags::all().iter().count());
    }

    #[test]
    fn keys_and_values_are_those_of_the_rust_interface() {
        for (n, (alpha_func, _)) in CompareFunc::NAMES.into_iter().enumerate() {
            let attachments = [Attachment::None, Attachment::Float, Attachment::Int, Attachment::Uint];
            let fogs = [FogMode::None, FogMode::Linear, FogMode::Exp, FogMode::Exp2];
            let sizes = [PointSize::None, PointSize::Shader, PointSize::State, PointSize::Clamped];
            let key = StateKey {
                alpha_func,
                attachments: [attachments[n % 4]; 8],
                fog: fogs[n % 4],
                point_size: sizes[n % 4],
                lines: LineMode::ALL[n % 4],
                polygon_mode: PolygonMode::ALL[n % 3],
                polygons: PolygonKind::ALL[n % 3],
                coord_replace: 1 << n,
                clip_planes: 0xff >> n,
                logic_op: LOGIC_OPS[2 * n],
                blend: BlendEquation::NAMES[2 * n + 1].0,
                inlined_count: n as u8 % 5,
                capture_step: CaptureStep::NAMES[n % 3].0,
                gl_clamp: [n as u32, 1, 2],
                compare_off: 5,
                nonseamless: 6,
                inlined: [InlinedUniform { offset: 8, value: 9 }; 4],
                vertex_formats: [VertexFormat { kind: FormatKind::NAMES[n].0, components: n as u8 % 5 }; 32],
                depth_modes: [1, 2, 4],
                external_planes: [1, 2],
                pulled: 1 << n,
                instanced: 2,
                unaligned: 3,
                ..StateKey::default()
            };
            assert_eq!(AfStateKey::of(&key).key(), Ok(key));
        }
        let wrong = |change: &dyn Fn(&mut AfStateKey)| {
            let mut key = AfStateKey::of(&StateKey::default());
            change(&mut key);
            assert_eq!(key.key(), Err(AfResult::AF_ERROR_INVALID_ARGUMENT));
        };
        wrong(&|key| key.alpha_func = 9);
        wrong(&|key| key.fog = 4);
        wrong(&|key| key.attachments[7] = 6);
        wrong(&|key| key.point_size = 4);
        wrong(&|key| key.capture_step = 3);
        wrong(&|key| key.spare = 1);
        wrong(&|key| key.lines = 4);
        wrong(&|key| key.polygon_mode = 3);
        wrong(&|key| key.polygons = 3);
        wrong(&|key| key.logic_op = 17);
        wrong(&|key| key.blend = 16);
        wrong(&|key| key.inlined_count = 5);
        wrong(&|key| key.inlined[3].offset = 2);
        wrong(&|key| key.vertex_formats[31].kind = 24);
        wrong(&|key| key.vertex_formats[0].components = 5);
        assert_eq!(size_of::<AfDriverValues>(), airfoil_gl::DriverValues::BYTES);
    }
}

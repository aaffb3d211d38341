//! The identifiers of `layout(...)`: one table of where each is allowed (GLSL 4.60, table of section 4.4).

use crate::extension::Ext;
use crate::hir::{MatrixLayout, Packing};
use crate::version::{Avail, NEVER, Stages};
use airfoil_ir::{DepthLayout, ImageFormat, Primitive, Spacing, Stage};

/// The meaning of an identifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Key {
    /// `location`.
    Location,
    /// `component`.
    Component,
    /// `index`.
    Index,
    /// `binding`.
    Binding,
    /// `set`.
    Set,
    /// `offset`.
    Offset,
    /// `align`.
    Align,
    /// `std140` and so on.
    Packing(Packing),
    /// `row_major` and `column_major`.
    Matrix(MatrixLayout),
    /// `local_size_x` and so on.
    LocalSize(u8),
    /// `local_size_x_id` and so on.
    LocalSizeId(u8),
    /// `local_size_variable`.
    LocalSizeVariable,
    /// `vertices`.
    Vertices,
    /// `max_vertices`.
    MaxVertices,
    /// `invocations`.
    Invocations,
    /// `stream`.
    Stream,
    /// `points` and so on.
    Primitive(Primitive),
    /// `equal_spacing` and so on.
    Spacing(Spacing),
    /// `cw` is true, `ccw` false.
    Winding(bool),
    /// `point_mode`.
    PointMode,
    /// `early_fragment_tests`.
    EarlyFragmentTests,
    /// `post_depth_coverage`.
    PostDepthCoverage,
    /// `num_views`.
    NumViews,
    /// `origin_upper_left`.
    OriginUpperLeft,
    /// `pixel_center_integer`.
    PixelCenterInteger,
    /// `depth_any` and so on.
    Depth(DepthLayout),
    /// `constant_id`.
    ConstantId,
    /// `push_constant`.
    PushConstant,
    /// `buffer_reference`.
    BufferReference,
    /// `buffer_reference_align`.
    BufferReferenceAlign,
    /// `input_attachment_index`.
    InputAttachment,
    /// `noncoherent`.
    Noncoherent,
    /// `xfb_buffer`.
    XfbBuffer,
    /// `xfb_stride`.
    XfbStride,
    /// `xfb_offset`.
    XfbOffset,
    /// `blend_support_*`, by its bits.
    BlendSupport(u32),
    /// `derivative_group_linear*` is true, `derivative_group_quads*` false.
    DerivativeGroup(bool),
    /// Format of an image.
    Format(ImageFormat),
}

/// Which language an identifier belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// Both.
    Both,
    /// GLSL for Vulkan only.
    Vulkan,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Identifier.
    pub(crate) name: &'static str,
    /// Meaning.
    pub(crate) key: Key,
    /// It is written with a value.
    pub(crate) value: bool,
    /// Where it is allowed: bits of [`context`].
    pub(crate) contexts: u32,
    /// Stages that have it.
    pub(crate) stages: Stages,
    /// Versions and extensions that have it.
    pub(crate) avail: Avail,
    /// Language that has it.
    pub(crate) api: Api,
}

/// Contexts of layouts.
pub(crate) mod context {
    macro_rules! bits {
        ($( $name:ident = $bit:literal, $doc:literal; )+) => {
            $( #[doc = $doc] pub(crate) const $name: u32 = 1 << $bit; )+
            /// Names for messages.
            pub(crate) const NAMES: &[(u32, &str)] = &[$( ($name, $doc) ),+];
        };
    }
    bits! {
        IN_VAR = 0, "an input";
        OUT_VAR = 1, "an output";
        INOUT_VAR = 2, "an inout variable";
        UNIFORM_VAR = 3, "a uniform";
        CONST_VAR = 4, "a constant";
        IN_BLOCK = 6, "an input block";
        OUT_BLOCK = 7, "an output block";
        UNIFORM_BLOCK = 8, "a uniform block";
        BUFFER_BLOCK = 9, "a buffer block";
        IN_MEMBER = 10, "a member of an input block";
        OUT_MEMBER = 11, "a member of an output block";
        UNIFORM_MEMBER = 12, "a member of a uniform block";
        BUFFER_MEMBER = 13, "a member of a buffer block";
        IN_DEFAULT = 14, "a layout declaration of in";
        OUT_DEFAULT = 15, "a layout declaration of out";
        UNIFORM_DEFAULT = 16, "a layout declaration of uniform";
        BUFFER_DEFAULT = 17, "a layout declaration of buffer";
        SUBROUTINE = 18, "a subroutine";
        OTHER = 19, "a variable without in, out, uniform or buffer";
    }

    /// The name of a context in messages.
    pub(crate) fn name(context: u32) -> &'static str {
        NAMES.iter().find(|(bit, _)| *bit == context).map_or("this", |(_, name)| name)
    }
}

use context::*;

const fn only(exts: &'static [Ext]) -> Avail {
    Avail::since(NEVER, NEVER).or(exts)
}

const VERTEX: Stages = Stages::of(&[Stage::Vertex]);
const COMPUTE: Stages = Stages::of(&[Stage::Compute]);
const TESC: Stages = Stages::of(&[Stage::TessControl]);
const TESE: Stages = Stages::of(&[Stage::TessEval]);
const GEOM: Stages = Stages::of(&[Stage::Geometry]);
const GEOM_TESE: Stages = Stages::of(&[Stage::Geometry, Stage::TessEval]);
const FRAG: Stages = Stages::of(&[Stage::Fragment]);
const CAPTURE: Stages = Stages::of(&[Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Geometry]);
const ANY: Avail = Avail::ALWAYS;
/// The finer rules of locations by stage and kind are in `layout_rules`.
const LOCATION: Avail = Avail::since(330, 300).or(&[
    Ext::ARB_explicit_attrib_location,
    Ext::ARB_explicit_uniform_location,
    Ext::ARB_separate_shader_objects,
    Ext::EXT_separate_shader_objects,
    Ext::ARB_enhanced_layouts,
]);
const ENHANCED: Avail = Avail::since(440, NEVER).or(&[Ext::ARB_enhanced_layouts]);
const INDEX: Avail = Avail::since(330, NEVER).or(&[
    Ext::ARB_explicit_attrib_location,
    Ext::ARB_explicit_uniform_location,
    Ext::EXT_blend_func_extended,
]);
const BINDING: Avail = Avail::since(420, 310).or(&[
    Ext::ARB_shading_language_420pack,
    Ext::ARB_shader_atomic_counters,
    Ext::ARB_shader_image_load_store,
    Ext::ARB_shader_storage_buffer_object,
]);
const OFFSET: Avail =
    Avail::since(420, 310).or(&[Ext::ARB_shader_atomic_counters, Ext::ARB_enhanced_layouts]);
/// In ES only for Vulkan.
const ALIGN: Avail = Avail::since(440, 310).or(&[Ext::ARB_enhanced_layouts]);
const BLOCKS: Avail = Avail::since(140, 300).or(&[Ext::ARB_uniform_buffer_object]);
const STD430: Avail = Avail::since(430, 310).or(&[Ext::ARB_shader_storage_buffer_object]);
pub(super) const COMPUTE_SHADER: Avail = Avail::since(430, 310).or(&[Ext::ARB_compute_shader]);
const TESSELLATION: Avail = Avail::since(400, 320).or(&[
    Ext::ARB_tessellation_shader,
    Ext::EXT_tessellation_shader,
    Ext::OES_tessellation_shader,
]);
pub(super) const GEOMETRY: Avail =
    Avail::since(150, 320).or(&[Ext::EXT_geometry_shader, Ext::OES_geometry_shader]);
const TESSELLATION_OR_GEOMETRY: Avail = Avail::since(150, 320).or(&[
    Ext::ARB_tessellation_shader,
    Ext::EXT_tessellation_shader,
    Ext::OES_tessellation_shader,
    Ext::EXT_geometry_shader,
    Ext::OES_geometry_shader,
]);
const INVOCATIONS: Avail =
    Avail::since(400, 320).or(&[Ext::ARB_gpu_shader5, Ext::EXT_geometry_shader, Ext::OES_geometry_shader]);
const FORMAT: Avail =
    Avail::since(420, 310).or(&[Ext::ARB_shader_image_load_store, Ext::ARB_bindless_texture]);
const FORMAT_NV: Avail =
    Avail::since(420, NEVER).or(&[Ext::ARB_shader_image_load_store, Ext::NV_image_formats]);

/// The row of an identifier.
pub(crate) fn find(name: &str) -> Option<&'static Row> {
    ROWS.binary_search_by(|r| r.name.cmp(name)).ok().map(|i| &ROWS[i])
}

const fn row(
    name: &'static str,
    key: Key,
    value: bool,
    contexts: u32,
    stages: Stages,
    avail: Avail,
    api: Api,
) -> Row {
    Row { name, key, value, contexts, stages, avail, api }
}

/// All identifiers, sorted.
#[rustfmt::skip]
pub(crate) static ROWS: &[Row] = &[
    row("align", Key::Align, true, UNIFORM_BLOCK | BUFFER_BLOCK | UNIFORM_MEMBER | BUFFER_MEMBER, Stages::ALL, ALIGN, Api::Both),
    row("binding", Key::Binding, true, UNIFORM_VAR | UNIFORM_BLOCK | BUFFER_BLOCK, Stages::ALL, BINDING, Api::Both),
    row("blend_support_all_equations", Key::BlendSupport(0x7fff), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_colorburn", Key::BlendSupport(0x40), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_colordodge", Key::BlendSupport(0x20), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_darken", Key::BlendSupport(0x8), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_difference", Key::BlendSupport(0x200), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_exclusion", Key::BlendSupport(0x400), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_hardlight", Key::BlendSupport(0x80), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_hsl_color", Key::BlendSupport(0x2000), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_hsl_hue", Key::BlendSupport(0x800), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_hsl_luminosity", Key::BlendSupport(0x4000), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_hsl_saturation", Key::BlendSupport(0x1000), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_lighten", Key::BlendSupport(0x10), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_multiply", Key::BlendSupport(0x1), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_overlay", Key::BlendSupport(0x4), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_screen", Key::BlendSupport(0x2), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("blend_support_softlight", Key::BlendSupport(0x100), false, OUT_DEFAULT, FRAG, Avail::since(NEVER, 320).or(&[Ext::KHR_blend_equation_advanced]), Api::Both),
    row("buffer_reference", Key::BufferReference, false, BUFFER_BLOCK, Stages::ALL, only(&[Ext::EXT_buffer_reference]), Api::Vulkan),
    row("buffer_reference_align", Key::BufferReferenceAlign, true, BUFFER_BLOCK, Stages::ALL, only(&[Ext::EXT_buffer_reference]), Api::Vulkan),
    row("ccw", Key::Winding(false), false, IN_DEFAULT, TESE, TESSELLATION, Api::Both),
    row("column_major", Key::Matrix(MatrixLayout::ColumnMajor), false, UNIFORM_BLOCK | BUFFER_BLOCK | UNIFORM_DEFAULT | BUFFER_DEFAULT | UNIFORM_MEMBER | BUFFER_MEMBER, Stages::ALL, BLOCKS, Api::Both),
    row("component", Key::Component, true, IN_VAR | OUT_VAR | IN_MEMBER | OUT_MEMBER, Stages::ALL, ENHANCED, Api::Both),
    row("constant_id", Key::ConstantId, true, CONST_VAR, Stages::ALL, ANY, Api::Vulkan),
    row("cw", Key::Winding(true), false, IN_DEFAULT, TESE, TESSELLATION, Api::Both),
    row("depth_any", Key::Depth(DepthLayout::Any), false, OUT_VAR, FRAG, Avail::since(420, NEVER).or(&[Ext::ARB_conservative_depth, Ext::AMD_conservative_depth, Ext::EXT_conservative_depth]), Api::Both),
    row("depth_greater", Key::Depth(DepthLayout::Greater), false, OUT_VAR, FRAG, Avail::since(420, NEVER).or(&[Ext::ARB_conservative_depth, Ext::AMD_conservative_depth, Ext::EXT_conservative_depth]), Api::Both),
    row("depth_less", Key::Depth(DepthLayout::Less), false, OUT_VAR, FRAG, Avail::since(420, NEVER).or(&[Ext::ARB_conservative_depth, Ext::AMD_conservative_depth, Ext::EXT_conservative_depth]), Api::Both),
    row("depth_unchanged", Key::Depth(DepthLayout::Unchanged), false, OUT_VAR, FRAG, Avail::since(420, NEVER).or(&[Ext::ARB_conservative_depth, Ext::AMD_conservative_depth, Ext::EXT_conservative_depth]), Api::Both),
    row("derivative_group_linearKHR", Key::DerivativeGroup(true), false, IN_DEFAULT, COMPUTE, only(&[Ext::KHR_compute_shader_derivatives]), Api::Both),
    row("derivative_group_linearNV", Key::DerivativeGroup(true), false, IN_DEFAULT, COMPUTE, only(&[Ext::NV_compute_shader_derivatives]), Api::Both),
    row("derivative_group_quadsKHR", Key::DerivativeGroup(false), false, IN_DEFAULT, COMPUTE, only(&[Ext::KHR_compute_shader_derivatives]), Api::Both),
    row("derivative_group_quadsNV", Key::DerivativeGroup(false), false, IN_DEFAULT, COMPUTE, only(&[Ext::NV_compute_shader_derivatives]), Api::Both),
    row("early_fragment_tests", Key::EarlyFragmentTests, false, IN_DEFAULT, FRAG, Avail::since(420, 310).or(&[Ext::ARB_shader_image_load_store, Ext::EXT_shader_image_load_store]), Api::Both),
    row("equal_spacing", Key::Spacing(Spacing::Equal), false, IN_DEFAULT, TESE, TESSELLATION, Api::Both),
    row("fractional_even_spacing", Key::Spacing(Spacing::FractionalEven), false, IN_DEFAULT, TESE, TESSELLATION, Api::Both),
    row("fractional_odd_spacing", Key::Spacing(Spacing::FractionalOdd), false, IN_DEFAULT, TESE, TESSELLATION, Api::Both),
    row("index", Key::Index, true, OUT_VAR | INOUT_VAR | SUBROUTINE, Stages::ALL, INDEX, Api::Both),
    row("input_attachment_index", Key::InputAttachment, true, UNIFORM_VAR, FRAG, ANY, Api::Vulkan),
    row("invocations", Key::Invocations, true, IN_DEFAULT, GEOM, INVOCATIONS, Api::Both),
    row("isolines", Key::Primitive(Primitive::Isolines), false, IN_DEFAULT, TESE, TESSELLATION_OR_GEOMETRY, Api::Both),
    row("line_strip", Key::Primitive(Primitive::LineStrip), false, OUT_DEFAULT, GEOM, TESSELLATION_OR_GEOMETRY, Api::Both),
    row("lines", Key::Primitive(Primitive::Lines), false, IN_DEFAULT, GEOM, TESSELLATION_OR_GEOMETRY, Api::Both),
    row("lines_adjacency", Key::Primitive(Primitive::LinesAdjacency), false, IN_DEFAULT, GEOM, TESSELLATION_OR_GEOMETRY, Api::Both),
    row("local_size_variable", Key::LocalSizeVariable, false, IN_DEFAULT, COMPUTE, only(&[Ext::ARB_compute_variable_group_size]), Api::Both),
    row("local_size_x", Key::LocalSize(0), true, IN_DEFAULT, COMPUTE, COMPUTE_SHADER, Api::Both),
    row("local_size_x_id", Key::LocalSizeId(0), true, IN_DEFAULT, COMPUTE, COMPUTE_SHADER, Api::Vulkan),
    row("local_size_y", Key::LocalSize(1), true, IN_DEFAULT, COMPUTE, COMPUTE_SHADER, Api::Both),
    row("local_size_y_id", Key::LocalSizeId(1), true, IN_DEFAULT, COMPUTE, COMPUTE_SHADER, Api::Vulkan),
    row("local_size_z", Key::LocalSize(2), true, IN_DEFAULT, COMPUTE, COMPUTE_SHADER, Api::Both),
    row("local_size_z_id", Key::LocalSizeId(2), true, IN_DEFAULT, COMPUTE, COMPUTE_SHADER, Api::Vulkan),
    row("location", Key::Location, true, IN_VAR | OUT_VAR | INOUT_VAR | IN_BLOCK | OUT_BLOCK | IN_MEMBER | OUT_MEMBER | UNIFORM_VAR, Stages::ALL, LOCATION, Api::Both),
    row("max_vertices", Key::MaxVertices, true, OUT_DEFAULT, GEOM, GEOMETRY, Api::Both),
    row("noncoherent", Key::Noncoherent, false, INOUT_VAR | OUT_VAR, FRAG, only(&[Ext::EXT_shader_framebuffer_fetch_non_coherent]), Api::Both),
    row("num_views", Key::NumViews, true, IN_DEFAULT, VERTEX, only(&[Ext::OVR_multiview, Ext::OVR_multiview2]), Api::Both),
    row("offset", Key::Offset, true, UNIFORM_VAR | UNIFORM_MEMBER | BUFFER_MEMBER | UNIFORM_DEFAULT, Stages::ALL, OFFSET, Api::Both),
    row("origin_upper_left", Key::OriginUpperLeft, false, IN_VAR, FRAG, Avail::since(150, NEVER).or(&[Ext::ARB_fragment_coord_conventions]), Api::Both),
    row("packed", Key::Packing(Packing::Packed), false, UNIFORM_BLOCK | BUFFER_BLOCK | UNIFORM_DEFAULT | BUFFER_DEFAULT, Stages::ALL, BLOCKS, Api::Both),
    row("pixel_center_integer", Key::PixelCenterInteger, false, IN_VAR, FRAG, Avail::since(150, NEVER).or(&[Ext::ARB_fragment_coord_conventions]), Api::Both),
    row("point_mode", Key::PointMode, false, IN_DEFAULT, TESE, TESSELLATION, Api::Both),
    row("points", Key::Primitive(Primitive::Points), false, IN_DEFAULT | OUT_DEFAULT, GEOM, TESSELLATION_OR_GEOMETRY, Api::Both),
    row("post_depth_coverage", Key::PostDepthCoverage, false, IN_DEFAULT, FRAG, only(&[Ext::EXT_post_depth_coverage, Ext::ARB_post_depth_coverage]), Api::Both),
    row("push_constant", Key::PushConstant, false, UNIFORM_BLOCK, Stages::ALL, ANY, Api::Vulkan),
    row("quads", Key::Primitive(Primitive::Quads), false, IN_DEFAULT, TESE, TESSELLATION_OR_GEOMETRY, Api::Both),
    row("r11f_g11f_b10f", Key::Format(ImageFormat::R11fG11fB10f), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("r16", Key::Format(ImageFormat::R16), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("r16_snorm", Key::Format(ImageFormat::R16Snorm), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("r16f", Key::Format(ImageFormat::R16f), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("r16i", Key::Format(ImageFormat::R16i), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("r16ui", Key::Format(ImageFormat::R16ui), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("r32f", Key::Format(ImageFormat::R32f), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("r32i", Key::Format(ImageFormat::R32i), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("r32ui", Key::Format(ImageFormat::R32ui), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("r64i", Key::Format(ImageFormat::R64i), false, UNIFORM_VAR, Stages::ALL, only(&[Ext::EXT_shader_image_int64]), Api::Both),
    row("r64ui", Key::Format(ImageFormat::R64ui), false, UNIFORM_VAR, Stages::ALL, only(&[Ext::EXT_shader_image_int64]), Api::Both),
    row("r8", Key::Format(ImageFormat::R8), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("r8_snorm", Key::Format(ImageFormat::R8Snorm), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("r8i", Key::Format(ImageFormat::R8i), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("r8ui", Key::Format(ImageFormat::R8ui), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg16", Key::Format(ImageFormat::Rg16), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg16_snorm", Key::Format(ImageFormat::Rg16Snorm), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg16f", Key::Format(ImageFormat::Rg16f), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg16i", Key::Format(ImageFormat::Rg16i), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg16ui", Key::Format(ImageFormat::Rg16ui), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg32f", Key::Format(ImageFormat::Rg32f), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg32i", Key::Format(ImageFormat::Rg32i), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg32ui", Key::Format(ImageFormat::Rg32ui), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg8", Key::Format(ImageFormat::Rg8), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg8_snorm", Key::Format(ImageFormat::Rg8Snorm), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg8i", Key::Format(ImageFormat::Rg8i), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rg8ui", Key::Format(ImageFormat::Rg8ui), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rgb10_a2", Key::Format(ImageFormat::Rgb10A2), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rgb10_a2ui", Key::Format(ImageFormat::Rgb10A2ui), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rgba16", Key::Format(ImageFormat::Rgba16), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rgba16_snorm", Key::Format(ImageFormat::Rgba16Snorm), false, UNIFORM_VAR, Stages::ALL, FORMAT_NV, Api::Both),
    row("rgba16f", Key::Format(ImageFormat::Rgba16f), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("rgba16i", Key::Format(ImageFormat::Rgba16i), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("rgba16ui", Key::Format(ImageFormat::Rgba16ui), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("rgba32f", Key::Format(ImageFormat::Rgba32f), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("rgba32i", Key::Format(ImageFormat::Rgba32i), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("rgba32ui", Key::Format(ImageFormat::Rgba32ui), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("rgba8", Key::Format(ImageFormat::Rgba8), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("rgba8_snorm", Key::Format(ImageFormat::Rgba8Snorm), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("rgba8i", Key::Format(ImageFormat::Rgba8i), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("rgba8ui", Key::Format(ImageFormat::Rgba8ui), false, UNIFORM_VAR, Stages::ALL, FORMAT, Api::Both),
    row("row_major", Key::Matrix(MatrixLayout::RowMajor), false, UNIFORM_BLOCK | BUFFER_BLOCK | UNIFORM_DEFAULT | BUFFER_DEFAULT | UNIFORM_MEMBER | BUFFER_MEMBER, Stages::ALL, BLOCKS, Api::Both),
    row("scalar", Key::Packing(Packing::Scalar), false, UNIFORM_BLOCK | BUFFER_BLOCK | UNIFORM_DEFAULT | BUFFER_DEFAULT, Stages::ALL, only(&[Ext::EXT_scalar_block_layout]), Api::Both),
    row("set", Key::Set, true, UNIFORM_VAR | UNIFORM_BLOCK | BUFFER_BLOCK, Stages::ALL, ANY, Api::Vulkan),
    row("shared", Key::Packing(Packing::Shared), false, UNIFORM_BLOCK | BUFFER_BLOCK | UNIFORM_DEFAULT | BUFFER_DEFAULT, Stages::ALL, BLOCKS, Api::Both),
    row("std140", Key::Packing(Packing::Std140), false, UNIFORM_BLOCK | BUFFER_BLOCK | UNIFORM_DEFAULT | BUFFER_DEFAULT, Stages::ALL, BLOCKS, Api::Both),
    row("std430", Key::Packing(Packing::Std430), false, UNIFORM_BLOCK | BUFFER_BLOCK | BUFFER_DEFAULT | UNIFORM_DEFAULT, Stages::ALL, STD430, Api::Both),
    row("stream", Key::Stream, true, OUT_VAR | OUT_BLOCK | OUT_MEMBER | OUT_DEFAULT, GEOM, Avail::since(400, NEVER).or(&[Ext::ARB_gpu_shader5]), Api::Both),
    row("triangle_strip", Key::Primitive(Primitive::TriangleStrip), false, OUT_DEFAULT, GEOM, TESSELLATION_OR_GEOMETRY, Api::Both),
    row("triangles", Key::Primitive(Primitive::Triangles), false, IN_DEFAULT, GEOM_TESE, TESSELLATION_OR_GEOMETRY, Api::Both),
    row("triangles_adjacency", Key::Primitive(Primitive::TrianglesAdjacency), false, IN_DEFAULT, GEOM, TESSELLATION_OR_GEOMETRY, Api::Both),
    row("vertices", Key::Vertices, true, OUT_DEFAULT, TESC, TESSELLATION, Api::Both),
    row("xfb_buffer", Key::XfbBuffer, true, OUT_VAR | OUT_BLOCK | OUT_MEMBER | OUT_DEFAULT, CAPTURE, ENHANCED, Api::Both),
    row("xfb_offset", Key::XfbOffset, true, OUT_VAR | OUT_BLOCK | OUT_MEMBER, CAPTURE, ENHANCED, Api::Both),
    row("xfb_stride", Key::XfbStride, true, OUT_VAR | OUT_BLOCK | OUT_MEMBER | OUT_DEFAULT, CAPTURE, ENHANCED, Api::Both),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(ROWS.windows(2).all(|w| w[0].name < w[1].name));
        assert_eq!(find("std140").unwrap().key, Key::Packing(Packing::Std140));
        assert!(find("std141").is_none());
    }
}

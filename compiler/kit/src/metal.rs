//! Raw values of constants in Metal's headers, and their counterparts here.

use airfoil::air::select::FunctionStage;
use airfoil::interp::pipeline::Topology;
use airfoil::interp::texture::{Color, Compare, Filter, Format, Image, Mip, Wrap};
use airfoil::ir::{Dim, Scalar};

/// `MTLTextureUsageShaderRead`.
pub const USAGE_READ: u64 = 1;
/// `MTLTextureUsageShaderWrite`.
pub const USAGE_WRITE: u64 = 2;
/// `MTLTextureUsageRenderTarget`.
pub const USAGE_TARGET: u64 = 4;
/// `MTLTextureUsageShaderAtomic`.
pub const USAGE_ATOMIC: u64 = 32;

/// `MTLGPUFamily` and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family(pub i64, pub &'static str);

impl Family {
    /// `MTLGPUFamilyApple4`.
    pub const APPLE4: Family = Family(1004, "apple4");
    /// `MTLGPUFamilyApple6`.
    pub const APPLE6: Family = Family(1006, "apple6");
    /// `MTLGPUFamilyApple7`.
    pub const APPLE7: Family = Family(1007, "apple7");
    /// `MTLGPUFamilyApple9`.
    pub const APPLE9: Family = Family(1009, "apple9");
    /// `MTLGPUFamilyMetal3`.
    pub const METAL3: Family = Family(5001, "metal3");
}

/// Formats: ours, `MTLPixelFormat` and its name.
static FORMATS: &[(Format, u64, &str)] = &[
    (Format::R8, 10, "r8Unorm"),
    (Format::R8ui, 13, "r8Uint"),
    (Format::R16ui, 23, "r16Uint"),
    (Format::R16f, 25, "r16Float"),
    (Format::Rg8, 30, "rg8Unorm"),
    (Format::R32ui, 53, "r32Uint"),
    (Format::R32i, 54, "r32Sint"),
    (Format::R32f, 55, "r32Float"),
    (Format::Rg16f, 65, "rg16Float"),
    (Format::Rgba8, 70, "rgba8Unorm"),
    (Format::Srgb8A8, 71, "rgba8Unorm_srgb"),
    (Format::Rgba8Snorm, 72, "rgba8Snorm"),
    (Format::Rgba8ui, 73, "rgba8Uint"),
    (Format::Rgba8i, 74, "rgba8Sint"),
    (Format::Bgra8, 80, "bgra8Unorm"),
    (Format::Rg32ui, 103, "rg32Uint"),
    (Format::Rg32i, 104, "rg32Sint"),
    (Format::Rg32f, 105, "rg32Float"),
    (Format::Rgba16, 110, "rgba16Unorm"),
    (Format::Rgba16ui, 113, "rgba16Uint"),
    (Format::Rgba16i, 114, "rgba16Sint"),
    (Format::Rgba16f, 115, "rgba16Float"),
    (Format::Rgba32ui, 123, "rgba32Uint"),
    (Format::Rgba32i, 124, "rgba32Sint"),
    (Format::Rgba32f, 125, "rgba32Float"),
    (Format::D16, 250, "depth16Unorm"),
    (Format::D32f, 252, "depth32Float"),
];

/// `MTLPixelFormat` and its name; `None` for formats that the kit does not use.
pub fn pixel_format(format: Format) -> Option<(u64, &'static str)> {
    FORMATS.iter().find(|f| f.0 == format).map(|f| (f.1, f.2))
}

/// The format with a raw value.
pub fn format_of(raw: u64) -> Option<Format> {
    FORMATS.iter().find(|f| f.1 == raw).map(|f| f.0)
}

/// `MTLTextureType` of an image, its array length and its number of slices.
pub fn texture_type(image: &Image, arrayed: bool) -> (u64, u64, u64) {
    let slices = u64::from(image.num_layers());
    let ms = image.num_samples() > 1;
    match (image.dim, arrayed) {
        (Dim::D1, false) => (0, 1, 1),
        (Dim::D1, true) => (1, slices, slices),
        (Dim::Cube, false) => (5, 1, slices),
        (Dim::Cube, true) => (6, slices / 6, slices),
        (Dim::D3, _) => (7, 1, 1),
        (Dim::Buffer, _) => (9, 1, 1),
        (_, false) if ms => (4, 1, 1),
        (_, true) if ms => (8, slices, slices),
        (_, true) => (3, slices, slices),
        _ => (2, 1, slices),
    }
}

/// The shape of a `MTLTextureType`.
pub fn dim_of(texture_type: u64) -> Dim {
    match texture_type {
        0 | 1 => Dim::D1,
        5 | 6 => Dim::Cube,
        7 => Dim::D3,
        9 => Dim::Buffer,
        4 | 8 => Dim::Ms,
        _ => Dim::D2,
    }
}

/// `MTLSamplerAddressMode`.
pub fn address(wrap: Wrap) -> u64 {
    match wrap {
        Wrap::ClampToEdge | Wrap::Clamp => 0,
        Wrap::MirrorClampToEdge => 1,
        Wrap::Repeat => 2,
        Wrap::MirroredRepeat => 3,
        Wrap::ClampToBorder => 4,
    }
}

/// The counterpart of [`address`].
pub fn wrap_of(raw: u64) -> Wrap {
    match raw {
        1 => Wrap::MirrorClampToEdge,
        2 => Wrap::Repeat,
        3 => Wrap::MirroredRepeat,
        4 => Wrap::ClampToBorder,
        _ => Wrap::ClampToEdge,
    }
}

/// `MTLSamplerMinMagFilter`.
pub fn filter(filter: Filter) -> u64 {
    u64::from(filter == Filter::Linear)
}

/// The counterpart of [`filter`].
pub fn filter_of(raw: u64) -> Filter {
    if raw == 1 { Filter::Linear } else { Filter::Nearest }
}

/// `MTLSamplerMipFilter`.
pub fn mip(mip: Mip) -> u64 {
    match mip {
        Mip::None => 0,
        Mip::Nearest => 1,
        Mip::Linear => 2,
    }
}

/// The counterpart of [`mip`].
pub fn mip_of(raw: u64) -> Mip {
    match raw {
        1 => Mip::Nearest,
        2 => Mip::Linear,
        _ => Mip::None,
    }
}

/// `MTLCompareFunction`, which has the order of [`Compare`].
pub fn compare(compare: Compare) -> u64 {
    compare as u64
}

/// The counterpart of [`compare`].
pub fn compare_of(raw: u64) -> Option<Compare> {
    Compare::NAMES.get(usize::try_from(raw).ok()?).map(|n| n.1)
}

/// `MTLPrimitiveType`; `None` for topologies that Metal lacks.
pub fn primitive_type(topology: Topology) -> Option<u64> {
    Some(match topology {
        Topology::Points => 0,
        Topology::Lines => 1,
        Topology::LineStrip => 2,
        Topology::Triangles => 3,
        Topology::TriangleStrip => 4,
        _ => return None,
    })
}

/// The counterpart of [`primitive_type`].
pub fn topology_of(raw: u64) -> Topology {
    match raw {
        0 => Topology::Points,
        1 => Topology::Lines,
        2 => Topology::LineStrip,
        4 => Topology::TriangleStrip,
        _ => Topology::Triangles,
    }
}

/// `MTLFunctionType`.
pub fn function_type(stage: FunctionStage) -> u64 {
    match stage {
        FunctionStage::Vertex => 1,
        FunctionStage::Fragment => 2,
        FunctionStage::Kernel => 3,
        FunctionStage::Visible => 5,
        FunctionStage::Mesh => 7,
        FunctionStage::Object => 8,
    }
}

/// `MTLDataType` of a function constant.
pub fn data_type(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Bool => 53,
        Scalar::Float16 => 16,
        Scalar::Float32 => 3,
        Scalar::Int8 => 45,
        Scalar::Uint8 => 49,
        Scalar::Int16 => 37,
        Scalar::Uint16 => 41,
        Scalar::Int64 => 81,
        Scalar::Uint64 => 85,
        Scalar::Int32 => 29,
        _ => 33,
    }
}

/// `MTLVertexFormat` and its name of 32-bit components; `kind` is 'f', 'i' or 'u'.
pub fn vertex_format(kind: char, components: u32) -> (u64, String) {
    let (first, name) = match kind {
        'i' => (32, "int"),
        'u' => (36, "uint"),
        _ => (28, "float"),
    };
    let suffix = if components > 1 { components.to_string() } else { String::new() };
    (first + u64::from(components.clamp(1, 4) - 1), format!("{name}{suffix}"))
}

/// The value of an attribute: bits of its components. Components that a `MTLVertexFormat` lacks are 0, the last one 1.
pub fn vertex_words(raw: u64, bytes: &[u8]) -> [u32; 4] {
    if let Some((_, _, format)) = PACKED_VERTEX_FORMATS.iter().find(|row| row.0 == raw) {
        let Some(texel) = bytes.get(..format.bytes()) else { return [0; 4] };
        let bits = format.info().bits;
        return match format.read(texel) {
            Color::Float(c) => std::array::from_fn(|n| {
                let absent = if n == 3 { 1.0 } else { 0.0 };
                (if bits[n] > 0 { c[n] as f32 } else { absent }).to_bits()
            }),
            Color::Int(c) => {
                std::array::from_fn(|n| if bits[n] > 0 { c[n] as u32 } else { u32::from(n == 3) })
            }
        };
    }
    let components = raw.saturating_sub(28) as usize % 4 + 1;
    let one = if raw < 32 { 1f32.to_bits() } else { 1 };
    std::array::from_fn(|n| {
        let word = bytes.get(4 * n..4 * n + 4).map_or(0, |w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
        if n < components { word } else { one * u32::from(n == 3) }
    })
}

/// Values of `MTLVertexFormat` with components of less than 32 bits, and the format of texels that has the same bytes.
pub const PACKED_VERTEX_FORMATS: [(u64, &str, Format); 12] = [
    (3, "uchar4", Format::Rgba8ui),
    (6, "char4", Format::Rgba8i),
    (9, "uchar4Normalized", Format::Rgba8),
    (12, "char4Normalized", Format::Rgba8Snorm),
    (13, "ushort2", Format::Rg16ui),
    (16, "short2", Format::Rg16i),
    (19, "ushort2Normalized", Format::Rg16),
    (22, "short2Normalized", Format::Rg16Snorm),
    (25, "half2", Format::Rg16f),
    (27, "half4", Format::Rgba16f),
    (41, "uint1010102Normalized", Format::Rgb10A2),
    (42, "uchar4Normalized_bgra", Format::Bgra8),
];

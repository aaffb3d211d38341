//! Formats of texels: one table row each, conversion to and from the numbers of shaders.
//!
//! Conversions follow OpenGL 4.6 sections 2.3.5 (normalised numbers), 8.24 (sRGB), 8.5.2 (shared exponents) and
//! 2.3.4 (small floats). Components that a format lacks read as 0, alpha as 1.

use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{ImageFormat, bit_mask, sign_extend};

/// How the bits of a component are read.
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::{Color, Encoding, Format};
///
/// assert_eq!(Format::Bgra8Srgb.info().encoding, Encoding::Srgb);
/// // The same byte with and without the curve; alpha has none.
/// let read = |format: Format| match format.read(&[0x80; 4]) {
///     Color::Float(c) => [c[0], c[3]].map(|x| (x * 1000.0).round()),
///     Color::Int(c) => [c[0], c[3]].map(|x| x as f64),
/// };
/// assert_eq!(read(Format::Rgba8), [502.0, 502.0]);
/// assert_eq!(read(Format::Srgb8A8), [216.0, 502.0]);
/// // The lowest number would be less than -1.
/// assert_eq!((read(Format::Rgba8Snorm)[0], read(Format::Rgba8i)[0]), (-1000.0, -128.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// 0 to 1.
    Unorm,
    /// -1 to 1.
    Snorm,
    /// Floats of 32, 16, 11 or 10 bits; the last two have no sign.
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
    /// 0 to 1, with the sRGB curve on red, green and blue.
    Srgb,
    /// Three 9-bit mantissas and one 5-bit exponent.
    SharedExponent,
}

/// The value of a texel in a shader.
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::{Color, Format};
///
/// // Components that a format lacks read as 0, alpha as 1.
/// assert_eq!(Format::R8i.read(&[0xfe]), Color::Int([-2, 0, 0, 1]));
/// assert_eq!(Format::Rg8.read(&[255, 0]), Color::Float([1.0, 0.0, 0.0, 1.0]));
/// // A colour of the other kind is converted.
/// let mut texel = [0; 4];
/// Format::Rgba8ui.write(&mut texel, Color::Float([7.9, 300.0, -1.0, 0.0]));
/// assert_eq!(texel, [7, 255, 0, 0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Color {
    /// Floats.
    Float([f64; 4]),
    /// Integers; unsigned ones are zero-extended.
    Int([i64; 4]),
}

/// A row of the table of formats.
///
/// # Examples
///
/// ```
/// use airfoil_interp::texture::Format;
///
/// let row = Format::from_name("rgb565").unwrap().info();
/// // Blue has the lowest bits.
/// assert_eq!((row.bits, row.bytes, row.bgra), ([5, 6, 5, 0], 2, true));
/// // Only one format has padding.
/// let bits = |f: &&Format| f.info().bits.iter().map(|&n| u32::from(n)).sum::<u32>();
/// let padded: Vec<_> = Format::ALL.iter().filter(|f| bits(f) != 8 * f.bytes() as u32).collect();
/// assert_eq!(padded, [&Format::D24]);
/// ```
#[derive(Debug)]
pub struct FormatInfo {
    /// Name, that of GLSL's layout qualifiers where there is one.
    pub name: &'static str,
    /// How components are read.
    pub encoding: Encoding,
    /// Bits of red, green, blue and alpha, the lowest bits first; 0 = absent.
    pub bits: [u8; 4],
    /// Blue comes first in memory.
    pub bgra: bool,
    /// Bytes of a texel.
    pub bytes: u8,
    /// Depths: references of comparisons are clamped if they are normalised.
    pub depth: bool,
}

macro_rules! formats {
    ($( $(#[doc = $doc:literal])+ $format:ident = $name:literal $encoding:ident $bits:expr, $bytes:literal $(, $flag:ident)*; )+) => {
        /// Format of the texels of an image.
        ///
        /// # Examples
        ///
        /// ```
        /// use airfoil_interp::texture::{Color, Format};
        /// use airfoil_ir::ImageFormat;
        ///
        /// // The names are those of layout qualifiers; vertex, depth and texture formats have others.
        /// assert_eq!(Format::declared(ImageFormat::R11fG11fB10f), Format::from_name("r11f_g11f_b10f"));
        /// let mut texel = vec![0; Format::Rgb10A2.bytes()];
        /// Format::Rgb10A2.write(&mut texel, Color::Float([1.0, 0.0, 2.0, 0.4]));
        /// // Numbers out of range are clamped, others rounded to the nearest: 0.4 of 3 is 1.
        /// assert_eq!(u32::from_le_bytes(texel.try_into().unwrap()), 0x3ff | 0x3ff << 20 | 1 << 30);
        /// assert!(!Format::Rgb10A2.is_integer() && Format::Rgb10A2ui.is_integer());
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Format { $( $(#[doc = $doc])+ $format, )+ }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Format] = &[$( Format::$format, )+];
        }

        static INFOS: &[FormatInfo] = &[$( FormatInfo {
            name: $name,
            encoding: Encoding::$encoding,
            bits: $bits,
            bgra: false $(|| flag!(bgra $flag))*,
            bytes: $bytes,
            depth: false $(|| flag!(depth $flag))*,
        }, )+];
    };
}

macro_rules! flag {
    (bgra bgra) => {
        true
    };
    (depth depth) => {
        true
    };
    ($a:ident $b:ident) => {
        false
    };
}

formats! {
    /// 4 x float 32.
    Rgba32f = "rgba32f" Float [32, 32, 32, 32], 16;
    /// 4 x float 16.
    Rgba16f = "rgba16f" Float [16, 16, 16, 16], 8;
    /// 1 x float 32.
    R32f = "r32f" Float [32, 0, 0, 0], 4;
    /// 4 x unorm 8.
    Rgba8 = "rgba8" Unorm [8, 8, 8, 8], 4;
    /// 4 x snorm 8.
    Rgba8Snorm = "rgba8_snorm" Snorm [8, 8, 8, 8], 4;
    /// 2 x float 32.
    Rg32f = "rg32f" Float [32, 32, 0, 0], 8;
    /// 2 x float 16.
    Rg16f = "rg16f" Float [16, 16, 0, 0], 4;
    /// float 11, 11, 10.
    R11fG11fB10f = "r11f_g11f_b10f" Float [11, 11, 10, 0], 4;
    /// 1 x float 16.
    R16f = "r16f" Float [16, 0, 0, 0], 2;
    /// 4 x unorm 16.
    Rgba16 = "rgba16" Unorm [16, 16, 16, 16], 8;
    /// unorm 10, 10, 10, 2.
    Rgb10A2 = "rgb10_a2" Unorm [10, 10, 10, 2], 4;
    /// 2 x unorm 16.
    Rg16 = "rg16" Unorm [16, 16, 0, 0], 4;
    /// 2 x unorm 8.
    Rg8 = "rg8" Unorm [8, 8, 0, 0], 2;
    /// 1 x unorm 16.
    R16 = "r16" Unorm [16, 0, 0, 0], 2;
    /// 1 x unorm 8.
    R8 = "r8" Unorm [8, 0, 0, 0], 1;
    /// 4 x snorm 16.
    Rgba16Snorm = "rgba16_snorm" Snorm [16, 16, 16, 16], 8;
    /// 2 x snorm 16.
    Rg16Snorm = "rg16_snorm" Snorm [16, 16, 0, 0], 4;
    /// 2 x snorm 8.
    Rg8Snorm = "rg8_snorm" Snorm [8, 8, 0, 0], 2;
    /// 1 x snorm 16.
    R16Snorm = "r16_snorm" Snorm [16, 0, 0, 0], 2;
    /// 1 x snorm 8.
    R8Snorm = "r8_snorm" Snorm [8, 0, 0, 0], 1;
    /// 4 x int 32.
    Rgba32i = "rgba32i" Int [32, 32, 32, 32], 16;
    /// 4 x int 16.
    Rgba16i = "rgba16i" Int [16, 16, 16, 16], 8;
    /// 4 x int 8.
    Rgba8i = "rgba8i" Int [8, 8, 8, 8], 4;
    /// 1 x int 32.
    R32i = "r32i" Int [32, 0, 0, 0], 4;
    /// 2 x int 32.
    Rg32i = "rg32i" Int [32, 32, 0, 0], 8;
    /// 2 x int 16.
    Rg16i = "rg16i" Int [16, 16, 0, 0], 4;
    /// 2 x int 8.
    Rg8i = "rg8i" Int [8, 8, 0, 0], 2;
    /// 1 x int 16.
    R16i = "r16i" Int [16, 0, 0, 0], 2;
    /// 1 x int 8.
    R8i = "r8i" Int [8, 0, 0, 0], 1;
    /// 4 x uint 32.
    Rgba32ui = "rgba32ui" Uint [32, 32, 32, 32], 16;
    /// 4 x uint 16.
    Rgba16ui = "rgba16ui" Uint [16, 16, 16, 16], 8;
    /// 4 x uint 8.
    Rgba8ui = "rgba8ui" Uint [8, 8, 8, 8], 4;
    /// 1 x uint 32.
    R32ui = "r32ui" Uint [32, 0, 0, 0], 4;
    /// uint 10, 10, 10, 2.
    Rgb10A2ui = "rgb10_a2ui" Uint [10, 10, 10, 2], 4;
    /// 2 x uint 32.
    Rg32ui = "rg32ui" Uint [32, 32, 0, 0], 8;
    /// 2 x uint 16.
    Rg16ui = "rg16ui" Uint [16, 16, 0, 0], 4;
    /// 2 x uint 8.
    Rg8ui = "rg8ui" Uint [8, 8, 0, 0], 2;
    /// 1 x uint 16.
    R16ui = "r16ui" Uint [16, 0, 0, 0], 2;
    /// 1 x uint 8.
    R8ui = "r8ui" Uint [8, 0, 0, 0], 1;
    /// 1 x uint 64.
    R64ui = "r64ui" Uint [64, 0, 0, 0], 8;
    /// 1 x int 64.
    R64i = "r64i" Int [64, 0, 0, 0], 8;
    /// 3 x float 32.
    Rgb32f = "rgb32f" Float [32, 32, 32, 0], 12;
    /// 3 x int 32.
    Rgb32i = "rgb32i" Int [32, 32, 32, 0], 12;
    /// 3 x uint 32.
    Rgb32ui = "rgb32ui" Uint [32, 32, 32, 0], 12;
    /// 3 x float 16.
    Rgb16f = "rgb16f" Float [16, 16, 16, 0], 6;
    /// 3 x unorm 8.
    Rgb8 = "rgb8" Unorm [8, 8, 8, 0], 3;
    /// 3 x sRGB 8.
    Srgb8 = "srgb8" Srgb [8, 8, 8, 0], 3;
    /// 4 x sRGB 8, alpha linear.
    Srgb8A8 = "srgb8_a8" Srgb [8, 8, 8, 8], 4;
    /// 4 x unorm 8, blue first.
    Bgra8 = "bgra8" Unorm [8, 8, 8, 8], 4, bgra;
    /// 4 x sRGB 8, blue first, alpha linear.
    Bgra8Srgb = "bgra8_srgb" Srgb [8, 8, 8, 8], 4, bgra;
    /// unorm 5, 6, 5, blue in the lowest bits.
    Rgb565 = "rgb565" Unorm [5, 6, 5, 0], 2, bgra;
    /// unorm 5, 5, 5, 1, blue in the lowest bits.
    Bgr5A1 = "bgr5_a1" Unorm [5, 5, 5, 1], 2, bgra;
    /// 4 x unorm 4.
    Rgba4 = "rgba4" Unorm [4, 4, 4, 4], 2;
    /// snorm 10, 10, 10, 2.
    Rgb10A2Snorm = "rgb10_a2_snorm" Snorm [10, 10, 10, 2], 4;
    /// Three mantissas of 9 bits with one exponent.
    Rgb9E5 = "rgb9_e5" SharedExponent [9, 9, 9, 5], 4;
    /// Depth, unorm 16.
    D16 = "d16" Unorm [16, 0, 0, 0], 2, depth;
    /// Depth, unorm 24 in 32 bits.
    D24 = "d24" Unorm [24, 0, 0, 0], 4, depth;
    /// Depth, float 32.
    D32f = "d32f" Float [32, 0, 0, 0], 4, depth;
    /// Stencil.
    S8 = "s8" Uint [8, 0, 0, 0], 1;
}

impl Format {
    /// The table row.
    pub fn info(self) -> &'static FormatInfo {
        &INFOS[self as usize]
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> usize {
        usize::from(self.info().bytes)
    }

    /// The format of a name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|f| f.info().name == name)
    }

    /// The format that a shader declares for a storage image; `None` if it declares none.
    pub fn declared(format: ImageFormat) -> Option<Format> {
        use airfoil_ir::Named;
        Format::from_name(format.name())
    }

    /// Whether shaders see integers.
    pub fn is_integer(self) -> bool {
        matches!(self.info().encoding, Encoding::Int | Encoding::Uint)
    }

    /// Reads a texel of [`Format::bytes`] bytes; missing bytes read as 0.
    pub fn read(self, texel: &[u8]) -> Color {
        let info = self.info();
        let word = word(texel);
        if self.is_integer() {
            let mut out = [0, 0, 0, 1];
            for (c, raw, bits) in fields(info, word) {
                out[c] = if info.encoding == Encoding::Int { sign_extend(raw, bits) } else { raw as i64 };
            }
            return Color::Int(out);
        }
        let mut out = [0.0, 0.0, 0.0, 1.0];
        if info.encoding == Encoding::SharedExponent {
            let exponent = (word >> 27) as i32 - 15 - 9;
            for (c, o) in out.iter_mut().enumerate().take(3) {
                *o = (word >> (9 * c) & 0x1ff) as f64 * 2f64.powi(exponent);
            }
            return Color::Float(out);
        }
        for (c, raw, bits) in fields(info, word) {
            out[c] = match info.encoding {
                Encoding::Float => float(raw, bits),
                Encoding::Snorm => (sign_extend(raw, bits) as f64 / bit_mask(bits - 1) as f64).max(-1.0),
                Encoding::Srgb if c < 3 => srgb_to_linear(raw as f64 / bit_mask(bits) as f64),
                _ => raw as f64 / bit_mask(bits) as f64,
            };
        }
        Color::Float(out)
    }

    /// Writes a texel. Numbers out of range become the nearest that the format has, NaN becomes 0 where the format has
    /// none; components that the format does not have are dropped.
    pub fn write(self, texel: &mut [u8], color: Color) {
        let info = self.info();
        let mut word = 0u128;
        let mut shift = 0;
        let floats = match color {
            Color::Float(f) => f,
            Color::Int(i) => i.map(|x| x as f64),
        };
        if info.encoding == Encoding::SharedExponent {
            word = shared_exponent(floats);
        } else {
            for at in 0..4 {
                let c = if info.bgra && at < 3 { 2 - at } else { at };
                let bits = u32::from(info.bits[c]);
                if bits == 0 {
                    continue;
                }
                let x = floats[c];
                let raw = match (info.encoding, color) {
                    (Encoding::Int, Color::Int(v)) => {
                        let high = (bit_mask(bits) >> 1) as i64;
                        v[c].clamp(-high - 1, high) as u64
                    }
                    (Encoding::Uint, Color::Int(v)) if bits < 64 => (v[c] as u64).min(bit_mask(bits)),
                    (Encoding::Uint, Color::Int(v)) => v[c] as u64,
                    (Encoding::Int, _) => {
                        let high = (bit_mask(bits) >> 1) as i64;
                        (x as i64).clamp(-high - 1, high) as u64
                    }
                    (Encoding::Uint, _) => (x as u64).min(bit_mask(bits)),
                    (Encoding::Float, _) => float_bits(x, bits),
                    (Encoding::Snorm, _) => {
                        let x = if x.is_nan() { 0.0 } else { x.clamp(-1.0, 1.0) };
                        (x * bit_mask(bits - 1) as f64).round_ties_even() as i64 as u64
                    }
                    (Encoding::Srgb, _) if c < 3 => unorm(linear_to_srgb(x), bits),
                    _ => unorm(x, bits),
                };
                word |= u128::from(raw & bit_mask(bits)) << shift;
                shift += bits;
            }
        }
        let bytes = word.to_le_bytes();
        let n = texel.len().min(self.bytes());
        texel[..n].copy_from_slice(&bytes[..n]);
    }
}

fn word(texel: &[u8]) -> u128 {
    let mut raw = [0; 16];
    let n = texel.len().min(16);
    raw[..n].copy_from_slice(&texel[..n]);
    u128::from_le_bytes(raw)
}

/// Component, bits and width of every field.
fn fields(info: &FormatInfo, word: u128) -> impl Iterator<Item = (usize, u64, u32)> + '_ {
    let mut shift = 0;
    (0..4).filter_map(move |at| {
        let c = if info.bgra && at < 3 { 2 - at } else { at };
        let bits = u32::from(info.bits[c]);
        if bits == 0 {
            return None;
        }
        let raw = (word >> shift) as u64 & bit_mask(bits);
        shift += bits;
        Some((c, raw, bits))
    })
}

fn unorm(x: f64, bits: u32) -> u64 {
    let x = if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
    (x * bit_mask(bits) as f64).round_ties_even() as u64
}

/// A float; those of 11 and 10 bits are halves without sign and with shorter mantissas.
fn float(raw: u64, bits: u32) -> f64 {
    match bits {
        10 | 11 => f64_from_bits(raw << (15 - bits), 16),
        _ => f64_from_bits(raw, bits),
    }
}

fn float_bits(x: f64, bits: u32) -> u64 {
    if bits > 11 {
        return f64_to_bits(x, bits);
    }
    let drop = 15 - bits;
    if x.is_nan() {
        return bit_mask(bits);
    }
    // The exponent field of all ones is infinity; finite values stay finite.
    let infinite = 0x7c00 >> drop;
    if x.is_infinite() {
        return if x > 0.0 { infinite } else { 0 };
    }
    let half = f64_to_bits(x.max(0.0), 16).min(0x7bff);
    let (kept, rest, middle) = (half >> drop, half & bit_mask(drop), 1 << (drop - 1));
    let up = rest > middle || (rest == middle && kept & 1 == 1);
    (kept + u64::from(up)).min(infinite - 1)
}

fn shared_exponent(floats: [f64; 4]) -> u128 {
    // OpenGL 4.6 section 8.5.2, with N = 9, B = 15 and E = 31.
    const MAX: f64 = 511.0 / 512.0 * 65536.0;
    let [r, g, b] = [0, 1, 2].map(|c| if floats[c].is_nan() { 0.0 } else { floats[c].clamp(0.0, MAX) });
    let highest = r.max(g).max(b);
    let preliminary = if highest > 0.0 { (highest.log2().floor() as i32).max(-16) + 16 } else { 0 };
    let scale = |e: i32| 2f64.powi(e - 15 - 9);
    let most = (highest / scale(preliminary) + 0.5).floor();
    let exponent = if most as u64 == 512 { preliminary + 1 } else { preliminary };
    let field = |x: f64| (x / scale(exponent) + 0.5).floor() as u128;
    field(r) | field(g) << 9 | field(b) << 18 | (exponent as u128) << 27
}

/// The sRGB curve undone.
pub fn srgb_to_linear(x: f64) -> f64 {
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// The sRGB curve.
pub fn linear_to_srgb(x: f64) -> f64 {
    match x {
        _ if x.is_nan() || x <= 0.0 => 0.0,
        _ if x < 0.003_130_8 => 12.92 * x,
        _ if x < 1.0 => 1.055 * x.powf(1.0 / 2.4) - 0.055,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(format: Format, color: Color) -> Vec<u8> {
        let mut texel = vec![0; format.bytes()];
        format.write(&mut texel, color);
        texel
    }

    #[test]
    fn rows_are_whole() {
        for &f in Format::ALL {
            let bits: u32 = f.info().bits.iter().map(|&b| u32::from(b)).sum();
            assert!(bits.div_ceil(8) <= f.bytes() as u32, "{f:?}");
            assert_eq!(Format::from_name(f.info().name), Some(f));
        }
        use airfoil_ir::Named;
        let declared = ImageFormat::ALL.iter().filter(|f| Format::declared(**f).is_none());
        assert_eq!(declared.copied().collect::<Vec<_>>(), [ImageFormat::Unknown]);
    }

    #[test]
    fn known_texels() {
        let f = |r, g, b, a| Color::Float([r, g, b, a]);
        assert_eq!(bytes(Format::Rgba8, f(0.0, 0.5, 1.0, 2.0)), [0, 128, 255, 255]);
        assert_eq!(bytes(Format::Bgra8, f(0.0, 0.5, 1.0, 2.0)), [255, 128, 0, 255]);
        assert_eq!(bytes(Format::R8Snorm, f(-1.0, 0.0, 0.0, 0.0)), [0x81]);
        // Two bits hold -1, 0 and 1.
        assert_eq!(bytes(Format::Rgb10A2Snorm, f(1.0, -1.0, 0.0, -1.0)), 0xc008_05ffu32.to_le_bytes());
        assert_eq!(Format::Rgb10A2Snorm.read(&0xc008_05ffu32.to_le_bytes()), f(1.0, -1.0, 0.0, -1.0));
        assert_eq!(Format::R8Snorm.read(&[0x80]), f(-1.0, 0.0, 0.0, 1.0));
        assert_eq!(bytes(Format::Rgb10A2, f(1.0, 0.0, 1.0, 1.0)), 0xfff0_03ffu32.to_le_bytes());
        assert_eq!(bytes(Format::Rgb565, f(1.0, 0.0, 0.0, 1.0)), 0xf800u16.to_le_bytes());
        assert_eq!(bytes(Format::R16f, f(1.0, 0.0, 0.0, 0.0)), 0x3c00u16.to_le_bytes());
        // 1.0 is exponent 15, mantissa 0; infinity stays, big numbers become the biggest.
        assert_eq!(bytes(Format::R11fG11fB10f, f(1.0, f64::INFINITY, 1e9, 0.0)), {
            (0x3c0u32 | 0x7c0 << 11 | 0x3df << 22).to_le_bytes()
        });
        assert_eq!(Format::R11fG11fB10f.read(&(0x3c0u32 | 0x3e0 << 11).to_le_bytes()), f(1.0, 1.5, 0.0, 1.0));
        // 1.0 = 256 * 2^(16 - 24).
        assert_eq!(bytes(Format::Rgb9E5, f(1.0, 0.5, 0.0, 0.0)), {
            (256u32 | 128 << 9 | 16 << 27).to_le_bytes()
        });
        assert_eq!(Format::Rgb9E5.read(&bytes(Format::Rgb9E5, f(1.0, 0.5, 0.0, 0.0))), f(1.0, 0.5, 0.0, 1.0));
        let Color::Float([linear, ..]) = Format::Srgb8A8.read(&[188, 0, 0, 255]) else { panic!("is float") };
        assert!((linear - 0.502_886).abs() < 1e-5);
        assert_eq!(bytes(Format::Srgb8A8, f(linear, 0.0, 0.0, 0.0))[0], 188);
        assert_eq!(bytes(Format::R8i, Color::Int([-300, 0, 0, 0])), [0x80]);
        assert_eq!(Format::R8i.read(&[0xff]), Color::Int([-1, 0, 0, 1]));
        assert_eq!(bytes(Format::R8ui, Color::Int([300, 0, 0, 0])), [0xff]);
    }

    #[test]
    fn what_is_read_is_written_again() {
        for &f in Format::ALL {
            for seed in 0..64u64 {
                let raw: Vec<u8> =
                    (0..f.bytes() as u64).map(|i| crate::hash::mix(seed, i) as u8 & 0x3f).collect();
                let color = f.read(&raw);
                let again = f.read(&bytes(f, color));
                // A shared exponent has several forms of one number, the numbers are the same.
                assert_eq!(format!("{color:?}"), format!("{again:?}"), "{f:?} {raw:?}");
            }
        }
    }
}

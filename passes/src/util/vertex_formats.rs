//! The formats of vertex attributes in buffers (OpenGL 4.6 section 10.3) and their conversions.

use crate::pass::OptionValue;
use airfoil_ir::{AluOp, Builder, InstrId, Scalar, Src};
use smallvec::SmallVec;

/// The kind of a format.
///
/// # Examples
/// ```
/// use airfoil_passes::util::vertex_formats::FormatKind;
///
/// // Metal reads integers of any width as `int4`, and half floats as floats.
/// assert_eq!(FormatKind::Int8.in_descriptor(), FormatKind::Int);
/// assert_eq!(FormatKind::Half.in_descriptor(), FormatKind::Native);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FormatKind {
    /// In a vertex descriptor: Metal converts it to the type that the shader declares. In a buffer: components of 32 bits that the
    /// shader reads as they are.
    #[default]
    Native = 0,
    /// Signed integers; in a buffer those of 32 bits.
    Int = 1,
    /// Unsigned integers; in a buffer those of 32 bits.
    Uint = 2,
    /// Normalised signed integers of 32 bits.
    Snorm32 = 3,
    /// Normalised unsigned integers of 32 bits.
    Unorm32 = 4,
    /// Fixed point with 16 bits for the fraction (`GL_FIXED`).
    Fixed = 5,
    /// Signed fields of 10, 10, 10 and 2 bits (`GL_INT_2_10_10_10_REV`), not normalised.
    PackedInt = 6,
    /// Unsigned fields of 10, 10, 10 and 2 bits (`GL_UNSIGNED_INT_2_10_10_10_REV`), not normalised.
    PackedUint = 7,
    /// Floats of 64 bits (`GL_DOUBLE`). In a vertex descriptor, of locations below 16: components z and w are read at the location
    /// plus 16.
    Double = 8,
    /// Signed integers of 8 bits.
    Int8 = 9,
    /// Unsigned integers of 8 bits.
    Uint8 = 10,
    /// Normalised signed integers of 8 bits.
    Snorm8 = 11,
    /// Normalised unsigned integers of 8 bits.
    Unorm8 = 12,
    /// Normalised unsigned integers of 8 bits in the order blue, green, red, alpha (size `GL_BGRA`).
    Unorm8Bgra = 13,
    /// Signed integers of 16 bits.
    Int16 = 14,
    /// Unsigned integers of 16 bits.
    Uint16 = 15,
    /// Normalised signed integers of 16 bits.
    Snorm16 = 16,
    /// Normalised unsigned integers of 16 bits.
    Unorm16 = 17,
    /// Floats of 16 bits (`GL_HALF_FLOAT`).
    Half = 18,
    /// `GL_INT_2_10_10_10_REV`, normalised.
    PackedSnorm = 19,
    /// The same in the order blue, green, red, alpha.
    PackedSnormBgra = 20,
    /// `GL_UNSIGNED_INT_2_10_10_10_REV`, normalised.
    PackedUnorm = 21,
    /// The same in the order blue, green, red, alpha.
    PackedUnormBgra = 22,
    /// Floats of 11, 11 and 10 bits (`GL_UNSIGNED_INT_10F_11F_11F_REV`).
    PackedFloat = 23,
}

/// How the bits of a component become a float.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    /// A float of 16, 32 or 64 bits.
    Float,
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A signed integer divided by the largest one, and not below -1.
    Snorm,
    /// An unsigned integer divided by the largest one.
    Unorm,
    /// A signed integer divided by 65536.
    Fixed,
    /// The upper bits of a float of 16 bits without sign.
    SmallFloat,
}

/// Where the components are.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    /// One after the other, with so many bits.
    Array(usize),
    /// Four bytes in the order blue, green, red, alpha.
    Bgra8,
    /// Fields of 10, 10, 10 and 2 bits of a word.
    Tens,
    /// The same in the order blue, green, red, alpha.
    TensBgra,
    /// Fields of 11, 11 and 10 bits of a word.
    Elevens,
}

/// A kind with its name, the kind in a vertex descriptor, and its conversion.
type Row = (FormatKind, &'static str, FormatKind, Layout, Value);

#[rustfmt::skip]
const ROWS: [Row; 24] = {
    use FormatKind as K;
    use Layout::{Array, Bgra8, Elevens, Tens, TensBgra};
    use Value as V;
    [
        (K::Native, "native", K::Native, Array(32), V::Float),
        (K::Int, "int", K::Int, Array(32), V::Signed),
        (K::Uint, "uint", K::Uint, Array(32), V::Unsigned),
        (K::Snorm32, "snorm32", K::Snorm32, Array(32), V::Snorm),
        (K::Unorm32, "unorm32", K::Unorm32, Array(32), V::Unorm),
        (K::Fixed, "fixed", K::Fixed, Array(32), V::Fixed),
        (K::PackedInt, "packed_int", K::PackedInt, Tens, V::Signed),
        (K::PackedUint, "packed_uint", K::PackedUint, Tens, V::Unsigned),
        (K::Double, "double", K::Double, Array(64), V::Float),
        (K::Int8, "int8", K::Int, Array(8), V::Signed),
        (K::Uint8, "uint8", K::Uint, Array(8), V::Unsigned),
        (K::Snorm8, "snorm8", K::Native, Array(8), V::Snorm),
        (K::Unorm8, "unorm8", K::Native, Array(8), V::Unorm),
        (K::Unorm8Bgra, "unorm8_bgra", K::Native, Bgra8, V::Unorm),
        (K::Int16, "int16", K::Int, Array(16), V::Signed),
        (K::Uint16, "uint16", K::Uint, Array(16), V::Unsigned),
        (K::Snorm16, "snorm16", K::Native, Array(16), V::Snorm),
        (K::Unorm16, "unorm16", K::Native, Array(16), V::Unorm),
        (K::Half, "half", K::Native, Array(16), V::Float),
        (K::PackedSnorm, "packed_snorm", K::Native, Tens, V::Snorm),
        (K::PackedSnormBgra, "packed_snorm_bgra", K::Native, TensBgra, V::Snorm),
        (K::PackedUnorm, "packed_unorm", K::Native, Tens, V::Unorm),
        (K::PackedUnormBgra, "packed_unorm_bgra", K::Native, TensBgra, V::Unorm),
        (K::PackedFloat, "packed_float", K::Native, Elevens, V::SmallFloat),
    ]
};

impl FormatKind {
    /// All kinds with their names, by number.
    pub const NAMES: [(FormatKind, &'static str); ROWS.len()] = {
        let mut names = [(FormatKind::Native, ""); ROWS.len()];
        let mut n = 0;
        while n < ROWS.len() {
            names[n] = (ROWS[n].0, ROWS[n].1);
            n += 1;
        }
        names
    };

    /// The kind for an attribute of a vertex descriptor: Metal converts integers of all widths to those of 32 bits, and the formats
    /// that it converts to floats need no code.
    pub fn in_descriptor(self) -> FormatKind {
        ROWS[self as usize].2
    }

    fn layout(self) -> Layout {
        ROWS[self as usize].3
    }

    fn value(self) -> Value {
        ROWS[self as usize].4
    }

    /// The type of the integers that the vertex descriptor supplies.
    pub fn scalar(self) -> Scalar {
        if self.is_signed() && !self.is_packed() { Scalar::Int32 } else { Scalar::Uint32 }
    }

    /// The components are fields of one word.
    pub fn is_packed(self) -> bool {
        matches!(self.layout(), Layout::Tens | Layout::TensBgra | Layout::Elevens)
    }

    /// The first bit of a component and its bits.
    pub fn bits(self, c: usize) -> (usize, usize) {
        let swapped = if c < 3 { 2 - c } else { c };
        let tens = |c: usize| (10 * c, if c == 3 { 2 } else { 10 });
        match self.layout() {
            Layout::Array(bits) => (bits * c, bits),
            Layout::Bgra8 => (8 * swapped, 8),
            Layout::Tens => tens(c),
            Layout::TensBgra => tens(swapped),
            Layout::Elevens => (11 * c, if c == 2 { 10 } else { 11 }),
        }
    }

    fn is_signed(self) -> bool {
        matches!(self.value(), Value::Signed | Value::Snorm | Value::Fixed)
    }

    /// The integer with the bits of a component below 64 bits, from the words of an attribute.
    pub fn integer(self, b: &mut Builder<'_>, words: &[Src], c: usize) -> InstrId {
        let (first, width) = self.bits(c);
        let word = words.get(first / 32).copied().unwrap_or_else(|| b.imm_u32(0).into());
        let word = b.vec_srcs(&[word]);
        field(b, word, (first % 32) as u32, width as u32, self.is_signed())
    }

    /// The float of a component, from the words of an attribute.
    pub fn float(self, b: &mut Builder<'_>, words: &[Src], c: usize) -> InstrId {
        let width = self.bits(c).1;
        if self == FormatKind::Double {
            let mut word = |n| words.get(n).copied().unwrap_or_else(|| b.imm_u32(0).into());
            let pair = [word(2 * c), word(2 * c + 1)];
            let pair = b.vec_srcs(&pair);
            let wide = b.alu(AluOp::pack_64_2x32, &[pair]);
            return b.convert(AluOp::f2f, wide, 32);
        }
        if self == FormatKind::Half {
            let word = words.get(c / 2).copied().unwrap_or_else(|| b.imm_u32(0).into());
            let mut word = b.vec_srcs(&[word]);
            if c % 2 == 1 {
                let upper = b.imm_u32(16);
                word = b.ushr(word, upper);
            }
            return self.converted(b, word, width);
        }
        let bits = self.integer(b, words, c);
        self.converted(b, bits, width)
    }

    /// The floats of values with so many bits; bits above those of a half float do not matter.
    pub fn converted(self, b: &mut Builder<'_>, bits: InstrId, width: usize) -> InstrId {
        let half = |b: &mut Builder<'_>, bits| {
            let bits = b.convert(AluOp::u2u, bits, 16);
            b.convert(AluOp::f2f, bits, 32)
        };
        match self.value() {
            Value::Float if width == 16 => half(b, bits),
            Value::Float => bits,
            Value::SmallFloat => {
                let shift = b.imm_u32(15 - width as u32);
                let bits = b.ishl(bits, shift);
                half(b, bits)
            }
            Value::Signed => b.convert(AluOp::i2f, bits, 32),
            Value::Unsigned => b.convert(AluOp::u2f, bits, 32),
            Value::Fixed => scaled(b, AluOp::i2f, bits, 65536.0),
            Value::Snorm => {
                let value = scaled(b, AluOp::i2f, bits, largest(width - 1));
                let least = b.imm_f32(-1.0);
                b.fmax(value, least)
            }
            Value::Unorm => scaled(b, AluOp::u2f, bits, largest(width)),
        }
    }
}

/// The largest unsigned integer with so many bits.
fn largest(bits: usize) -> f64 {
    ((1_u64 << bits) - 1) as f64
}

/// The format of an attribute.
///
/// # Examples
/// ```
/// use airfoil_passes::util::vertex_formats::{FormatKind, VertexFormat};
///
/// let bytes = |kind, components| VertexFormat { kind, components }.bytes();
/// assert_eq!((bytes(FormatKind::Snorm16, 3), bytes(FormatKind::PackedFloat, 3)), (6, 4));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct VertexFormat {
    /// Its kind.
    pub kind: FormatKind,
    /// Its components, 1 to 4; 0 means 4.
    pub components: u8,
}

impl VertexFormat {
    /// Its components.
    pub fn count(self) -> usize {
        let most = if self.kind.layout() == Layout::Elevens { 3 } else { 4 };
        if self.components == 0 { most } else { usize::from(self.components).min(most) }
    }

    /// Its bytes in a buffer.
    pub fn bytes(self) -> u32 {
        match self.kind.layout() {
            Layout::Array(bits) => (self.count() * bits / 8) as u32,
            Layout::Bgra8 | Layout::Tens | Layout::TensBgra | Layout::Elevens => 4,
        }
    }
}

/// Formats by location.
///
/// # Examples
/// ```
/// use airfoil_passes::OptionValue;
/// use airfoil_passes::util::vertex_formats::{FormatKind, VertexFormats};
///
/// let formats = VertexFormats::parse("0.half.2|3.unorm8.4")?;
/// assert_eq!(formats.at(3).map(|format| format.kind), Some(FormatKind::Unorm8));
/// assert_eq!(formats.at(1), None);
/// assert_eq!(formats.text(), "0.half.2|3.unorm8.4");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexFormats(pub Vec<(u32, VertexFormat)>);

impl VertexFormats {
    /// The format at a location.
    pub fn at(&self, location: u32) -> Option<VertexFormat> {
        self.0.iter().find(|f| f.0 == location).map(|f| f.1)
    }
}

impl OptionValue for VertexFormats {
    fn parse(text: &str) -> Result<VertexFormats, String> {
        let format = |part: &str| {
            let mut words = part.split('.');
            let location = words.next()?.parse().ok()?;
            let name = words.next()?;
            let kind = FormatKind::NAMES.iter().find(|f| f.1 == name)?.0;
            let components = words.next()?.parse().ok().filter(|n| (1..=4).contains(n))?;
            words.next().is_none().then_some((location, VertexFormat { kind, components }))
        };
        let parts = text.split('|').filter(|p| !p.is_empty());
        let formats =
            parts.map(|p| format(p).ok_or_else(|| format!("`{p}` is not `location.kind.components`")));
        Ok(VertexFormats(formats.collect::<Result<_, _>>()?))
    }

    fn text(&self) -> String {
        let one = |(location, f): &(u32, VertexFormat)| {
            format!("{location}.{}.{}", FormatKind::NAMES[f.kind as usize].1, f.count())
        };
        self.0.iter().map(one).collect::<Vec<_>>().join("|")
    }
}

/// Components of a vector with defaults of 0, and 1 for w (OpenGL 4.6 section 10.3).
pub(crate) fn with_defaults(
    b: &mut Builder<'_>,
    components: std::ops::Range<usize>,
    is_float: bool,
    present: impl Fn(usize) -> Option<Src>,
) -> InstrId {
    let lanes: SmallVec<[Src; 4]> = components
        .map(|c| match (present(c), c) {
            (Some(value), _) => value,
            (None, 3) if is_float => b.imm_f32(1.0).into(),
            (None, 3) => b.imm_u32(1).into(),
            (None, _) => b.imm_u32(0).into(),
        })
        .collect();
    b.vec_srcs(&lanes)
}

fn scaled(b: &mut Builder<'_>, op: AluOp, bits: InstrId, by: f64) -> InstrId {
    let value = b.convert(op, bits, 32);
    if by == 1.0 {
        return value;
    }
    let scale = b.imm_f32((1.0 / by) as f32);
    b.fmul(value, scale)
}

/// Bits of a word, extended.
fn field(b: &mut Builder<'_>, word: InstrId, first: u32, width: u32, signed: bool) -> InstrId {
    let above = 32 - width - first;
    if !signed {
        let mut value = word;
        if first != 0 {
            let first = b.imm_u32(first);
            value = b.ushr(value, first);
        }
        if above != 0 {
            let mask = b.imm_u32((1 << width) - 1);
            value = b.iand(value, mask);
        }
        return value;
    }
    let mut value = word;
    if above != 0 {
        let above = b.imm_u32(above);
        value = b.ishl(value, above);
    }
    if width != 32 {
        let right = b.imm_u32(32 - width);
        value = b.ishr(value, right);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_listed_by_number() {
        for (n, (kind, name)) in FormatKind::NAMES.into_iter().enumerate() {
            assert_eq!(kind as usize, n, "{name}");
        }
    }

    #[test]
    fn fields_are_in_their_format() {
        for (kind, name) in FormatKind::NAMES {
            let format = VertexFormat { kind, components: 0 };
            let mut bits: Vec<usize> = (0..format.count())
                .flat_map(|c| {
                    let (first, width) = kind.bits(c);
                    first..first + width
                })
                .collect();
            bits.sort_unstable();
            assert!(bits.into_iter().eq(0..8 * format.bytes() as usize), "{name}");
        }
    }
}

//! Functions of integers, conversions, packing.

use crate::frame::Frame;
use airfoil_interp::texture::{Color, Format};
use airfoil_ir::alu::{Rounding, f64_to_bits, float_to_int, int_to_float, round_f64, saturate};
use airfoil_ir::bit_mask;

/// Operands of a component: values, width in bits, signedness.
type Int = fn(&[i128; 4], u32, bool) -> i128;

/// Names after `air.`; `.s` or `.u` give the signedness of operands.
static TABLE: &[(&str, Int)] = &[
    ("abs", |v, _, _| v[0].abs()),
    ("abs_diff", |v, _, _| (v[0] - v[1]).abs()),
    ("add_sat", |v, bits, signed| saturate(v[0] + v[1], signed, bits)),
    ("clamp", |v, _, _| v[0].max(v[1]).min(v[2])),
    ("clz", |v, bits, _| i128::from((v[0] as u64 & bit_mask(bits)).leading_zeros() + bits) - 64),
    ("ctz", |v, bits, _| i128::from((v[0] as u64 & bit_mask(bits)).trailing_zeros().min(bits))),
    ("extract_bits", |v, bits, signed| extract(v[0], v[1], v[2], bits, signed)),
    ("hadd", |v, _, _| (v[0] + v[1]) >> 1),
    ("insert_bits", |v, bits, _| insert(v[0], v[1], v[2], v[3], bits)),
    ("mad24", |v, _, _| v[0] * v[1] + v[2]),
    ("mad_hi", |v, bits, _| (v[0].wrapping_mul(v[1]) >> bits) + v[2]),
    ("mad_sat", |v, bits, signed| {
        let sum = v[0].checked_mul(v[1]).and_then(|product| product.checked_add(v[2]));
        saturate(sum.unwrap_or(i128::MAX), signed, bits)
    }),
    ("max", |v, _, _| v[0].max(v[1])),
    ("max3", |v, _, _| v[0].max(v[1]).max(v[2])),
    ("median3", |v, _, _| v[0].min(v[1]).max(v[0].max(v[1]).min(v[2]))),
    ("min", |v, _, _| v[0].min(v[1])),
    ("min3", |v, _, _| v[0].min(v[1]).min(v[2])),
    ("mul24", |v, _, _| v[0] * v[1]),
    // Unsigned products of 64 bits fill all 128: the shift leaves the right lower half.
    ("mul_hi", |v, bits, _| v[0].wrapping_mul(v[1]) >> bits),
    ("popcount", |v, bits, _| i128::from((v[0] as u64 & bit_mask(bits)).count_ones())),
    ("reverse_bits", |v, bits, _| i128::from((v[0] as u64).reverse_bits() >> (64 - bits))),
    ("rhadd", |v, _, _| (v[0] + v[1] + 1) >> 1),
    ("rotate", |v, bits, _| rotate(v[0] as u64, v[1] as u32, bits)),
    ("sub_sat", |v, bits, signed| saturate(v[0] - v[1], signed, bits)),
];

/// Offset and number of bits of a field, inside the width.
fn field(offset: i128, count: i128, bits: u32) -> (u32, u32) {
    let offset = (offset as u32).min(bits);
    (offset, (count as u32).min(bits - offset))
}

fn extract(value: i128, offset: i128, count: i128, bits: u32, signed: bool) -> i128 {
    let (offset, count) = field(offset, count, bits);
    if count == 0 {
        return 0;
    }
    let raw = ((value as u64 & bit_mask(bits)) >> offset) & bit_mask(count);
    if signed { i128::from(airfoil_ir::sign_extend(raw, count)) } else { i128::from(raw) }
}

fn insert(base: i128, value: i128, offset: i128, count: i128, bits: u32) -> i128 {
    let (offset, count) = field(offset, count, bits);
    if count == 0 {
        return base;
    }
    let mask = bit_mask(count) << offset;
    i128::from((base as u64 & !mask) | ((value as u64) << offset & mask))
}

fn rotate(value: u64, by: u32, bits: u32) -> i128 {
    let (value, by) = (value & bit_mask(bits), by % bits);
    i128::from(if by == 0 { value } else { value << by | value >> (bits - by) })
}

/// A function of integers.
#[derive(Clone, Copy)]
pub(crate) struct IntOp {
    op: Int,
    signed: bool,
}

impl IntOp {
    /// By its name, and the words after it.
    pub(crate) fn named(name: &str, words: &[&str]) -> Option<IntOp> {
        let row = TABLE.iter().find(|row| row.0 == name)?;
        Some(IntOp { op: row.1, signed: words.contains(&"s") })
    }

    pub(crate) fn run(self, f: &Frame<'_>) {
        let bits = f.ret_bits();
        for c in 0..f.ret_lanes() {
            let operand = |n: usize| {
                // Scalars such as offsets serve all components.
                let lane = if f.lanes(n) == 1 { 0 } else { c };
                f.int(n, lane, self.signed)
            };
            let v = std::array::from_fn(operand);
            f.set(0, c, (self.op)(&v, bits, self.signed) as u64);
        }
    }
}

/// How bits are read or written.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Float,
    Signed,
    Unsigned,
}

impl Kind {
    fn of(word: &str) -> Option<Kind> {
        Some(match word {
            "f" => Kind::Float,
            "s" => Kind::Signed,
            "u" => Kind::Unsigned,
            _ => return None,
        })
    }
}

/// `air.convert.<to>.<type>.<from>.<type>[.rounding][.sat]`
#[derive(Clone, Copy)]
pub(crate) struct Convert {
    from: Kind,
    to: Kind,
    rounding: Option<Rounding>,
    saturate: bool,
}

impl Convert {
    pub(crate) fn named(words: &[&str]) -> Option<Convert> {
        let [to, _, from, _, rest @ ..] = words else { return None };
        let mut rounding = None;
        for word in rest {
            match *word {
                "rte" => rounding = Some(Rounding::Rte),
                "rtz" => rounding = Some(Rounding::Rtz),
                "rtp" => rounding = Some(Rounding::Rtp),
                "rtn" => rounding = Some(Rounding::Rtn),
                "sat" => {}
                _ => return None,
            }
        }
        let saturate = rest.contains(&"sat");
        Some(Convert { from: Kind::of(from)?, to: Kind::of(to)?, rounding, saturate })
    }

    pub(crate) fn run(self, f: &Frame<'_>) {
        let bits = f.ret_bits();
        let signed = self.to == Kind::Signed;
        for c in 0..f.ret_lanes() {
            let out = match (self.from, self.to) {
                (Kind::Float, Kind::Float) => {
                    let mode = self.rounding.unwrap_or(Rounding::Rte);
                    f64_to_bits(round_f64(f.float(0, c), bits, mode), bits)
                }
                // Without a word, a float loses its fraction (Metal 3.2 section 2.12).
                (Kind::Float, _) => {
                    let mode = self.rounding.unwrap_or(Rounding::Rtz);
                    float_to_int(f.float(0, c), signed, bits, mode) as u64
                }
                (from, Kind::Float) => {
                    let x = f.int(0, c, from == Kind::Signed);
                    f64_to_bits(int_to_float(x, bits, self.rounding.unwrap_or(Rounding::Rte)), bits)
                }
                (from, _) => {
                    let x = f.int(0, c, from == Kind::Signed);
                    (if self.saturate { saturate(x, signed, bits) } else { x }) as u64
                }
            };
            f.set(0, c, out);
        }
    }
}

/// `air.pack.*` and `air.unpack.*`: a texel of a format in a word.
#[derive(Clone, Copy)]
pub(crate) struct Packing {
    format: Format,
    pack: bool,
}

/// Names after `air.pack.` and `air.unpack.`, and the format of the word.
static FORMATS: &[(&str, Format)] = &[
    ("snorm.rgb10a2", Format::Rgb10A2Snorm),
    ("snorm1x16", Format::R16Snorm),
    ("snorm1x8", Format::R8Snorm),
    ("snorm2x16", Format::Rg16Snorm),
    ("snorm2x8", Format::Rg8Snorm),
    ("snorm4x16", Format::Rgba16Snorm),
    ("snorm4x8", Format::Rgba8Snorm),
    ("unorm.rg11b10f", Format::R11fG11fB10f),
    ("unorm.rgb10a2", Format::Rgb10A2),
    ("unorm.rgb565", Format::Rgb565),
    ("unorm.rgb9e5", Format::Rgb9E5),
    ("unorm1x16", Format::R16),
    ("unorm1x8", Format::R8),
    ("unorm2x16", Format::Rg16),
    ("unorm2x8", Format::Rg8),
    ("unorm4x16", Format::Rgba16),
    ("unorm4x8", Format::Rgba8),
    ("unorm4x8.srgb", Format::Srgb8A8),
];

impl Packing {
    /// By the words after `pack` or `unpack`; the last one is a type.
    pub(crate) fn named(pack: bool, words: &[&str]) -> Option<Packing> {
        let (_, name) = words.split_last()?;
        let name = name.join(".");
        let row = FORMATS.iter().find(|row| row.0 == name)?;
        Some(Packing { format: row.1, pack })
    }

    pub(crate) fn run(self, f: &Frame<'_>) {
        let mut word = [0u8; 8];
        let bytes = self.format.bytes().min(8);
        if self.pack {
            let color = std::array::from_fn(|c| if c < f.lanes(0) { f.float(0, c) } else { 0.0 });
            self.format.write(&mut word[..bytes], Color::Float(color));
            return f.set(0, 0, u64::from_le_bytes(word));
        }
        word = f.bits(0, 0).to_le_bytes();
        if let Color::Float(color) = self.format.read(&word[..bytes]) {
            color.iter().take(f.ret_lanes()).enumerate().for_each(|(c, &x)| f.set_float(c, x));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(name: &str, v: [i128; 4], bits: u32, signed: bool) -> u64 {
        let op = TABLE.iter().find(|row| row.0 == name).unwrap().1;
        op(&v, bits, signed) as u64 & bit_mask(bits)
    }

    #[test]
    fn integers() {
        assert_eq!(int("clz", [1, 0, 0, 0], 32, false), 31);
        assert_eq!(int("clz", [0, 0, 0, 0], 16, false), 16);
        assert_eq!(int("ctz", [0, 0, 0, 0], 8, false), 8);
        assert_eq!(int("mul_hi", [-1, 2, 0, 0], 32, true), 0xffff_ffff);
        let most = i128::from(u64::MAX);
        assert_eq!(int("mul_hi", [most, most, 0, 0], 64, false), u64::MAX - 1);
        assert_eq!(int("mad_hi", [most, most, 1, 0], 64, false), u64::MAX);
        assert_eq!(int("mad_sat", [most, most, most, 0], 64, false), u64::MAX);
        assert_eq!(int("hadd", [-3, 0, 0, 0], 32, true), 0xffff_fffe);
        assert_eq!(int("extract_bits", [0xf0, 4, 4, 0], 32, true), 0xffff_ffff);
        assert_eq!(int("extract_bits", [0xf0, 40, 4, 0], 32, false), 0);
        assert_eq!(
            int("insert_bits", [0xff, 0, 4, 2, 0].map(|x| x)[..4].try_into().unwrap(), 32, false),
            0xcf
        );
        assert_eq!(int("rotate", [0x81, 1, 0, 0], 8, false), 3);
        assert_eq!(int("reverse_bits", [1, 0, 0, 0], 8, false), 0x80);
        assert_eq!(int("add_sat", [100, 100, 0, 0], 8, true), 127);
        assert_eq!(int("median3", [5, 1, 3, 0], 8, true), 3);
    }
}

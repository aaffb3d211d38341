//! Data types of buffers, and the layout of their numbers (std140, std430).

use super::format::{Format, Kind};
use super::number::Number;
use half::f16;

/// A number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// First bit.
    pub bit: u64,
    /// Width.
    pub bits: u32,
    /// Meaning; of normalised numbers scripts give the raw integers.
    pub kind: Kind,
}

/// A data type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// One number of `bits` bits.
    Scalar(Kind, u32),
    /// Numbers in a row.
    Vector(Kind, u32, u32),
    /// Columns and rows.
    Matrix(Kind, u32, u32, u32),
    /// Elements; without a number as many as there is data.
    Array(Box<Type>, Option<u32>),
    /// Members with offsets and strides where the script specifies them.
    Struct(Vec<Member>),
    /// Texels.
    Texel(Format),
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// Offset, if the script specifies it.
    pub offset: Option<u32>,
    /// Stride of its elements, if the script specifies it.
    pub array_stride: Option<u32>,
    /// Stride of its columns, if the script specifies it.
    pub matrix_stride: Option<u32>,
}

/// Rules of layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// std430 (GLSL 4.60 section 7.6.2.2, OpenGL 4.6 section 7.6.2.2).
    #[default]
    Std430,
    /// std140: arrays and structures are aligned to 16.
    Std140,
}

/// Where the numbers of one element are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Its numbers, in the order in which scripts give them.
    pub leaves: Vec<Leaf>,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// Most numbers in an element.
const MAX_LEAVES: usize = 1 << 20;

impl Type {
    /// A scalar by name.
    pub fn scalar(name: &str) -> Option<Type> {
        let (kind, bits) = match name {
            "int8" => (Kind::Sint, 8),
            "int16" => (Kind::Sint, 16),
            "int32" | "int" => (Kind::Sint, 32),
            "int64" => (Kind::Sint, 64),
            "uint8" => (Kind::Uint, 8),
            "uint16" => (Kind::Uint, 16),
            "uint32" | "uint" => (Kind::Uint, 32),
            "uint64" => (Kind::Uint, 64),
            "float16" => (Kind::Float, 16),
            "float" => (Kind::Float, 32),
            "double" => (Kind::Float, 64),
            _ => return None,
        };
        Some(Type::Scalar(kind, bits))
    }

    /// A type by its text: `int32`, `vec3<float>`, `mat2x4<double>`, each perhaps with `[]` or `[4]`, or a format;
    /// `structs` gives structures by name.
    pub fn parse(text: &str, structs: impl Fn(&str) -> Option<Type>) -> Option<Type> {
        if let Some(rest) = text.strip_suffix(']') {
            let (element, count) = rest.rsplit_once('[')?;
            let count = match count {
                "" => None,
                n => Some(n.parse().ok().filter(|n| *n > 0 && *n <= MAX_LEAVES as u32)?),
            };
            return Some(Type::Array(Box::new(Type::parse(element, structs)?), count));
        }
        if let Some((shape, scalar)) = text.strip_suffix('>').and_then(|t| t.split_once('<')) {
            let Type::Scalar(kind, bits) = Type::scalar(scalar)? else { return None };
            let size = |text: &str| text.parse().ok().filter(|n| (2..=4).contains(n));
            return match shape.strip_prefix("mat") {
                Some(size_text) => {
                    let (columns, rows) = size_text.split_once('x')?;
                    Some(Type::Matrix(kind, bits, size(columns)?, size(rows)?))
                }
                None => Some(Type::Vector(kind, bits, size(shape.strip_prefix("vec")?)?)),
            };
        }
        Type::scalar(text).or_else(|| structs(text)).or_else(|| Format::parse(text).map(Type::Texel))
    }

    /// Bytes that the start is aligned to.
    fn align(&self, rules: Rules) -> u32 {
        let vector = |bits: u32, n: u32| bits / 8 * if n == 3 { 4 } else { n };
        let round = |align: u32| if rules == Rules::Std140 { align.next_multiple_of(16) } else { align };
        match self {
            Type::Scalar(_, bits) => bits / 8,
            Type::Vector(_, bits, n) => vector(*bits, *n),
            Type::Matrix(_, bits, _, rows) => round(vector(*bits, *rows)),
            Type::Array(element, _) => round(element.align(rules)),
            Type::Struct(members) => round(members.iter().map(|m| m.ty.align(rules)).max().unwrap_or(1)),
            Type::Texel(_) => 1,
        }
    }

    /// Adds the values that start at a byte; returns the byte after them.
    fn place(
        &self,
        at: u64,
        rules: Rules,
        strides: (Option<u32>, Option<u32>),
        out: &mut Vec<Leaf>,
    ) -> Option<u64> {
        if out.len() > MAX_LEAVES {
            return None;
        }
        let run = |at: u64, kind, bits: u32, n: u32, out: &mut Vec<Leaf>| {
            out.extend((0..u64::from(n)).map(|i| Leaf { bit: at * 8 + i * u64::from(bits), bits, kind }));
            at + u64::from(n * bits / 8)
        };
        Some(match self {
            Type::Scalar(kind, bits) => run(at, *kind, *bits, 1, out),
            Type::Vector(kind, bits, n) => run(at, *kind, *bits, *n, out),
            Type::Matrix(kind, bits, columns, rows) => {
                let stride = u64::from(strides.1.unwrap_or(self.align(rules)));
                for column in 0..u64::from(*columns) {
                    run(at + column * stride, *kind, *bits, *rows, out);
                }
                at + stride * u64::from(*columns)
            }
            Type::Array(element, count) => {
                let own = strides.0.unwrap_or(element.stride(rules)?);
                let stride =
                    u64::from(own.next_multiple_of(if strides.0.is_some() { 1 } else { self.align(rules) }));
                for n in 0..u64::from(count.unwrap_or(1)) {
                    element.place(at + n * stride, rules, (None, strides.1), out)?;
                }
                at + stride * u64::from(count.unwrap_or(1))
            }
            Type::Struct(members) => {
                let mut end = at;
                for m in members {
                    let align = u64::from(m.ty.align(rules).max(1));
                    let offset = m.offset.map_or((end - at).next_multiple_of(align), u64::from);
                    end = m.ty.place(at + offset, rules, (m.array_stride, m.matrix_stride), out)?;
                }
                at + (end - at).next_multiple_of(u64::from(self.align(rules).max(1)))
            }
            Type::Texel(format) if format.packed => {
                out.push(Leaf { bit: at * 8, bits: format.bytes * 8, kind: Kind::Uint });
                at + u64::from(format.bytes)
            }
            Type::Texel(format) => {
                let meant = format.components.iter().filter(|c| c.name != b'X');
                out.extend(meant.map(|c| Leaf {
                    bit: at * 8 + u64::from(c.bit),
                    bits: c.bits,
                    kind: c.kind,
                }));
                at + u64::from(format.bytes)
            }
        })
    }

    fn stride(&self, rules: Rules) -> Option<u32> {
        let end = self.place(0, rules, (None, None), &mut Vec::new())?;
        u32::try_from(end).ok().map(|end| end.next_multiple_of(self.align(rules).max(1)))
    }

    /// The layout of one element; `None` if it is too large. An open array is its elements.
    pub fn layout(&self, rules: Rules) -> Option<Layout> {
        let mut leaves = Vec::new();
        self.place(0, rules, (None, None), &mut leaves)?;
        Some(Layout { leaves, stride: self.stride(rules)?.max(1) })
    }
}

impl Layout {
    /// The size of a count of numbers in bytes; whole elements.
    pub fn bytes_for(&self, numbers: usize) -> u64 {
        numbers.div_ceil(self.leaves.len().max(1)) as u64 * u64::from(self.stride)
    }

    /// The `n`-th number from the start.
    pub fn leaf(&self, n: usize) -> Leaf {
        let per = self.leaves.len().max(1);
        let leaf = self.leaves.get(n % per).copied().unwrap_or(Leaf { bit: 0, bits: 8, kind: Kind::Uint });
        Leaf { bit: leaf.bit + (n / per) as u64 * u64::from(self.stride) * 8, ..leaf }
    }

    /// The index of the first leaf at or after a byte.
    pub fn leaf_at(&self, byte: u64) -> usize {
        let (element, rest) = (byte / u64::from(self.stride.max(1)), byte % u64::from(self.stride.max(1)));
        let within = self.leaves.iter().position(|l| l.bit >= rest * 8).unwrap_or(self.leaves.len());
        element as usize * self.leaves.len() + within
    }
}

impl Leaf {
    /// Raw bits; `None` beyond the end.
    pub fn raw(&self, bytes: &[u8]) -> Option<u64> {
        let (first, end) = (self.bit / 8, (self.bit + u64::from(self.bits)).div_ceil(8));
        let part = bytes.get(usize::try_from(first).ok()?..usize::try_from(end).ok()?)?;
        let word = part.iter().rev().fold(0u128, |w, b| w << 8 | u128::from(*b));
        Some((word >> (self.bit % 8)) as u64 & (u64::MAX >> (64 - self.bits)))
    }

    /// Sets raw bits; `None` beyond the end.
    pub fn set_raw(&self, bytes: &mut [u8], raw: u64) -> Option<()> {
        let (first, end) = (self.bit / 8, (self.bit + u64::from(self.bits)).div_ceil(8));
        let part = bytes.get_mut(usize::try_from(first).ok()?..usize::try_from(end).ok()?)?;
        let mask = u128::from(u64::MAX >> (64 - self.bits)) << (self.bit % 8);
        let old = part.iter().rev().fold(0u128, |w, b| w << 8 | u128::from(*b));
        let new = old & !mask | u128::from(raw) << (self.bit % 8) & mask;
        for (byte, value) in part.iter_mut().zip(new.to_le_bytes()) {
            *byte = value;
        }
        Some(())
    }

    /// The bits of a number of a script.
    pub fn encode(&self, number: Number) -> u64 {
        match (self.kind, self.bits) {
            (Kind::Float, 16) => u64::from(f16::from_f64(number.float()).to_bits()),
            (Kind::Float, 32) => u64::from((number.float() as f32).to_bits()),
            (Kind::Float, 64) => number.float().to_bits(),
            (Kind::Float, 10 | 11) => u64::from(f16::from_f64(number.float()).to_bits()) >> (15 - self.bits),
            _ => number.int() as u64 & (u64::MAX >> (64 - self.bits)),
        }
    }

    /// The number that bits are.
    pub fn decode(&self, raw: u64) -> Number {
        match (self.kind, self.bits) {
            (Kind::Float, 16) => Number::Float(f16::from_bits(raw as u16).to_f64()),
            (Kind::Float, 32) => Number::Float(f64::from(f32::from_bits(raw as u32))),
            (Kind::Float, 64) => Number::Float(f64::from_bits(raw)),
            (Kind::Float, 10 | 11) => {
                Number::Float(f16::from_bits((raw << (15 - self.bits)) as u16).to_f64())
            }
            (Kind::Sint | Kind::Snorm, bits) => {
                Number::Int(i128::from((raw << (64 - bits)) as i64 >> (64 - bits)))
            }
            _ => Number::Int(raw.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(text: &str) -> Type {
        Type::parse(text, |_| None).unwrap_or_else(|| panic!("{text}"))
    }

    fn offsets(ty: &Type, rules: Rules) -> (Vec<u64>, u32) {
        let layout = ty.layout(rules).unwrap();
        (layout.leaves.iter().map(|l| l.bit / 8).collect(), layout.stride)
    }

    #[test]
    fn layouts() {
        assert_eq!(offsets(&ty("int32"), Rules::Std140), (vec![0], 4));
        assert_eq!(offsets(&ty("int32[]"), Rules::Std140), (vec![0], 16));
        assert_eq!(offsets(&ty("int32[2]"), Rules::Std430), (vec![0, 4], 8));
        assert_eq!(offsets(&ty("vec3<float>"), Rules::Std430), (vec![0, 4, 8], 16));
        assert_eq!(offsets(&ty("mat2x3<float>"), Rules::Std430), (vec![0, 4, 8, 16, 20, 24], 32));
        assert_eq!(offsets(&ty("mat2x2<float>"), Rules::Std430), (vec![0, 4, 8, 12], 16));
        assert_eq!(offsets(&ty("mat2x2<float>"), Rules::Std140), (vec![0, 4, 16, 20], 32));
        assert_eq!(offsets(&ty("R8G8_UNORM"), Rules::Std430), (vec![0, 1], 2));
        let member = |name: &str, ty, offset| Member {
            name: name.into(),
            ty,
            offset,
            array_stride: None,
            matrix_stride: None,
        };
        let s = Type::Struct(vec![
            member("a", ty("float"), None),
            member("b", ty("vec2<float>"), None),
            member("c", ty("uint8"), Some(20)),
        ]);
        assert_eq!(offsets(&s, Rules::Std430), (vec![0, 8, 12, 20], 24));
        assert_eq!(offsets(&s, Rules::Std140), (vec![0, 8, 12, 20], 32));
        for bad in
            ["vec5<float>", "vec3", "mat2<float>", "int31", "int32[0]", "int32[x]", "vec2<vec2<float>>"]
        {
            assert_eq!(Type::parse(bad, |_| None), None, "{bad}");
        }
    }

    #[test]
    fn numbers_in_memory() {
        let layout = ty("A2B10G10R10_SNORM_PACK32").layout(Rules::Std430).unwrap();
        assert_eq!((layout.leaves.len(), layout.leaf(1).bit, layout.leaf(0).bits), (1, 32, 32));
        let mut bytes = [0; 2];
        let bits = |bit, bits| Leaf { bit, bits, kind: Kind::Sint };
        for (leaf, value) in [(bits(0, 3), -1), (bits(3, 10), -512)] {
            leaf.set_raw(&mut bytes, leaf.encode(Number::Int(value))).unwrap();
        }
        assert_eq!(u16::from_le_bytes(bytes), 7 | 0x200 << 3);
        assert_eq!(bits(3, 10).decode(bits(3, 10).raw(&bytes).unwrap()), Number::Int(-512));
        assert_eq!(bits(13, 10).raw(&bytes), None);
        let layout = ty("vec3<float>").layout(Rules::Std430).unwrap();
        assert_eq!(
            (layout.leaf_at(16), layout.leaf_at(20), layout.leaf_at(12), layout.bytes_for(4)),
            (3, 4, 3, 32)
        );
        let half = Leaf { bit: 0, bits: 16, kind: Kind::Float };
        assert_eq!((half.encode(Number::Int(1)), half.decode(0x4000)), (0x3c00, Number::Float(2.0)));
    }
}

//! The outputs of an execution, and the comparison of two.

use airfoil_interp::texture::{Color, Encoding, Format, Image};
use airfoil_interp::{Resources, Tolerance};

/// Memory of one kind.
#[derive(Clone, Debug)]
enum Memory {
    /// Bytes, the types in which are not known.
    Bytes(Vec<u8>),
    /// Words as shaders write them.
    Words(Vec<[u32; 4]>),
    /// Texels.
    Image(Image),
}

/// Buffers, images and pixels, in an order that is always the same.
#[derive(Clone, Debug, Default)]
pub struct Outputs(Vec<(String, Memory)>);

impl Outputs {
    /// All buffers and images that shaders can reach.
    pub fn of(resources: Resources) -> Outputs {
        let mut all = Outputs::default();
        for (n, buffer) in resources.buffers.into_iter().enumerate() {
            all.add_bytes(format!("buffer {n}"), buffer.bytes);
        }
        let images = resources.images.into_iter().enumerate();
        all.0.extend(images.map(|(n, image)| (format!("image {n}"), Memory::Image(image))));
        all
    }

    /// Adds bytes.
    pub fn add_bytes(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        self.0.push((name.into(), Memory::Bytes(bytes)));
    }

    /// Adds pixels.
    pub fn add_words(&mut self, name: impl Into<String>, words: Vec<[u32; 4]>) {
        self.0.push((name.into(), Memory::Words(words)));
    }

    /// The first difference from the results of another execution, as a message. Values that differ from those of
    /// `chance` depend on undefined values, and are not compared.
    pub fn difference(&self, other: &Outputs, chance: Option<&Outputs>) -> Option<String> {
        if self.0.len() != other.0.len() {
            return Some(format!("there are {} and {} buffers and images", self.0.len(), other.0.len()));
        }
        self.0.iter().zip(&other.0).enumerate().find_map(|(n, ((name, a), (_, b)))| {
            let chance = chance.and_then(|all| all.0.get(n)).map(|(_, memory)| memory);
            let what = match (a, b) {
                (Memory::Bytes(a), Memory::Bytes(b)) => {
                    bytes(a, b, if let Some(Memory::Bytes(c)) = chance { c } else { a })
                }
                (Memory::Words(a), Memory::Words(b)) => {
                    words(a, b, if let Some(Memory::Words(c)) = chance { c } else { a })
                }
                (Memory::Image(a), Memory::Image(b)) => {
                    image(a, b, if let Some(Memory::Image(c)) = chance { c } else { a })
                }
                _ => Some("is of two kinds".into()),
            };
            what.map(|what| format!("{name}: {what}"))
        })
    }
}

fn bytes(a: &[u8], b: &[u8], chance: &[u8]) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} and {} bytes", a.len(), b.len()));
    }
    let word = |bytes: &[u8]| {
        let mut raw = [0; 4];
        raw[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(raw)
    };
    let mut pairs = a.chunks(4).zip(b.chunks(4)).map(|(a, b)| (word(a), word(b))).enumerate();
    let differ = |&(n, (a, b)): &(usize, (u32, u32))| {
        !Tolerance::default().accepts_words(a, b) && chance.chunks(4).nth(n).map(word) == Some(a)
    };
    let found = pairs.find(differ);
    found.map(|(n, (a, b))| format!("byte {} is {a:#x} and {b:#x}", n * 4))
}

fn words(a: &[[u32; 4]], b: &[[u32; 4]], chance: &[[u32; 4]]) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} and {} pixels", a.len(), b.len()));
    }
    let differ = |n: usize| {
        let same = |c: usize| Tolerance::default().accepts_words(a[n][c], b[n][c]);
        (0..4).any(|c| !same(c) && chance.get(n).is_some_and(|other| other[c] == a[n][c]))
    };
    let found = (0..a.len()).find(|&n| differ(n));
    found.map(|n| format!("pixel {n} is {:x?} and {:x?}", a[n], b[n]))
}

fn image(a: &Image, b: &Image, chance: &Image) -> Option<String> {
    if (a.format, a.num_levels(), a.bytes(0).len()) != (b.format, b.num_levels(), b.bytes(0).len()) {
        return Some("is of two shapes".into());
    }
    let size = a.format.bytes();
    for level in 0..a.num_levels() {
        let texels = a.bytes(level).chunks_exact(size).zip(b.bytes(level).chunks_exact(size));
        for (n, (one, two)) in texels.enumerate().filter(|(_, (one, two))| one != two) {
            let known = chance.bytes(level).chunks_exact(size).nth(n) == Some(one);
            let (one, two) = (a.format.read(one), a.format.read(two));
            if known && !near(a.format, one, two) {
                return Some(format!("texel {n} of level {level} is {one:?} and {two:?}"));
            }
        }
    }
    None
}

/// Whether texels are equal but for rounding: floats by the tolerance, or as far apart as the format's next number.
fn near(format: Format, a: Color, b: Color) -> bool {
    let (Color::Float(a), Color::Float(b)) = (a, b) else { return a == b };
    let info = format.info();
    (0..4).all(|c| {
        let bits = i32::from(info.bits[c]);
        let tolerance = match info.encoding {
            // Half floats have 10 bits of mantissa, those of 11 and 10 bits have 6 and 5.
            Encoding::Float if bits == 16 => Tolerance { relative: 2f64.powi(-10) },
            Encoding::Float if bits < 16 => Tolerance { relative: 2f64.powi(5 - bits) },
            Encoding::SharedExponent => Tolerance { relative: 2f64.powi(-8) },
            _ => Tolerance::default(),
        };
        let step = match info.encoding {
            Encoding::Unorm | Encoding::Srgb => 1.0 / (2f64.powi(bits) - 1.0),
            Encoding::Snorm => 2.0 / (2f64.powi(bits) - 1.0),
            _ => 0.0,
        };
        // Steps of the curve of sRGB are at most 2.3 times as wide.
        let wide = if info.encoding == Encoding::Srgb { 2.3 } else { 1.01 };
        tolerance.accepts(a[c], b[c]) || (a[c] - b[c]).abs() <= step * wide
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil::ir::Dim;

    fn bytes(words: &[u32]) -> Outputs {
        let mut all = Outputs::default();
        all.add_bytes("b", words.iter().flat_map(|w| w.to_le_bytes()).collect());
        all
    }

    #[test]
    fn words_differ_but_for_rounding() {
        let one = 1.0f32.to_bits();
        assert_eq!(bytes(&[7, one]).difference(&bytes(&[7, one + 3]), None), None);
        let found = bytes(&[7, one]).difference(&bytes(&[8, one]), None);
        assert_eq!(found.as_deref(), Some("b: byte 0 is 0x7 and 0x8"));
        assert!(bytes(&[one]).difference(&bytes(&[1.01f32.to_bits()]), None).is_some());
        assert!(bytes(&[one]).difference(&bytes(&[one, 0]), None).is_some());
        assert!(bytes(&[one]).difference(&Outputs::default(), None).is_some());
    }

    #[test]
    fn what_may_be_anything_is_not_compared() {
        let (one, two) = (bytes(&[1, 2, 3]), bytes(&[1, 9, 4]));
        let found = |chance: &[u32]| one.difference(&two, Some(&bytes(chance)));
        assert_eq!(found(&[1, 5, 3]).as_deref(), Some("b: byte 8 is 0x3 and 0x4"));
        assert_eq!(found(&[1, 5, 6]), None);
        assert_eq!(found(&[0, 2, 6]).as_deref(), Some("b: byte 4 is 0x2 and 0x9"));
    }

    #[test]
    fn texels_differ_but_for_a_step() {
        let with = |format, x: f64| {
            let mut image = Image::new(Dim::D2, format, [2, 1, 1], 1, 1, 1).unwrap();
            image.set(0, 0, [1, 0, 0], 0, Color::Float([x, 0.0, 0.0, 1.0]));
            let mut resources = Resources::new();
            resources.add_image(image);
            Outputs::of(resources)
        };
        let rgba8 = |n: f64| with(Format::Rgba8, n / 255.0);
        assert_eq!(rgba8(128.0).difference(&rgba8(127.0), None), None);
        let found = rgba8(128.0).difference(&rgba8(126.0), None).unwrap();
        assert!(found.starts_with("image 0: texel 1 of level 0 is Float([0.50"), "{found}");
        assert_eq!(with(Format::R16f, 1.0).difference(&with(Format::R16f, 1.0009765625), None), None);
        assert!(with(Format::R32f, 1.0).difference(&with(Format::R32f, 1.001), None).is_some());
    }
}

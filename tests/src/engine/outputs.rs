//! What an execution leaves, and how what two of them leave is compared.

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

    /// The first difference to what another execution of the same left, in words.
    pub fn difference(&self, other: &Outputs) -> Option<String> {
        if self.0.len() != other.0.len() {
            return Some(format!("there are {} and {} buffers and images", self.0.len(), other.0.len()));
        }
        self.0.iter().zip(&other.0).find_map(|((name, a), (_, b))| {
            let what = match (a, b) {
                (Memory::Bytes(a), Memory::Bytes(b)) => bytes(a, b),
                (Memory::Words(a), Memory::Words(b)) => words(a, b),
                (Memory::Image(a), Memory::Image(b)) => image(a, b),
                _ => Some("is of two kinds".into()),
            };
            what.map(|what| format!("{name}: {what}"))
        })
    }
}

fn bytes(a: &[u8], b: &[u8]) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} and {} bytes", a.len(), b.len()));
    }
    let word = |bytes: &[u8]| {
        let mut raw = [0; 4];
        raw[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(raw)
    };
    let mut pairs = a.chunks(4).zip(b.chunks(4)).map(|(a, b)| (word(a), word(b))).enumerate();
    let found = pairs.find(|&(_, (a, b))| !Tolerance::default().accepts_words(a, b));
    found.map(|(n, (a, b))| format!("byte {} is {a:#x} and {b:#x}", n * 4))
}

fn words(a: &[[u32; 4]], b: &[[u32; 4]]) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} and {} pixels", a.len(), b.len()));
    }
    let same =
        |a: &[u32; 4], b: &[u32; 4]| a.iter().zip(b).all(|(a, b)| Tolerance::default().accepts_words(*a, *b));
    let found = a.iter().zip(b).enumerate().find(|(_, (a, b))| !same(a, b));
    found.map(|(n, (a, b))| format!("pixel {n} is {a:#x?} and {b:#x?}"))
}

fn image(a: &Image, b: &Image) -> Option<String> {
    if (a.format, a.num_levels(), a.bytes(0).len()) != (b.format, b.num_levels(), b.bytes(0).len()) {
        return Some("two shapes".into());
    }
    let size = a.format.bytes();
    for level in 0..a.num_levels() {
        let texels = a.bytes(level).chunks_exact(size).zip(b.bytes(level).chunks_exact(size));
        for (n, (one, two)) in texels.enumerate().filter(|(_, (one, two))| one != two) {
            let (one, two) = (a.format.read(one), a.format.read(two));
            if !near(a.format, one, two) {
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
            // The bits of the mantissa, of which 11 and 10 bits have 6 and 5.
            Encoding::Float if bits == 16 => Tolerance { relative: 2f64.powi(-10) },
            Encoding::Float if bits < 16 => Tolerance { relative: 2f64.powi(5 - bits) },
            Encoding::SharedExponent => Tolerance { relative: 2f64.powi(-8) },
            _ => Tolerance::default(),
        };
        let step = match info.encoding {
            Encoding::Unorm | Encoding::Snorm | Encoding::Srgb => 1.01 / (2f64.powi(bits) - 1.0),
            _ => 0.0,
        };
        tolerance.accepts(a[c], b[c])
            || (a[c] - b[c]).abs() <= step * if info.encoding == Encoding::Snorm { 2.0 } else { 1.0 }
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
        assert_eq!(bytes(&[7, one]).difference(&bytes(&[7, one + 3])), None);
        let found = bytes(&[7, one]).difference(&bytes(&[8, one]));
        assert_eq!(found.as_deref(), Some("b: byte 0 is 0x7 and 0x8"));
        assert!(bytes(&[one]).difference(&bytes(&[1.01f32.to_bits()])).is_some());
        assert!(bytes(&[one]).difference(&bytes(&[one, 0])).is_some());
        assert!(bytes(&[one]).difference(&Outputs::default()).is_some());
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
        assert_eq!(rgba8(128.0).difference(&rgba8(127.0)), None);
        let found = rgba8(128.0).difference(&rgba8(126.0)).unwrap();
        assert!(found.starts_with("image 0: texel 1 of level 0 is Float([0.50"), "{found}");
        assert_eq!(with(Format::R16f, 1.0).difference(&with(Format::R16f, 1.0009765625)), None);
        assert!(with(Format::R32f, 1.0).difference(&with(Format::R32f, 1.001)).is_some());
    }
}

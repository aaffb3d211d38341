//! Images that are drawn to: their texels as the words that shaders write.

use super::Target;
use crate::texture::{Color, Encoding, Format, Image};

/// A texel as words: the bits of floats, or integers.
fn words(color: Color) -> [u32; 4] {
    match color {
        Color::Float(c) => c.map(|x| (x as f32).to_bits()),
        Color::Int(c) => c.map(|x| x as u32),
    }
}

/// The colour that words mean in a format.
fn color(format: Format, words: [u32; 4]) -> Color {
    match format.info().encoding {
        Encoding::Int => Color::Int(words.map(|w| i64::from(w as i32))),
        Encoding::Uint => Color::Int(words.map(i64::from)),
        _ => Color::Float(words.map(|w| f64::from(f32::from_bits(w)))),
    }
}

/// Words with the range and precision of a format.
pub(crate) fn kept(format: Format, own: [u32; 4]) -> [u32; 4] {
    if format.info().bits == [32; 4] {
        return own;
    }
    let mut raw = [0; 16];
    let raw = &mut raw[..format.bytes()];
    format.write(raw, color(format, own));
    words(format.read(raw))
}

/// Layer, texel and sample of each position in the lists of a target.
fn places(target: &Target) -> impl Iterator<Item = (u32, [u32; 3], u32)> + use<> {
    let Target { width, height, layers, samples, .. } = *target;
    (0..layers).flat_map(move |layer| {
        (0..height).flat_map(move |y| {
            (0..width).flat_map(move |x| (0..samples).map(move |sample| (layer, [x, y, 0], sample)))
        })
    })
}

impl Target {
    /// The texels of a level as a list of this target; outside of the image they are zero.
    pub fn load(&self, image: &Image, level: u32) -> Vec<[u32; 4]> {
        places(self)
            .map(|(layer, at, sample)| image.get(level, layer, at, sample).map_or([0; 4], words))
            .collect()
    }

    /// Puts the texels of a list that changed into a level.
    pub fn store(&self, image: &mut Image, level: u32, before: &[[u32; 4]], after: &[[u32; 4]]) {
        let changed = places(self).zip(before.iter().zip(after)).filter(|(_, (old, new))| old != new);
        for ((layer, at, sample), (_, &new)) in changed {
            let texel = color(image.format, new);
            image.set(level, layer, at, sample, texel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_ir::Dim;

    #[test]
    fn only_what_changed_is_written() {
        for samples in [1, 2] {
            let target = Target::new(2, 1, 2, 0).with_samples(samples).unwrap();
            let mut image = Image::new(Dim::D2, Format::Rgba8, [2, 1, 1], 2, 1, samples).unwrap();
            let before = target.load(&image, 0);
            assert_eq!(before, vec![[0; 4]; 4 * samples as usize]);
            let mut after = before.clone();
            *after.last_mut().unwrap() = [1.0f32, 0.5, 0.0, 7.0].map(f32::to_bits);
            target.store(&mut image, 0, &before, &after);
            assert_eq!(image.texel(0, 1, [1, 0, 0], samples - 1), Some(&[255, 128, 0, 255][..]));
            assert_eq!(image.texel(0, 1, [0, 0, 0], 0), Some(&[0; 4][..]));
        }
    }

    #[test]
    fn words_have_the_precision_of_their_format() {
        let floats = |f: [f32; 4]| f.map(f32::to_bits);
        assert_eq!(
            kept(Format::Rgba8, floats([0.5, 2.0, -1.0, 0.2])),
            floats([128.0 / 255.0, 1.0, 0.0, 51.0 / 255.0])
        );
        assert_eq!(kept(Format::R32f, floats([0.1, 2.0, 3.0, 4.0])), floats([0.1, 0.0, 0.0, 1.0]));
        assert_eq!(kept(Format::Rgba8i, [7, 200, -300i32 as u32, 0]), [7, 127, -128i32 as u32, 0]);
        let nan = [f32::NAN.to_bits() | 1; 4];
        assert_eq!(kept(Format::Rgba32f, nan), nan);
    }
}

//! Images that are drawn to: their texels as the words that shaders write.

use airfoil_interp::texture::{Color, Encoding, Image};

/// A texel in words: the bits of floats, or integers.
fn words(color: Color) -> [u32; 4] {
    match color {
        Color::Float(c) => c.map(|x| (x as f32).to_bits()),
        Color::Int(c) => c.map(|x| x as u32),
    }
}

/// The colour that words mean in an image.
fn color(image: &Image, words: [u32; 4]) -> Color {
    match image.format.info().encoding {
        Encoding::Int => Color::Int(words.map(|w| i64::from(w as i32))),
        Encoding::Uint => Color::Int(words.map(i64::from)),
        _ => Color::Float(words.map(|w| f64::from(f32::from_bits(w)))),
    }
}

/// Places of a framebuffer of this width, height and number of layers: layer after layer, row after row.
fn places([width, height, layers]: [u32; 3]) -> impl Iterator<Item = (u32, [u32; 3])> {
    (0..layers)
        .flat_map(move |layer| (0..height).flat_map(move |y| (0..width).map(move |x| (layer, [x, y, 0]))))
}

/// The texels of a level; outside of the image they are zero.
pub fn load(image: &Image, level: u32, size: [u32; 3]) -> Vec<[u32; 4]> {
    places(size).map(|(layer, at)| image.get(level, layer, at, 0).map_or([0; 4], words)).collect()
}

/// Puts the texels that changed back.
pub fn store(image: &mut Image, level: u32, size: [u32; 3], before: &[[u32; 4]], after: &[[u32; 4]]) {
    for ((layer, at), (_, &new)) in
        places(size).zip(before.iter().zip(after)).filter(|(_, (old, new))| old != new)
    {
        let texel = color(image, new);
        image.set(level, layer, at, 0, texel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil::ir::Dim;
    use airfoil_interp::texture::Format;

    #[test]
    fn only_what_changed_is_written() {
        let mut image = Image::new(Dim::D2, Format::Rgba8, [2, 1, 1], 2, 1, 1).unwrap();
        let size = [2, 1, 2];
        let before = load(&image, 0, size);
        assert_eq!(before, [[0; 4]; 4]);
        let mut after = before.clone();
        after[3] = [1.0f32, 0.5, 0.0, 7.0].map(f32::to_bits);
        store(&mut image, 0, size, &before, &after);
        assert_eq!(image.texel(0, 1, [1, 0, 0], 0), Some(&[255, 128, 0, 255][..]));
        assert_eq!(image.texel(0, 1, [0, 0, 0], 0), Some(&[0; 4][..]));
    }
}

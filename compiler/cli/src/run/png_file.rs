//! PNG files: texels in, pixels out.

use airfoil::Diagnostic;
use airfoil::ir::Dim;
use airfoil_interp::texture::{Format, Image};
use std::io::Cursor;

fn fault(name: &str, what: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error("E0040", format!("`{name}`: {what}"))
}

/// Reads a PNG as an image of `dim`: a plane, or a cube whose faces are below each other. The first row is that of
/// coordinate 0 unless `flip`.
pub fn read(bytes: &[u8], name: &str, dim: Dim, srgb: bool, flip: bool) -> Result<Image, Diagnostic> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|e| fault(name, format!("not a PNG file: {e}")))?;
    let size = reader.output_buffer_size().ok_or_else(|| fault(name, "the image is too large"))?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(|e| fault(name, e))?;
    let wide = info.bit_depth == png::BitDepth::Sixteen;
    let (w, h) = (info.width, info.height);
    let (height, layers) = match dim {
        Dim::Cube if h == w.saturating_mul(6) => (w, 6),
        Dim::Cube => return Err(fault(name, "a cube takes six square faces below each other")),
        Dim::D1 | Dim::Buffer if h == 1 => (1, 1),
        Dim::D2 | Dim::Rect => (h, 1),
        _ => {
            let what = fault(name, format!("a PNG file cannot be a texture of the shape {dim}"));
            return Err(what.help("JSON can: {\"size\": [4, 4, 4], \"format\": \"rgba8\", \"data\": [...]}"));
        }
    };
    let format = match (wide, srgb) {
        (true, _) => Format::Rgba16,
        (false, true) => Format::Srgb8A8,
        (false, false) => Format::Rgba8,
    };
    let shape = if dim == Dim::Buffer { Dim::D1 } else { dim };
    let mut image =
        Image::new(shape, format, [w, height, 1], layers, 1, 1).map_err(|f| fault(name, f.message))?;
    let bytes = if wide { 2 } else { 1 };
    let samples = info.color_type.samples();
    let out = image.bytes_mut(0);
    let row = w as usize * 4 * bytes;
    for y in 0..h as usize {
        let line = &pixels[y * info.line_size..][..w as usize * samples * bytes];
        let to = if flip && layers == 1 { h as usize - 1 - y } else { y };
        for (pixel, texel) in
            line.chunks_exact(samples * bytes).zip(out[to * row..].chunks_exact_mut(4 * bytes))
        {
            for c in 0..4 {
                // Grey is replicated to all colours; alpha is the last component after the transformations.
                let from = match (samples, c) {
                    (1 | 2, 0..3) => 0,
                    (n, 3) => n - 1,
                    (_, c) => c,
                };
                for b in 0..bytes {
                    // PNG has the high byte first.
                    texel[c * bytes + b] = pixel[from * bytes + bytes - 1 - b];
                }
            }
        }
    }
    Ok(image)
}

/// A PNG file of 8 bits for each of `samples` components: 4 with alpha, 1 grey.
pub fn write(width: u32, height: u32, samples: usize, bytes: &[u8]) -> Result<Vec<u8>, Diagnostic> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(if samples == 1 { png::ColorType::Grayscale } else { png::ColorType::Rgba });
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut w| {
        w.write_image_data(bytes)?;
        w.finish()
    });
    written.map_err(|e| Diagnostic::error("E0005", format!("cannot make a PNG file: {e}")))?;
    Ok(out)
}

/// A colour from 0 to 1 as a byte.
pub fn byte(x: f32) -> u8 {
    // NaN becomes 0.
    (x.clamp(0.0, 1.0) * 255.0).round() as u8
}

//! Texels as raw bits, and sizes as instructions return them.

use super::format::{Color, Format};
use super::image::Viewed;
use airfoil_ir::alu::f64_to_bits;
use airfoil_ir::{Dim, bit_mask};

/// The value of texels that do not exist.
pub fn zero(format: Format) -> Color {
    if format.is_integer() { Color::Int([0; 4]) } else { Color::Float([0.0; 4]) }
}

/// Width, height, depth and layers, as many as the dimension has.
pub fn size_of(v: &Viewed<'_>, dim: Dim, array: bool, lod: u32) -> [u64; 4] {
    let [w, h, d] = if lod < v.levels() { v.size(lod).map(u64::from) } else { [0; 3] };
    let layers = if dim == Dim::Cube { v.layers() / 6 } else { v.layers() };
    let mut out = match dim {
        Dim::D1 | Dim::Buffer => [w, 0, 0, 0],
        Dim::D3 => [w, h, d, 0],
        _ => [w, h, 0, 0],
    };
    if array {
        out[if matches!(dim, Dim::D1) { 1 } else { 2 }] = u64::from(layers);
    }
    out
}

/// A texel as raw bits of the result's type.
pub fn raw(color: Color, is_float: bool, bits: u32) -> [u64; 4] {
    match color {
        Color::Float(f) if is_float => f.map(|x| f64_to_bits(x, bits)),
        Color::Int(i) if is_float => i.map(|x| x as u64 & bit_mask(bits)),
        Color::Int(i) => i.map(|x| x as u64 & bit_mask(bits)),
        Color::Float(f) => f.map(|x| f64_to_bits(x, if bits == 16 { 16 } else { 32 }) & bit_mask(bits)),
    }
}

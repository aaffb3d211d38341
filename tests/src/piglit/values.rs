//! Numbers as the scripts write them: decimal, hexadecimal bits, and with the type's name around them.

use crate::gl::types::{Number, Shape};

/// The number in a generated expression such as `np.float32(1.5)`.
fn bare(word: &str) -> &str {
    match word.strip_suffix(')').and_then(|w| w.split_once('(')) {
        Some((name, inner)) if name.starts_with("np.") => inner,
        _ => word,
    }
}

/// A float: decimal, or the hexadecimal bits of one with this many bits.
pub fn float(word: &str, bits: u32) -> Option<f64> {
    let word = bare(word).trim_end_matches(',').trim();
    if let Some(hex) = word.strip_prefix("0x") {
        let raw = u64::from_str_radix(hex, 16).ok()?;
        return Some(if bits == 64 { f64::from_bits(raw) } else { f64::from(f32::from_bits(raw as u32)) });
    }
    let (sign, digits) = word.strip_prefix('-').map_or((1.0, word), |w| (-1.0, w));
    match digits.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => Some(sign * f64::INFINITY),
        "nan" => Some(f64::NAN),
        _ => word.trim_end_matches(['f', 'F']).parse().ok(),
    }
}

/// Bits of an integer.
pub fn integer(word: &str) -> Option<u64> {
    let word = bare(word).trim_end_matches(['u', 'U', ',']);
    let (negative, digits) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        // `strtoul` stops at a point.
        None => digits.split('.').next()?.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

/// Raw bits of a number of a type.
pub fn bits(word: &str, number: Number, bits: u32) -> Option<u64> {
    match (number, bits) {
        (Number::Float, 64) => float(word, 64).map(f64::to_bits),
        (Number::Float, _) => float(word, 32).map(|x| u64::from((x as f32).to_bits())),
        (_, 64) => integer(word),
        _ => integer(word).map(|x| x & 0xffff_ffff),
    }
}

/// The shape that a name of GLSL means (`int64` is `int64_t`); `None` if the type is not numeric.
pub fn shape(name: &str) -> Option<Shape> {
    let new = |number, bits, columns, rows| Some(Shape { number, bits, columns, rows });
    let kinds: &[(&str, &str, Number, u32)] = &[
        ("float", "vec", Number::Float, 32),
        ("int", "ivec", Number::Int, 32),
        ("uint", "uvec", Number::Uint, 32),
        ("bool", "bvec", Number::Bool, 32),
        ("double", "dvec", Number::Float, 64),
        ("int64_t", "i64vec", Number::Int, 64),
        ("uint64_t", "u64vec", Number::Uint, 64),
    ];
    let small = |text: &str| text.parse::<u32>().ok().filter(|n| (1..=4).contains(n));
    for &(scalar, vector, number, bits) in kinds {
        if name == scalar || scalar.strip_suffix("_t") == Some(name) {
            return new(number, bits, 1, 1);
        }
        if let Some(n) = name.strip_prefix(vector).and_then(small) {
            return new(number, bits, 1, n);
        }
    }
    for (prefix, bits) in [("mat", 32), ("dmat", 64)] {
        let Some(size) = name.strip_prefix(prefix) else { continue };
        let (columns, rows) = size.split_once('x').unwrap_or((size, size));
        if let (Some(columns), Some(rows)) = (small(columns), small(rows)) {
            return new(Number::Float, bits, columns, rows);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(float("np.float32(-1.5)", 32), Some(-1.5));
        assert_eq!(float("0x3f800000", 32), Some(1.0));
        assert_eq!(float("0x3ff0000000000000", 64), Some(1.0));
        assert_eq!(float("-inf", 32), Some(f64::NEG_INFINITY));
        assert_eq!(float("0x3f80000f", 32), Some(f64::from(f32::from_bits(0x3f80_000f))));
        assert_eq!(float("x", 32), None);
        assert_eq!(integer("np.int64(-2)"), Some(u64::MAX - 1));
        assert_eq!(bits("-1", Number::Int, 32), Some(0xffff_ffff));
        assert_eq!(bits("2.5", Number::Float, 64), Some(2.5f64.to_bits()));
    }

    #[test]
    fn names() {
        let shape = |name| shape(name).map(|s| (s.bits, s.columns, s.rows));
        assert_eq!(shape("u64vec3"), Some((64, 1, 3)));
        assert_eq!(shape("dmat2x3"), Some((64, 2, 3)));
        assert_eq!(shape("mat4"), Some((32, 4, 4)));
        assert_eq!(shape("vec5"), None);
        assert_eq!(shape("sampler2D"), None);
    }
}

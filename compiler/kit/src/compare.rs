//! Comparison of recorded contents with the expected ones.

use crate::schema::Element;

/// How far an element may be from the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// Equal bytes.
    Exact,
    /// Units in the last place of a float.
    Ulp(u32),
    /// Steps of each byte of a colour.
    Rgba8(u8),
}

impl Tolerance {
    /// Reads `exact`, `ulp:N` or `rgba8:N`.
    pub fn parse(text: &str) -> Option<Tolerance> {
        match text.split_once(':') {
            None if text == "exact" => Some(Tolerance::Exact),
            Some(("ulp", n)) => n.parse().ok().map(Tolerance::Ulp),
            Some(("rgba8", n)) => n.parse().ok().map(Tolerance::Rgba8),
            _ => None,
        }
    }
}

/// A position on the line of floats: neighbours differ by one, both zeros are 0.
fn rank(bits: u32, width: u32) -> i64 {
    let sign = 1u32 << (width - 1);
    let magnitude = i64::from(bits & (sign - 1));
    if bits & sign == 0 { magnitude } else { -magnitude }
}

fn is_nan(bits: u32, width: u32) -> bool {
    let (magnitude, infinity) =
        if width == 16 { (bits & 0x7fff, 0x7c00) } else { (bits & 0x7fff_ffff, 0x7f80_0000) };
    magnitude > infinity
}

fn floats(expected: u32, found: u32, width: u32, ulp: u32) -> bool {
    match (is_nan(expected, width), is_nan(found, width)) {
        (true, true) => true,
        (false, false) => rank(expected, width).abs_diff(rank(found, width)) <= u64::from(ulp),
        _ => false,
    }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &b| word << 8 | u32::from(b))
}

fn shown(bytes: &[u8], element: Element) -> String {
    match element {
        Element::F32 => format!("{:?} ({:#010x})", f32::from_bits(word(bytes)), word(bytes)),
        Element::U8 => format!("{:#04x}", word(bytes)),
        Element::F16 => format!("{:#06x}", word(bytes)),
        Element::U32 | Element::Rgba8 => format!("{:#010x}", word(bytes)),
    }
}

/// The first difference and the number of elements that differ; `None` if the contents agree.
pub fn difference(expected: &[u8], found: &[u8], element: Element, tolerance: Tolerance) -> Option<String> {
    if expected.len() != found.len() {
        return Some(format!("{} bytes, expected {}", found.len(), expected.len()));
    }
    let width = match element {
        Element::U8 => 1,
        Element::F16 => 2,
        Element::U32 | Element::F32 | Element::Rgba8 => 4,
    };
    let agrees = |(e, f): &(&[u8], &[u8])| match (tolerance, element) {
        _ if e == f => true,
        (Tolerance::Ulp(n), Element::F32) if e.len() == 4 => floats(word(e), word(f), 32, n),
        (Tolerance::Ulp(n), Element::F16) if e.len() == 2 => floats(word(e), word(f), 16, n),
        (Tolerance::Rgba8(n), _) => e.iter().zip(*f).all(|(a, b)| a.abs_diff(*b) <= n),
        _ => false,
    };
    let pairs = expected.chunks(width).zip(found.chunks(width)).enumerate();
    let mut wrong = pairs.filter(|(_, pair)| !agrees(pair));
    let (n, (e, f)) = wrong.next()?;
    let more = wrong.count();
    let (e, f) = (shown(e, element), shown(f, element));
    Some(format!(
        "element {n} is {f}, expected {e}; {} of {} differ",
        more + 1,
        expected.len().div_ceil(width)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn floats_by_units_in_the_last_place() {
        let agree = |a: f32, b: f32, n| {
            difference(&f32s(&[a]), &f32s(&[b]), Element::F32, Tolerance::Ulp(n)).is_none()
        };
        let next = |x: f32, n: u32| f32::from_bits(x.to_bits() + n);
        assert!(agree(1.0, next(1.0, 2), 2) && !agree(1.0, next(1.0, 3), 2));
        assert!(agree(0.0, -0.0, 0) && agree(f32::from_bits(1), f32::from_bits(0x8000_0001), 2));
        assert!(
            agree(f32::NAN, -f32::NAN, 0)
                && !agree(f32::NAN, 1.0, u32::MAX)
                && !agree(1.0, f32::NAN, u32::MAX)
        );
        assert!(!agree(f32::INFINITY, f32::NEG_INFINITY, 1000) && agree(f32::MAX, f32::INFINITY, 1));
        // Halves.
        assert_eq!(difference(&[0, 0x3c], &[1, 0x3c], Element::F16, Tolerance::Ulp(1)), None);
        assert!(difference(&[0, 0x3c], &[2, 0x3c], Element::F16, Tolerance::Ulp(1)).is_some());
        assert!(difference(&[0, 0x3c], &[0, 0x7e], Element::F16, Tolerance::Ulp(u32::MAX)).is_some());
    }

    #[test]
    fn bytes_words_and_colours() {
        assert_eq!(difference(&[1, 2, 3, 4], &[2, 1, 3, 4], Element::Rgba8, Tolerance::Rgba8(1)), None);
        let message = difference(
            &[1, 2, 3, 4, 9, 9, 9, 9],
            &[1, 2, 5, 4, 0, 9, 9, 9],
            Element::Rgba8,
            Tolerance::Rgba8(1),
        );
        assert_eq!(message.unwrap(), "element 0 is 0x04050201, expected 0x04030201; 2 of 2 differ");
        assert_eq!(
            difference(&[1; 3], &[1; 4], Element::U8, Tolerance::Exact).unwrap(),
            "4 bytes, expected 3"
        );
        // A rest that is shorter than an element.
        assert!(difference(&[1; 5], &[2; 5], Element::F32, Tolerance::Ulp(0)).is_some());
        assert_eq!(difference(&[], &[], Element::U32, Tolerance::Exact), None);
    }

    #[test]
    fn tolerances_parse() {
        assert_eq!(Tolerance::parse("exact"), Some(Tolerance::Exact));
        assert_eq!(Tolerance::parse("ulp:16"), Some(Tolerance::Ulp(16)));
        assert_eq!(Tolerance::parse("rgba8:1"), Some(Tolerance::Rgba8(1)));
        for bad in ["", "ulp", "ulp:", "ulp:-1", "ulp:99999999999", "rgba8:256", "near"] {
            assert_eq!(Tolerance::parse(bad), None, "{bad}");
        }
    }
}

//! Numbers: spelling to value. The caller checks which forms a version allows.

/// Suffix of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntSuffix {
    /// None: `int`.
    None,
    /// `u`
    U,
    /// `s`: 16 bits.
    S,
    /// `us`
    Us,
    /// `l`: 64 bits.
    L,
    /// `ul`
    Ul,
}

/// Suffix of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FloatSuffix {
    /// None: `float`.
    None,
    /// `f`
    F,
    /// `hf`: 16 bits.
    Hf,
    /// `lf`: 64 bits.
    Lf,
}

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Literal<'t> {
    /// Value (`None` if it does not fit 64 bits), whether it is decimal, suffix.
    Int(Option<u64>, bool, IntSuffix),
    /// Digits without the suffix, suffix.
    Float(&'t str, FloatSuffix),
}

/// The value of a number, or an error message.
pub(super) fn parse(text: &str) -> Result<Literal<'_>, String> {
    let bytes = text.as_bytes();
    if let [b'0', b'x' | b'X', ..] = bytes {
        let end = 2 + bytes[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        if end == 2 {
            return Err(format!("hexadecimal number '{text}' has no digits"));
        }
        let value = u64::from_str_radix(&text[2..end], 16).ok();
        return Ok(Literal::Int(value, false, int_suffix(text, end)?));
    }
    let whole = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let (end, float) = float_end(bytes, whole);
    if float || is_float_suffix(&text[end..]) {
        let suffix = match &text[end..] {
            "" => FloatSuffix::None,
            "f" | "F" => FloatSuffix::F,
            "hf" | "HF" => FloatSuffix::Hf,
            "lf" | "LF" => FloatSuffix::Lf,
            other => return Err(format!("'{other}' is not a suffix of a float ('{text}')")),
        };
        if !float {
            return Err(format!("float '{text}' needs a decimal point or an exponent"));
        }
        return Ok(Literal::Float(&text[..end], suffix));
    }
    let suffix = int_suffix(text, whole)?;
    if whole > 1 && bytes[0] == b'0' {
        if let Some(digit) = bytes[..whole].iter().find(|b| !(b'0'..=b'7').contains(b)) {
            return Err(format!("'{}' is not an octal digit ('{text}')", char::from(*digit)));
        }
        return Ok(Literal::Int(u64::from_str_radix(&text[..whole], 8).ok(), false, suffix));
    }
    Ok(Literal::Int(text[..whole].parse().ok(), true, suffix))
}

/// Where the digits end, and whether there is a point or an exponent.
fn float_end(bytes: &[u8], whole: usize) -> (usize, bool) {
    let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let (mut end, mut float) = (whole, false);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
        float = true;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = (end + 1 + sign).min(bytes.len());
        if digits(exponent) > exponent {
            end = digits(exponent);
            float = true;
        }
    }
    (end, float)
}

fn is_float_suffix(suffix: &str) -> bool {
    matches!(suffix, "f" | "F" | "hf" | "HF" | "lf" | "LF")
}

fn int_suffix(text: &str, end: usize) -> Result<IntSuffix, String> {
    Ok(match &text[end..] {
        "" => IntSuffix::None,
        "u" | "U" => IntSuffix::U,
        "s" | "S" => IntSuffix::S,
        "us" | "US" | "uS" | "Us" => IntSuffix::Us,
        "l" | "L" => IntSuffix::L,
        "ul" | "UL" | "uL" | "Ul" => IntSuffix::Ul,
        other => return Err(format!("'{other}' is not a suffix of an integer ('{text}')")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        let int = |v, decimal, s| Ok(Literal::Int(Some(v), decimal, s));
        assert_eq!(parse("0"), int(0, true, IntSuffix::None));
        assert_eq!(parse("42u"), int(42, true, IntSuffix::U));
        assert_eq!(parse("0x1F"), int(31, false, IntSuffix::None));
        assert_eq!(parse("0xffUL"), int(255, false, IntSuffix::Ul));
        assert_eq!(parse("017"), int(15, false, IntSuffix::None));
        assert_eq!(parse("00"), int(0, false, IntSuffix::None));
        assert_eq!(parse("3us"), int(3, true, IntSuffix::Us));
        assert_eq!(parse("99999999999999999999"), Ok(Literal::Int(None, true, IntSuffix::None)));
        for bad in ["09", "08u", "0x", "0xg", "1e", "1xyz", "12uu", "1lu", "0x1F.2"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn floats() {
        let float = |t, s| Ok(Literal::Float(t, s));
        assert_eq!(parse("1."), float("1.", FloatSuffix::None));
        assert_eq!(parse(".5f"), float(".5", FloatSuffix::F));
        assert_eq!(parse("09.5"), float("09.5", FloatSuffix::None));
        assert_eq!(parse("1e5"), float("1e5", FloatSuffix::None));
        assert_eq!(parse("1.5E-3LF"), float("1.5E-3", FloatSuffix::Lf));
        assert_eq!(parse("1.0hf"), float("1.0", FloatSuffix::Hf));
        for bad in ["1f", "1.0e", "1.0e+", "1.0q", "1.0Lf", "1lf"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}

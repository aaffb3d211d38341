//! Numbers as scripts write them.

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Without a point, decimal or hexadecimal.
    Int(i128),
    /// With a point or exponent, or `inf`, `nan`.
    Float(f64),
}

impl Number {
    /// Reads a number.
    pub fn parse(text: &str) -> Option<Number> {
        let (negative, digits) = match text.as_bytes() {
            [b'-', ..] => (true, &text[1..]),
            [b'+', ..] => (false, &text[1..]),
            _ => (false, text),
        };
        let sign = |x: i128| if negative { -x } else { x };
        if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            let hex = hex.trim_end_matches(['u', 'U']);
            return u64::from_str_radix(hex, 16).ok().map(|x| Number::Int(sign(x.into())));
        }
        let plain = digits.trim_end_matches(['u', 'U']);
        if !plain.is_empty() && plain.bytes().all(|b| b.is_ascii_digit()) {
            // Beyond 64 bits it is a float.
            return match plain.parse::<u64>() {
                Ok(x) => Some(Number::Int(sign(x.into()))),
                Err(_) => plain.parse().ok().map(|x: f64| Number::Float(if negative { -x } else { x })),
            };
        }
        let word = digits.to_ascii_lowercase();
        let special = matches!(word.as_str(), "inf" | "infinity" | "nan");
        if !special && !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return None;
        }
        let x: f64 = word.trim_end_matches(if special { &[][..] } else { &['f'][..] }).parse().ok()?;
        Some(Number::Float(if negative { -x } else { x }))
    }

    /// As a float.
    pub fn float(self) -> f64 {
        match self {
            Number::Int(x) => x as f64,
            Number::Float(x) => x,
        }
    }

    /// As an integer; floats are cut.
    pub fn int(self) -> i128 {
        match self {
            Number::Int(x) => x,
            Number::Float(x) => x as i128,
        }
    }

    /// Plus `n` times another.
    #[must_use]
    pub fn plus(self, n: u64, step: Number) -> Number {
        match (self, step) {
            (Number::Int(a), Number::Int(b)) => Number::Int(a.wrapping_add(b.wrapping_mul(n.into()))),
            (a, b) => Number::Float(a.float() + b.float() * n as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let int = |text| match Number::parse(text) {
            Some(Number::Int(x)) => x,
            other => panic!("{text} is {other:?}"),
        };
        let float = |text| match Number::parse(text) {
            Some(Number::Float(x)) => x,
            other => panic!("{text} is {other:?}"),
        };
        assert_eq!((int("12"), int("-3"), int("0xff"), int("7u")), (12, -3, 255, 7));
        assert_eq!(int("18446744073709551615"), i128::from(u64::MAX));
        assert_eq!((float("1.5"), float(".5"), float("12."), float("-1e3")), (1.5, 0.5, 12.0, -1000.0));
        assert_eq!(float("-inf"), f64::NEG_INFINITY);
        assert!(float("nan").is_nan());
        for bad in ["", "-", "x", "1.x", "0x", "--1", "1..2", "f", "."] {
            assert_eq!(Number::parse(bad), None, "{bad}");
        }
        assert_eq!(Number::Int(5).plus(3, Number::Int(2)), Number::Int(11));
    }
}

//! Numbers in text: written so that they read back to the same bits.

use crate::alu::f64_to_bits;
use crate::value::{bit_mask, sign_extend};
use half::f16;
use std::fmt::Write;

/// Writes an unsigned decimal number.
pub(super) fn push_uint(out: &mut String, mut n: u64) {
    if n < 10 {
        out.push(char::from(b'0' + n as u8));
        return;
    }
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// The type and width that a literal must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    /// Nothing: a float where the bits look like one.
    Bits,
    /// A float.
    Float,
    /// An integer.
    Int {
        /// Whether it is read as two's complement.
        signed: bool,
    },
}

/// Writes the bits of one component of `bits` bits.
pub(super) fn push_literal(out: &mut String, raw: u64, bits: u8, hint: Hint) {
    match (bits, hint) {
        (1, _) => out.push_str(if raw & 1 != 0 { "true" } else { "false" }),
        (16 | 32 | 64, Hint::Float) => push_float(out, raw, bits),
        (16 | 32 | 64, Hint::Bits) if looks_like_float(raw, bits) => push_float(out, raw, bits),
        (_, Hint::Int { signed: false }) => push_uint(out, raw),
        _ => {
            let value = sign_extend(raw, u32::from(bits.clamp(1, 64)));
            let signed = hint == Hint::Int { signed: true };
            if signed || value.unsigned_abs() <= 0xffff {
                if value < 0 {
                    out.push('-');
                }
                push_uint(out, value.unsigned_abs());
            } else {
                let _ = write!(out, "{raw:#x}");
            }
        }
    }
}

/// Bits that are rarely anything but a float: a normal number from 2^-20 to 2^20, or an infinity.
fn looks_like_float(raw: u64, bits: u8) -> bool {
    let (mantissa, bias) = match bits {
        // Small positive integers are common: halves begin where those end.
        16 => (10, 15),
        32 => (23, 127),
        _ => (52, 1023),
    };
    let exponent = ((raw & bit_mask(u32::from(bits) - 1)) >> mantissa) as i32 - bias;
    if exponent == bias + 1 {
        return raw & bit_mask(mantissa as u32) == 0;
    }
    let limit = if bits == 16 { 10 } else { 20 };
    (-limit..=limit).contains(&exponent)
}

/// Writes the shortest decimal number that rounds to the bits, or the bits in hexadecimal for NaNs.
fn push_float(out: &mut String, raw: u64, bits: u8) {
    let start = out.len();
    let (nan, infinite, negative) = match bits {
        16 => {
            let x = f16::from_bits(raw as u16);
            let _ = write!(out, "{:?}", x.to_f32());
            (x.is_nan(), x.is_infinite(), x.is_sign_negative())
        }
        32 => {
            let x = f32::from_bits(raw as u32);
            let _ = write!(out, "{x:?}");
            (x.is_nan(), x.is_infinite(), x.is_sign_negative())
        }
        _ => {
            let x = f64::from_bits(raw);
            let _ = write!(out, "{x:?}");
            (x.is_nan(), x.is_infinite(), x.is_sign_negative())
        }
    };
    if nan {
        out.truncate(start);
        let _ = write!(out, "{raw:#x}");
    } else if infinite {
        out.truncate(start);
        out.push_str(if negative { "-inf" } else { "inf" });
    }
}

/// Reads a literal as a component of `bits` bits; the error describes the mistake.
pub(super) fn read_literal(text: &str, bits: u8) -> Result<u64, String> {
    let mask = bit_mask(u32::from(bits));
    match text {
        "true" | "false" if bits == 1 => return Ok(u64::from(text == "true")),
        "true" | "false" => return Err(format!("`{text}` is a boolean, but the component has {bits} bits")),
        _ => {}
    }
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |t| (true, t));
    let (radix, body) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        _ => (10, digits),
    };
    let float = radix == 10
        && (matches!(digits, "inf" | "nan") || body.bytes().any(|b| matches!(b, b'.' | b'e' | b'E')));
    if float {
        return read_float(text, negative, digits, bits);
    }
    // Underscores group digits; `_1` is a name.
    if radix == 10 && body.starts_with('_') {
        return Err(format!("`{text}` is not a number"));
    }
    let mut value = 0u64;
    let mut any = false;
    for b in body.bytes().filter(|&b| b != b'_') {
        let digit = char::from(b).to_digit(radix).ok_or_else(|| format!("`{text}` is not a number"))?;
        any = true;
        value = value
            .checked_mul(u64::from(radix))
            .and_then(|v| v.checked_add(u64::from(digit)))
            .ok_or_else(|| format!("`{text}` does not fit 64 bits"))?;
    }
    if !any {
        return Err(format!("`{text}` is not a number"));
    }
    let fits = if negative { value <= (mask >> 1) + 1 } else { value <= mask };
    if !fits {
        return Err(format!("`{text}` does not fit {bits} bits"));
    }
    Ok(if negative { value.wrapping_neg() & mask } else { value })
}

fn read_float(text: &str, negative: bool, digits: &str, bits: u8) -> Result<u64, String> {
    if !matches!(bits, 16 | 32 | 64) {
        return Err(format!("`{text}` is a float, but the component has {bits} bits"));
    }
    let raw = match (digits, bits) {
        ("inf", _) => f64_to_bits(f64::INFINITY, u32::from(bits)),
        ("nan", 16) => 0x7e00,
        ("nan", 32) => 0x7fc0_0000,
        ("nan", _) => 0x7ff8_0000_0000_0000,
        (_, 16) => {
            let x: f64 = digits.parse().map_err(|_| format!("`{text}` is not a number"))?;
            f64_to_bits(x, 16)
        }
        (_, 32) => {
            let x: f32 = digits.parse().map_err(|_| format!("`{text}` is not a number"))?;
            u64::from(x.to_bits())
        }
        _ => {
            let x: f64 = digits.parse().map_err(|_| format!("`{text}` is not a number"))?;
            x.to_bits()
        }
    };
    Ok(if negative { raw | 1 << (bits - 1) } else { raw })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: u64, bits: u8, hint: Hint) -> String {
        let mut out = String::new();
        push_literal(&mut out, raw, bits, hint);
        out
    }

    #[test]
    fn every_half_reads_back() {
        for hint in [Hint::Bits, Hint::Float, Hint::Int { signed: true }, Hint::Int { signed: false }] {
            for raw in 0..=0xffffu64 {
                let t = text(raw, 16, hint);
                assert_eq!(read_literal(&t, 16), Ok(raw), "{t}");
            }
        }
    }

    #[test]
    fn wide_bits_read_back() {
        let mut x = 0x9e37_79b9_7f4a_7c15u64;
        let mut cases = vec![0, 1, u64::MAX, 1 << 63, 0x7ff0 << 48, 0xfff0 << 48, (0x7ff0 << 48) + 1];
        for _ in 0..20_000 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            cases.push(x);
        }
        for raw in cases {
            for hint in [Hint::Bits, Hint::Float, Hint::Int { signed: true }, Hint::Int { signed: false }] {
                for bits in [1, 8, 32, 64] {
                    let raw = raw & bit_mask(u32::from(bits));
                    let t = text(raw, bits, hint);
                    assert_eq!(read_literal(&t, bits), Ok(raw), "{t}");
                }
            }
        }
    }

    #[test]
    fn literals_look_pleasant() {
        assert_eq!(text(0x3f80_0000, 32, Hint::Bits), "1.0");
        assert_eq!(text(0xbf00_0000, 32, Hint::Bits), "-0.5");
        assert_eq!(text(5, 32, Hint::Bits), "5");
        assert_eq!(text(0xffff_ffff, 32, Hint::Bits), "-1");
        assert_eq!(text(0x8000_0000, 32, Hint::Bits), "0x80000000");
        assert_eq!(text(0x8000_0000, 32, Hint::Float), "-0.0");
        assert_eq!(text(0x7f80_0000, 32, Hint::Bits), "inf");
        assert_eq!(text(0x7fc0_0000, 32, Hint::Float), "0x7fc00000");
        assert_eq!(text(1, 1, Hint::Bits), "true");
    }

    #[test]
    fn bad_literals_are_refused() {
        for (t, bits) in [
            ("256", 8),
            ("-129", 8),
            ("1.0", 8),
            ("true", 32),
            ("0x", 32),
            ("", 32),
            ("12a", 32),
            ("1.2.3", 32),
            ("99999999999999999999999", 64),
            ("2", 1),
            ("_6", 32),
            ("-_6", 32),
        ] {
            assert!(read_literal(t, bits).is_err(), "{t}");
        }
        assert_eq!(read_literal("-128", 8), Ok(0x80));
        assert_eq!(read_literal("0b101", 8), Ok(5));
        assert_eq!(read_literal("1_000", 16), Ok(1000));
        assert_eq!(read_literal("1e400", 64), Ok(0x7ff0 << 48));
    }
}

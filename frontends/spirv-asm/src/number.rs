//! Numbers: text to the bits of a type.

use half::f16;

/// A numeric type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// `OpTypeInt`.
    Int {
        /// Width.
        bits: u32,
        /// Signedness.
        signed: bool,
    },
    /// `OpTypeFloat` of IEEE 754.
    Float {
        /// Width.
        bits: u32,
    },
}

/// The type of operands of instructions that are called literal integers.
pub(crate) const WORD: Number = Number::Int { bits: 32, signed: false };

/// A decimal number with a given count of significant digits, without zeros at the end (`%g` of C).
fn general(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return if value.is_sign_negative() { "-0".to_owned() } else { "0".to_owned() };
    }
    let text = format!("{value:.*e}", digits - 1);
    let (significand, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let cut = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", cut(significand), exponent.abs());
    }
    cut(&format!("{value:.*}", (digits as i32 - 1 - exponent).max(0) as usize))
}

/// A float in hexadecimal, infinities and NaNs included: their exponent is one more than the largest.
fn hex_text(raw: u64, exponent_bits: u32, fraction_bits: u32) -> String {
    let sign = if raw >> (exponent_bits + fraction_bits) & 1 != 0 { "-" } else { "" };
    let bias = (1i64 << (exponent_bits - 1)) - 1;
    let mut exponent = (raw >> fraction_bits & ((1 << exponent_bits) - 1)) as i64;
    let mut fraction = raw & ((1 << fraction_bits) - 1);
    if exponent == 0 && fraction == 0 {
        return format!("{sign}0x0p+0");
    }
    if exponent == 0 {
        // A subnormal number is shifted until its first bit is the one before the point.
        exponent = 1;
        while fraction >> fraction_bits == 0 {
            fraction <<= 1;
            exponent -= 1;
        }
        fraction &= (1 << fraction_bits) - 1;
    }
    let width = fraction_bits.div_ceil(4);
    let digits = format!("{:0width$x}", fraction << (width * 4 - fraction_bits), width = width as usize);
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x1{point}{digits}p{:+}", exponent - bias)
}

impl Number {
    fn bits(self) -> u32 {
        match self {
            Number::Int { bits, .. } | Number::Float { bits } => bits,
        }
    }

    /// The text of a number, as `spirv-dis` writes it.
    pub(crate) fn show(self, raw: u64) -> String {
        match self {
            Number::Int { bits, signed: true } => {
                let shift = 64 - bits.clamp(1, 64);
                (((raw << shift) as i64) >> shift).to_string()
            }
            Number::Int { bits, signed: false } => {
                let shift = 64 - bits.clamp(1, 64);
                ((raw << shift) >> shift).to_string()
            }
            Number::Float { bits: 64 } => {
                let value = f64::from_bits(raw);
                if value.is_normal() || value == 0.0 { general(value, 17) } else { hex_text(raw, 11, 52) }
            }
            Number::Float { bits: 32 } => {
                let value = f32::from_bits(raw as u32);
                let normal = value.is_normal() || value == 0.0;
                if normal { general(f64::from(value), 9) } else { hex_text(raw & 0xffff_ffff, 8, 23) }
            }
            Number::Float { .. } => hex_text(raw & 0xffff, 5, 10),
        }
    }

    /// Whether it takes two words.
    pub(crate) fn is_wide(self) -> bool {
        self.bits() > 32
    }

    /// The bits of a number, extended to a word or two (SPIR-V 1.6 section 2.2.1).
    pub(crate) fn parse(self, text: &str) -> Result<u64, String> {
        if !matches!(self.bits(), 8 | 16 | 32 | 64) {
            return Err(format!("{}-bit literals are not supported", self.bits()));
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Err(format!("`{text}` is not a number"));
        }
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        match self {
            Number::Int { bits, signed } => int(negative, digits, hex, bits, signed),
            Number::Float { bits } => float(negative, digits, hex, bits),
        }
        .ok_or_else(|| match self {
            Number::Int { bits, signed } => {
                let sign = if signed { "a signed" } else { "an unsigned" };
                format!("`{text}` does not fit {sign} {bits}-bit integer")
            }
            Number::Float { bits } => format!("`{text}` is not a {bits}-bit floating-point number"),
        })
    }
}

fn int(negative: bool, digits: &str, hex: Option<&str>, bits: u32, signed: bool) -> Option<u64> {
    let plain = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric());
    let magnitude = match hex {
        Some(hex) if plain(hex) => u64::from_str_radix(hex, 16).ok()?,
        None if plain(digits) => digits.parse().ok()?,
        _ => return None,
    };
    let all = u64::MAX >> (64 - bits);
    let top = 1 << (bits - 1);
    let most = match (signed, negative) {
        (true, true) => top,
        (false, true) => 0,
        // Hexadecimal digits are bits.
        (true, false) if hex.is_none() => top - 1,
        _ => all,
    };
    if magnitude > most {
        return None;
    }
    let value = if negative { magnitude.wrapping_neg() & all } else { magnitude };
    let extended = if signed && value & top != 0 { value | !all } else { value };
    Some(if bits <= 32 { extended & 0xffff_ffff } else { extended })
}

fn float(negative: bool, digits: &str, hex: Option<&str>, bits: u32) -> Option<u64> {
    let magnitude = match hex {
        Some(hex) => hex_float(hex, bits)?,
        None if !digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) => {
            return None;
        }
        None => match bits {
            64 => Some(digits.parse::<f64>().ok()?).filter(|x| x.is_finite())?.to_bits(),
            32 => u64::from(finite(digits)?.to_bits()),
            16 => half_toward_zero(finite(digits)?)?,
            _ => return None,
        },
    };
    Some(if negative { magnitude | 1 << (bits - 1) } else { magnitude })
}

fn finite(digits: &str) -> Option<f32> {
    digits.parse::<f32>().ok().filter(|x| x.is_finite())
}

/// The half at or below a float; assemblers agree on cutting.
fn half_toward_zero(x: f32) -> Option<u64> {
    let near = f16::from_f32(x);
    let below = if near.to_f32() > x { f16::from_bits(near.to_bits() - 1) } else { near };
    below.is_finite().then_some(u64::from(below.to_bits()))
}

/// `1.8p+3` after its `0x`. An exponent one above the largest denotes infinities and NaNs: `0x1p+128`,
/// `0x1.8p+128`.
fn hex_float(text: &str, bits: u32) -> Option<u64> {
    let (mantissa, exponent) = text.split_once(['p', 'P']).unwrap_or((text, "0"));
    let mut exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse::<i32>().ok()?.into();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (mut value, mut lost) = (0u128, false);
    for (n, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u128::from(digit.to_digit(16)?);
        let after_point = n >= whole.len();
        if value >> 120 == 0 {
            value = value << 4 | digit;
            exponent -= if after_point { 4 } else { 0 };
        } else {
            lost |= digit != 0;
            exponent += if after_point { 0 } else { 4 };
        }
    }
    if value == 0 {
        return Some(0);
    }
    let (mantissa_bits, bias) = match bits {
        16 => (10, 15),
        32 => (23, 127),
        64 => (52, 1023),
        _ => return None,
    };
    // The value is 1.f * 2^exponent with the leading one at bit `top`.
    let top = 127 - i64::from(value.leading_zeros());
    exponent += top;
    if exponent > bias + 1 {
        return None;
    }
    // Denormals keep fewer bits.
    let keep = if exponent < 1 - bias { mantissa_bits + exponent - (1 - bias) } else { mantissa_bits };
    let shift = top - keep;
    let mut kept = match shift {
        s if s > 127 => return Some(0),
        s if s <= 0 => (value << -s) as u64,
        s => {
            let (kept, rest, middle) = (value >> s, value & ((1 << s) - 1), 1u128 << (s - 1));
            // Halves are cut, as decimal ones are.
            let up = bits > 16 && (rest > middle || rest == middle && (lost || kept & 1 == 1));
            (kept + u128::from(up)) as u64
        }
    };
    if exponent < 1 - bias {
        return Some(kept);
    }
    let mut biased = (exponent + bias) as u64;
    if kept >> (mantissa_bits + 1) != 0 {
        (kept, biased) = (kept >> 1, biased + 1);
    }
    let all = (2 * bias + 1) as u64;
    (biased <= all).then_some(biased << mantissa_bits | kept & ((1 << mantissa_bits) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str, bits: u32, signed: bool) -> Option<u64> {
        Number::Int { bits, signed }.parse(text).ok()
    }

    fn float(text: &str, bits: u32) -> Option<u64> {
        Number::Float { bits }.parse(text).ok()
    }

    #[test]
    fn integers() {
        assert_eq!(int("-1", 32, true), Some(0xffff_ffff));
        assert_eq!(int("0xffffffff", 32, true), Some(0xffff_ffff));
        assert_eq!(int("-2", 16, true), Some(0xffff_fffe));
        assert_eq!(int("0x8000", 16, true), Some(0xffff_8000));
        assert_eq!(int("65535", 16, false), Some(0xffff));
        assert_eq!(int("-1", 64, true), Some(u64::MAX));
        assert_eq!(int("-9223372036854775808", 64, true), Some(1 << 63));
        for (bad, bits, signed) in [
            ("-1", 32, false),
            ("2147483648", 32, true),
            ("65536", 16, false),
            ("1.0", 32, true),
            ("", 32, true),
            ("0x", 32, true),
            ("+1", 32, true),
            ("1", 7, true),
        ] {
            assert_eq!(int(bad, bits, signed), None, "{bad}");
        }
    }

    #[test]
    fn decimal_floats() {
        assert_eq!(float("1.5", 32), Some(u64::from(1.5f32.to_bits())));
        assert_eq!(float("-0", 32), Some(1 << 31));
        assert_eq!(float("9.99999997e-07", 32), Some(u64::from(1e-6f32.to_bits())));
        assert_eq!(float("0.1", 64), Some(0.1f64.to_bits()));
        assert_eq!(float("1", 16), Some(0x3c00));
        assert_eq!(float("65519", 16), Some(0x7bff));
        assert_eq!(float("0x1.ffffp+3", 16), Some(0x4bff));
        for bad in ["inf", "nan", "1e99", "1.0f", "infinity", ".", "1_0"] {
            assert_eq!(float(bad, 32), None, "{bad}");
        }
    }

    #[test]
    fn hex_floats() {
        assert_eq!(float("0x1p+128", 32), Some(0x7f80_0000));
        assert_eq!(float("-0x1.8p+128", 32), Some(0xffc0_0000));
        assert_eq!(float("0x1.8p1", 32), Some(u64::from(3f32.to_bits())));
        assert_eq!(float("0x.8", 32), Some(u64::from(0.5f32.to_bits())));
        assert_eq!(float("0x1p-149", 32), Some(1));
        assert_eq!(float("0x1p-150", 32), Some(0));
        assert_eq!(float("0x1.8p-150", 32), Some(1));
        assert_eq!(float("0x1p+16", 16), Some(0x7c00));
        assert_eq!(float("0x1.fffffffffffffp+1023", 64), Some(f64::MAX.to_bits()));
        assert_eq!(float("0x1.fffffffp0", 32), Some(u64::from(2f32.to_bits())));
        assert_eq!(float("0x0p+999999", 32), Some(0));
        for bad in ["0x1p+129", "0xp1", "0x1p", "0x1.g", "0x1p+99999999999"] {
            assert_eq!(float(bad, 32), None, "{bad}");
        }
    }
}

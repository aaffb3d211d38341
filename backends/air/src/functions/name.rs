//! Names of `air.*` functions: printing and parsing.

use super::{Air, AirFunction, ConversionMode, NumberKind, TextureKind, TypeWord, Word};
use airfoil_ir::RoundingMode;
use std::fmt::{self, Write};

/// Conversion modes and their words, the longer ones first.
const MODES: [(&str, RoundingMode, bool); 9] = [
    (".rte.sat", RoundingMode::Rte, true),
    (".rtz.sat", RoundingMode::Rtz, true),
    (".rtp.sat", RoundingMode::Rtp, true),
    (".rtn.sat", RoundingMode::Rtn, true),
    (".sat", RoundingMode::Undef, true),
    (".rte", RoundingMode::Rte, false),
    (".rtz", RoundingMode::Rtz, false),
    (".rtp", RoundingMode::Rtp, false),
    (".rtn", RoundingMode::Rtn, false),
];

impl fmt::Display for TypeWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lanes != 1 {
            write!(f, "v{}", self.lanes)?;
        }
        f.write_char(if self.float { 'f' } else { 'i' })?;
        self.bits.fmt(f)
    }
}

impl fmt::Display for ConversionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = MODES.iter().find(|m| (m.1, m.2) == (self.rounding, self.saturate)).map_or("", |m| m.0);
        f.write_str(word)
    }
}

impl fmt::Display for AirFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.base.info().name;
        let mut words = self.words.iter();
        while let Some((text, placeholder, after)) = split(rest) {
            f.write_str(text)?;
            match (*words.next().unwrap_or(&Word::None), placeholder) {
                (Word::Number(kind, ty), "kT" | "kU") => write!(f, "{}.{ty}", kind.letter())?,
                (Word::Number(kind, ty), "sT" | "sI") if kind != NumberKind::Float => {
                    write!(f, "{}.{ty}", kind.letter())?;
                }
                (Word::Number(_, ty), _) => ty.fmt(f)?,
                (Word::Texture(kind), _) => f.write_str(TextureKind::ALL[usize::from(kind)].name)?,
                (Word::Mode(mode), _) => mode.fmt(f)?,
                (Word::Space(space), _) => space.fmt(f)?,
                (Word::None, _) => {}
            }
            rest = after;
        }
        f.write_str(rest)
    }
}

/// Splits a name of the table at its first placeholder: the text before it, the placeholder, the text after it.
fn split(name: &'static str) -> Option<(&'static str, &'static str, &'static str)> {
    let (text, rest) = name.split_once('{')?;
    let (placeholder, after) = rest.split_once('}')?;
    Some((text, placeholder, after))
}

impl AirFunction {
    /// The function with a name; `None` if the table does not have it.
    pub fn parse(name: &str) -> Option<AirFunction> {
        Air::ALL.iter().find_map(|&base| {
            let fixed = base.info().name.split('{').next().unwrap_or_default();
            name.starts_with(fixed).then(|| Self::parse_as(base, name)).flatten()
        })
    }

    fn parse_as(base: Air, name: &str) -> Option<AirFunction> {
        let (mut rest, mut name) = (base.info().name, name);
        let mut function = AirFunction::from(base);
        let mut words = function.words.iter_mut();
        while let Some((text, placeholder, after)) = split(rest) {
            name = name.strip_prefix(text)?;
            let (word, left) = parse_word(placeholder, name)?;
            *words.next()? = word;
            (rest, name) = (after, left);
        }
        (name == rest).then_some(function)
    }
}

/// The word at the start of a text, and the rest.
fn parse_word<'n>(placeholder: &str, text: &'n str) -> Option<(Word, &'n str)> {
    match placeholder {
        "tex" => {
            let fits = |k: &&TextureKind| {
                let after = text.strip_prefix(k.name);
                after.is_some_and(|t| t.is_empty() || t.starts_with('.') || t.starts_with("_grad"))
            };
            let kind = TextureKind::ALL.iter().find(fits)?;
            Some((Word::texture(kind), &text[kind.name.len()..]))
        }
        "mode" => {
            let found = MODES.iter().find(|m| text == m.0);
            let mode =
                found.map_or(ConversionMode::DEFAULT, |m| ConversionMode { rounding: m.1, saturate: m.2 });
            Some((Word::Mode(mode), &text[found.map_or(0, |m| m.0.len())..]))
        }
        "A" | "B" => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            Some((Word::Space(text[..digits].parse().ok()?), &text[digits..]))
        }
        _ => {
            let signs = [("s.", NumberKind::Signed), ("u.", NumberKind::Unsigned), ("f.", NumberKind::Float)];
            let sign = signs.iter().find_map(|&(word, kind)| Some((kind, text.strip_prefix(word)?)));
            let (ty, rest) = parse_type(sign.map_or(text, |s| s.1))?;
            let sign = sign.map(|s| s.0);
            let kind = match (placeholder, sign, ty.float) {
                ("kT" | "kU", Some(kind), float) if (kind == NumberKind::Float) == float => kind,
                ("sT" | "sI", Some(kind), false) if kind != NumberKind::Float => kind,
                ("F" | "T" | "sT", None, true) => NumberKind::Float,
                ("I" | "T", None, false) => NumberKind::Unsigned,
                _ => return None,
            };
            Some((Word::Number(kind, ty), rest))
        }
    }
}

/// The type at the start of a text, and the rest.
fn parse_type(text: &str) -> Option<(TypeWord, &str)> {
    let (word, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (lanes, scalar) = match word.strip_prefix('v') {
        Some(vector) => {
            (vector.bytes().next()?.checked_sub(b'0').filter(|n| (2..=4).contains(n))?, &vector[1..])
        }
        None => (1, word),
    };
    let (float, bits) = match scalar.strip_prefix('f') {
        Some(bits) => (true, bits),
        None => (false, scalar.strip_prefix('i')?),
    };
    let bits = bits.parse().ok().filter(|b| [1, 8, 16, 32, 64].contains(b))?;
    Some((TypeWord { float, bits, lanes }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        let names = [
            "air.fast_fmax.v2f32",
            "air.clamp.f32",
            "air.clamp.s.i32",
            "air.convert.u.i8.f.f32.rte.sat",
            "air.convert.f.v4f32.f.v4f16",
            "air.sample_texture_2d_array.v4f16",
            "air.sample_depth_2d_grad.f32",
            "air.sample_texture_cube.u.v4i32",
            "air.atomic.global.cmpxchg.weak.i32",
            "air.atomic_fetch_min_explicit_texture_buffer_1d.s.v4i32",
            "air.simd_ballot.i64",
            "air.unpack.unorm4x8.srgb.v4f32",
            "air.interpolate_offset_no_perspective.v4f32",
            "llvm.memcpy.p0i8.p2i8.i64",
        ];
        for name in names {
            let function = AirFunction::parse(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(function.to_string(), name);
        }
    }

    #[test]
    fn other_names_are_unknown() {
        let names = [
            "air.clamp.i32",
            "air.fabs.i32",
            "air.max.f32",
            "air.clz.u.i32",
            "air.convert.f",
            "air.sample_texture_7d.v4f32",
            "air.fabs.v5f32",
            "air.fabs",
            "air.simd_sum.i32",
        ];
        for name in names {
            assert_eq!(AirFunction::parse(name), None, "{name}");
        }
    }
}

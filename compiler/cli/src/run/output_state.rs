//! Option values of `airfoil run` for the operations on fragments: `--depth`, `--stencil`, `--blend`.

use airfoil_interp::pipeline::{
    Blend, BlendOp, ColorState, Equation, Factor, Stencil, StencilFace, StencilOp,
};
use airfoil_interp::texture::Compare;
use std::str::FromStr;

/// A word of a table.
fn named<T: Copy>(text: &str, table: &[(&'static str, T)]) -> Result<T, String> {
    let name = text.trim().to_ascii_lowercase().replace('-', "_");
    table.iter().find(|row| row.0 == name).map(|row| row.1).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|row| row.0).collect();
        format!("`{text}` is none of {}", names.join(", "))
    })
}

/// A comparison by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompareName(pub Compare);

impl FromStr for CompareName {
    type Err = String;

    fn from_str(text: &str) -> Result<CompareName, String> {
        named(text, Compare::NAMES).map(CompareName)
    }
}

/// `COMPARISON,REFERENCE[,PASS[,FAIL[,DEPTH_FAIL]]]`, for both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilTest(pub Stencil);

impl FromStr for StencilTest {
    type Err = String;

    fn from_str(text: &str) -> Result<StencilTest, String> {
        let parts: Vec<&str> = text.split(',').collect();
        let (2..=5, [compare, reference, ops @ ..]) = (parts.len(), parts.as_slice()) else {
            return Err("expected COMPARISON,REFERENCE[,PASS[,FAIL[,DEPTH_FAIL]]]".to_string());
        };
        let op = |n: usize| ops.get(n).map_or(Ok(StencilOp::Keep), |text| named(text, StencilOp::NAMES));
        let reference =
            reference.trim().parse().map_err(|_| format!("`{reference}` is not a number from 0 to 255"))?;
        let face = StencilFace {
            compare: named(compare, Compare::NAMES)?,
            reference,
            pass: op(0)?,
            fail: op(1)?,
            depth_fail: op(2)?,
            ..StencilFace::default()
        };
        Ok(StencilTest(Stencil { front: face, back: face }))
    }
}

/// `[N=]WAY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlendOf {
    /// The colour; `None` for all that have no options of their own.
    color: Option<u32>,
    blend: Blend,
}

/// Usual ways to blend: the equation of colours, and that of alpha.
const WAYS: &[(&str, &str)] = &[
    ("alpha", "src_alpha,one_minus_src_alpha/one,one_minus_src_alpha"),
    ("premultiplied", "one,one_minus_src_alpha"),
    ("add", "one,one"),
    ("multiply", "dst_color,zero"),
    ("min", "one,one,min"),
    ("max", "one,one,max"),
];

fn equation(text: &str) -> Result<Equation, String> {
    let parts: Vec<&str> = text.split(',').collect();
    let (2..=3, [source, destination, op @ ..]) = (parts.len(), parts.as_slice()) else {
        let ways: Vec<&str> = WAYS.iter().map(|w| w.0).collect();
        return Err(format!("`{text}` is neither SRC,DST[,OP] nor one of {}", ways.join(", ")));
    };
    Ok(Equation {
        source: named(source, Factor::NAMES)?,
        destination: named(destination, Factor::NAMES)?,
        op: op.first().map_or(Ok(BlendOp::Add), |op| named(op, BlendOp::NAMES))?,
    })
}

impl FromStr for BlendOf {
    type Err = String;

    fn from_str(text: &str) -> Result<BlendOf, String> {
        let (color, way) = match text.split_once('=') {
            Some((n, way)) => {
                let color = n.parse().ok().filter(|n| *n < 32);
                (Some(color.ok_or_else(|| format!("there is no colour `{n}`"))?), way)
            }
            None => (None, text),
        };
        let way = WAYS.iter().find(|w| w.0 == way).map_or(way, |w| w.1);
        let (of_color, of_alpha) = way.split_once('/').unwrap_or((way, way));
        Ok(BlendOf { color, blend: Blend { color: equation(of_color)?, alpha: equation(of_alpha)? } })
    }
}

/// The blend states of the first `count` colours.
pub fn colors(blends: &[BlendOf], count: usize) -> Vec<ColorState> {
    let of = |n: Option<u32>| blends.iter().rev().find(|b| b.color == n).map(|b| b.blend);
    (0..count as u32)
        .map(|n| ColorState { blend: of(Some(n)).or(of(None)), ..ColorState::default() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blends_by_name_and_by_equation() {
        let way = |text: &str| text.parse::<BlendOf>();
        assert!(WAYS.iter().all(|w| way(w.0).is_ok()));
        let max = Blend::of(BlendOp::Max, Factor::One, Factor::One);
        assert_eq!(way("1=max"), Ok(BlendOf { color: Some(1), blend: max }));
        let dual = way("src1-alpha,zero,subtract/one,one").unwrap().blend;
        assert_eq!(
            (dual.color.source, dual.color.op, dual.alpha.op),
            (Factor::Source1Alpha, BlendOp::Subtract, BlendOp::Add)
        );
        for bad in ["", "most", "one", "one,two", "one,one,add,add", "x=max", "99=max", "one,one/"] {
            assert!(way(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_colour_of_its_own_goes_before() {
        let blends = ["1=min", "add", "1=max"].map(|text| text.parse::<BlendOf>().unwrap());
        let ops: Vec<BlendOp> = colors(&blends, 3).iter().map(|c| c.blend.unwrap().color.op).collect();
        assert_eq!(ops, [BlendOp::Add, BlendOp::Max, BlendOp::Add]);
        assert_eq!(colors(&blends[..1], 1)[0].blend, None);
    }

    #[test]
    fn stencil_tests() {
        let StencilTest(test) = "not_equal,7,replace,keep,invert".parse().unwrap();
        let face = StencilFace {
            compare: Compare::NotEqual,
            reference: 7,
            pass: StencilOp::Replace,
            depth_fail: StencilOp::Invert,
            ..StencilFace::default()
        };
        assert_eq!((test.front, test.back), (face, face));
        for bad in ["always", "always,256", "always,1,more", "sometimes,1", "always,1,keep,keep,keep,keep"] {
            assert!(bad.parse::<StencilTest>().is_err(), "{bad}");
        }
    }
}

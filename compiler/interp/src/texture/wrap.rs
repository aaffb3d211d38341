//! Wrapping of texel coordinates: OpenGL 4.6 table 8.20, Vulkan "Wrapping Operation".

use super::sampler::Wrap;

fn mirror(n: i64) -> i64 {
    if n >= 0 { n } else { -(1 + n) }
}

/// The texel that `i` names in a row of `n` texels; `None` is the border.
pub(crate) fn wrap(mode: Wrap, i: i64, n: i64) -> Option<i64> {
    match mode {
        Wrap::Repeat => Some(i.rem_euclid(n)),
        Wrap::MirroredRepeat => Some((n - 1) - mirror(i.rem_euclid(2 * n) - n)),
        Wrap::ClampToEdge => Some(i.clamp(0, n - 1)),
        Wrap::ClampToBorder | Wrap::Clamp => (0..n).contains(&i).then_some(i),
        Wrap::MirrorClampToEdge => Some(mirror(i).clamp(0, n - 1)),
    }
}

/// A coordinate in texels, before its integer part is taken.
pub(crate) fn coordinate(mode: Wrap, u: f64, n: i64) -> f64 {
    let u = if u.is_finite() { u } else { 0.0 };
    if mode == Wrap::Clamp { u.clamp(0.0, n as f64) } else { u }
}

/// The texel below a coordinate, far enough from the ends of 64-bit numbers.
pub(crate) fn floor(u: f64) -> i64 {
    (u.floor() as i64).clamp(-(1 << 40), 1 << 40)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_three() {
        let row = |mode| (-5..8).map(|i| wrap(mode, i, 3).unwrap_or(-1)).collect::<Vec<_>>();
        assert_eq!(row(Wrap::Repeat), [1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]);
        assert_eq!(row(Wrap::MirroredRepeat), [1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]);
        assert_eq!(row(Wrap::ClampToEdge), [0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2]);
        assert_eq!(row(Wrap::ClampToBorder), [-1, -1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1, -1]);
        assert_eq!(row(Wrap::MirrorClampToEdge), [2, 2, 2, 1, 0, 0, 1, 2, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn coordinates_without_number_are_zero() {
        assert_eq!(coordinate(Wrap::Repeat, f64::NAN, 4), 0.0);
        assert_eq!(coordinate(Wrap::Clamp, 9.0, 4), 4.0);
        assert_eq!(floor(-0.25), -1);
        assert!(floor(1e300) > 0);
    }
}

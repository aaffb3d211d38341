//! Comparisons, minimum and maximum, sign and clamping.

use super::code::V;
use super::format::{FIRST_NAN, ONE, SIGN, magnitude, or_nan};

/// Which relations make a comparison true.
#[derive(Clone, Copy)]
pub(crate) enum Relation {
    Equal,
    NotEqual,
    Less,
    GreaterOrEqual,
    /// Always.
    Any,
}

/// An integer that is ordered like the float; both zeros are 0.
fn key<'c>(a: V<'c>, magnitude: V<'c>) -> V<'c> {
    let negative = a.sar(63);
    (magnitude ^ negative) - negative
}

/// An integer that is ordered like the float, -0 below +0.
fn total_key(a: V<'_>) -> V<'_> {
    a ^ (a.sar(63) >> 1)
}

fn is_nan(a: V<'_>) -> V<'_> {
    magnitude(a).uge(FIRST_NAN)
}

/// Whether `a` and `b` are in a relation; with a NaN the result is `unordered`.
pub(crate) fn compare<'c>(relation: Relation, unordered: bool, a: V<'c>, b: V<'c>) -> V<'c> {
    let (ma, mb) = (magnitude(a), magnitude(b));
    let (ka, kb) = (key(a, ma), key(b, mb));
    let holds = match relation {
        Relation::Equal => Some(ka.ieq(kb)),
        Relation::NotEqual => Some(ka.ine(kb)),
        Relation::Less => Some(ka.ilt(kb)),
        Relation::GreaterOrEqual => Some(!ka.ilt(kb)),
        Relation::Any => None,
    };
    let nan = ma.umax(mb).uge(FIRST_NAN);
    match (holds, unordered) {
        (Some(holds), true) => holds | nan,
        (Some(holds), false) => holds & !nan,
        (None, true) => nan,
        (None, false) => !nan,
    }
}

/// `a` where `first` is true, else `b`.
fn either<'c>(first: V<'c>, a: V<'c>, b: V<'c>) -> V<'c> {
    let result = first.select(a, b);
    or_nan(magnitude(result), result)
}

/// The smaller; a NaN loses.
pub(crate) fn min<'c>(a: V<'c>, b: V<'c>) -> V<'c> {
    let less = total_key(b).ilt(total_key(a)) & !is_nan(b);
    either(less | is_nan(a), b, a)
}

/// The larger; a NaN loses.
pub(crate) fn max<'c>(a: V<'c>, b: V<'c>) -> V<'c> {
    let greater = total_key(a).ilt(total_key(b)) & !is_nan(b);
    either(greater | is_nan(a), b, a)
}

/// Clamped to [0, 1]; NaN gives 0.
pub(crate) fn saturate(a: V<'_>) -> V<'_> {
    let positive = a.imax(0);
    positive.uge(FIRST_NAN).select(a.imm(0), positive.umin(ONE))
}

/// -1, 0 or 1; zero keeps its sign, NaN gives 0.
pub(crate) fn sign(a: V<'_>) -> V<'_> {
    let m = magnitude(a);
    let one = m.ieq(0).select(a, (a & SIGN) | ONE);
    m.uge(FIRST_NAN).select(a.imm(0), one)
}

//! Operations that invocations do together: derivatives, quad and simd-group operations, barriers.

use crate::frame::Frame;
use airfoil_ir::alu::{f64_from_bits, f64_to_bits, max_num, min_num};
use airfoil_ir::{bit_mask, sign_extend};

/// The invocations that take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Four neighbours.
    Quad,
    /// A simd-group.
    Simd,
    /// The threadgroup.
    Group,
}

/// How values are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Sum,
    Product,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// A collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collective {
    /// All invocations wait.
    Barrier,
    /// Change along x (0), y (1), or the sum of both magnitudes (2).
    Derivative(u8),
    /// Change of coordinates of a texture lookup.
    Slopes,
    /// A value of another invocation: its index from the own one and an operand.
    Shuffle(Shuffle),
    /// All values combined.
    Reduce(Combine),
    /// Those of the invocations before, the own one included or not.
    Scan(Combine, bool),
    /// Whether a condition is true for all (or for any).
    Vote(bool),
    /// A bit for each invocation.
    Ballot,
    /// A bit for each active invocation.
    Active,
    /// Whether a mask holds all (any) active invocations.
    VoteMask(bool),
    /// Whether this is the first active invocation.
    First,
    /// Whether all have the same value.
    Uniform,
}

/// Which invocation a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Index,
    First,
    Xor,
    Up,
    Down,
    RotateUp,
    RotateDown,
    FillUp,
    FillDown,
}

/// Words after `simd_` and `quad_`.
static WORDS: &[(&str, Collective)] = &[
    ("active_threads_mask", Collective::Active),
    ("all", Collective::Vote(true)),
    ("and", Collective::Reduce(Combine::And)),
    ("any", Collective::Vote(false)),
    ("ballot", Collective::Ballot),
    ("broadcast", Collective::Shuffle(Shuffle::Index)),
    ("broadcast_first", Collective::Shuffle(Shuffle::First)),
    ("is_first", Collective::First),
    ("max", Collective::Reduce(Combine::Max)),
    ("min", Collective::Reduce(Combine::Min)),
    ("or", Collective::Reduce(Combine::Or)),
    ("prefix_exclusive_product", Collective::Scan(Combine::Product, false)),
    ("prefix_exclusive_sum", Collective::Scan(Combine::Sum, false)),
    ("prefix_inclusive_product", Collective::Scan(Combine::Product, true)),
    ("prefix_inclusive_sum", Collective::Scan(Combine::Sum, true)),
    ("product", Collective::Reduce(Combine::Product)),
    ("shuffle", Collective::Shuffle(Shuffle::Index)),
    ("shuffle_and_fill_down", Collective::Shuffle(Shuffle::FillDown)),
    ("shuffle_and_fill_up", Collective::Shuffle(Shuffle::FillUp)),
    ("shuffle_down", Collective::Shuffle(Shuffle::Down)),
    ("shuffle_rotate_down", Collective::Shuffle(Shuffle::RotateDown)),
    ("shuffle_rotate_up", Collective::Shuffle(Shuffle::RotateUp)),
    ("shuffle_up", Collective::Shuffle(Shuffle::Up)),
    ("shuffle_xor", Collective::Shuffle(Shuffle::Xor)),
    ("sum", Collective::Reduce(Combine::Sum)),
    ("vote_all", Collective::VoteMask(true)),
    ("vote_any", Collective::VoteMask(false)),
    ("xor", Collective::Reduce(Combine::Xor)),
];

/// A collective operation by its name, and whether integers are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupCall {
    pub(crate) op: Collective,
    pub(crate) scope: Scope,
    signed: bool,
}

impl GroupCall {
    pub(crate) fn named(name: &str, words: &[&str]) -> Option<GroupCall> {
        let call = |op, scope| Some(GroupCall { op, scope, signed: words.contains(&"s") });
        match (name, words) {
            ("wg", ["barrier", ..]) => return call(Collective::Barrier, Scope::Group),
            ("simdgroup", ["barrier", ..]) => return call(Collective::Barrier, Scope::Simd),
            ("dfdx", _) => return call(Collective::Derivative(0), Scope::Quad),
            ("dfdy", _) => return call(Collective::Derivative(1), Scope::Quad),
            ("fwidth", _) => return call(Collective::Derivative(2), Scope::Quad),
            ("is_uniform", _) => return call(Collective::Uniform, Scope::Simd),
            _ => {}
        }
        let (scope, word) = match name.strip_prefix("simd_") {
            Some(word) => (Scope::Simd, word),
            None => (Scope::Quad, name.strip_prefix("quad_")?),
        };
        let row = WORDS.iter().find(|row| row.0 == word)?;
        call(row.1, scope)
    }

    pub(crate) fn slopes() -> GroupCall {
        GroupCall { op: Collective::Slopes, scope: Scope::Quad, signed: false }
    }

    /// Whether all invocations must take part: otherwise the results are undefined.
    pub(crate) fn needs_all(&self) -> bool {
        matches!(self.op, Collective::Barrier | Collective::Derivative(_) | Collective::Slopes)
    }

    fn combine(&self, how: Combine, a: u64, b: u64, bits: u32, float: bool) -> u64 {
        if float {
            let (x, y) = (f64_from_bits(a, bits), f64_from_bits(b, bits));
            let z = match how {
                Combine::Sum => x + y,
                Combine::Product => x * y,
                Combine::Min => min_num(x, y),
                _ => max_num(x, y),
            };
            return f64_to_bits(z, bits);
        }
        let signed = |raw| if self.signed { sign_extend(raw, bits) } else { raw as i64 };
        let less = if self.signed { signed(a) < signed(b) } else { a < b };
        let out = match how {
            Combine::Sum => a.wrapping_add(b),
            Combine::Product => a.wrapping_mul(b),
            Combine::Min => {
                if less {
                    a
                } else {
                    b
                }
            }
            Combine::Max => {
                if less {
                    b
                } else {
                    a
                }
            }
            Combine::And => a & b,
            Combine::Or => a | b,
            Combine::Xor => a ^ b,
        };
        out & bit_mask(bits)
    }

    /// The neutral element of an operation.
    fn neutral(&self, how: Combine, bits: u32, float: bool) -> u64 {
        match how {
            Combine::Product if float => f64_to_bits(1.0, bits),
            Combine::Product => 1,
            Combine::And => bit_mask(bits),
            _ => 0,
        }
    }

    /// Executes it for the invocations that wait; `lanes` has their indices in the scope, ascending, of `size`.
    pub(crate) fn run(&self, lanes: &[(usize, Frame<'_>)], size: usize) {
        let mask = lanes.iter().fold(0u64, |m, l| m | 1 << (l.0 & 63));
        let find = |n: usize| lanes.iter().find(|l| l.0 == n).map(|l| &l.1);
        let condition = |f: &Frame<'_>| f.bits(0, 0) & 1 != 0;
        match self.op {
            Collective::Barrier | Collective::Slopes => {}
            Collective::Derivative(which) => derivatives(lanes, which),
            Collective::Shuffle(shuffle) => self.shuffle(lanes, shuffle, size as i64),
            Collective::Reduce(how) => {
                each_component(lanes, |values, bits, float| {
                    let mut rest = values.iter().copied();
                    let first = rest.next().unwrap_or(0);
                    let all = rest.fold(first, |a, b| self.combine(how, a, b, bits, float));
                    vec![all; values.len()]
                });
            }
            Collective::Scan(how, inclusive) => {
                each_component(lanes, |values, bits, float| {
                    let mut so_far = self.neutral(how, bits, float);
                    let mut out = Vec::with_capacity(values.len());
                    for (n, &v) in values.iter().enumerate() {
                        let next = if n == 0 { v } else { self.combine(how, so_far, v, bits, float) };
                        out.push(if inclusive { next } else { so_far });
                        so_far = next;
                    }
                    out
                });
            }
            Collective::Vote(all) => {
                let is = |f: &&(usize, Frame<'_>)| condition(&f.1);
                let value =
                    if all { lanes.iter().all(|l| condition(&l.1)) } else { lanes.iter().find(is).is_some() };
                lanes.iter().for_each(|l| l.1.set(0, 0, u64::from(value)));
            }
            Collective::Ballot => {
                let bits = lanes.iter().filter(|l| condition(&l.1)).fold(0u64, |m, l| m | 1 << (l.0 & 63));
                lanes.iter().for_each(|l| l.1.set(0, 0, bits));
            }
            Collective::Active => lanes.iter().for_each(|l| l.1.set(0, 0, mask)),
            Collective::VoteMask(all) => {
                for (_, f) in lanes {
                    let vote = f.bits(0, 0) & mask;
                    f.set(0, 0, u64::from(if all { vote == mask } else { vote != 0 }));
                }
            }
            Collective::First => {
                let first = mask.trailing_zeros() as usize;
                lanes.iter().for_each(|l| l.1.set(0, 0, u64::from(l.0 == first)));
            }
            Collective::Uniform => {
                let first = find(mask.trailing_zeros() as usize).map_or(0, |f| f.bits(0, 0));
                let same = lanes.iter().all(|l| l.1.bits(0, 0) == first);
                lanes.iter().for_each(|l| l.1.set(0, 0, u64::from(same)));
            }
        }
    }

    fn shuffle(&self, lanes: &[(usize, Frame<'_>)], shuffle: Shuffle, size: i64) {
        let first = lanes.first().map_or(0, |l| l.0);
        let count = lanes.first().map_or(0, |l| l.1.ret_lanes());
        // Results go where operands are read from by others: all are read first.
        let mut results = Vec::with_capacity(lanes.len());
        for (own, f) in lanes {
            let (own, n) = (*own as i64, f.bits(1, 0) as i64);
            let from = match shuffle {
                Shuffle::Index => n,
                Shuffle::First => first as i64,
                Shuffle::Xor => own ^ n,
                Shuffle::Up => own - n,
                Shuffle::Down => own + n,
                Shuffle::RotateUp => (own - n).rem_euclid(size),
                Shuffle::RotateDown => (own + n).rem_euclid(size),
                Shuffle::FillUp => own - f.bits(2, 0) as i64,
                Shuffle::FillDown => own + f.bits(2, 0) as i64,
            };
            // Missing values come from the other operand, as if it were adjacent.
            let fills = matches!(shuffle, Shuffle::FillUp | Shuffle::FillDown);
            let width = match (fills, f.bits(3, 0)) {
                (true, w) if w > 0 => w as i64,
                _ => size,
            };
            let section = own / width * width;
            let outside = fills && !(section..section + width).contains(&from);
            let (operand, from) = match outside {
                true => (1, section + (from - section).rem_euclid(width)),
                false => (0, from),
            };
            let source = usize::try_from(from).ok().and_then(|n| lanes.iter().find(|l| l.0 == n));
            let source = source.map_or(f, |l| &l.1);
            results.push((0..count).map(|c| source.bits(operand, c)).collect::<Vec<u64>>());
        }
        for ((_, f), values) in lanes.iter().zip(results) {
            values.into_iter().enumerate().for_each(|(c, v)| f.set(0, c, v));
        }
    }
}

/// Applies a function to each component of all invocations.
fn each_component(lanes: &[(usize, Frame<'_>)], f: impl Fn(&[u64], u32, bool) -> Vec<u64>) {
    let Some((_, first)) = lanes.first() else { return };
    let (bits, float) = (first.ret_bits(), first.ret_is_float());
    for c in 0..first.ret_lanes() {
        let values: Vec<u64> = lanes.iter().map(|l| l.1.bits(0, c)).collect();
        for ((_, frame), v) in lanes.iter().zip(f(&values, bits, float)) {
            frame.set(0, c, v);
        }
    }
}

/// Changes inside the quad: those of the own row along x, of the own column along y. A neighbour that does not take part is
/// taken to have the own value.
fn derivatives(lanes: &[(usize, Frame<'_>)], which: u8) {
    let Some((_, first)) = lanes.first() else { return };
    for c in 0..first.ret_lanes() {
        let values: Vec<f64> = lanes.iter().map(|l| l.1.float(0, c)).collect();
        for (n, (own, f)) in lanes.iter().enumerate() {
            let at = |lane: usize| lanes.iter().position(|l| l.0 == lane).map_or(values[n], |i| values[i]);
            let dx = at(own | 1) - at(own & !1);
            let dy = at(own | 2) - at(own & !2);
            let bits = f.ret_bits();
            let round = |x: f64| f64_from_bits(f64_to_bits(x, bits), bits);
            f.set_float(
                c,
                match which {
                    0 => dx,
                    1 => dy,
                    _ => round(dx).abs() + round(dy).abs(),
                },
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert!(WORDS.windows(2).all(|w| w[0].0 < w[1].0));
        let call = GroupCall::named("quad_shuffle_xor", &["u", "i32"]).unwrap();
        assert_eq!((call.op, call.scope), (Collective::Shuffle(Shuffle::Xor), Scope::Quad));
        assert!(GroupCall::named("simd_min", &["s", "i32"]).unwrap().signed);
        assert!(GroupCall::named("wg", &["barrier"]).unwrap().needs_all());
        assert!(GroupCall::named("sin", &["f32"]).is_none());
    }
}

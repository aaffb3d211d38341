//! Decomposed byte offsets: a constant plus values times constants.
//!
//! Memory instructions address bytes; LLVM requires indices. Both the walk before selection (to know which address
//! arithmetic needs no code of its own) and the selection of memory instructions use the same steps.

use airfoil_ir::{AluOp, Body, InstrId, InstrKind};
use smallvec::SmallVec;

/// One lane of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lane {
    pub(crate) value: InstrId,
    pub(crate) lane: usize,
}

/// How one lane of an integer is computed.
pub(crate) enum Step {
    Constant(u32),
    Sum(Lane, Lane),
    Product(Lane, u32),
    Move(Lane),
}

/// One step of taking apart; `None` where it ends.
pub(crate) fn step(body: &Body, at: Lane) -> Option<Step> {
    let alu = match &body[at.value].kind {
        InstrKind::Const(lanes) => return Some(Step::Constant(lanes[at.lane & 3] as u32)),
        InstrKind::Alu(alu) if body[at.value].ty.bits == 32 => alu,
        _ => return None,
    };
    let operand = |i: usize| {
        let src = alu.src(i);
        Lane { value: src.value, lane: src.swizzle.get(at.lane) }
    };
    let constant = |i: usize| {
        let lane = operand(i);
        body[lane.value].as_const().map(|c| c[lane.lane & 3] as u32)
    };
    match alu.op {
        AluOp::mov => Some(Step::Move(operand(0))),
        AluOp::iadd => Some(Step::Sum(operand(0), operand(1))),
        AluOp::imul => match (constant(0), constant(1)) {
            (_, Some(c)) => Some(Step::Product(operand(0), c)),
            (Some(c), _) => Some(Step::Product(operand(1), c)),
            _ => None,
        },
        AluOp::ishl => constant(1).map(|c| Step::Product(operand(0), 1u32 << (c & 31))),
        _ => None,
    }
}

/// A sum of a constant and of values times constants, modulo 2^32.
#[derive(Clone, Default, Debug)]
pub(crate) struct Offset {
    pub(crate) constant: u32,
    pub(crate) terms: SmallVec<[(Lane, u32); 3]>,
}

/// Longer sums are not decomposed further.
const MOST_STEPS: usize = 24;

impl Offset {
    /// Takes a scalar value apart.
    pub(crate) fn of(body: &Body, value: InstrId) -> Offset {
        let mut offset = Offset::default();
        let mut open: SmallVec<[(Lane, u32); 8]> = smallvec::smallvec![(Lane { value, lane: 0 }, 1)];
        let mut steps = 0;
        while let Some((lane, factor)) = open.pop() {
            steps += 1;
            match step(body, lane).filter(|_| steps < MOST_STEPS) {
                Some(Step::Constant(c)) => {
                    offset.constant = offset.constant.wrapping_add(c.wrapping_mul(factor));
                }
                Some(Step::Sum(a, b)) => {
                    open.push((b, factor));
                    open.push((a, factor));
                }
                Some(Step::Product(a, c)) => open.push((a, factor.wrapping_mul(c))),
                Some(Step::Move(a)) => open.push((a, factor)),
                None if factor == 0 => {}
                None => match offset.terms.iter_mut().find(|t| t.0 == lane) {
                    Some(term) => term.1 = term.1.wrapping_add(factor),
                    None => offset.terms.push((lane, factor)),
                },
            }
        }
        offset.terms.retain(|t| t.1 != 0);
        offset
    }

    /// The greatest power of two, up to 256, that divides the offset.
    pub(crate) fn alignment(&self) -> u32 {
        let all = self.terms.iter().fold(self.constant | 256, |all, t| all | t.1);
        1 << all.trailing_zeros()
    }
}

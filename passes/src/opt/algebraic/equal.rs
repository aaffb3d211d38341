//! Operands that a pattern requires to be equal, compared before it is matched.

use airfoil_ir::{Alu, Body, InstrId, InstrKind};
use airfoil_rules::table::{END, MOST_POSITIONS, POSITIONS, Variant, WHOLE};

/// Whether operands may be one variable, of a list of [positions and pairs](airfoil_rules::table::Node::pairs).
#[inline]
pub(super) fn has_equal(body: &Body, root: &Alu, constants: u8, list: &[u16]) -> bool {
    match list {
        [END, ..] => false,
        // The most frequent pair.
        [0, 1, END, ..] => {
            let (first, second) = (root.src(0), root.src(1));
            constants & 3 == 3 || (first.value == second.value && first.swizzle == second.swizzle)
        }
        _ => has_equal_of(body, root, list),
    }
}

fn has_equal_of(body: &Body, root: &Alu, list: &[u16]) -> bool {
    let mut keys = [0; MOST_POSITIONS];
    // Positions next to each other have the same operation above them.
    let (mut siblings, mut alu, mut lane) = (0, root, 0);
    let mut count = 0;
    for (key, &position) in keys.iter_mut().zip(list) {
        if position == END {
            break;
        }
        if position >> 2 != siblings {
            siblings = position >> 2;
            (alu, lane) = above(body, root, position);
        }
        *key = key_of(body, alu, position, lane);
        count += 1;
    }
    let key = |i: u16| keys[usize::from(i) % MOST_POSITIONS];
    list[count + 1..].iter().take_while(|&&pair| pair != END).any(|&pair| key(pair >> 8) == key(pair))
}

/// Whether the operands that must be one variable may be.
pub(super) fn may_match(body: &Body, root: &Alu, variant: &Variant) -> bool {
    let key = |position| key_at(body, root, position);
    variant.pairs.iter().all(|&[low, high]| low == high || key(low) == key(high))
}

/// The key of the operand at a position.
fn key_at(body: &Body, root: &Alu, position: u16) -> u32 {
    let (alu, lane) = above(body, root, position);
    key_of(body, alu, position, lane)
}

/// The operation whose operand is at a position, and the lane of it that is read.
#[inline]
fn above<'a>(body: &'a Body, root: &'a Alu, position: u16) -> (&'a Alu, usize) {
    let inner = |alu: &Alu, i: u16, lane: usize| {
        let (value, component) = operand(alu, usize::from(i & 3), lane);
        Some((body[value].as_alu()?, component))
    };
    let found = match position & !WHOLE {
        0..4 => None,
        position @ 4..POSITIONS => inner(root, (position - 4) >> 2, 0),
        position => {
            let at = position - POSITIONS;
            inner(root, at >> 4, 0).and_then(|(alu, lane)| inner(alu, at >> 2, lane))
        }
    };
    found.unwrap_or((root, 0))
}

/// The key of the operand at a position, of the operation above it: equal for two that one variable can have.
#[inline]
fn key_of(body: &Body, alu: &Alu, position: u16, lane: usize) -> u32 {
    let src = alu.src(usize::from(position & 3));
    let component = src.swizzle.get(if position & WHOLE == 0 { lane } else { 0 });
    match &body[src.value].kind {
        // By value: equal constants may not have been merged yet.
        InstrKind::Const(lanes) => (lanes[component] ^ lanes[component] >> 32) as u32 | 1 << 31,
        _ => (src.value.index() as u32 + 1) << 2 | component as u32,
    }
}

/// Operand `i` of an operation, and the component of it that the result's lane `lane` reads; the first one if the operation
/// does not read lanes in order.
#[inline]
fn operand(alu: &Alu, i: usize, lane: usize) -> (InstrId, usize) {
    let src = alu.src(i);
    let lane = if alu.op.info().operands[i].comps == 0 { lane } else { 0 };
    (src.value, src.swizzle.get(lane))
}

//! The compiled form of rules: plain data that the matcher walks. A build script prints it as Rust.

use airfoil_ir::alu::ALU_OPS;
use airfoil_ir::{AluOp, bit_mask};

/// Permissions that a rule requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u8);

impl Flags {
    /// The sign of a zero may change.
    pub const NSZ: Flags = Flags(1);
    /// Operands and results are not NaN.
    pub const NNAN: Flags = Flags(2);
    /// Operands and results are not infinite.
    pub const NINF: Flags = Flags(4);
    /// Results may be rounded differently.
    pub const ROUND: Flags = Flags(8);
    /// Results may be much less accurate: only with the option `fast`.
    pub const FAST: Flags = Flags(16);
    /// The flags by name.
    pub const NAMES: [(&'static str, Flags); 5] = [
        ("nsz", Flags::NSZ),
        ("nnan", Flags::NNAN),
        ("ninf", Flags::NINF),
        ("round", Flags::ROUND),
        ("fast", Flags::FAST),
    ];
    /// Those that `SignedZeroInfNanPreserve` withdraws.
    pub const SPECIAL: Flags = Flags(1 | 2 | 4);

    /// These and others.
    #[must_use]
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Whether they include one of `other`.
    pub const fn intersects(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    /// The names, separated by spaces.
    pub fn text(self) -> String {
        let names = Flags::NAMES.iter().filter(|(_, f)| self.intersects(*f)).map(|(name, _)| *name);
        names.collect::<Vec<_>>().join(" ")
    }
}

/// A fact about a value that a condition requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// A float is not negative, and neither -0 nor NaN.
    NonNegative,
    /// A float is in [0, 1], and neither -0 nor NaN.
    Unit,
    /// A float is integral or infinite, and not NaN.
    Integral,
    /// A float is not NaN.
    Number,
    /// The value is not a constant.
    Variable,
    /// The value has one use.
    Single,
}

impl Fact {
    /// The facts by name.
    pub const NAMES: [(&'static str, Fact); 6] = [
        ("nonneg", Fact::NonNegative),
        ("unit", Fact::Unit),
        ("integral", Fact::Integral),
        ("number", Fact::Number),
        ("variable", Fact::Variable),
        ("single", Fact::Single),
    ];
}

/// A node of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pat {
    /// Any value, bound to a slot, or equal to the slot's value if that is bound.
    Any(u8),
    /// A constant, bound to a slot.
    Const(u8),
    /// An integer in all lanes.
    Int(i64),
    /// A float in all lanes, as the bits of an `f64`.
    Float(u64),
    /// An operation; its operands are the patterns from `args` on.
    Op {
        /// The operation.
        op: AluOp,
        /// Index of the pattern of its first operand.
        args: u16,
        /// Slot that it is bound to, [`NO_SLOT`] if none.
        slot: u8,
        /// It must have one use.
        single: bool,
    },
}

/// No slot, see [`Pat::Op`].
pub const NO_SLOT: u8 = u8::MAX;
/// Slots of a match.
pub const SLOTS: usize = 10;
/// The kind of an operand that is a constant; the kind of one that is the result of an operation is the operation.
pub const CONST_KIND: u16 = ALU_OPS.len() as u16;
/// The kind of all operands that are neither.
pub const OTHER_KIND: u16 = CONST_KIND + 5;
/// Number of kinds.
pub const KINDS: usize = OTHER_KIND as usize + 1;

/// Whether an operand of this kind is a constant.
pub const fn is_constant(kind: u16) -> bool {
    kind >= CONST_KIND && kind < OTHER_KIND
}

/// The kind of a constant operand of a root: frequent values have kinds of their own.
pub const fn const_kind(value: u64, bits: u32) -> u16 {
    let float_one = match bits {
        16 => 0x3c00,
        32 => 0x3f80_0000,
        _ => 0x3ff0_0000_0000_0000,
    };
    let own = if value == 0 {
        1
    } else if value == 1 {
        2
    } else if value == bit_mask(bits) {
        3
    } else if value == float_one {
        4
    } else {
        0
    };
    CONST_KIND + own
}

/// The bit that represents the kind, an operation or [`CONST_KIND`], of operand `j` of operand `i` of a root. Several kinds share
/// a bit: all bits of a pattern are present where it matches, but not the other way round.
pub const fn inner_bit(i: usize, j: usize, kind: u16) -> u64 {
    1 << ((kind as usize * 11 + i * 23 + j * 37) & 63)
}

/// The position of operand `i` of a root, for [`Variant::pairs`].
pub const fn position(i: usize) -> usize {
    i
}

/// The position of operand `j` of operand `i` of a root.
pub const fn inner_position(i: usize, j: usize) -> usize {
    4 + i * 4 + j
}

/// The position of operand `k` of operand `j` of operand `i` of a root.
pub const fn deep_position(i: usize, j: usize, k: usize) -> usize {
    POSITIONS + (i * 4 + j) * 4 + k
}

/// Number of positions up to two levels below a root.
pub const POSITIONS: usize = 20;

/// The operands that lead from a root to a [position], and how many they are.
pub const fn path_to(position: usize) -> ([u8; 3], usize) {
    match position {
        0..4 => ([position as u8, 0, 0], 1),
        4..POSITIONS => {
            let at = (position - 4) as u8;
            ([at / 4, at % 4, 0], 2)
        }
        _ => {
            let at = (position - POSITIONS) as u8;
            ([at / 16, at / 4 % 4, at % 4], 3)
        }
    }
}

/// The width of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    /// This many bits.
    Fixed(u8),
    /// As the result of the matched instruction.
    Root,
    /// As the value in a slot.
    Slot(u8),
}

/// A node of a replacement or condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rep {
    /// The value in a slot.
    Value(u8),
    /// A component of the value in a slot.
    Comp(u8, u8),
    /// An integer.
    IntOf(i64, Bits),
    /// A float, as the bits of an `f64`.
    FloatOf(u64, Bits),
    /// A width as an integer of another width.
    WidthOf(Bits, Bits),
    /// An operation; its operands are the nodes from `args` on.
    Make {
        /// The operation.
        op: AluOp,
        /// Index of its first operand.
        args: u16,
        /// Width of the operands that the row leaves open.
        bits: Bits,
        /// Width of the result.
        out: Bits,
    },
}

/// A condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A comparison of widths: the result of comparing the first with the second must be in the set less (1), equal (2),
    /// greater (4).
    Widths(Bits, u8, Bits),
    /// The node must yield true in as many lanes as the root has.
    True(u16),
    /// A fact about the value in a slot.
    Known(Fact, u8),
}

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Name.
    pub name: &'static str,
    /// Permissions that it requires.
    pub flags: Flags,
    /// The replacement.
    pub rhs: u16,
    /// Conditions: first and end.
    pub checks: (u16, u16),
}

/// A rule with its operands in one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Index of the rule.
    pub rule: u16,
    /// The pattern of the first operand of the root.
    pub args: u16,
    /// The kinds that the operands of the operands must have: the bits of [`inner_bit`].
    pub inner: u64,
    /// Pairs of [positions](position) that must have the same value; not necessarily all. Two equal positions mean no pair.
    pub pairs: [[u8; 2]; 2],
}

/// The variants of an operation, and sets that select those whose operands have the right kinds.
///
/// A set has one bit per variant, in `words` words. The kind of each operand selects a class, and the class a set; the variants
/// that are in the sets of all operands are the candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Index of the first variant.
    pub first: u16,
    /// Words of a set; 0 if the operation has no variants.
    pub words: u8,
    /// Number of operands that have sets.
    pub operands: u8,
    /// Index in [`Table::classes`] of the class of kind 0, by operand.
    pub classes: [u32; 4],
    /// Index in [`Table::sets`] of the set of class 0, by operand.
    pub sets: [u32; 4],
    /// Index of two sets: of the variants whose first and second operands must be the same value, and of those whose second and
    /// third must.
    pub same: u32,
}

/// Compiled rules.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The rules.
    pub rules: &'static [Rule],
    /// Rules by order of operands.
    pub variants: &'static [Variant],
    /// Nodes of patterns.
    pub pats: &'static [Pat],
    /// Nodes of replacements and conditions.
    pub reps: &'static [Rep],
    /// Conditions.
    pub checks: &'static [Check],
    /// Classes of kinds of operands, see [`Entry`].
    pub classes: &'static [u8],
    /// Sets of variants, see [`Entry`].
    pub sets: &'static [u64],
    /// One per operation.
    pub entries: &'static [Entry],
}

/// Length of a range as the tables store it.
pub const fn range(ends: (u16, u16)) -> std::ops::Range<usize> {
    ends.0 as usize..ends.1 as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_their_positions() {
        for i in 0..4 {
            assert_eq!(path_to(position(i)), ([i as u8, 0, 0], 1));
            for j in 0..4 {
                assert_eq!(path_to(inner_position(i, j)), ([i as u8, j as u8, 0], 2));
                for k in 0..4 {
                    assert_eq!(path_to(deep_position(i, j, k)), ([i as u8, j as u8, k as u8], 3));
                }
            }
        }
    }
}

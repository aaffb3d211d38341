//! The compiled form of rules: plain data that the matcher walks. A build script prints it as Rust.

use airfoil_ir::AluOp;

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
/// The state of a value that is neither a constant nor part of a pattern, see [`Node`].
pub const OTHER_STATE: u16 = 0;

/// The states of constants.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// Those that patterns name, at each width, in a hash table with open addressing.
    pub slots: &'static [Constant],
    /// The state of all others whose lanes are equal.
    pub other: u16,
    /// The state of a constant whose lanes differ.
    pub mixed: u16,
}

/// A slot of a [hash table of constants](Constants::slots).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Constant {
    /// The value.
    pub value: u64,
    /// Its width; 0 if the slot is free.
    pub bits: u8,
    /// Its state.
    pub state: u16,
}

impl Constants {
    /// The state of a constant of `bits` bits that has one value in all lanes.
    #[inline]
    pub fn state(&self, value: u64, bits: u8) -> u16 {
        let mut at = Constants::start(value, bits, self.slots.len());
        loop {
            let Some(slot) = self.slots.get(at) else { return self.other };
            match slot.bits {
                0 => return self.other,
                b if b == bits && slot.value == value => return slot.state,
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// The slot in which the search for a constant starts, of `slots`, a power of two.
    pub(crate) const fn start(value: u64, bits: u8, slots: usize) -> usize {
        // Floats differ in their upper bits, and these change only the upper bits of a product.
        let hash = (value ^ (bits as u64) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> 52) as usize & slots.wrapping_sub(1)
    }
}

/// Number of positions up to two levels below a root.
pub const POSITIONS: u16 = 20;

/// Added to the position of an operand that the operation above it does not read lane by lane.
pub const WHOLE: u16 = 128;

/// Length of a list of positions, a power of two.
pub const MOST_POSITIONS: usize = 16;

/// The position of an operand up to three levels below a root, for [`Variant::pairs`]: by the indices of the operands that lead
/// to it. Its two lower bits are its own index.
pub const fn position(path: &[u16]) -> u16 {
    match *path {
        [i] => i,
        [i, j] => 4 + i * 4 + j,
        [i, j, k] => POSITIONS + (i * 4 + j) * 4 + k,
        _ => panic!("one to three levels"),
    }
}

impl Variant {
    /// The pair that is checked first.
    pub const fn first_pair(&self) -> Option<[u16; 2]> {
        let [low, high] = self.pairs[0];
        if low == high { None } else { Some([low, high]) }
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
    /// Pairs of [positions](position), with [`WHOLE`], that must have the same value, the least deep ones; not necessarily all.
    /// Two equal positions mean no pair.
    pub pairs: [[u16; 2]; 2],
}

/// The result of the automaton for an operation: lists of candidates, variants that match by operations and constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Index in [`Table::candidates`] of the list of all candidates, which ends with [`END`].
    pub all: u32,
    /// Index of the list of those that do not require equal operands.
    pub distinct: u32,
    /// Index of two lists that tell which of `all` and `distinct` to try: the [positions](position) of operands, with [`WHOLE`],
    /// and pairs of indices into that list, one index in each byte. If the operands of no pair are equal, only the candidates of
    /// `distinct` can match.
    pub pairs: u32,
    /// The state of the operation's result: the parts of patterns that it is.
    pub state: u16,
}

/// The end of a list of candidates or pairs.
pub const END: u16 = u16::MAX;

/// The tables of an operation, see [`Table::node`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Number of operands; 0 if no pattern has the operation.
    pub operands: u8,
    /// The variants that have their root at the operation: first and end.
    pub variants: (u16, u16),
    /// Number of classes of each operand after the first.
    pub columns: [u16; 3],
    /// Index in [`Table::classes`] of the class of state 0, by operand.
    pub classes: [u32; 4],
    /// Index in [`Table::steps`] of the table of each operand after the first; of the only operand if it is one.
    pub steps: [u32; 3],
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
    /// Classes of states of operands, see [`Entry`].
    pub classes: &'static [u8],
    /// The patterns that are left after an operand, by those left before it and the class of the operand; after the last
    /// operand, the index of a node.
    pub steps: &'static [u16],
    /// The states of constants.
    pub constants: Constants,
    /// Results of the automaton.
    pub nodes: &'static [Node],
    /// Lists of indices of variants, in the order in which they are tried.
    pub candidates: &'static [u16],
    /// One per operation.
    pub entries: &'static [Entry],
}

impl Table {
    /// The result of the automaton for an operation whose operands are in these states; `None` if no pattern has the
    /// operation.
    #[inline]
    pub fn node(&self, op: AluOp, states: &[u16; 4]) -> Option<Node> {
        let entry = &self.entries[op as usize];
        let operands = entry.operands as usize;
        if operands == 0 {
            return None;
        }
        let class = |i: usize| self.classes[entry.classes[i] as usize + states[i] as usize] as usize;
        let mut left = class(0);
        if operands == 1 {
            left = self.steps[entry.steps[0] as usize + left] as usize;
        }
        for i in 1..operands {
            let columns = entry.columns[i - 1] as usize;
            left = self.steps[entry.steps[i - 1] as usize + left * columns + class(i)] as usize;
        }
        Some(self.nodes[left])
    }
}

/// Length of a range as the tables store it.
pub const fn range(ends: (u16, u16)) -> std::ops::Range<usize> {
    ends.0 as usize..ends.1 as usize
}

//! Instructions, blocks and function bodies.
//!
//! A body is one vector of 16-byte instruction records and one pool of operand words, in emission order. Blocks
//! are consecutive ranges of the instruction vector.

use super::attributes::AttrSet;
use super::metadata::{Attachment, Md};
use super::types::{TypeId, TypeList};
use super::value::{CastOp, Value};

/// Handle of a block of a function body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct BlockId(pub(crate) u32);

impl BlockId {
    /// Position in [`Body::blocks`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Binary operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // named like LLVM's instructions
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

/// Keyword, bitcode number and flags word of every binary operation, in the order of [`BinOp`].
const BINARY: [(&str, u8, Flags); 18] = [
    ("add", 0, Flags::Wrap),
    ("sub", 1, Flags::Wrap),
    ("mul", 2, Flags::Wrap),
    ("udiv", 3, Flags::Exact),
    ("sdiv", 4, Flags::Exact),
    ("urem", 5, Flags::None),
    ("srem", 6, Flags::None),
    ("shl", 7, Flags::Wrap),
    ("lshr", 8, Flags::Exact),
    ("ashr", 9, Flags::Exact),
    ("and", 10, Flags::None),
    ("or", 11, Flags::None),
    ("xor", 12, Flags::None),
    ("fadd", 0, Flags::Fast),
    ("fsub", 1, Flags::Fast),
    ("fmul", 2, Flags::Fast),
    ("fdiv", 4, Flags::Fast),
    ("frem", 6, Flags::Fast),
];

/// The binary operations in the order of `BINARY`.
const BIN_OPS: [BinOp; 18] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::FAdd,
    BinOp::FSub,
    BinOp::FMul,
    BinOp::FDiv,
    BinOp::FRem,
];

/// Meaning of the flags byte of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flags {
    /// No flag is possible.
    None,
    /// `nuw`, `nsw`
    Wrap,
    /// `exact`
    Exact,
    /// Fast-math flags.
    Fast,
}

impl BinOp {
    /// LLVM's keyword.
    pub fn name(self) -> &'static str {
        BINARY[self as usize].0
    }

    /// Number in bitcode.
    pub(crate) fn code(self) -> u8 {
        BINARY[self as usize].1
    }

    /// The operation with this opcode in bitcode, on floats or on integers.
    pub(crate) fn from_code(code: u64, fp: bool) -> Option<BinOp> {
        BIN_OPS.into_iter().find(|op| u64::from(op.code()) == code && op.is_fp() == fp)
    }

    /// Which flags it takes.
    pub(crate) fn flags(self) -> Flags {
        BINARY[self as usize].2
    }

    /// Whether it works on floats.
    pub fn is_fp(self) -> bool {
        self.flags() == Flags::Fast
    }
}

/// The operation of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // named like LLVM's instructions
pub enum Op {
    Binary(BinOp),
    Cast(CastOp),
    ICmp(ICmp),
    FCmp(FCmp),
    /// Refused by the validator; kept so that Apple's newer modules can be held.
    FNeg,
    /// Refused by the validator; kept so that Apple's newer modules can be held.
    Freeze,
    Select,
    Phi,
    Call,
    Gep,
    Load,
    Store,
    Alloca,
    ExtractElement,
    InsertElement,
    ShuffleVector,
    ExtractValue,
    InsertValue,
    Br,
    CondBr,
    Switch,
    Ret,
    Unreachable,
}

impl Op {
    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        matches!(self, Op::Br | Op::CondBr | Op::Switch | Op::Ret | Op::Unreachable)
    }

    /// LLVM's keyword.
    pub fn name(self) -> &'static str {
        match self {
            Op::Binary(op) => op.name(),
            Op::Cast(op) => op.name(),
            Op::ICmp(_) => "icmp",
            Op::FCmp(_) => "fcmp",
            Op::FNeg => "fneg",
            Op::Freeze => "freeze",
            Op::Select => "select",
            Op::Phi => "phi",
            Op::Call => "call",
            Op::Gep => "getelementptr",
            Op::Load => "load",
            Op::Store => "store",
            Op::Alloca => "alloca",
            Op::ExtractElement => "extractelement",
            Op::InsertElement => "insertelement",
            Op::ShuffleVector => "shufflevector",
            Op::ExtractValue => "extractvalue",
            Op::InsertValue => "insertvalue",
            Op::Br | Op::CondBr => "br",
            Op::Switch => "switch",
            Op::Ret => "ret",
            Op::Unreachable => "unreachable",
        }
    }
}

/// Integer comparisons; the number plus 32 is the bitcode predicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // named like LLVM's predicates
pub enum ICmp {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

impl ICmp {
    /// All of them in the order of their bitcode numbers.
    pub const ALL: [ICmp; 10] = [
        ICmp::Eq,
        ICmp::Ne,
        ICmp::Ugt,
        ICmp::Uge,
        ICmp::Ult,
        ICmp::Ule,
        ICmp::Sgt,
        ICmp::Sge,
        ICmp::Slt,
        ICmp::Sle,
    ];

    /// LLVM's keyword.
    pub fn name(self) -> &'static str {
        ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"][self as usize]
    }
}

/// Float comparisons (`O`: false on NaN, `U`: true on NaN); the value is the bitcode predicate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // named like LLVM's predicates
pub enum FCmp {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

impl FCmp {
    /// All of them in the order of their bitcode numbers.
    pub const ALL: [FCmp; 16] = [
        FCmp::False,
        FCmp::Oeq,
        FCmp::Ogt,
        FCmp::Oge,
        FCmp::Olt,
        FCmp::Ole,
        FCmp::One,
        FCmp::Ord,
        FCmp::Uno,
        FCmp::Ueq,
        FCmp::Ugt,
        FCmp::Uge,
        FCmp::Ult,
        FCmp::Ule,
        FCmp::Une,
        FCmp::True,
    ];

    /// LLVM's keyword.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 16] = [
            "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult",
            "ule", "une", "true",
        ];
        NAMES[self as usize]
    }
}

/// Fast-math flags of a float operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FastMath(pub u8);

impl FastMath {
    /// Strict IEEE.
    pub const NONE: FastMath = FastMath(0);
    /// No NaNs.
    pub const NNAN: FastMath = FastMath(1);
    /// No infinities.
    pub const NINF: FastMath = FastMath(2);
    /// The sign of zero does not matter.
    pub const NSZ: FastMath = FastMath(4);
    /// `x / y` may become `x * (1 / y)`.
    pub const ARCP: FastMath = FastMath(8);
    /// Fusing of multiply and add.
    pub const CONTRACT: FastMath = FastMath(16);
    /// Approximate functions. Newer than LLVM 5: written only as part of `FAST`.
    pub const AFN: FastMath = FastMath(32);
    /// Reassociation. Newer than LLVM 5: written only as part of `FAST`.
    pub const REASSOC: FastMath = FastMath(64);
    /// All of them: `fast`.
    pub const FAST: FastMath = FastMath(127);

    /// The flags of both.
    pub const fn with(self, other: FastMath) -> FastMath {
        FastMath((self.0 | other.0) & 127)
    }

    /// The flags that an LLVM 5 reader understands: `FAST`, or its five flags.
    pub fn writable(self) -> FastMath {
        if self == FastMath::FAST { self } else { FastMath(self.0 & 31) }
    }
}

/// Flags of an integer operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct IntFlags(pub u8);

impl IntFlags {
    /// Wrapping arithmetic.
    pub const NONE: IntFlags = IntFlags(0);
    /// No unsigned wrap (add, sub, mul, shl).
    pub const NUW: IntFlags = IntFlags(1);
    /// No signed wrap (add, sub, mul, shl).
    pub const NSW: IntFlags = IntFlags(2);
    /// No remainder, no bit shifted out (udiv, sdiv, lshr, ashr).
    pub const EXACT: IntFlags = IntFlags(1);
}

/// One instruction. Its operands are `pool[start..start + len]` of the body; the meaning of the words depends on
/// the operation, see [`Body::operands`], [`Body::words`] and the accessors for each operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inst {
    /// Opcode.
    pub op: Op,
    /// Fast-math or integer flags; `inbounds` of a `Gep`, `volatile` of a memory access, `tail` of a call.
    pub flags: u8,
    /// Alignment of a memory access or `Alloca` as log2 + 1, zero if not given.
    pub align: u8,
    /// Type of the result.
    pub ty: TypeId,
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// Bit of [`Inst::flags`] of a call, above the fast-math flags: `tail call`.
pub const CALL_TAIL: u8 = 128;

impl Inst {
    /// Fast-math flags (of a float operation, a comparison or a call).
    pub fn fast_math(&self) -> FastMath {
        FastMath(self.flags & 127)
    }

    /// Alignment in bytes, zero if not given.
    pub fn alignment(&self) -> u64 {
        align_bytes(self.align)
    }
}

/// Encodes an alignment in bytes as log2 + 1; zero means none. Anything but a power of two becomes `u8::MAX`,
/// which the validator rejects.
pub(crate) fn align_code(bytes: u32) -> u8 {
    match bytes {
        0 => 0,
        b if b.is_power_of_two() => b.trailing_zeros() as u8 + 1,
        _ => u8::MAX,
    }
}

pub(crate) fn align_bytes(code: u8) -> u64 {
    if code == 0 { 0 } else { 1u64.checked_shl(u32::from(code) - 1).unwrap_or(0) }
}

/// A block: a range of the body's instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    pub(crate) first: u32,
    pub(crate) end: u32,
    /// Position in the order of the function, `u32::MAX` while not started.
    pub(crate) position: u32,
}

/// Metadata on an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attached {
    /// Instruction, as a position in [`Body::insts`].
    pub inst: u32,
    /// Kind.
    pub kind: Attachment,
    /// The node.
    pub node: Md,
}

/// Source location that instructions come from, as in a `!dbg` attachment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// First instruction, as a position in [`Body::insts`].
    pub inst: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; zero if unknown.
    pub column: u32,
    /// The `DISubprogram` or block; [`Md::NULL`] for an instruction without a location.
    pub scope: Md,
    /// The `DILocation` of the call that was inlined, or [`Md::NULL`].
    pub inlined_at: Md,
    /// Whether the instruction is not written in the source.
    pub implicit: bool,
}

/// Body of a function.
#[derive(Clone, Debug)]
pub struct Body {
    pub(crate) params: TypeList,
    pub(crate) insts: Vec<Inst>,
    pub(crate) pool: Vec<u32>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) order: Vec<BlockId>,
    pub(crate) attached: Vec<Attached>,
    pub(crate) locations: Vec<Location>,
    pub(crate) locals: Vec<Value>,
}

impl Body {
    pub(crate) fn new(params: TypeList) -> Self {
        Body {
            params,
            insts: Vec::with_capacity(192),
            pool: Vec::with_capacity(640),
            blocks: Vec::with_capacity(16),
            order: Vec::with_capacity(16),
            attached: Vec::with_capacity(32),
            locations: Vec::new(),
            locals: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.insts.clear();
        self.pool.clear();
        self.blocks.clear();
        self.order.clear();
        self.attached.clear();
        self.locations.clear();
        self.locals.clear();
    }

    /// All instructions in order.
    pub fn insts(&self) -> &[Inst] {
        &self.insts
    }

    /// Blocks in the order of the function, the entry first.
    pub fn block_order(&self) -> &[BlockId] {
        &self.order
    }

    /// All blocks by handle, started or not.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Position of a block in the function's order, if it was started.
    pub fn position(&self, block: BlockId) -> Option<u32> {
        self.blocks.get(block.index()).map(|b| b.position).filter(|&p| p != u32::MAX)
    }

    /// Range of a block's instructions.
    pub fn range(&self, block: BlockId) -> std::ops::Range<usize> {
        self.blocks.get(block.index()).map_or(0..0, |b| b.first as usize..b.end as usize)
    }

    /// Metadata on instructions, ordered by instruction.
    pub fn attached(&self) -> &[Attached] {
        &self.attached
    }

    /// Source locations, one for each instruction that has one, ordered by instruction.
    pub fn locations(&self) -> &[Location] {
        &self.locations
    }

    /// Values of this function that debug intrinsics take as metadata.
    pub fn locals(&self) -> &[Value] {
        &self.locals
    }

    /// Raw operand words of an instruction.
    pub fn words(&self, inst: &Inst) -> &[u32] {
        &self.pool[inst.start as usize..][..inst.len as usize]
    }

    /// Operand word `at` as a value.
    pub fn value(&self, inst: &Inst, at: usize) -> Value {
        Value::from_raw(self.words(inst)[at])
    }

    /// Value operands of an instruction: of a `Phi` the incoming values, of a `Call` callee and arguments, of a
    /// `Store` pointer and value, of a `Switch` and `CondBr` only the condition.
    pub fn operands(&self, inst: &Inst) -> impl Iterator<Item = Value> + '_ {
        let words = self.words(inst);
        let (skip, take, step) = match inst.op {
            Op::Phi => (0, words.len() / 2, 2),
            Op::Call => (1, words.len(), 1),
            Op::ExtractValue | Op::CondBr | Op::Switch => (0, 1, 1),
            Op::InsertValue => (0, 2, 1),
            Op::Br => (0, 0, 1),
            _ => (0, words.len(), 1),
        };
        words.iter().skip(skip).step_by(step).take(take).map(|&w| Value::from_raw(w))
    }

    /// Incoming `(value, block)` pairs of a `Phi`, or `(case, block)` pairs of a `Switch`.
    pub fn pairs(&self, inst: &Inst) -> impl Iterator<Item = (Value, BlockId)> + '_ {
        let skip = if inst.op == Op::Switch { 2 } else { 0 };
        let words = self.words(inst).get(skip..).unwrap_or(&[]);
        words.chunks_exact(2).map(|p| (Value::from_raw(p[0]), BlockId(p[1])))
    }

    /// Blocks a terminator can go to, in its operand order.
    pub fn successors(&self, inst: &Inst) -> impl Iterator<Item = BlockId> + '_ {
        let words = self.words(inst);
        let (skip, step) = match inst.op {
            Op::Br => (0, 1),
            Op::CondBr => (1, 1),
            Op::Switch => (1, 2),
            _ => (words.len(), 1),
        };
        words.iter().skip(skip).step_by(step).map(|&w| BlockId(w))
    }

    /// Callee of a `Call`.
    pub fn callee(&self, inst: &Inst) -> Value {
        self.value(inst, 1)
    }

    /// Attributes of a `Call`.
    pub fn call_attrs(&self, inst: &Inst) -> AttrSet {
        AttrSet(self.words(inst)[0])
    }

    /// Arguments of a `Call`.
    pub fn call_args(&self, inst: &Inst) -> impl ExactSizeIterator<Item = Value> + '_ {
        self.words(inst)[2..].iter().map(|&w| Value::from_raw(w))
    }

    /// Member indices of an `ExtractValue` or `InsertValue`.
    pub fn indices(&self, inst: &Inst) -> &[u32] {
        let skip = if inst.op == Op::InsertValue { 2 } else { 1 };
        self.words(inst).get(skip..).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_compact() {
        assert!(size_of::<Inst>() <= 16);
    }

    #[test]
    fn alignment_codes() {
        for (bytes, code) in [(0, 0), (1, 1), (4, 3), (16, 5), (3, u8::MAX)] {
            assert_eq!(align_code(bytes), code);
        }
        assert_eq!(align_bytes(5), 16);
        assert_eq!(align_bytes(u8::MAX), 0);
    }
}

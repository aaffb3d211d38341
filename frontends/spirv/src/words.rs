//! Words: bytes to words, the header, the stream of instructions, strings.

use crate::error::{LIMIT, MALFORMED, Res, fail};
use airfoil_ir::Name;
use smallvec::SmallVec;
use spirv::Op;
use std::borrow::Cow;
use std::sync::LazyLock;

/// First word of a module in its own byte order.
const MAGIC: u32 = spirv::MAGIC_NUMBER;
/// Words of the header.
pub(crate) const HEADER: usize = 5;
/// Ids must be below this (SPIR-V 2.17, universal limits).
const MAX_BOUND: u32 = 0x40_0000;

/// Operations by opcode. `Op::from_u32` searches ranges, which takes several times as long; the numbers
/// beyond are those of extensions.
static OPS: LazyLock<[Option<Op>; 512]> = LazyLock::new(|| std::array::from_fn(|n| Op::from_u32(n as u32)));

/// Words of a module given as bytes, in either byte order.
pub(crate) fn words_of(bytes: &[u8]) -> Res<Vec<u32>> {
    let (words, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return fail(
            MALFORMED,
            format!("the module is {} bytes long, which is not a multiple of 4", bytes.len()),
        );
    }
    Ok(words.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

/// Checks the header; returns the words in the machine's order and the id bound.
pub(crate) fn check_header(words: &[u32]) -> Res<(Cow<'_, [u32]>, u32)> {
    let Some(&magic) = words.first() else { return fail(MALFORMED, "the module is empty") };
    let words = match magic {
        MAGIC => Cow::Borrowed(words),
        _ if magic.swap_bytes() == MAGIC => Cow::Owned(words.iter().map(|w| w.swap_bytes()).collect()),
        _ => return fail(MALFORMED, format!("not a SPIR-V module: it starts with {magic:#010x}")),
    };
    if words.len() < HEADER {
        return fail(MALFORMED, "the module ends within its header");
    }
    let (version, bound) = (words[1], words[3]);
    if version >> 16 != 1 || (version >> 8) & 0xff > 6 {
        return fail(
            MALFORMED,
            format!("SPIR-V version {}.{} is not known", version >> 16, (version >> 8) & 0xff),
        );
    }
    if bound > MAX_BOUND {
        return fail(LIMIT, format!("the id bound is {bound}; at most {MAX_BOUND} is possible"));
    }
    Ok((words, bound))
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst<'w> {
    /// Offset of its first word in the module.
    pub at: usize,
    /// All its words.
    pub words: &'w [u32],
}

impl<'w> Inst<'w> {
    /// The instruction at an offset.
    #[inline]
    pub fn at(words: &'w [u32], at: usize) -> Res<Inst<'w>> {
        let Some(&first) = words.get(at) else { return fail(MALFORMED, "the module ends too early") };
        let count = (first >> 16) as usize;
        if count == 0 {
            return fail(MALFORMED, "an instruction has the word count 0");
        }
        match words.get(at..at + count) {
            Some(words) => Ok(Inst { at, words }),
            None => fail(MALFORMED, "the last instruction reaches beyond the end of the module"),
        }
    }

    /// Offset of the next instruction.
    pub fn end(self) -> usize {
        self.at + self.words.len()
    }

    /// The opcode.
    pub fn opcode(self) -> u32 {
        self.words[0] & 0xffff
    }

    /// The operation, if its opcode is known.
    #[inline]
    pub fn op(self) -> Option<Op> {
        let n = self.opcode();
        match OPS.get(n as usize) {
            Some(&op) => op,
            None => Op::from_u32(n),
        }
    }

    /// Name of the operation, as the specification writes it.
    pub fn name(self) -> String {
        match self.op() {
            Some(op) => format!("Op{op:?}"),
            None => format!("instruction {}", self.opcode()),
        }
    }

    /// Word `i`, counted from the first.
    #[inline]
    pub fn word(self, i: usize) -> Res<u32> {
        match self.words.get(i) {
            Some(&w) => Ok(w),
            None => self.too_short(),
        }
    }

    #[cold]
    fn too_short(self) -> Res<u32> {
        fail(MALFORMED, format!("{} has too few operands", self.name()))
    }

    /// Words from `i` on; none if there are not that many.
    pub fn rest(self, i: usize) -> &'w [u32] {
        self.words.get(i..).unwrap_or_default()
    }

    /// Id of the result, if the operation has one. For messages only.
    pub fn result(self) -> Option<u32> {
        let op = self.op()?;
        let i = match op {
            Op::Name
            | Op::MemberName
            | Op::Decorate
            | Op::MemberDecorate
            | Op::Store
            | Op::CopyMemory
            | Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::Unreachable
            | Op::ImageWrite
            | Op::ControlBarrier
            | Op::MemoryBarrier
            | Op::AtomicStore
            | Op::Capability
            | Op::Extension
            | Op::EntryPoint
            | Op::ExecutionMode
            | Op::ExecutionModeId
            | Op::MemoryModel
            | Op::Line
            | Op::Source
            | Op::FunctionEnd => return None,
            Op::Label | Op::String | Op::ExtInstImport | Op::DecorationGroup => 1,
            _ if op.is_type() => 1,
            _ => 2,
        };
        self.words.get(i).copied()
    }
}

/// A zero-terminated string and the number of its words; `None` if the end is missing.
pub(crate) fn string(words: &[u32]) -> Option<(Name, usize)> {
    // A word with a zero byte: only those borrow out of a byte whose top bit is clear.
    let has_zero = |w: u32| w.wrapping_sub(0x0101_0101) & !w & 0x8080_8080 != 0;
    let last = words.iter().position(|&w| has_zero(w))?;
    let tail = words[last].to_le_bytes();
    let tail = tail.split(|&b| b == 0).next().unwrap_or_default();
    let mut bytes: SmallVec<[u8; 64]> = SmallVec::with_capacity(last * 4 + tail.len());
    words[..last].iter().for_each(|w| bytes.extend_from_slice(&w.to_le_bytes()));
    bytes.extend_from_slice(tail);
    Some((Name::new(String::from_utf8_lossy(&bytes)), last + 1))
}

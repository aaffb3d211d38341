//! The blocks of a function: where they are, their merge instructions and edges.

use crate::error::*;
use crate::state::{Def, Reader};
use crate::words::Inst;
use airfoil_ir::Control;
use smallvec::SmallVec;
use spirv::Op;

/// No block.
pub(crate) const NONE: u32 = u32::MAX;

/// Merge instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Merge {
    None,
    Selection { merge: u32 },
    Loop { merge: u32, cont: u32 },
}

/// A block of a function.
#[derive(Clone, Debug)]
pub(crate) struct SBlock {
    /// Offset of the first instruction after the label.
    pub start: usize,
    /// Offset of the instruction that ends the block.
    pub end: usize,
    /// Offset of the merge instruction.
    merge_at: Option<usize>,
    pub merge: Merge,
    pub control: Control,
    /// Blocks that control can go to, each once.
    pub succs: SmallVec<[u32; 2]>,
    pub preds: SmallVec<[u32; 2]>,
    pub order: u32,
    pub parent: u32,
    pub depth: u32,
    pub follow: bool,
    pub follows: SmallVec<[u32; 2]>,
}

impl SBlock {
    /// Whether control can reach the block.
    pub fn is_reached(&self) -> bool {
        self.order != NONE
    }
}

/// Finds the blocks of a function, about `count`, and gives their labels numbers.
pub(crate) fn scan(r: &mut Reader<'_>, mut at: usize, count: usize) -> Res<Vec<SBlock>> {
    let mut blocks: Vec<SBlock> = Vec::with_capacity(count);
    let mut open = false;
    loop {
        let inst = Inst::at(r.words, at)?;
        at = inst.end();
        let Some(op) = inst.op() else {
            let e = error(UNSUPPORTED, format!("{} is not known", inst.name()));
            return Err(r.locate(e, inst));
        };
        match op {
            Op::FunctionEnd if open => {
                return Err(r.locate(error(MALFORMED, "the last block of a function does not end"), inst));
            }
            Op::FunctionEnd => return Ok(blocks),
            Op::Label => {
                if open {
                    return Err(r.locate(error(MALFORMED, "a block starts within another"), inst));
                }
                open = true;
                r.define(inst.word(1)?, Def::Label(blocks.len() as u32)).map_err(|e| r.locate(e, inst))?;
                blocks.push(SBlock {
                    start: at,
                    end: at,
                    merge_at: None,
                    merge: Merge::None,
                    control: Control::None,
                    succs: SmallVec::new(),
                    preds: SmallVec::new(),
                    order: NONE,
                    parent: NONE,
                    depth: 0,
                    follow: false,
                    follows: SmallVec::new(),
                });
            }
            Op::Line | Op::NoLine | Op::Nop if !open => {}
            _ if !open && op != Op::FunctionParameter => {
                let e = error(MALFORMED, format!("{} is outside of blocks", inst.name()));
                return Err(r.locate(e, inst));
            }
            Op::SelectionMerge | Op::LoopMerge => {
                if let Some(b) = blocks.last_mut() {
                    b.merge_at = Some(inst.at);
                }
            }
            Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::Unreachable
            | Op::TerminateInvocation
            | Op::EmitMeshTasksEXT => {
                open = false;
                if let Some(b) = blocks.last_mut() {
                    b.end = inst.at;
                }
            }
            _ if !r.has_wide => {}
            _ => {
                // Only switches on 64-bit numbers need this, so only results of that width are kept.
                if let (Some(&ty), Some(&id)) = (inst.words.get(1), inst.words.get(2))
                    && let Def::Type(t) = r.id(ty).def
                    && r.types[t as usize].shape == airfoil_ir::Ty::new(1, 64)
                {
                    r.wide_ids.insert(id);
                }
            }
        }
    }
}

/// The block of a label.
pub(crate) fn block_of(r: &Reader<'_>, label: u32, count: usize) -> Res<u32> {
    match r.id(label).def {
        Def::Label(b) if (b as usize) < count => Ok(b),
        _ => fail(ID, format!("{} is not a block of this function", r.show(label))),
    }
}

/// Words of a literal of a switch: two where the selector has 64 bits.
pub(crate) fn literal_words(r: &Reader<'_>, selector: u32) -> usize {
    let constant = r
        .const_index(selector)
        .is_ok_and(|c| r.types[r.consts[c as usize].ty as usize].shape == airfoil_ir::Ty::new(1, 64));
    1 + usize::from(constant || r.wide_ids.contains(&selector))
}

/// Reads merges and terminators.
pub(crate) fn link(r: &Reader<'_>, blocks: &mut [SBlock]) -> Res<()> {
    let count = blocks.len();
    if count == 0 {
        return fail(MALFORMED, "the function has no blocks");
    }
    for b in 0..count {
        if let Some(at) = blocks[b].merge_at {
            let inst = Inst::at(r.words, at)?;
            let (merge, control) = read_merge(r, inst, count).map_err(|e| r.locate(e, inst))?;
            (blocks[b].merge, blocks[b].control) = (merge, control);
        }
        let inst = Inst::at(r.words, blocks[b].end)?;
        let mut succs: SmallVec<[u32; 2]> = SmallVec::new();
        let result = (|| -> Res<()> {
            match inst.op() {
                Some(Op::Branch) => succs.push(block_of(r, inst.word(1)?, count)?),
                Some(Op::BranchConditional) => {
                    succs.push(block_of(r, inst.word(2)?, count)?);
                    succs.push(block_of(r, inst.word(3)?, count)?);
                }
                Some(Op::Switch) => {
                    let size = literal_words(r, inst.word(1)?);
                    for case in inst.rest(3).chunks_exact(size + 1) {
                        succs.push(block_of(r, case[size], count)?);
                    }
                    succs.push(block_of(r, inst.word(2)?, count)?);
                }
                _ => {}
            }
            Ok(())
        })();
        result.map_err(|e| r.locate(e, inst))?;
        if succs.len() > 2 {
            let mut seen = rustc_hash::FxHashSet::default();
            succs.retain(|s| seen.insert(*s));
        } else if succs.len() == 2 && succs[0] == succs[1] {
            succs.pop();
        }
        for &s in &succs {
            if s == 0 {
                return Err(
                    r.locate(error(CONTROL, "a branch leads to the first block of the function"), inst)
                );
            }
            blocks[s as usize].preds.push(b as u32);
        }
        blocks[b].succs = succs;
    }
    Ok(())
}

/// Reads the merge instruction in front of a terminator.
fn read_merge(r: &Reader<'_>, inst: Inst<'_>, count: usize) -> Res<(Merge, Control)> {
    let control = |bits: u32| match bits & 3 {
        1 => Control::Flatten,
        2 => Control::Keep,
        _ => Control::None,
    };
    match inst.op() {
        Some(Op::SelectionMerge) => {
            let merge = block_of(r, inst.word(1)?, count)?;
            Ok((Merge::Selection { merge }, control(inst.word(2)?)))
        }
        Some(Op::LoopMerge) => {
            let (merge, cont) = (block_of(r, inst.word(1)?, count)?, block_of(r, inst.word(2)?, count)?);
            Ok((Merge::Loop { merge, cont }, control(inst.word(3)?)))
        }
        _ => Ok((Merge::None, Control::None)),
    }
}

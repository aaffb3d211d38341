//! The blocks of a function: where they are, their merge instructions and edges.

use crate::error::*;
use crate::state::{Def, ExtSet, Kind, Reader, TyIx, flag};
use crate::types::access_of;
use crate::words::Inst;
use airfoil_ir::Control;
use smallvec::SmallVec;
use spirv::{MemoryAccess, Op, StorageClass};

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

/// An access to a variable that may become a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalAccess {
    pub block: u32,
    /// The variable.
    pub id: u32,
    pub is_store: bool,
}

/// Variables that are only loaded and stored whole.
#[derive(Debug, Default)]
pub(crate) struct LocalUses {
    /// Ids and types. Those with another use lack [`flag::LOCAL`] in the end.
    pub variables: Vec<(u32, TyIx)>,
    /// In the order of the module.
    pub accesses: Vec<LocalAccess>,
}

impl LocalUses {
    /// Notes an instruction of a block.
    fn instruction(&mut self, r: &mut Reader<'_>, inst: Inst<'_>, op: Op, block: u32) {
        let volatile = |i: usize| {
            let bits = inst.words.get(i).copied().unwrap_or(0);
            bits & MemoryAccess::VOLATILE.bits() != 0
        };
        let is_debug = |def| matches!(def, Def::Ext(ExtSet::DebugInfo | ExtSet::NonSemantic));
        let (pointer, others, is_store) = match op {
            Op::Variable if block == 0 => return self.variable(r, inst),
            _ if self.variables.is_empty() => return,
            Op::Load if !volatile(4) => (inst.words.get(3), 0, false),
            Op::Store if !volatile(3) => (inst.words.get(1), 2, true),
            Op::Line | Op::NoLine | Op::Nop => return,
            Op::ExtInst if inst.words.get(3).is_some_and(|&set| is_debug(r.id(set).def)) => return,
            _ => (None, 1, false),
        };
        if let Some(&id) = pointer
            && r.id(id).flags & flag::LOCAL != 0
        {
            self.accesses.push(LocalAccess { block, id, is_store });
        }
        // A literal that equals an id does no harm.
        for &id in inst.words.get(others..).filter(|_| others > 0).unwrap_or_default() {
            Self::drop(r, id);
        }
    }

    fn drop(r: &mut Reader<'_>, id: u32) {
        if r.id(id).flags & flag::LOCAL != 0
            && let Ok(entry) = r.id_mut(id)
        {
            entry.flags &= !flag::LOCAL;
        }
    }

    fn variable(&mut self, r: &mut Reader<'_>, inst: Inst<'_>) {
        let (Ok(ty), Ok(id)) = (inst.word(1), inst.word(2)) else { return };
        if let Some(&init) = inst.words.get(4) {
            Self::drop(r, init);
        }
        if !matches!(r.id(id).def, Def::None) || r.id(id).flags & flag::LOCAL != 0 {
            return Self::drop(r, id);
        }
        let Def::Type(ty) = r.id(ty).def else { return };
        let Kind::Pointer { to, class: StorageClass::Function } = r.kind(ty) else { return };
        let Def::Type(to) = r.id(to).def else { return };
        let is_value =
            matches!(r.kind(to), Kind::Bool | Kind::Int { .. } | Kind::Float { .. } | Kind::Vector { .. });
        if !is_value
            || r.types[to as usize].shape.is_none()
            || !r.decorations(id).all(|d| access_of(d.kind).is_empty())
        {
            return;
        }
        if let Ok(entry) = r.id_mut(id) {
            entry.flags |= flag::LOCAL;
            self.variables.push((id, to));
            if inst.words.len() > 4 {
                self.accesses.push(LocalAccess { block: 0, id, is_store: true });
            }
        }
    }
}

/// Finds the blocks of a function, about `count`, and gives their labels numbers.
pub(crate) fn scan(
    r: &mut Reader<'_>,
    mut at: usize,
    count: usize,
    locals: &mut LocalUses,
) -> Res<Vec<SBlock>> {
    let mut blocks: Vec<SBlock> = Vec::with_capacity(count);
    let all_variables = r.options.raw || r.options.keep_locals;
    let mut open = false;
    loop {
        let inst = Inst::at(r.words, at)?;
        at = inst.end();
        let Some(op) = inst.op() else {
            let e = error(UNSUPPORTED, format!("{} is not known", inst.name()));
            return Err(r.locate(e, inst));
        };
        if open && !all_variables {
            locals.instruction(r, inst, op, blocks.len() as u32 - 1);
        }
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

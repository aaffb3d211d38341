//! The blocks of a function: where they are, their merge instructions and edges.

use crate::error::*;
use crate::inline::plan_of;
use crate::state::plan::{LocalAccess, LocalUses, Merge, NONE, Plan, SBlock};
use crate::state::{Def, ExtSet, Kind, Reader, TyIx, flag};
use crate::types::access_of;
use crate::words::Inst;
use airfoil_ir::Control;
use smallvec::SmallVec;
use spirv::{MemoryAccess, Op, StorageClass};

impl LocalUses {
    /// Records an instruction of a block.
    fn instruction(&mut self, r: &mut Reader<'_>, inst: Inst<'_>, op: Op, block: u32) {
        let volatile = |i: usize| {
            let bits = inst.words.get(i).copied().unwrap_or(0);
            bits & MemoryAccess::VOLATILE.bits() != 0
        };
        let is_debug = |def| matches!(def, Def::Ext(ExtSet::DebugInfo | ExtSet::NonSemantic));
        let (pointer, others, is_store) = match op {
            Op::Variable if block == 0 => return self.variable(r, inst),
            _ if self.variables.is_empty() && !self.has_parameters => return,
            Op::FunctionCall => return self.call(r, inst, block),
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

    /// Arguments stay values if the parameters do.
    fn call(&mut self, r: &mut Reader<'_>, inst: Inst<'_>, block: u32) {
        let (callee, ids) = (inst.words.get(3), inst.rest(4));
        if !ids.iter().any(|&id| r.id(id).flags & flag::LOCAL != 0) {
            return;
        }
        let plan = match callee.map(|&id| r.id(id).def) {
            Some(Def::Function(f)) => plan_of(r, f),
            _ => None,
        };
        for (i, &id) in ids.iter().enumerate() {
            if r.id(id).flags & flag::LOCAL == 0 {
                continue;
            }
            let parameter = plan.as_ref().and_then(|p| p.parameters.get(i));
            if parameter.is_none_or(|&(_, p)| r.id(p).flags & flag::LOCAL == 0) {
                Self::drop(r, id);
            } else {
                self.accesses.extend([false, true].map(|is_store| LocalAccess { block, id, is_store }));
            }
        }
    }

    /// Records a parameter: it may point to a variable of a caller that becomes a value.
    fn parameter(&mut self, r: &mut Reader<'_>, inst: Inst<'_>) {
        let (Ok(ty), Ok(id)) = (inst.word(1), inst.word(2)) else { return };
        if pointee_value(r, ty).is_some()
            && r.id(id).links == 0
            && let Ok(entry) = r.id_mut(id)
        {
            entry.flags |= flag::LOCAL;
            self.has_parameters = true;
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
        let Some(to) = pointee_value(r, ty) else { return };
        if !r.decorations(id).all(|d| access_of(d.kind).is_empty()) {
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

/// The type of the scalars or vectors of storage class Function that a pointer type leads to.
fn pointee_value(r: &Reader<'_>, pointer: u32) -> Option<TyIx> {
    let Def::Type(ty) = r.id(pointer).def else { return None };
    let Kind::Pointer { to, class: StorageClass::Function } = r.kind(ty) else { return None };
    let Def::Type(to) = r.id(to).def else { return None };
    let is_value =
        matches!(r.kind(to), Kind::Bool | Kind::Int { .. } | Kind::Float { .. } | Kind::Vector { .. });
    (is_value && !r.types[to as usize].shape.is_none()).then_some(to)
}

/// Finds the parameters and the blocks of a function, about `count`, and gives their labels numbers.
pub(crate) fn scan(r: &mut Reader<'_>, mut at: usize, count: usize, plan: &mut Plan) -> Res<()> {
    // No other function has these words.
    plan.labels = at as u32;
    let Plan { blocks, locals, parameters, .. } = plan;
    blocks.reserve(count);
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
            Op::FunctionEnd => return Ok(()),
            Op::Label => {
                if open {
                    return Err(r.locate(error(MALFORMED, "a block starts within another"), inst));
                }
                open = true;
                let label = Def::Label(plan.labels + blocks.len() as u32);
                r.define(inst.word(1)?, label).map_err(|e| r.locate(e, inst))?;
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
            Op::FunctionParameter if !open => {
                parameters.push((inst.word(1)?, inst.word(2)?));
                if !all_variables {
                    locals.parameter(r, inst);
                }
            }
            _ if !open => {
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
pub(crate) fn block_of(r: &Reader<'_>, label: u32, plan: &Plan) -> Res<u32> {
    match r.id(label).def {
        Def::Label(b) if (b.wrapping_sub(plan.labels) as usize) < plan.blocks.len() => Ok(b - plan.labels),
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
pub(crate) fn link(r: &Reader<'_>, plan: &mut Plan) -> Res<()> {
    if plan.blocks.is_empty() {
        return fail(MALFORMED, "the function has no blocks");
    }
    for b in 0..plan.blocks.len() {
        if let Some(at) = plan.blocks[b].merge_at {
            let inst = Inst::at(r.words, at)?;
            let (merge, control) = read_merge(r, inst, plan).map_err(|e| r.locate(e, inst))?;
            (plan.blocks[b].merge, plan.blocks[b].control) = (merge, control);
        }
        let inst = Inst::at(r.words, plan.blocks[b].end)?;
        let mut succs: SmallVec<[u32; 2]> = SmallVec::new();
        let result = (|| -> Res<()> {
            match inst.op() {
                Some(Op::Branch) => succs.push(block_of(r, inst.word(1)?, plan)?),
                Some(Op::BranchConditional) => {
                    succs.push(block_of(r, inst.word(2)?, plan)?);
                    succs.push(block_of(r, inst.word(3)?, plan)?);
                }
                Some(Op::Switch) => {
                    let size = literal_words(r, inst.word(1)?);
                    for case in inst.rest(3).chunks_exact(size + 1) {
                        succs.push(block_of(r, case[size], plan)?);
                    }
                    succs.push(block_of(r, inst.word(2)?, plan)?);
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
            plan.blocks[s as usize].preds.push(b as u32);
        }
        plan.blocks[b].succs = succs;
    }
    Ok(())
}

/// Reads the merge instruction before a terminator.
fn read_merge(r: &Reader<'_>, inst: Inst<'_>, plan: &Plan) -> Res<(Merge, Control)> {
    let control = |bits: u32| match bits & 3 {
        1 => Control::Flatten,
        2 => Control::Keep,
        _ => Control::None,
    };
    match inst.op() {
        Some(Op::SelectionMerge) => {
            let merge = block_of(r, inst.word(1)?, plan)?;
            Ok((Merge::Selection { merge }, control(inst.word(2)?)))
        }
        Some(Op::LoopMerge) => {
            let (merge, cont) = (block_of(r, inst.word(1)?, plan)?, block_of(r, inst.word(2)?, plan)?);
            Ok((Merge::Loop { merge, cont }, control(inst.word(3)?)))
        }
        _ => Ok((Merge::None, Control::None)),
    }
}

//! Variables inside of the function: which value they have from where on.
//!
//! The names of values ([`airfoil_ir::Names`]) say that a variable gets a value in a block, at about a line. The call of `llvm.dbg.value`
//! stands in that block, behind the value and in front of the first instruction of the line or of a later one; at the end
//! of the block if there is none. What a variable was before ends there as well: a value that has not been kept is
//! said as `undef`, if there was one before. Stores to outputs say their values where they stand.

use super::Places;
use crate::module::{Location, Md};
use crate::select::body::Emit;
use crate::select::types::Class;
use airfoil_ir::analysis::Dominance;
use airfoil_ir::{
    BlockId, InstrId, InstrKind, IntrinsicOp, Loc, Modes, NameId, NamedValue, Names, Scalar, Shader, Slot,
    Ty, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a record of a variable is kept under.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Name(NameId),
    Output(Slot, u8),
}

/// The records of the current block that have not been said.
#[derive(Default)]
pub(super) struct Pending {
    records: Vec<NamedValue>,
    /// Records that wait for a value of this block.
    waiting: FxHashMap<InstrId, Vec<u32>>,
    /// Line and number of those whose values are there.
    ready: BinaryHeap<Reverse<(u32, u32)>>,
    /// One more than the number of the last record of each variable that was said in this block.
    said: FxHashMap<NameId, u32>,
}

/// An output that the source names.
type Output = (String, TypeId);

/// What is known of names in the whole function.
pub(super) struct Known<'a> {
    names: Option<&'a Names>,
    dominance: Option<Dominance>,
    outputs: FxHashMap<(Slot, u8), Output>,
    pub(super) records: FxHashMap<Key, Md>,
    pub(super) pending: Pending,
}

impl<'a> Known<'a> {
    pub(super) fn new(shader: &'a Shader) -> Known<'a> {
        let body = shader.entry_body();
        let names = body.and_then(|b| b.names());
        // Stores to a copy of the output have said its values already.
        let copied: FxHashSet<&str> = names.iter().flat_map(|n| n.variables()).map(|v| &*v.name).collect();
        let outputs = shader.vars.values().filter(|v| {
            v.mode == Modes::OUT && v.index == 0 && !v.name.is_empty() && !copied.contains(&*v.name)
        });
        let outputs =
            outputs.filter_map(|v| Some(((v.location?, v.component), (v.name.to_string(), v.ty)))).collect();
        Known {
            names,
            dominance: names.filter(|n| !n.is_empty()).and(body).map(Dominance::new),
            outputs,
            records: FxHashMap::default(),
            pending: Pending::default(),
        }
    }
}

/// Component type and number of components of a vector.
fn vector(shader: &Shader, ty: TypeId) -> Option<(Scalar, u8)> {
    match shader.types[ty] {
        Type::Vector { scalar, comps } => Some((scalar, comps)),
        Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) | Type::Image(_) | Type::Sampler => None,
    }
}

impl Emit<'_> {
    /// Gets the names of a block ready.
    pub(crate) fn start_names(&mut self, block: BlockId) {
        let Some(places) = &mut self.places else { return };
        let pending = &mut places.known.pending;
        *pending = Pending::default();
        let Some(names) = places.known.names.filter(|_| self.options.names) else { return };
        pending.records = names.of(block).collect();
        for (number, record) in (0u32..).zip(&pending.records) {
            let here = record.value.filter(|&v| {
                let made = self
                    .body
                    .get(v)
                    .is_some_and(|i| !matches!(i.kind, InstrKind::Const(_) | InstrKind::Undef));
                made && self.body.block_of(v) == block
            });
            match here {
                Some(value) => pending.waiting.entry(value).or_default().push(number),
                None => pending.ready.push(Reverse((record.loc.line(), number))),
            }
        }
    }

    /// Says what belongs in front of an instruction.
    pub(crate) fn names_before(&mut self, block: BlockId, id: InstrId) {
        if self.places.is_none() {
            return;
        }
        let body = self.body;
        let instr = &body[id];
        if !matches!(instr.kind, InstrKind::Phi(_)) {
            self.say_ready(block, instr.loc);
        }
        if instr.as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::store_output) {
            self.say_output(id);
        }
    }

    /// An instruction is there.
    pub(crate) fn names_after(&mut self, id: InstrId) {
        let Some(places) = &mut self.places else { return };
        let pending = &mut places.known.pending;
        for number in pending.waiting.remove(&id).into_iter().flatten() {
            let line = pending.records[number as usize].loc.line();
            pending.ready.push(Reverse((line, number)));
        }
    }

    /// Says what is left at the end of a block.
    pub(crate) fn names_at_end(&mut self, block: BlockId) {
        if self.places.is_some() && !self.b.is_terminated() {
            self.say_ready(block, Loc::new(0, (1 << 24) - 1));
        }
    }

    /// Says the records up to a line.
    fn say_ready(&mut self, block: BlockId, before: Loc) {
        let Some(mut places) = self.places.take() else { return };
        while let Some(&Reverse((line, number))) = places.known.pending.ready.peek() {
            if line > before.line() {
                break;
            }
            let pending = &mut places.known.pending;
            pending.ready.pop();
            let record = pending.records[number as usize];
            let said = pending.said.entry(record.variable).or_default();
            // A later value has been said: this one no longer holds.
            if *said <= number {
                *said = number + 1;
                self.say_record(&mut places, block, record);
            }
        }
        self.places = Some(places);
    }

    fn say_record(&mut self, places: &mut Places<'_>, block: BlockId, record: NamedValue) {
        let Some(variable) = places.known.names.and_then(|n| n.get(record.variable)) else { return };
        let Some((scalar, comps)) = vector(self.shader, variable.ty) else { return };
        let there = |v: &InstrId| {
            let dominance = places.known.dominance.as_ref();
            self.body.get(*v).is_some_and(|i| {
                matches!(i.kind, InstrKind::Const(_))
                    || dominance.is_some_and(|d| d.dominates(self.body.block_of(*v), block))
            })
        };
        let value = record.value.filter(there);
        let name = &variable.name;
        self.say_value(places, Key::Name(record.variable), name, (scalar, comps), value, record.loc);
    }

    /// Says the value of a store to an output that has a name.
    fn say_output(&mut self, id: InstrId) {
        let Some(mut places) = self.places.take() else { return };
        let body = self.body;
        if let Some(i) = body[id].as_intrinsic().filter(|_| self.options.names)
            && let Some(offset) = self.constant_lanes(i.src(1))
        {
            let slot = u32::from(i.io().location.0).saturating_add(offset[0] as u32);
            let key = (Slot(slot.min(255) as u8), i.component() as u8);
            let output = places.known.outputs.get(&key).filter(|_| i.io().dual_source == 0).cloned();
            if let Some((name, ty)) = output
                && let Some((scalar, comps)) = vector(self.shader, ty)
            {
                // A store of some components leaves others as they were: nothing holds all of them.
                let whole = i.write_mask() == (1 << comps) - 1;
                let value = Some(i.src(0)).filter(|_| whole);
                let key = Key::Output(key.0, key.1);
                self.say_value(&mut places, key, &name, (scalar, comps), value, body[id].loc);
            }
        }
        self.places = Some(places);
    }

    fn say_value(
        &mut self,
        places: &mut Places<'_>,
        key: Key,
        name: &str,
        (scalar, comps): (Scalar, u8),
        value: Option<InstrId>,
        loc: Loc,
    ) {
        let class = Class::of(scalar);
        let wanted = Ty::new(comps, scalar.bits());
        let value = value.filter(|&v| self.ty(v) == wanted).and_then(|v| match self.body[v].kind {
            InstrKind::Const(_) => Some(self.whole(v, comps, class)),
            InstrKind::Undef => None,
            _ => self.held_value(v),
        });
        // Nothing was said yet that no longer holds.
        if value.is_none() && !places.known.records.contains_key(&key) {
            return;
        }
        let value = value.unwrap_or_else(|| {
            let ty = self.value_type(class, scalar.bits(), comps);
            self.b.module.undef(ty)
        });
        let m = &mut *self.b.module;
        let variable = match places.known.records.get(&key) {
            Some(&known) => known,
            None => {
                let ty = places.types.value(m, scalar, comps);
                let made = places.variable(m, name, 0, 0, ty);
                places.known.records.insert(key, made);
                made
            }
        };
        places.say(&mut self.b, value, variable);
        places.locate_always(&mut self.b, loc);
    }
}

impl Places<'_> {
    /// Gives what was added a place in any case: calls of debug intrinsics need one.
    fn locate_always(&mut self, b: &mut crate::module::Builder<'_>, loc: Loc) {
        if loc.file().is_some() {
            return self.locate(b, loc);
        }
        let first = std::mem::replace(&mut self.done, b.body().insts().len());
        let (scope, inlined_at) = (self.subprogram, Md::NULL);
        b.locate(first, Location { inst: 0, line: 0, column: 0, scope, inlined_at, implicit: false });
    }
}

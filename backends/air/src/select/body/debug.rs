//! Debug information along the way: source locations of instructions, and values of variables.

use super::FunctionEmitter;
use crate::module::Value;
use crate::select::debug::locations::Locations;
use crate::select::debug::names::{Key, Pending, vector};
use crate::select::debug::types::{Context, Layout, SourceArgument, SourceType};
use crate::select::types::Class;
use airfoil_ir::{BlockId, InstrId, InstrKind, IntrinsicOp, Loc, Modes, NamedValue, Scalar, Slot, Ty};
use std::cmp::Reverse;

impl FunctionEmitter<'_> {
    /// Sets the location of the instructions that were added since the last call.
    pub(crate) fn set_location(&mut self, loc: Loc) {
        if let Some(locations) = &mut self.locations {
            locations.locate(&mut self.b, loc);
        }
    }

    /// Names the arguments. They belong to the line of the function's head.
    pub(crate) fn name_arguments(&mut self) {
        let Some(mut locations) = self.locations.take() else { return };
        let sig = self.sig;
        for SourceArgument { argument, name, ty } in &sig.sources {
            let mut c = Context { m: self.b.module, layouts: self.layouts, types: &self.shader.types };
            let ty = match *ty {
                SourceType::Value(scalar, comps) => locations.types.value(c.m, scalar, comps),
                SourceType::Handle(ref name) => locations.types.handle(c.m, name),
                SourceType::Memory(ty, layout) => {
                    let to = locations.types.memory(&mut c, ty, layout);
                    locations.types.pointer(c.m, to)
                }
            };
            let variable = locations.variable(self.b.module, name, argument + 1, locations.line, ty);
            locations.set_value(&mut self.b, Value::arg(*argument), variable);
        }
        locations.locate_at_head(&mut self.b);
        self.locations = Some(locations);
    }

    /// Names the variables of the function that stayed in memory, by `llvm.dbg.declare`, whose form all readers share.
    pub(crate) fn name_memory(&mut self) {
        let Some(mut locations) = self.locations.take() else { return };
        locations.locate(&mut self.b, Loc::NONE);
        for (var, &pointer) in &self.state.memory {
            let Some(v) = self.shader.vars.get(var).filter(|v| v.mode == Modes::FUNCTION_TEMP) else {
                continue;
            };
            // Constant ones are the module's.
            if v.name.is_empty() || !self.options.names || pointer.is_module_level() {
                continue;
            }
            let mut c = Context { m: self.b.module, layouts: self.layouts, types: &self.shader.types };
            let ty = locations.types.memory(&mut c, v.ty, Layout::Private);
            let variable = locations.variable(self.b.module, &v.name, 0, 0, ty);
            locations.declare_memory(&mut self.b, pointer, variable);
        }
        locations.locate_at_head(&mut self.b);
        self.locations = Some(locations);
    }

    /// Gets the names of a block ready.
    pub(crate) fn start_names(&mut self, block: BlockId) {
        let Some(locations) = &mut self.locations else { return };
        let pending = &mut locations.names.pending;
        *pending = Pending::default();
        let Some(names) = locations.names.names.filter(|_| self.options.names) else { return };
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

    /// Whether a block has debug records of variables.
    pub(crate) fn has_names(&self, block: BlockId) -> bool {
        let names = self.locations.as_ref().and_then(|l| l.names.names).filter(|_| self.options.names);
        names.is_some_and(|names| names.of(block).next().is_some())
    }

    /// Emits the debug records that precede an instruction.
    pub(crate) fn names_before(&mut self, block: BlockId, id: InstrId) {
        if self.locations.is_none() {
            return;
        }
        let body = self.body;
        let instr = &body[id];
        if !matches!(instr.kind, InstrKind::Phi(_)) {
            self.emit_ready(block, instr.loc);
        }
        if instr.as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::store_output) {
            self.emit_output_value(id);
        }
    }

    /// Marks the records that wait for an instruction as ready, after its emission.
    pub(crate) fn names_after(&mut self, id: InstrId) {
        let Some(locations) = &mut self.locations else { return };
        let pending = &mut locations.names.pending;
        for number in pending.waiting.remove(&id).into_iter().flatten() {
            let line = pending.records[number as usize].loc.line();
            pending.ready.push(Reverse((line, number)));
        }
    }

    /// Emits the records that are left at the end of a block.
    pub(crate) fn names_at_end(&mut self, block: BlockId) {
        if self.locations.is_some() && !self.b.is_terminated() {
            self.emit_ready(block, Loc::new(0, (1 << 24) - 1));
        }
    }

    /// Emits the records up to a line.
    fn emit_ready(&mut self, block: BlockId, before: Loc) {
        let Some(mut locations) = self.locations.take() else { return };
        while let Some(&Reverse((line, number))) = locations.names.pending.ready.peek() {
            if line > before.line() {
                break;
            }
            let pending = &mut locations.names.pending;
            pending.ready.pop();
            let record = pending.records[number as usize];
            let said = pending.said.entry(record.variable).or_default();
            // A later value has been emitted: this one no longer holds.
            if *said <= number {
                *said = number + 1;
                self.emit_record(&mut locations, block, record);
            }
        }
        self.locations = Some(locations);
    }

    fn emit_record(&mut self, locations: &mut Locations<'_>, block: BlockId, record: NamedValue) {
        let Some(variable) = locations.names.names.and_then(|n| n.get(record.variable)) else { return };
        let Some((scalar, comps)) = vector(self.shader, variable.ty) else { return };
        let there = |v: &InstrId| {
            let dominance = locations.names.dominance.as_ref();
            self.body.get(*v).is_some_and(|i| {
                matches!(i.kind, InstrKind::Const(_))
                    || dominance.is_some_and(|d| d.dominates(self.body.block_of(*v), block))
            })
        };
        let value = record.value.filter(there);
        let name = &variable.name;
        self.emit_value(locations, Key::Name(record.variable), name, (scalar, comps), value, record.loc);
    }

    /// Says the value of a store to an output that has a name.
    fn emit_output_value(&mut self, id: InstrId) {
        let Some(mut locations) = self.locations.take() else { return };
        let body = self.body;
        if let Some(i) = body[id].as_intrinsic().filter(|_| self.options.names)
            && let Some(offset) = self.constant_lanes(i.src(1))
        {
            let slot = u32::from(i.io().location.0).saturating_add(offset[0] as u32);
            let key = (Slot(slot.min(255) as u8), i.component() as u8);
            let output = locations.names.outputs.get(&key).filter(|_| i.io().dual_source == 0).cloned();
            if let Some((name, ty)) = output
                && let Some((scalar, comps)) = vector(self.shader, ty)
            {
                // A store of some components leaves others as they were: nothing holds all of them.
                let whole = i.write_mask() == (1 << comps) - 1;
                let value = Some(i.src(0)).filter(|_| whole);
                let key = Key::Output(key.0, key.1);
                self.emit_value(&mut locations, key, &name, (scalar, comps), value, body[id].loc);
            }
        }
        self.locations = Some(locations);
    }

    fn emit_value(
        &mut self,
        locations: &mut Locations<'_>,
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
        // No value has been emitted that would have to end here.
        if value.is_none() && !locations.names.records.contains_key(&key) {
            return;
        }
        let value = value.unwrap_or_else(|| {
            let ty = self.value_type(class, scalar.bits(), comps);
            self.b.module.undef(ty)
        });
        let m = &mut *self.b.module;
        let variable = match locations.names.records.get(&key) {
            Some(&known) => known,
            None => {
                let ty = locations.types.value(m, scalar, comps);
                let made = locations.variable(m, name, 0, 0, ty);
                locations.names.records.insert(key, made);
                made
            }
        };
        locations.set_value(&mut self.b, value, variable);
        locations.locate_always(&mut self.b, loc);
    }
}

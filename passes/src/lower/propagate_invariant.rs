//! Marks all operations that invariant outputs depend on as exact.
//!
//! Accepts any form. Preserves all analyses. A value stored to a variable or output declared `invariant` must
//! be equal in all programs that compute it by the same expressions (GLSL 4.60 section 4.8.1), so operations
//! that it depends on must not be rewritten in a way that changes bits. Dependences include operands,
//! conditions that choose between stores or sources of phis, and values stored to variables that are read in
//! between. Run it before optimizing passes. Each value is visited once.
//!
//! Source: NIR's `nir_propagate_invariant`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x4 %1 = load_input %0 io=0 dest_type=float32
//! %2 = fmul %1, %1
//! store_output %2, %0 io=(position invariant) mask=xyzw
//! =>
//! 32x1 %0 = const 0
//! 32x4 %1 = load_input %0 io=0 dest_type=float32
//! %2 = fmul! %1, %1
//! store_output %2, %0 io=(position invariant) mask=xyzw
//! ```

use crate::util::deref_path::root_var;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::intrinsic::IntrinsicFlags;
use airfoil_ir::{
    AluFlags, BlockId, Body, CfId, Dense, Diagnostic, Form, InstrId, InstrKind, IntrinsicOp, Shader, VarId,
};
use slotmap::SecondaryMap;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct PropagateInvariant;

static INFO: PassInfo = PassInfo::new(
    "propagate_invariant",
    "marks the computation of invariant outputs as exact",
    include_str!("propagate_invariant.rs"),
);

impl Pass for PropagateInvariant {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let mut progress = Changes::NONE;
        let invariant: Vec<VarId> =
            shader.vars.iter().filter(|(_, v)| v.invariant).map(|(id, _)| id).collect();
        // Only stores by slot carry the flag of an output themselves.
        if invariant.is_empty() && shader.form == Form::Variables {
            return Ok(progress);
        }
        for function in shader.functions.values_mut() {
            let body = &function.body;
            if invariant.is_empty() && !body.all_instrs().any(|id| is_invariant_output(body, id)) {
                continue;
            }
            let mut marker = Marker {
                body,
                values: Dense::new(body.instr_capacity()),
                vars: SecondaryMap::new(),
                stores: stores_by_variable(body),
                conditions: SecondaryMap::new(),
                work: Vec::new(),
            };
            invariant.iter().for_each(|&v| marker.var(v));
            marker.invariant_outputs();
            let found = marker.run();
            for id in &found {
                function.body.edit(*id, |i| {
                    if let InstrKind::Alu(a) = &mut i.kind {
                        a.flags |= AluFlags::EXACT;
                    }
                });
            }
            progress |= Changes::VALUES.when(!found.is_empty());
        }
        Ok(progress)
    }
}

fn is_invariant_output(body: &Body, id: InstrId) -> bool {
    body[id].as_intrinsic().is_some_and(|i| {
        matches!(i.op, IntrinsicOp::store_output | IntrinsicOp::store_per_vertex_output) && i.io().invariant
    })
}

/// The instructions that write each variable.
fn stores_by_variable(body: &Body) -> SecondaryMap<VarId, Vec<InstrId>> {
    let mut stores: SecondaryMap<VarId, Vec<InstrId>> = SecondaryMap::new();
    for id in body.all_instrs() {
        let Some(i) = body[id].as_intrinsic().filter(|i| i.op.has(IntrinsicFlags::WRITES)) else { continue };
        // Destinations of variable accesses come first; other operands are values.
        let Some(&dst) = i.srcs().first().filter(|&&d| body[d].as_deref().is_some()) else { continue };
        if let Some(list) = root_var(body, dst).and_then(|v| stores.entry(v)) {
            list.or_default().push(id);
        }
    }
    stores
}

struct Marker<'a> {
    body: &'a Body,
    values: Dense<bool>,
    vars: SecondaryMap<VarId, ()>,
    stores: SecondaryMap<VarId, Vec<InstrId>>,
    conditions: SecondaryMap<CfId, ()>,
    work: Vec<InstrId>,
}

impl Marker<'_> {
    fn invariant_outputs(&mut self) {
        let body = self.body;
        body.all_instrs().filter(|&id| is_invariant_output(body, id)).for_each(|id| self.store(id));
    }

    /// Propagates the marks to dependences; returns the ALU operations that become exact.
    fn run(mut self) -> Vec<InstrId> {
        let mut found = Vec::new();
        while let Some(id) = self.work.pop() {
            let instr = &self.body[id];
            match &instr.kind {
                InstrKind::Alu(a) if !a.is_exact() => found.push(id),
                InstrKind::Deref(_) => {
                    if let Some(v) = root_var(self.body, id) {
                        self.var(v);
                    }
                }
                InstrKind::Phi(srcs) => srcs.iter().for_each(|s| self.choice(s.pred)),
                _ => {}
            }
            instr.visit_operands(|v| self.value(v));
        }
        found
    }

    fn value(&mut self, id: InstrId) {
        if !self.values.get(id) {
            self.values.set(id, true);
            self.work.push(id);
        }
    }

    fn store(&mut self, id: InstrId) {
        self.value(id);
        self.choice(self.body.block_of(id));
    }

    fn var(&mut self, var: VarId) {
        if self.vars.insert(var, ()).is_none() {
            for store in self.stores.remove(var).unwrap_or_default() {
                self.store(store);
            }
        }
    }

    /// Marks the conditions that decide whether a block runs.
    fn choice(&mut self, block: BlockId) {
        let mut owner = self.body.owner(block);
        while let Some(cf) = owner.cf() {
            if self.conditions.insert(cf, ()).is_some() {
                return;
            }
            if let Some(n) = self.body.as_if(cf) {
                self.value(n.cond());
            }
            owner = self.body.cf_owner(cf);
        }
    }
}

//! Calls that are replaced by the code of the function while it is read.
//!
//! The words of the callee are translated at the call, with its parameters as the arguments: pointers lead where those of the caller
//! lead, and locals that are passed stay values. The first call of a function takes no more work than its translation. Further
//! calls have a budget; beyond it, and for functions that return early, the call stays, and `inline_functions` handles it.

use crate::calls::OTHER_MEMORY;
use crate::error::*;
use crate::state::plan::{Plan, Planned, Step};
use crate::state::{Def, FunctionTranslator, Inlined, Kind, PtrPlace, Reader, TyIx, Val};
use crate::structure::plan;
use crate::words::Inst;
use smallvec::SmallVec;
use spirv::Op;
use std::rc::Rc;

/// Functions that are planned or inlined within each other.
const MAX_DEPTH: u32 = 24;
/// Ifs and loops around a call that is inlined.
const MAX_NESTING: usize = 256;
/// Words of all functions that are inlined more than once.
const MAX_WORDS: usize = 1 << 17;

/// The plan of a function, computed at the first request. Malformed functions have none, and it is missing while it is
/// computed.
pub(crate) fn plan_of(r: &mut Reader<'_>, f: u32) -> Option<Rc<Plan>> {
    let function = r.functions.get(f as usize)?;
    match &function.plan {
        Planned::Done(plan) => return Some(plan.clone()),
        Planned::Started | Planned::Failed(_) => return None,
        Planned::Todo if r.planning >= MAX_DEPTH => return None,
        Planned::Todo => {}
    }
    make_plan(r, f).ok()
}

/// The plan of a function that is translated, or why there is none.
pub(crate) fn make_plan(r: &mut Reader<'_>, f: u32) -> Res<Rc<Plan>> {
    let function = &mut r.functions[f as usize];
    match &function.plan {
        Planned::Done(plan) => return Ok(plan.clone()),
        Planned::Failed(e) => return Err(e.clone()),
        Planned::Started | Planned::Todo => function.plan = Planned::Started,
    }
    let (at, blocks) = (function.at, function.blocks);
    let head = Inst::at(r.words, at)?;
    r.planning += 1;
    let mut made = r.plans.pop().unwrap_or_default();
    let spare = Rc::get_mut(&mut made).map(std::mem::take).unwrap_or_default();
    let result = plan(r, head.end(), blocks, spare).map_err(|e| r.locate(e, head));
    r.planning -= 1;
    let result = result.map(|mut plan| {
        plan.has_one_return = returns_at_end(r, &plan);
        match Rc::get_mut(&mut made) {
            Some(empty) => *empty = plan,
            None => made = Rc::new(plan),
        }
        made
    });
    r.functions[f as usize].plan = match &result {
        Ok(plan) => Planned::Done(plan.clone()),
        Err(e) => Planned::Failed(e.clone()),
    };
    result
}

/// Whether a function returns at its end and nowhere else.
fn returns_at_end(r: &Reader<'_>, plan: &Plan) -> bool {
    let is_return = |block: u32| {
        let end = Inst::at(r.words, plan.blocks[block as usize].end);
        matches!(end.map(|i| i.op()), Ok(Some(Op::Return | Op::ReturnValue)))
    };
    let mut returns = plan.steps.iter().filter_map(|step| match *step {
        Step::Exit(block, last) if is_return(block) => Some(last),
        _ => None,
    });
    returns.next() == Some(true) && returns.next().is_none()
}

impl FunctionTranslator<'_, '_> {
    /// The plan of a function whose call can be replaced by its code.
    pub fn plan_to_inline(&mut self, f: u32) -> Option<Rc<Plan>> {
        let options = self.r.options;
        if options.raw
            || options.keep_locals
            || f == self.index
            || self.inlined.len() >= MAX_DEPTH as usize
            || self.nesting > MAX_NESTING
            || self.inlined.iter().any(|i| i.function == f)
        {
            return None;
        }
        let plan = plan_of(self.r, f).filter(|plan| plan.has_one_return)?;
        let function = &mut self.r.functions[f as usize];
        if function.is_inlined {
            let words = self.r.inlined_again + function.words;
            if words > MAX_WORDS {
                return None;
            }
            self.r.inlined_again = words;
        }
        function.is_inlined = true;
        Some(plan)
    }

    /// Translates a function at a call of it with arguments `ids`.
    pub fn inline(&mut self, f: u32, plan: &Plan, ids: &[u32]) -> Res<Option<(TyIx, Val)>> {
        let Kind::Function { first, n, .. } = self.r.kind(self.r.functions[f as usize].ty) else {
            return fail(TYPE, "the called function has no function type");
        };
        if plan.parameters.len() != n as usize {
            return fail(MALFORMED, "the function has fewer parameters than its type");
        }
        let mut arguments: SmallVec<[Def; 8]> = SmallVec::new();
        for (i, (&id, &(declared, _))) in ids.iter().zip(&plan.parameters).enumerate() {
            let ty = self.r.params[first as usize + i];
            if self.r.type_of(declared)? != ty {
                return fail(TYPE, "the type of the parameter is not that of the function's type");
            }
            arguments.push(self.argument(id, ty)?);
        }
        let start = self.r.num_locals();
        self.r.scope += 1;
        for (argument, &(_, parameter)) in arguments.into_iter().zip(&plan.parameters) {
            self.r.define(parameter, argument)?;
        }
        let (inst, line, loc) = (self.inst, self.r.line, self.b.loc);
        let outer_phis = std::mem::replace(&mut self.first_phi, (self.phis.len(), self.phi_stores.len()));
        let outer = self.locals.enter();
        self.inlined.push(Inlined { function: f, returned: None });
        self.body(plan)?;
        let inlined = self.inlined.pop();
        self.locals.leave_function(outer);
        self.phis.truncate(self.first_phi.0);
        self.phi_stores.truncate(self.first_phi.1);
        self.first_phi = outer_phis;
        (self.inst, self.r.line, self.b.loc) = (inst, line, loc);
        self.r.scope -= 1;
        self.r.forget_since(start);
        Ok(inlined.and_then(|i| i.returned))
    }

    /// The definition of a parameter of type `ty` for the argument `id`.
    fn argument(&mut self, id: u32, ty: TyIx) -> Res<Def> {
        let (to, class) = match self.r.kind(ty) {
            Kind::Pointer { to, class } if !self.is_pointer_value(ty) => (self.r.type_of(to)?, class),
            _ => {
                let (have, value) = self.value(id)?;
                self.check_same(have, ty)?;
                return Ok(Def::Value(ty, value));
            }
        };
        if let def @ Def::Local(local) = self.r.def(id) {
            self.check_same(self.locals.ty(local), to)?;
            return Ok(def);
        }
        let ptr = self.pointer(id)?;
        self.check_same(ptr.ty, to)?;
        match ptr.place {
            PtrPlace::Deref(deref) => self.check_memory(deref, to, class)?,
            _ if ptr.class == class => {}
            _ => return fail(TYPE, OTHER_MEMORY),
        }
        let n = self.r.pointers.len() as u32;
        self.r.pointers.push(ptr);
        Ok(Def::Pointer(n))
    }
}

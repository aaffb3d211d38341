//! What can be left out of a shader.
//!
//! A step goes over its targets in an order that does not depend on the picks, and asks the [`Picker`] about each.
//! It reports whether it changed anything. The result need not be valid.

use airfoil_ir::{
    Body, CfId, DerefKind, FuncId, Instr, InstrId, InstrKind, IntrinsicOp, Jump, Loc, Modes, PhiSrc, Shader,
    Src, Swizzle, Ty, VarId,
};
use std::collections::BTreeSet;
use std::ops::Range;

/// Chooses targets by their number.
#[derive(Debug)]
pub(super) struct Picker {
    range: Range<usize>,
    seen: usize,
}

impl Picker {
    /// No target: only counts.
    pub fn none() -> Picker {
        Picker::range(0..0)
    }

    /// Targets of these numbers.
    pub fn range(range: Range<usize>) -> Picker {
        Picker { range, seen: 0 }
    }

    /// How many targets there were.
    pub fn seen(&self) -> usize {
        self.seen
    }

    fn pick(&mut self) -> bool {
        self.seen += 1;
        self.range.contains(&(self.seen - 1))
    }
}

/// Leaves out something of a shader; true if it changed.
pub(super) type Step = fn(&mut Shader, &mut Picker) -> bool;

/// All steps, those that can leave out most first.
pub(super) const STEPS: &[Step] = &[
    places,
    calls,
    functions,
    outputs,
    loops,
    rounds,
    ifs,
    then_sides,
    else_sides,
    effects,
    unused,
    values,
    unused,
    operands,
    phis,
    jumps,
    swizzles,
    constants,
    unused,
    variables,
    initializers,
];

/// Does something to picked targets of each function.
fn each<T: Copy>(
    shader: &mut Shader,
    picker: &mut Picker,
    targets: impl Fn(&Body) -> Vec<T>,
    mut apply: impl FnMut(&mut Body, T) -> bool,
) -> bool {
    let mut changed = false;
    for function in shader.functions.values_mut() {
        for target in targets(&function.body) {
            if picker.pick() {
                changed |= apply(&mut function.body, target);
            }
        }
    }
    changed
}

fn instrs(body: &Body, fits: impl Fn(&Instr) -> bool) -> Vec<InstrId> {
    body.all_instrs().filter(|&id| fits(&body[id])).collect()
}

fn cfs(body: &Body, fits: impl Fn(CfId) -> bool) -> Vec<CfId> {
    body.blocks().filter_map(|b| body.next_cf(b)).filter(|&cf| fits(cf)).collect()
}

/// Replaces a value by zero and takes its instruction out, with its effects.
fn zero(body: &mut Body, id: InstrId) -> bool {
    let Some(instr) = body.get(id) else { return false };
    let (ty, uses) = (instr.ty, instr.uses());
    if ty.is_none() || ty == Ty::DEREF {
        if uses > 0 {
            return false;
        }
        body.remove(id);
        return true;
    }
    match &instr.kind {
        InstrKind::Const(lanes) if lanes.iter().all(|l| *l == 0) => false,
        InstrKind::Phi(_) => {
            // Phis come first in their block, so the constant cannot replace them in place.
            let at = body.after_phis(body.block_of(id));
            let constant = body.insert(at, Instr::new(InstrKind::Const([0; 4]), ty));
            body.replace_uses(id, constant);
            body.remove(id);
            true
        }
        _ => {
            body.set_kind(id, InstrKind::Const([0; 4]));
            true
        }
    }
}

/// Forgets where instructions come from.
fn places(shader: &mut Shader, picker: &mut Picker) -> bool {
    let known = !shader.files.is_empty()
        || shader.functions.values().any(|f| f.body.all_instrs().any(|id| !f.body[id].loc.is_none()));
    if !known || !picker.pick() {
        return false;
    }
    shader.files.clear();
    for function in shader.functions.values_mut() {
        let all: Vec<InstrId> = function.body.all_instrs().collect();
        all.into_iter().for_each(|id| function.body.set_loc(id, Loc::NONE));
    }
    true
}

fn calls(shader: &mut Shader, picker: &mut Picker) -> bool {
    let is_call = |i: &Instr| matches!(i.kind, InstrKind::Call(_));
    each(shader, picker, |body| instrs(body, is_call), zero)
}

/// Functions that nothing calls, with their variables.
fn functions(shader: &mut Shader, picker: &mut Picker) -> bool {
    let mut called: BTreeSet<FuncId> = shader.entry.into_iter().collect();
    for body in shader.functions.values().map(|f| &f.body) {
        called.extend(body.all_instrs().filter_map(|id| match &body[id].kind {
            InstrKind::Call(call) => Some(call.callee),
            _ => None,
        }));
    }
    let unused: Vec<FuncId> = shader.functions.keys().filter(|f| !called.contains(f)).collect();
    let mut changed = false;
    for function in unused {
        if picker.pick() {
            shader.functions.remove(function);
            shader.vars.retain(|_, var| var.function != Some(function));
            changed = true;
        }
    }
    changed
}

/// The variable that a deref starts from.
fn root(body: &Body, mut id: InstrId) -> Option<VarId> {
    loop {
        let deref = body.get(id)?.as_deref()?;
        match deref.kind {
            DerefKind::Var(var) => return Some(var),
            _ => id = deref.parent()?,
        }
    }
}

/// All writes of an output.
fn outputs(shader: &mut Shader, picker: &mut Picker) -> bool {
    let outputs: Vec<VarId> =
        shader.vars.iter().filter(|(_, v)| v.mode == Modes::OUT).map(|(id, _)| id).collect();
    let mut changed = false;
    for output in outputs {
        if !picker.pick() {
            continue;
        }
        for function in shader.functions.values_mut() {
            let body = &mut function.body;
            let writes = |id: &InstrId| {
                let intrinsic = body[*id].as_intrinsic();
                let writes =
                    intrinsic.filter(|i| matches!(i.op, IntrinsicOp::store_deref | IntrinsicOp::copy_deref));
                writes.is_some_and(|i| root(body, i.src(0)) == Some(output))
            };
            let found: Vec<InstrId> = body.all_instrs().filter(writes).collect();
            changed |= !found.is_empty();
            found.into_iter().for_each(|id| body.remove(id));
        }
    }
    changed
}

/// Loops with all that is in them.
fn loops(shader: &mut Shader, picker: &mut Picker) -> bool {
    let loops = |body: &Body| cfs(body, |cf| body.as_loop(cf).is_some());
    each(shader, picker, loops, delete_cf)
}

/// Ifs with all that is in them.
fn ifs(shader: &mut Shader, picker: &mut Picker) -> bool {
    let ifs = |body: &Body| cfs(body, |cf| body.as_if(cf).is_some());
    each(shader, picker, ifs, delete_cf)
}

fn delete_cf(body: &mut Body, cf: CfId) -> bool {
    let there = body.has_cf(cf);
    if there {
        body.delete_cf(cf);
    }
    there
}

fn then_sides(shader: &mut Shader, picker: &mut Picker) -> bool {
    let ifs = |body: &Body| cfs(body, |cf| body.as_if(cf).is_some());
    each(shader, picker, ifs, |body, cf| flatten(body, cf, true))
}

fn else_sides(shader: &mut Shader, picker: &mut Picker) -> bool {
    let ifs = |body: &Body| cfs(body, |cf| body.as_if(cf).is_some());
    each(shader, picker, ifs, |body, cf| flatten(body, cf, false))
}

fn flatten(body: &mut Body, cf: CfId, taken: bool) -> bool {
    let there = body.has_cf(cf);
    if there {
        body.flatten_if(cf, taken);
    }
    there
}

/// Rounds of loops after the first one: the end of the body leaves the loop.
fn rounds(shader: &mut Shader, picker: &mut Picker) -> bool {
    let repeats = |body: &Body, cf| body.as_loop(cf).is_some_and(|l| body.jump(l.body().last).is_none());
    let loops = |body: &Body| cfs(body, |cf| repeats(body, cf));
    each(shader, picker, loops, |body, cf| {
        let Some(last) = body.as_loop(cf).map(|l| l.body().last).filter(|_| repeats(body, cf)) else {
            return false;
        };
        body.insert_jump(last, Jump::Break);
        true
    })
}

/// Instructions without a value.
fn effects(shader: &mut Shader, picker: &mut Picker) -> bool {
    let is_effect = |i: &Instr| !i.has_value() && i.as_jump().is_none();
    each(shader, picker, |body| instrs(body, is_effect), zero)
}

/// Instructions whose value nothing uses; the last ones first, so that what they use can go as well.
fn unused(shader: &mut Shader, picker: &mut Picker) -> bool {
    let valued = |body: &Body| {
        let mut list = instrs(body, Instr::has_value);
        list.reverse();
        list
    };
    each(shader, picker, valued, |body, id| {
        let unused = body.is_unused(id);
        if unused {
            body.remove(id);
        }
        unused
    })
}

/// Values become zero.
fn values(shader: &mut Shader, picker: &mut Picker) -> bool {
    let is_value = |i: &Instr| {
        let zero = i.as_const().is_some_and(|lanes| lanes.iter().all(|l| *l == 0));
        i.has_value() && i.ty != Ty::DEREF && !zero
    };
    each(shader, picker, |body| instrs(body, is_value), zero)
}

/// Values become an operand of theirs.
fn operands(shader: &mut Shader, picker: &mut Picker) -> bool {
    let mut changed = false;
    // All first operands are tried before all second ones.
    for n in 0..3 {
        changed |= each(
            shader,
            picker,
            |body| instrs(body, |i| i.as_alu().is_some()),
            |body, id| {
                let ty = body[id].ty;
                let operand = body[id].as_alu().and_then(|alu| alu.values().get(n).copied());
                let Some(operand) = operand.filter(|&v| body[v].ty == ty && !body.is_unused(id)) else {
                    return false;
                };
                body.replace_uses(id, operand);
                true
            },
        );
    }
    changed
}

/// Phis become one of their sources.
fn phis(shader: &mut Shader, picker: &mut Picker) -> bool {
    let mut changed = false;
    for n in 0..2 {
        changed |= each(
            shader,
            picker,
            |body| instrs(body, |i| i.as_phi().is_some()),
            |body, id| {
                let source = body[id].as_phi().and_then(|srcs: &[PhiSrc]| srcs.get(n).map(|s| s.value));
                let Some(value) = source.filter(|&v| v != id && !body.is_unused(id)) else { return false };
                body.replace_uses(id, value);
                true
            },
        );
    }
    changed
}

fn jumps(shader: &mut Shader, picker: &mut Picker) -> bool {
    let is_jump = |i: &Instr| i.as_jump().is_some();
    each(
        shader,
        picker,
        |body| instrs(body, is_jump),
        |body, id| {
            if body.get(id).is_none() {
                return false;
            }
            body.remove_jump(body.block_of(id));
            true
        },
    )
}

/// Operands are read as they are.
fn swizzles(shader: &mut Shader, picker: &mut Picker) -> bool {
    let swizzled = |i: &Instr| {
        let plain = |(n, src): (usize, Src)| src.swizzle == plain_swizzle(i, n);
        i.as_alu().is_some_and(|alu| !alu.srcs().enumerate().all(plain))
    };
    each(
        shader,
        picker,
        |body| instrs(body, swizzled),
        |body, id| {
            let plain: Vec<Swizzle> = (0..body[id].as_alu().map_or(0, |a| a.op.num_operands()))
                .map(|n| plain_swizzle(&body[id], n))
                .collect();
            body.edit(id, |i| {
                if let InstrKind::Alu(alu) = &mut i.kind {
                    plain.into_iter().enumerate().for_each(|(n, swizzle)| alu.set_swizzle(n, swizzle));
                }
            });
            true
        },
    )
}

fn plain_swizzle(instr: &Instr, n: usize) -> Swizzle {
    let comps = instr.as_alu().map_or(0, |a| a.op.info().operand_comps(n, instr.ty.comps));
    Swizzle::IDENTITY.canonical(comps as usize)
}

/// Constants become one in each component, which is smaller than most.
fn constants(shader: &mut Shader, picker: &mut Picker) -> bool {
    let large = |i: &Instr| i.as_const().is_some_and(|lanes| lanes.iter().any(|&l| l > 1));
    each(
        shader,
        picker,
        |body| instrs(body, large),
        |body, id| {
            let Some(lanes) = body[id].as_const() else { return false };
            let lanes = lanes.map(|lane| lane.min(1));
            body.set_kind(id, InstrKind::Const(lanes));
            true
        },
    )
}

/// Variables that nothing names.
fn variables(shader: &mut Shader, picker: &mut Picker) -> bool {
    let mut named = BTreeSet::new();
    for body in shader.functions.values().map(|f| &f.body) {
        named.extend(body.all_instrs().filter_map(|id| match body[id].as_deref()?.kind {
            DerefKind::Var(var) => Some(var),
            _ => None,
        }));
    }
    let unused: Vec<VarId> = shader.vars.keys().filter(|v| !named.contains(v)).collect();
    let mut changed = false;
    for var in unused {
        if picker.pick() {
            shader.vars.remove(var);
            changed = true;
        }
    }
    changed
}

/// Values that variables have at the start.
fn initializers(shader: &mut Shader, picker: &mut Picker) -> bool {
    let mut changed = false;
    for var in shader.vars.values_mut().filter(|v| v.initializer.is_some()) {
        if picker.pick() {
            var.initializer = None;
            changed = true;
        }
    }
    changed
}

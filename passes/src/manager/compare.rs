//! The kinds of changes between a shader before and after a pass.

use crate::Changes;
use airfoil_ir::{Body, FuncId, Instr, InstrId, InstrKind, Jump, Shader, Walk};
use std::collections::HashSet;

/// A change of a kind that `reported` lacks, described.
pub(super) fn unreported(old: &Shader, new: &Shader, reported: Changes) -> Option<String> {
    if !reported.contains(Changes::INFO)
        && (old.form != new.form || old.info != new.info || old.stage != new.stage)
    {
        return Some("changed the form or the declarations of the stage".into());
    }
    if !reported.contains(Changes::VARIABLES) {
        let list = |s: &Shader| -> Vec<String> { s.vars.iter().map(|v| format!("{v:?}")).collect() };
        if let Some((a, b)) = list(old).iter().zip(&list(new)).find(|(a, b)| a != b) {
            return Some(format!("turned variable {a} into {b}"));
        }
        if old.vars.len() != new.vars.len() {
            return Some("changed the list of variables".into());
        }
    }
    let functions = |s: &Shader| -> Vec<FuncId> { s.functions.keys().collect() };
    if functions(old) != functions(new) {
        return (!reported.contains(Changes::CONTROL_FLOW)).then(|| "changed the list of functions".into());
    }
    new.functions.iter().find_map(|(id, function)| {
        let found = body(&old.functions[id].body, &function.body, reported);
        found.map(|change| format!("{change} in `{}`", function.name))
    })
}

fn body(old: &Body, new: &Body, reported: Changes) -> Option<String> {
    let shape = |body: &Body| -> Vec<(Walk, Option<Jump>)> {
        let jump = |step| match step {
            Walk::Block(b) => body.jump(b),
            _ => None,
        };
        body.walk_cf().map(|step| (step, jump(step))).collect()
    };
    if !reported.contains(Changes::CONTROL_FLOW) && shape(old) != shape(new) {
        return Some("changed the control flow".into());
    }
    let mut kinds = Vec::new();
    let removed: HashSet<InstrId> = old.all_instrs().filter(|&id| new.get(id).is_none()).collect();
    let unused = unused_among(old, &removed);
    for &id in &removed {
        let unused = reported.contains(Changes::UNUSED) && unused.contains(&id);
        if !unused {
            kinds.push((id, kind(&old[id]), "removed"));
        }
    }
    for id in new.all_instrs() {
        match old.get(id) {
            None => kinds.push((id, kind(&new[id]), "added")),
            Some(instr) => kinds.push((id, changed(instr, &new[id]), "changed")),
        }
    }
    if order(old, new) != order(new, old) {
        kinds.push((InstrId::default(), Changes::MEMORY, "reordered"));
    }
    for cf in old.walk_cf() {
        if let Walk::If(cf) = cf
            && let (Some(a), Some(b)) = (old.as_if(cf), new.has_cf(cf).then(|| new.as_if(cf)).flatten())
            && a.cond() != b.cond()
        {
            kinds.push((b.cond(), Changes::VALUES, "made a condition of"));
        }
    }
    let (id, missing, verb) = kinds.into_iter().find(|(_, kind, _)| !reported.contains(*kind))?;
    let instr = new.get(id).or(old.get(id)).map(|i| format!("{:?}", i.kind)).unwrap_or_default();
    Some(format!("{verb} {instr}, which is {missing:?},"))
}

/// The removed instructions that only other removed ones used.
fn unused_among(old: &Body, removed: &HashSet<InstrId>) -> HashSet<InstrId> {
    let mut used: Vec<InstrId> = Vec::new();
    for id in old.all_instrs().filter(|id| !removed.contains(id) || !old[*id].can_eliminate()) {
        old[id].visit_operands(|v| used.push(v));
    }
    for step in old.walk_cf() {
        if let Walk::If(cf) = step
            && let Some(n) = old.as_if(cf)
        {
            used.push(n.cond());
        }
    }
    let mut unused = removed.clone();
    unused.retain(|id| old[*id].can_eliminate());
    while let Some(id) = used.pop() {
        if unused.remove(&id) {
            old[id].visit_operands(|v| used.push(v));
        }
    }
    unused
}

/// The kind that changes of an instruction have.
fn kind(instr: &Instr) -> Changes {
    match instr.kind {
        InstrKind::Alu(_) | InstrKind::Const(_) | InstrKind::Undef | InstrKind::Phi(_) => Changes::VALUES,
        InstrKind::Jump(_) => Changes::CONTROL_FLOW,
        InstrKind::Deref(_) | InstrKind::Intrinsic(_) | InstrKind::Tex(_) | InstrKind::Call(_) => {
            Changes::MEMORY
        }
    }
}

fn changed(old: &Instr, new: &Instr) -> Changes {
    let text = |instr: &Instr| format!("{:?}", instr.kind);
    if text(old) == text(new) && old.ty == new.ty {
        return Changes::NONE;
    }
    let mut operands = Vec::new();
    old.visit_operands(|v| operands.push(v));
    let mut count = 0;
    new.visit_operands(|_| count += 1);
    if count == operands.len() && old.ty == new.ty {
        // The new instruction with the old operands.
        let (mut same, mut operands) = (new.clone(), operands.into_iter());
        same.map_operands(|v| operands.next().unwrap_or(v));
        if text(&same) == text(old) {
            return Changes::VALUES;
        }
    }
    kind(old) | kind(new)
}

/// The instructions other than values that `a` and `b` both have, in the order of `a`.
fn order(a: &Body, b: &Body) -> Vec<InstrId> {
    a.all_instrs()
        .filter(|&id| {
            kind(&a[id]) == Changes::MEMORY && b.get(id).is_some_and(|i| kind(i) == Changes::MEMORY)
        })
        .collect()
}

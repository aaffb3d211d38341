//! Source names of the values that replace variables, if the body keeps them ([`airfoil_ir::Names`]). Each
//! removed store leaves a record: the stored value or, for a partial store to a vector, the vector built from
//! old and new components. Each merge leaves one as well. For values that are not needed, and so not created,
//! the record marks the value as unavailable.

use super::leaves::{Component, Leaves};
use super::values::{Node, Value, Values};
use airfoil_ir::{
    BlockId, Body, Dense, DerefKind, InstrId, IntrinsicOp, Loc, NameId, NamedValue, Type, TypeId, Types,
    VarId, Variable,
};
use slotmap::SlotMap;

/// Longer paths have no name.
const MAX_DEPTH: usize = 32;

/// A record to be created.
pub struct Record {
    block: BlockId,
    leaf: u32,
    loc: Loc,
    /// The value, or the node that will become it.
    value: Result<InstrId, u32>,
}

/// Stores and phis of named variables, in program order; empty if names are not kept.
pub fn records(body: &Body, leaves: &Leaves, values: &Values) -> Vec<Record> {
    let mut records = Vec::new();
    if body.names().is_none() {
        return records;
    }
    for (i, node) in (0u32..).zip(&values.nodes) {
        if let Node::Phi { block, leaf, .. } = *node {
            records.push(Record { block, leaf, loc: Loc::NONE, value: Err(i) });
        }
    }
    let mut loaded: Dense<Option<Value>> = Dense::default();
    values.loads.iter().for_each(|&(load, value)| loaded.set(load, Some(value)));
    // Partial vector stores are nodes at their store.
    let mut parts: Dense<Option<u32>> = Dense::default();
    for (i, node) in (0u32..).zip(&values.nodes) {
        if let Node::Vector { at, .. } | Node::Insert { at, .. } = *node {
            parts.set(at, Some(i));
        }
    }
    for a in &leaves.accesses {
        let (Some(leaf), Some(store)) = (a.leaf, body[a.instr].as_intrinsic()) else { continue };
        if store.op == IntrinsicOp::store_deref {
            let src = store.src(1);
            let value = match parts.get(a.instr) {
                Some(node) => Err(node),
                None => match loaded.get(src).map_or(Value::Instr(src), |v| values.resolve(v)) {
                    Value::Instr(id) => Ok(id),
                    Value::Node(node) => Err(node),
                    Value::Undef | Value::Never => Err(u32::MAX),
                },
            };
            let (block, loc) = (body.block_of(a.instr), body[a.instr].loc);
            records.push(Record { block, leaf, loc, value });
        }
    }
    records
}

/// The source variable of each leaf; `None` for unnamed ones. Empty if names are not kept.
pub fn variables(
    body: &mut Body,
    leaves: &Leaves,
    types: &Types,
    vars: &SlotMap<VarId, Variable>,
) -> Vec<Option<NameId>> {
    if body.names().is_none() {
        return Vec::new();
    }
    let mut known = vec![None; leaves.tys.len()];
    let mut seen = vec![false; leaves.tys.len()];
    for a in &leaves.accesses {
        let Some(leaf) = a.leaf.filter(|&l| !std::mem::replace(&mut seen[l as usize], true)) else {
            continue;
        };
        let Some(deref) = body[a.instr].as_intrinsic().map(|i| i.src(0)) else { continue };
        let whole = match a.component {
            Component::All => Some(deref),
            _ => body[deref].as_deref().and_then(|d| d.parent()),
        };
        let named = whole.and_then(|deref| name(body, deref, types, vars));
        if let (Some((var, name, ty)), Some(names)) = (named, body.names_mut()) {
            known[leaf as usize] = Some(names.variable(var, name, ty));
        }
    }
    known
}

/// Variable, path to the part, and type of the target of a deref.
fn name(
    body: &Body,
    deref: InstrId,
    types: &Types,
    vars: &SlotMap<VarId, Variable>,
) -> Option<(VarId, String, TypeId)> {
    let ty = body[deref].as_deref()?.ty;
    let (mut steps, mut at) = (Vec::new(), deref);
    for _ in 0..MAX_DEPTH {
        let d = body[at].as_deref()?;
        match d.kind {
            DerefKind::Var(var) => {
                let variable = vars.get(var).filter(|v| !v.name.is_empty())?;
                let mut name = variable.name.to_string();
                name.extend(steps.into_iter().rev());
                return Some((var, name, ty));
            }
            DerefKind::Array { parent, index } => {
                let index = body[index].as_const()?;
                steps.push(format!("[{}]", index[0]));
                at = parent;
            }
            DerefKind::Struct { parent, field } => {
                let Type::Struct(s) = &types[body[parent].as_deref()?.ty] else { return None };
                steps.push(format!(".{}", s.members.get(field as usize)?.name));
                at = parent;
            }
            _ => return None,
        }
    }
    None
}

/// Adds the records to the table. `made` maps nodes to the created instructions.
pub fn keep(
    body: &mut Body,
    records: Vec<Record>,
    variables: &[Option<NameId>],
    values: &Values,
    made: impl Fn(u32) -> Option<InstrId>,
) {
    let node = |n: u32| match values.nodes.get(n as usize).map(|_| values.resolve(Value::Node(n))) {
        Some(Value::Instr(id)) => Some(id),
        Some(Value::Node(n)) => made(n),
        _ => None,
    };
    let Some(names) = body.names_mut() else { return };
    for Record { block, leaf, loc, value } in records {
        if let Some(variable) = variables.get(leaf as usize).copied().flatten() {
            let value = value.map_or_else(node, Some);
            names.record(block, NamedValue { variable, value, loc });
        }
    }
}

//! Creates the values that loads need and removes loads, stores and derefs.

use super::leaves::{Component, Leaves};
use super::names;
use super::values::{Comp, Node, Value, Values};
use airfoil_ir::{
    Body, Builder, Cursor, Dense, Instr, InstrId, InstrKind, PhiSrc, Scratch, Src, Swizzle, Ty, Types, VarId,
    Variable,
};
use slotmap::{Key, SlotMap};
use smallvec::SmallVec;

/// Replaces the accesses to leaves by values.
pub fn apply(
    body: &mut Body,
    leaves: &Leaves,
    values: Values,
    types: &Types,
    vars: &SlotMap<VarId, Variable>,
) {
    let records = names::records(body, leaves, &values);
    let variables = names::variables(body, leaves, types, vars);
    let needed = needed(body, &values);
    let mut maker = Maker {
        body,
        leaves,
        values: &values,
        made: Scratch::filled(InstrId::null(), values.nodes.len()),
        undefs: SmallVec::new(),
    };
    // Phis first: others may use them before their sources exist.
    for (i, node) in values.nodes.iter().enumerate().filter(|&(i, _)| needed[i]) {
        if let Node::Phi { block, leaf, .. } = node {
            let phi = Instr::new(InstrKind::Phi(SmallVec::new()), leaves.tys[*leaf as usize]);
            maker.made[i] = maker.body.insert(Cursor::BlockStart(*block), phi);
        }
    }
    for (i, node) in values.nodes.iter().enumerate().filter(|&(i, _)| needed[i]) {
        maker.make(i, node);
    }
    for (i, node) in values.nodes.iter().enumerate().filter(|&(i, _)| needed[i]) {
        if let Node::Phi { srcs, leaf, .. } = node {
            let ty = leaves.tys[*leaf as usize];
            let srcs = srcs.iter().map(|&(pred, v)| PhiSrc { pred, value: maker.value(v, ty) }).collect();
            let phi = maker.made[i];
            maker.body.set_kind(phi, InstrKind::Phi(srcs));
        }
    }
    for &store in &values.stores {
        maker.body.remove(store);
    }
    let mut replaced: Dense<InstrId> = Dense::new(maker.body.instr_capacity());
    for &(load, v) in &values.loads {
        if !maker.body.is_unused(load) {
            let ty = maker.body[load].ty;
            let value = maker.value(v, ty);
            replaced.set(load, value);
            if let Some(names) = maker.body.names_mut() {
                names.replace(load, value);
            }
        }
    }
    let made = maker.made;
    names::keep(body, records, &variables, &values, |n| Some(made[n as usize]).filter(|id| !id.is_null()));
    body.replace_listed(values.loads.iter().map(|&(load, _)| load), &replaced);
    for &(load, _) in &values.loads {
        body.remove(load);
    }
    for &deref in leaves.derefs.iter().rev() {
        if body.is_unused(deref) {
            body.remove(deref);
        }
    }
}

/// The nodes that loads need, unless only removed stores use the loaded value.
fn needed(body: &Body, values: &Values) -> Scratch<bool> {
    let mut stored: Dense<u32> = Dense::default();
    for &store in &values.stores {
        if let Some(i) = body[store].as_intrinsic() {
            stored.set(i.src(1), stored.get(i.src(1)) + 1);
        }
    }
    let mut needed = Scratch::filled(false, values.nodes.len());
    let mut work: Scratch<Value> = Scratch::new();
    for &(load, value) in &values.loads {
        if body[load].uses() > stored.get(load) {
            work.push(value);
        }
    }
    while let Some(v) = work.pop() {
        let Value::Node(n) = values.resolve(v) else { continue };
        if std::mem::replace(&mut needed[n as usize], true) {
            continue;
        }
        match &values.nodes[n as usize] {
            Node::Phi { srcs, .. } => work.extend(srcs.iter().map(|&(_, v)| v)),
            Node::Vector { comps, .. } => work.extend(comps.iter().map(|&(v, _)| v)),
            Node::Insert { old, new, .. } => work.extend([*old, *new]),
            Node::Extract { from, .. } => work.push(*from),
        }
    }
    needed
}

struct Maker<'a> {
    body: &'a mut Body,
    leaves: &'a Leaves,
    values: &'a Values,
    made: Scratch<InstrId>,
    /// One undef per shape, at the start of the body.
    undefs: SmallVec<[(Ty, InstrId); 4]>,
}

impl Maker<'_> {
    /// The instruction of a value of shape `ty`.
    fn value(&mut self, v: Value, ty: Ty) -> InstrId {
        match self.values.resolve(v) {
            Value::Instr(id) => id,
            Value::Node(n) if !self.made[n as usize].is_null() => self.made[n as usize],
            Value::Undef | Value::Never | Value::Node(_) => self.undef(ty),
        }
    }

    fn undef(&mut self, ty: Ty) -> InstrId {
        if let Some(&(_, id)) = self.undefs.iter().find(|(t, _)| *t == ty) {
            return id;
        }
        let entry = self.body.entry();
        let id = self.body.insert(Cursor::BlockStart(entry), Instr::new(InstrKind::Undef, ty));
        self.undefs.push((ty, id));
        id
    }

    /// A component as an operand; undefined ones as scalars of `bits` bits.
    fn comp(&mut self, (v, c): Comp, bits: u8) -> Src {
        match self.values.resolve(v) {
            Value::Undef => self.undef(Ty::new(1, bits)).into(),
            v => Src { value: self.value(v, Ty::new(1, bits)), swizzle: Swizzle::scalar(c as usize) },
        }
    }

    /// Creates a node; its operands have been created, or are phis.
    fn make(&mut self, i: usize, node: &Node) {
        self.made[i] = match *node {
            Node::Phi { .. } => return,
            Node::Vector { leaf, comps, at } => {
                let ty = self.leaves.tys[leaf as usize];
                let srcs: SmallVec<[Src; 4]> =
                    comps[..ty.comps as usize].iter().map(|&c| self.comp(c, ty.bits)).collect();
                Builder::before(self.body, at).vec_srcs(&srcs)
            }
            Node::Insert { leaf, old, new, index, at } => {
                let ty = self.leaves.tys[leaf as usize];
                let (old, new) = (self.value(old, ty), self.value(new, ty.with_comps(1)));
                Builder::before(self.body, at).vector_insert_dynamic(old, new, index)
            }
            Node::Extract { from, leaf, component, at } => {
                let from = self.value(from, self.leaves.tys[leaf as usize]);
                let mut b = Builder::before(self.body, at);
                match component {
                    Component::All => from,
                    Component::Const(c) => b.channel(from, c as usize),
                    Component::Dynamic(index) => b.vector_extract_dynamic(from, index),
                }
            }
        };
    }
}

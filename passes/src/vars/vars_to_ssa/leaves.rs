//! Finds the leaves of locals that can be promoted, and the accesses to them in program order.

use crate::util::deref_path::Step;
use crate::util::deref_path::index_step;
use airfoil_ir::{
    Access, Body, Dense, DerefKind, InstrGroup, InstrId, InstrKind, IntrinsicOp, Modes, Scratch, StructType,
    Ty, Type, TypeId, Types, VarId, Variable,
};
use rustc_hash::FxHashMap;
use slotmap::SlotMap;

/// Locals with more leaves than this stay in memory: real code does not index that many by constants.
const MAX_LEAVES: u32 = 4096;

/// The component of a leaf that an access refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// All.
    All,
    /// One.
    Const(u8),
    /// A dynamic index.
    Dynamic(InstrId),
}

/// The target of a deref of a candidate.
#[derive(Clone, Copy, Debug)]
enum Name {
    /// A range of leaves; a leaf itself has length one.
    Part { first: u32, count: u32 },
    /// A component of a leaf.
    Component { leaf: u32, component: Component },
    /// Out of range.
    Nowhere,
}

/// A load or store of a leaf that can become a value.
#[derive(Clone, Copy, Debug)]
pub struct LeafAccess {
    /// The instruction.
    pub instr: InstrId,
    /// Index of the leaf; `None` for accesses out of range.
    pub leaf: Option<u32>,
    /// Component of the leaf.
    pub component: Component,
}

/// Result of [`find`].
#[derive(Debug)]
pub struct Leaves {
    /// Shape of every leaf to be promoted.
    pub tys: Scratch<Ty>,
    /// Accesses in program order; all other loads and stores stay.
    pub accesses: Scratch<LeafAccess>,
    /// Derefs of candidates in the order of the text.
    pub derefs: Scratch<InstrId>,
}

struct Finder<'a> {
    types: &'a Types,
    body: &'a Body,
    /// Leaves of the variables met so far; the inner `None` if not eligible.
    vars: Dense<Option<Option<Range>>, VarId>,
    names: Dense<u32>,
    /// Targets of derefs, by index in `names` less one.
    list: Scratch<Name>,
    blocked: Scratch<bool>,
    /// For each first leaf: leaves before this index are known to be blocked.
    blocked_to: Scratch<u32>,
    tys: Scratch<Ty>,
    leaf_counts: FxHashMap<TypeId, u32>,
    /// Leaves before each member, by structure.
    offsets: FxHashMap<TypeId, Vec<u32>>,
    derefs: Scratch<InstrId>,
}

/// First leaf and number of leaves.
type Range = (u32, u32);

/// Finds the leaves of a body that can be promoted; `None` if they are not accessed.
pub fn find(types: &Types, vars: &SlotMap<VarId, Variable>, body: &Body) -> Option<Leaves> {
    if !body.has(InstrGroup::LocalDeref) {
        return None;
    }
    let mut f = Finder {
        types,
        body,
        vars: Dense::new(vars.capacity()),
        names: Dense::new(body.instr_capacity()),
        list: Scratch::new(),
        blocked: Scratch::new(),
        blocked_to: Scratch::new(),
        tys: Scratch::new(),
        leaf_counts: FxHashMap::default(),
        offsets: FxHashMap::default(),
        derefs: Scratch::new(),
    };
    let mut accesses = Scratch::new();
    for (id, instr) in body.entries() {
        match &instr.kind {
            InstrKind::Deref(d) => {
                if d.modes == Modes::FUNCTION_TEMP {
                    f.add_deref(vars, id);
                } else {
                    // A cast may give a local another mode: count its operand as used otherwise.
                    body[id].visit_operands(|v| f.block(v));
                }
            }
            // ALU operations on derefs do not exist.
            InstrKind::Alu(_) | InstrKind::Const(_) | InstrKind::Undef | InstrKind::Jump(_) => {}
            InstrKind::Intrinsic(i)
                if matches!(i.op, IntrinsicOp::load_deref | IntrinsicOp::store_deref)
                    && !i.access().contains(Access::VOLATILE) =>
            {
                f.add_access(id, i.src(0), &mut accesses);
                if i.op == IntrinsicOp::store_deref {
                    f.block(i.src(1));
                }
            }
            _ => body[id].visit_operands(|v| f.block(v)),
        }
    }
    f.finish(accesses)
}

impl<'a> Finder<'a> {
    fn name(&self, id: InstrId) -> Option<Name> {
        self.list.get((self.names.get(id) as usize).checked_sub(1)?).copied()
    }

    fn add_deref(&mut self, vars: &SlotMap<VarId, Variable>, id: InstrId) {
        let Some(d) = self.body[id].as_deref() else { return };
        let name = match d.kind {
            DerefKind::Var(var) => match self.var(vars, var) {
                Some((first, count)) => Name::Part { first, count },
                None => return,
            },
            DerefKind::Struct { parent, field } => match (self.name(parent), self.pointee(parent)) {
                (Some(Name::Part { first, .. }), Some(Type::Struct(s))) => {
                    let before = self.leaves_before(parent, s, field);
                    Name::Part { first: first + before, count: self.count(d.ty) }
                }
                (Some(Name::Nowhere), _) => Name::Nowhere,
                _ => return,
            },
            DerefKind::Array { parent, index } => {
                self.block(index);
                match self.name(parent) {
                    Some(Name::Part { first, count }) => {
                        match self.element(parent, first, count, index, d.ty) {
                            Some(name) => name,
                            None => return,
                        }
                    }
                    Some(Name::Nowhere) => Name::Nowhere,
                    _ => return,
                }
            }
            DerefKind::ArrayWildcard { parent }
            | DerefKind::Cast { parent, .. }
            | DerefKind::PtrAsArray { parent, .. } => {
                self.block(parent);
                return;
            }
        };
        self.list.push(name);
        self.names.set(id, self.list.len() as u32);
        self.derefs.push(id);
    }

    fn pointee(&self, deref: InstrId) -> Option<&'a Type> {
        let types = self.types;
        Some(&types[self.body[deref].as_deref()?.ty])
    }

    /// Target of element `index` of `parent`; `None` if the parent is blocked.
    fn element(
        &mut self,
        parent: InstrId,
        first: u32,
        count: u32,
        index: InstrId,
        ty: TypeId,
    ) -> Option<Name> {
        let step = index_step(self.body, index);
        let (len, is_vector) = match *self.pointee(parent)? {
            Type::Vector { comps, .. } => (u32::from(comps), true),
            Type::Matrix { cols, .. } => (u32::from(cols), false),
            Type::Array { len, .. } => (len, false),
            _ => return None,
        };
        Some(match step {
            Step::Const(i) if i >= len => Name::Nowhere,
            Step::Const(i) if is_vector => {
                Name::Component { leaf: first, component: Component::Const(i as u8) }
            }
            Step::Const(i) => {
                let each = self.count(ty);
                Name::Part { first: first + i * each, count: each }
            }
            _ if is_vector => Name::Component { leaf: first, component: Component::Dynamic(index) },
            _ => {
                self.block_range(first, count);
                return None;
            }
        })
    }

    /// First leaf and number of leaves of an eligible variable.
    fn var(&mut self, vars: &SlotMap<VarId, Variable>, var: VarId) -> Option<Range> {
        if let Some(known) = self.vars.get(var) {
            return known;
        }
        let v = vars.get(var)?;
        let eligible = v.mode == Modes::FUNCTION_TEMP
            && v.initializer.is_none()
            && !v.access.contains(Access::VOLATILE)
            && is_data(self.types, v.ty);
        let count = if eligible { self.count(v.ty) } else { 0 };
        let range = (1..=MAX_LEAVES).contains(&count).then_some((self.tys.len() as u32, count));
        if range.is_some() {
            let end = self.tys.len() + count as usize;
            self.tys.resize(end, Ty::NONE);
            self.blocked.resize(end, false);
            self.blocked_to.resize(end, 0);
        }
        self.vars.set(var, Some(range));
        range
    }

    /// Number of leaves of the members before one in a structure, which `deref` refers to.
    fn leaves_before(&mut self, deref: InstrId, s: &StructType, field: u32) -> u32 {
        let Some(ty) = self.body[deref].as_deref().map(|d| d.ty) else { return 0 };
        if !self.offsets.contains_key(&ty) {
            let mut before = 0;
            let mut offsets = Vec::with_capacity(s.members.len());
            for member in &s.members {
                offsets.push(before);
                before = u32::saturating_add(before, self.count(member.ty));
            }
            self.offsets.insert(ty, offsets);
        }
        self.offsets[&ty].get(field as usize).copied().unwrap_or(0)
    }

    /// Number of leaves of a type.
    fn count(&mut self, ty: TypeId) -> u32 {
        let types = self.types;
        match &types[ty] {
            Type::Vector { .. } | Type::Image(_) | Type::Sampler => 1,
            Type::Matrix { cols, .. } => u32::from(*cols),
            _ => {
                if let Some(&n) = self.leaf_counts.get(&ty) {
                    return n;
                }
                let n = match &types[ty] {
                    Type::Array { elem, len, .. } => self.count(*elem).saturating_mul(*len),
                    Type::Struct(s) => s.members.iter().fold(0u32, |n, m| n.saturating_add(self.count(m.ty))),
                    _ => 1,
                };
                self.leaf_counts.insert(ty, n);
                n
            }
        }
    }

    /// Blocks the target of a value, if it is a deref of a candidate.
    fn block(&mut self, value: InstrId) {
        match self.name(value) {
            Some(Name::Part { first, count }) => self.block_range(first, count),
            Some(Name::Component { leaf, .. }) => self.block_range(leaf, 1),
            Some(Name::Nowhere) | None => {}
        }
    }

    fn block_range(&mut self, first: u32, count: u32) {
        let (f, end) = (first as usize, first + count);
        // Ranges are nodes of the tree of a type, so each is marked once.
        if count > 0 && self.blocked_to[f] < end {
            self.blocked_to[f] = end;
            self.blocked[f..end as usize].fill(true);
        }
    }

    fn add_access(&mut self, instr: InstrId, deref: InstrId, accesses: &mut Scratch<LeafAccess>) {
        let (leaf, component) = match self.name(deref) {
            Some(Name::Part { first, count: 1 }) => (Some(first), Component::All),
            Some(Name::Part { .. }) | None => return,
            Some(Name::Component { leaf, component }) => (Some(leaf), component),
            Some(Name::Nowhere) => (None, Component::All),
        };
        if let Some(leaf) = leaf {
            let d = self.body[deref].as_deref();
            let whole = match component {
                Component::All => d.map(|d| d.ty),
                _ => d.and_then(|d| Some(self.body[d.parent()?].as_deref()?.ty)),
            };
            match whole.and_then(|ty| self.types.value_ty(ty)) {
                Some(ty) => self.tys[leaf as usize] = ty,
                None => return self.block_range(leaf, 1),
            }
        }
        accesses.push(LeafAccess { instr, leaf, component });
    }

    /// Drops accesses to blocked leaves and renumbers the others without gaps.
    fn finish(self, mut accesses: Scratch<LeafAccess>) -> Option<Leaves> {
        let mut numbers = Scratch::filled(u32::MAX, self.tys.len());
        let mut tys = Scratch::new();
        accesses.retain_mut(|a| match a.leaf {
            None => true,
            Some(leaf) if self.blocked[leaf as usize] => false,
            Some(leaf) => {
                let number = &mut numbers[leaf as usize];
                if *number == u32::MAX {
                    *number = tys.len() as u32;
                    tys.push(self.tys[leaf as usize]);
                }
                a.leaf = Some(*number);
                true
            }
        });
        (!accesses.is_empty()).then_some(Leaves { tys, accesses, derefs: self.derefs })
    }
}

/// Whether a type consists of scalars and vectors only.
fn is_data(types: &Types, ty: TypeId) -> bool {
    match &types[ty] {
        Type::Vector { .. } | Type::Matrix { .. } => true,
        Type::Array { elem, .. } => is_data(types, *elem),
        Type::Struct(s) => s.members.iter().all(|m| is_data(types, m.ty)),
        Type::Image(_) | Type::Sampler => false,
    }
}

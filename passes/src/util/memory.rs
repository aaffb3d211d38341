//! What instructions do to variables, and a tree of all places that a function names.
//!
//! [`Effect`] sorts instructions by what they do to memory that derefs reach. [`Places`] numbers the places:
//! derefs with the same steps from the same start are one place, so a pass keeps its facts in arrays. The tree
//! finds all places that a write may touch by walking down with the steps of the write, and it counts the
//! facts below each place, so that parts without facts cost nothing. A vector is one place; its components
//! are a mask.

use crate::util::dense::Dense;
use crate::util::deref_path::{self, Root, Step, may_share_memory};
use airfoil_ir::intrinsic::{IntrinsicFlags, MemoryAccess, MemoryAction};
use airfoil_ir::{
    Access, Body, InstrGroup, InstrId, InstrKind, IntrinsicOp, Modes, Scope, Shader, Type, Types, VarId,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use slotmap::SecondaryMap;
use smallvec::SmallVec;

/// What an instruction does to memory that derefs reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Reads a scalar or vector.
    Load {
        /// What is read.
        deref: InstrId,
    },
    /// Writes components of a scalar or vector.
    Store {
        /// What is written.
        deref: InstrId,
        /// The value.
        value: InstrId,
        /// The components.
        mask: u8,
    },
    /// Copies anything.
    Copy {
        /// What is written.
        dst: InstrId,
        /// What is read.
        src: InstrId,
    },
    /// Reads and writes in one step.
    Atomic {
        /// What is changed.
        deref: InstrId,
    },
    /// Other invocations' writes to this memory appear, and own writes become visible.
    Barrier(Modes),
    /// A call: may read and write all but locals that it is not given.
    Call,
    /// The outputs become a vertex and then are undefined.
    EmitVertex,
    /// The invocation may end or become a helper.
    Leave,
}

/// Memory that other invocations can see.
pub const SHARED_MEMORY: Modes = Modes::SSBO
    .union(Modes::SHARED)
    .union(Modes::GLOBAL)
    .union(Modes::IMAGE)
    .union(Modes::OUT)
    .union(Modes::TASK_PAYLOAD);

/// What an instruction does to memory.
pub fn effect(body: &Body, id: InstrId) -> Effect {
    let i = match &body[id].kind {
        InstrKind::Intrinsic(i) => i,
        InstrKind::Call(_) => return Effect::Call,
        _ => return Effect::None,
    };
    // Accesses whose memory the deref determines.
    if let Some(MemoryAccess { action, block: Some(deref), value, .. }) =
        i.memory().filter(|m| m.modes == Modes::all())
    {
        return match (action, value) {
            (MemoryAction::Load, _) => Effect::Load { deref },
            (MemoryAction::Store, Some(value)) => Effect::Store { deref, value, mask: i.write_mask() as u8 },
            (MemoryAction::Copy, Some(src)) => Effect::Copy { dst: deref, src },
            (MemoryAction::Size, _) => Effect::None,
            _ => Effect::Atomic { deref },
        };
    }
    match i.op {
        IntrinsicOp::barrier => {
            // A barrier that waits lets others run in between, whatever memory it names.
            let waits = i.execution_scope() > Scope::Invocation;
            Effect::Barrier(if waits { SHARED_MEMORY | i.memory_modes() } else { i.memory_modes() })
        }
        IntrinsicOp::emit_vertex => Effect::EmitVertex,
        IntrinsicOp::launch_mesh_workgroups => Effect::Leave,
        op if op.has(IntrinsicFlags::TERMINATES) => Effect::Leave,
        // Atomics by offset order memory like barriers if their semantics are not empty.
        op if op.has(IntrinsicFlags::WRITES) && !i.semantics().is_empty() => Effect::Barrier(SHARED_MEMORY),
        _ => Effect::None,
    }
}

/// Qualifiers that forbid to drop, join or forward an access.
pub const FIXED: Access = Access::VOLATILE.union(Access::COHERENT);

/// Qualifiers of an access: its own and its variable's.
pub fn access_of(shader: &Shader, body: &Body, id: InstrId, deref: InstrId) -> Access {
    let own = body[id].as_intrinsic().map_or(Access::empty(), airfoil_ir::Intrinsic::access);
    let var = deref_path::root_var(body, deref).and_then(|v| shader.vars.get(v));
    own | var.map_or(Access::empty(), |v| v.access)
}

/// Number of a place in [`Places`].
pub type PlaceId = u32;

const NONE: u32 = u32::MAX;

/// What a deref means: a place, and components of it if the place is a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The place; for a component of a vector the vector.
    pub place: PlaceId,
    /// Components that can be meant.
    pub mask: u8,
    /// Whether the deref is one component of a vector.
    pub component: bool,
    /// Whether it is one component, but which is known at run time only.
    pub dynamic: bool,
}

#[derive(Clone, Debug)]
struct Place {
    parent: u32,
    step: Step,
    root: u32,
    /// Children by member or constant index.
    fixed: u32,
    /// Children by other steps.
    open: u32,
    sibling: u32,
    /// Facts here and below.
    live: u32,
    /// Components, 0 if this is no vector.
    comps: u8,
}

#[derive(Clone, Debug)]
struct RootInfo {
    place: PlaceId,
    modes: Modes,
    pointer: bool,
    /// Another root can name the same memory.
    shares: bool,
}

/// All places that a function names.
#[derive(Debug, Default)]
pub struct Places {
    places: Vec<Place>,
    roots: Vec<RootInfo>,
    children: FxHashMap<(u32, Step), u32>,
    vars: SecondaryMap<VarId, u32>,
    pointer_root: Option<usize>,
    of_deref: Dense<Option<Target>>,
}

impl Places {
    /// Numbers the places of all derefs of a body.
    pub fn new(shader: &Shader, body: &Body) -> Places {
        let derefs = body.count_of(InstrGroup::LocalDeref) + body.count_of(InstrGroup::OtherDeref);
        if derefs == 0 {
            return Places::default();
        }
        let mut places = Places {
            places: Vec::with_capacity(derefs),
            of_deref: Dense::new(body.instr_capacity()),
            children: FxHashMap::with_capacity_and_hasher(derefs, FxBuildHasher),
            ..Places::default()
        };
        for (id, instr) in body.entries() {
            if instr.as_deref().is_some() {
                places.add(shader, body, id);
            }
        }
        places
    }

    fn add(&mut self, shader: &Shader, body: &Body, id: InstrId) {
        let Some(deref) = body[id].as_deref() else { return };
        let target = match deref_path::step(body, id) {
            None => {
                let place = match deref_path::root(body, id) {
                    Root::Var(var) => match self.vars.get(var) {
                        Some(&place) => place,
                        None => self.add_var(shader, var, deref.modes, &shader.types[deref.ty]),
                    },
                    Root::Pointer(pointer) => {
                        let all = self.pointers(deref.modes);
                        self.child(all, Step::Dynamic(pointer), &shader.types[deref.ty])
                    }
                };
                Target { place, mask: mask(&shader.types, deref.ty), component: false, dynamic: false }
            }
            Some((parent, step)) => {
                let Some(above) = self.of_deref.get(parent) else { return };
                let comps = self.places[above.place as usize].comps;
                if comps > 0 {
                    match step {
                        Step::Const(c) if c < u32::from(comps) => {
                            Target { mask: 1 << c, component: true, dynamic: false, ..above }
                        }
                        _ => Target { component: true, dynamic: true, ..above },
                    }
                } else {
                    let place = self.child(above.place, step, &shader.types[deref.ty]);
                    Target { place, mask: mask(&shader.types, deref.ty), component: false, dynamic: false }
                }
            }
        };
        self.of_deref.set(id, Some(target));
    }

    fn add_var(&mut self, shader: &Shader, var: VarId, modes: Modes, ty: &Type) -> PlaceId {
        let comps = if let Type::Vector { comps, .. } = ty { *comps } else { 0 };
        let place = self.push(NONE, Step::Wildcard, self.roots.len() as u32, comps);
        self.roots.push(RootInfo { place, modes, pointer: false, shares: may_share_memory(shader, var) });
        self.vars.insert(var, place);
        place
    }

    /// The root above all pointers of unknown origin, which may meet each other and much else.
    fn pointers(&mut self, modes: Modes) -> PlaceId {
        if let Some(root) = self.pointer_root {
            self.roots[root].modes |= modes;
            return self.roots[root].place;
        }
        let root = self.roots.len();
        let place = self.push(NONE, Step::Wildcard, root as u32, 0);
        self.roots.push(RootInfo { place, modes, pointer: true, shares: true });
        self.pointer_root = Some(root);
        place
    }

    fn push(&mut self, parent: u32, step: Step, root: u32, comps: u8) -> PlaceId {
        let (fixed, open, sibling, live) = (NONE, NONE, NONE, 0);
        self.places.push(Place { parent, step, root, fixed, open, sibling, live, comps });
        self.places.len() as u32 - 1
    }

    fn child(&mut self, parent: PlaceId, step: Step, ty: &Type) -> PlaceId {
        if let Some(&place) = self.children.get(&(parent, step)) {
            return place;
        }
        let comps = if let Type::Vector { comps, .. } = ty { *comps } else { 0 };
        let place = self.push(parent, step, self.places[parent as usize].root, comps);
        self.children.insert((parent, step), place);
        let above = &mut self.places[parent as usize];
        let list = match step {
            Step::Field(_) | Step::Const(_) => &mut above.fixed,
            Step::Dynamic(_) | Step::Wildcard => &mut above.open,
        };
        let sibling = std::mem::replace(list, place);
        self.places[place as usize].sibling = sibling;
        place
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether the function names no place.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// What a deref means; `None` for values that are no derefs.
    pub fn target(&self, deref: InstrId) -> Option<Target> {
        self.of_deref.get(deref)
    }

    /// Components of the vector at a place, 0 if there is no vector.
    pub fn comps(&self, place: PlaceId) -> u8 {
        self.places[place as usize].comps
    }

    /// Memory that a place lives in.
    pub fn modes(&self, place: PlaceId) -> Modes {
        self.roots[self.places[place as usize].root as usize].modes
    }

    /// Whether the place can be a different one each time, because an index is not constant.
    pub fn is_dynamic(&self, mut place: PlaceId) -> bool {
        loop {
            let p = &self.places[place as usize];
            if p.parent == NONE {
                return self.roots[p.root as usize].pointer;
            }
            if matches!(p.step, Step::Dynamic(_) | Step::Wildcard) {
                return true;
            }
            place = p.parent;
        }
    }

    /// Whether the place stands for several, because of a wildcard.
    pub fn is_wild(&self, mut place: PlaceId) -> bool {
        loop {
            let p = &self.places[place as usize];
            if p.parent == NONE || p.step == Step::Wildcard {
                return p.parent != NONE;
            }
            place = p.parent;
        }
    }

    /// Counts facts at a place: `true` adds one, `false` takes one away.
    pub fn count(&mut self, mut place: PlaceId, add: bool) {
        loop {
            let p = &mut self.places[place as usize];
            p.live = if add { p.live + 1 } else { p.live - 1 };
            if p.parent == NONE {
                return;
            }
            place = p.parent;
        }
    }

    /// Lists the places with facts that can share memory with `place`, itself and its parts included.
    pub fn touching(&self, place: PlaceId, out: &mut Vec<PlaceId>) {
        let own = self.places[place as usize].root as usize;
        let mut steps = SmallVec::<[Step; 6]>::new();
        let mut at = place;
        while self.places[at as usize].parent != NONE {
            steps.push(self.places[at as usize].step);
            at = self.places[at as usize].parent;
        }
        steps.reverse();
        let (own_place, info) = (self.roots[own].place, &self.roots[own]);
        // Elements of arrays of storage blocks may be the same buffer.
        let blocks = matches!(steps.first(), Some(Step::Const(_) | Step::Dynamic(_))) && info.shares;
        if blocks || info.pointer {
            self.below(own_place, out);
        } else {
            self.descend(own_place, &steps, out);
        }
        if info.shares || self.pointer_root.is_some() {
            for (i, r) in self.roots.iter().enumerate() {
                let meets = i != own && r.modes.intersects(info.modes);
                if meets && (r.pointer || info.pointer || (r.shares && info.shares)) {
                    self.below(r.place, out);
                }
            }
        }
    }

    /// Lists the places with facts in memory of the given kinds.
    pub fn in_modes(&self, modes: Modes, out: &mut Vec<PlaceId>) {
        for r in self.roots.iter().filter(|r| r.modes.intersects(modes)) {
            self.below(r.place, out);
        }
    }

    fn descend(&self, place: PlaceId, steps: &[Step], out: &mut Vec<PlaceId>) {
        let p = &self.places[place as usize];
        if p.live == 0 {
            return;
        }
        let Some((&step, rest)) = steps.split_first() else {
            self.below(place, out);
            return;
        };
        if p.comps > 0 {
            out.push(place);
            return;
        }
        match step {
            Step::Field(_) => {
                self.children.get(&(place, step)).iter().for_each(|&&c| self.descend(c, rest, out));
            }
            Step::Const(_) => {
                self.children.get(&(place, step)).iter().for_each(|&&c| self.descend(c, rest, out));
                self.each_child(p.open, |c| self.descend(c, rest, out));
            }
            Step::Dynamic(_) | Step::Wildcard => {
                self.each_child(p.fixed, |c| self.descend(c, rest, out));
                self.each_child(p.open, |c| self.descend(c, rest, out));
            }
        }
    }

    fn each_child(&self, mut child: u32, mut f: impl FnMut(PlaceId)) {
        while child != NONE {
            f(child);
            child = self.places[child as usize].sibling;
        }
    }

    /// Lists a place and its parts as far as they have facts.
    fn below(&self, place: PlaceId, out: &mut Vec<PlaceId>) {
        let p = &self.places[place as usize];
        if p.live == 0 {
            return;
        }
        if p.comps > 0 {
            out.push(place);
        }
        self.each_child(p.fixed, |c| self.below(c, out));
        self.each_child(p.open, |c| self.below(c, out));
    }
}

fn mask(types: &Types, ty: airfoil_ir::TypeId) -> u8 {
    types.value_ty(ty).map_or(0, airfoil_ir::Ty::full_mask)
}

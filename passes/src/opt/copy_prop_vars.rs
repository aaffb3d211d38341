//! Forwards values known to be in memory to the loads that read them.
//!
//! Accepts any form with derefs. Preserves control flow. Replaces a load whose components are all known from
//! earlier stores or loads; removes a store of the value that the location already holds, and a copy of a
//! location to itself; lowers a copy of a vector with known value to a store. Works on all modes of memory,
//! vector component by component. A fact is invalidated by anything that may write the location: an aliasing
//! store or atomic, a call, a barrier (memory visible to other invocations), an emitted vertex (outputs).
//! Volatile and coherent accesses are neither replaced nor recorded. Bits are preserved, NaNs included.
//!
//! Facts are kept in one array over all locations ([`memory`](crate::util::memory)). Changes in one side of an
//! `if` are undone from a log at its end; after the `if`, facts on which the start and both sides agree remain, or those of
//! one side if the other jumps away. Everything that a loop may write is invalidated before the loop. Cost: accesses, and
//! changed facts times nesting depth.
//!
//! Source: NIR's `nir_opt_copy_prop_vars`, which copies its tables per branch.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   in int n location=0 flat
//!   out vec2 o location=0
//!   entry fn main {
//!     function_temp vec2[4] a
//!     %n = deref_var &n
//!     32x1 %i = load_deref %n
//!     %0 = deref_var &a
//!     %1 = deref_array %0[%i]
//!     32x2 %2 = const 1.0, 2.0
//!     store_deref %1, %2
//!     32x1 %3 = const 0
//!     %4 = deref_array %1[%3]
//!     32x1 %5 = const 3.0
//!     store_deref %4, %5
//!     32x2 %6 = load_deref %1
//!     %7 = deref_var &o
//!     store_deref %7, %6
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   in int n location=0 flat
//!   out vec2 o location=0
//!
//!   fn main {
//!     function_temp vec2[4] a
//!   b0:
//!     %0 = deref_var &n
//!     32x1 %1 = load_deref %0
//!     %2 = deref_var &a
//!     %3 = deref_array %2[%1]
//!     32x2 %4 = const 1.0, 2.0
//!     store_deref %3, %4 mask=xy
//!     32x1 %5 = const 0
//!     %6 = deref_array %3[%5]
//!     32x1 %7 = const 3.0
//!     store_deref %6, %7 mask=x
//!     32x2 %8 = const 3.0, 2.0
//!     %9 = deref_var &o
//!     store_deref %9, %8 mask=xy
//!   }
//! }
//! ```

use crate::util::deref_path::{self, DerefPath};
use crate::util::memory::{FIXED, PlaceId, Places, Target, access_of};
use crate::vars::lower_var_copies::remove_unused_chain;
use crate::{Changes, Constructs, Context, Pass, PassInfo, plan_each_body};
use airfoil_ir::analysis::{Effect, SHARED_MEMORY};
use airfoil_ir::{
    Body, Builder, Dense, Deref, DerefKind, Diagnostic, Index, InstrGroup, InstrId, InstrKind, Intrinsic,
    IntrinsicOp, Modes, Shader, Src, Ty, Type, VarId, Walk,
};
use slotmap::Key;
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct CopyPropVars;

static INFO: PassInfo = PassInfo::new(
    "copy_prop_vars",
    "forwards values stored in memory to loads",
    include_str!("copy_prop_vars.rs"),
)
.reads(Changes::ALL.difference(Changes::UNUSED).difference(Changes::INFO))
.needs(Constructs::DEREF);

impl Pass for CopyPropVars {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let plan = |shader: &Shader, body: &Body| Some(look(shader, body)).filter(|plan| !plan.is_empty());
        let changed = plan_each_body(shader, plan, apply);
        Ok((Changes::VALUES | Changes::MEMORY | Changes::AGAIN).when(changed))
    }
}

/// Known components of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    /// Mask of the known components.
    mask: u8,
    /// Component of each value.
    comps: [u8; 4],
    values: [InstrId; 4],
}

impl Known {
    fn nothing() -> Known {
        Known { mask: 0, comps: [0; 4], values: [InstrId::null(); 4] }
    }

    /// The components for which both have the same value.
    fn meet(mut self, other: &Known) -> Known {
        let same = |c: &usize| self.values[*c] == other.values[*c] && self.comps[*c] == other.comps[*c];
        self.mask &= other.mask & (0..4).filter(same).fold(0, |mask, c| mask | 1 << c);
        self
    }

    fn set(&mut self, c: usize, value: InstrId, comp: u8) {
        (self.values[c], self.comps[c]) = (value, comp);
        self.mask |= 1 << c;
    }
}

/// Planned changes, collected first because the walk borrows the body.
#[derive(Debug, Default)]
struct Plan {
    /// Loads, with the components that they read.
    loads: Vec<(InstrId, Known)>,
    /// Stores and copies without effect.
    remove: Vec<InstrId>,
    /// Copies that become stores of known components.
    copies: Vec<(InstrId, Known)>,
}

impl Plan {
    fn is_empty(&self) -> bool {
        self.loads.is_empty() && self.remove.is_empty() && self.copies.is_empty()
    }
}

/// A possible write, in program order.
#[derive(Clone, Copy, Debug)]
enum Write {
    Place(Target),
    Modes(Modes),
    Call,
}

struct Frame {
    /// Length of the log at the start.
    log: usize,
    /// Locations that the `then` side changed, with its facts.
    then: Vec<(PlaceId, Known)>,
    /// Whether the end of the `then` side and the start of the whole are reachable.
    then_reached: bool,
    reached: bool,
}

struct Looker<'a> {
    shader: &'a Shader,
    body: &'a Body,
    places: Places,
    facts: Vec<Known>,
    /// Number of locations with facts.
    live: usize,
    /// The last collection of changes in which each location was seen.
    seen: Vec<u32>,
    collection: u32,
    log: Vec<(PlaceId, Known)>,
    writes: Vec<Write>,
    /// Number of writes seen so far.
    at: usize,
    /// Loads to be replaced: index in the plan plus one.
    replaced: Dense<u32>,
    /// Locations that a write touches; kept to reuse its allocation.
    scratch: Vec<PlaceId>,
    reached: bool,
    plan: Plan,
}

/// Memory of which equal loads are merged as values.
const READ_ONLY: Modes = Modes::IN
    .union(Modes::UNIFORM)
    .union(Modes::UBO)
    .union(Modes::PUSH_CONST)
    .union(Modes::SYSTEM_VALUE)
    .union(Modes::SPEC_CONST);

/// Whether all accesses are such that there is nothing to forward: loads of memory that nothing writes, and stores to memory that
/// nothing reads and whose variables are written once. Equal loads of the former are merged as values.
fn is_idle(shader: &Shader, body: &Body) -> bool {
    if body.has(InstrGroup::LocalDeref) || body.has(InstrGroup::Copy) {
        return false;
    }
    let (mut loaded, mut stored) = (Modes::empty(), Modes::empty());
    let mut written: SmallVec<[VarId; 8]> = SmallVec::new();
    // Variables of which single components of vectors are loaded.
    let mut parts: SmallVec<[VarId; 8]> = SmallVec::new();
    for (_, instr) in body.entries() {
        let Some(i) = instr.as_intrinsic() else { continue };
        if !matches!(i.op, IntrinsicOp::load_deref | IntrinsicOp::store_deref) {
            continue;
        }
        let Some(deref) = body[i.src(0)].as_deref() else { return false };
        if i.op == IntrinsicOp::store_deref {
            stored |= deref.modes;
            match deref_path::root_var(body, i.src(0)) {
                Some(var) if !written.contains(&var) => written.push(var),
                _ => return false,
            }
            continue;
        }
        loaded |= deref.modes;
        if !READ_ONLY.contains(deref.modes) {
            return false;
        }
        if let Some(index) = component(shader, body, deref) {
            match deref_path::root_var(body, i.src(0)) {
                Some(var) if body[index].as_const().is_some() => {
                    if !parts.contains(&var) {
                        parts.push(var);
                    }
                }
                _ => return false,
            }
        }
    }
    // A component of a vector may be known from a load of the whole, and the other way round.
    let meets = |i: &Intrinsic| {
        i.op == IntrinsicOp::load_deref
            && body[i.src(0)].as_deref().is_some_and(|d| component(shader, body, d).is_none())
            && deref_path::root_var(body, i.src(0)).is_some_and(|var| parts.contains(&var))
    };
    !loaded.intersects(stored)
        && (parts.is_empty() || !body.entries().any(|(_, instr)| instr.as_intrinsic().is_some_and(meets)))
}

/// The index of the component if a deref refers to one component of a vector.
fn component(shader: &Shader, body: &Body, deref: &Deref) -> Option<InstrId> {
    let DerefKind::Array { parent, index } = deref.kind else { return None };
    let vector = body[parent].as_deref().is_some_and(|d| matches!(shader.types[d.ty], Type::Vector { .. }));
    vector.then_some(index)
}

fn look(shader: &Shader, body: &Body) -> Plan {
    if is_idle(shader, body) {
        return Plan::default();
    }
    let places = Places::new(shader, body);
    if places.is_empty() {
        return Plan::default();
    }
    let mut l = Looker {
        shader,
        body,
        facts: vec![Known::nothing(); places.len()],
        live: 0,
        seen: vec![0; places.len()],
        collection: 0,
        places,
        log: Vec::new(),
        writes: Vec::new(),
        at: 0,
        replaced: Dense::default(),
        scratch: Vec::new(),
        reached: true,
        plan: Plan::default(),
    };
    let ends = if body.num_cfs() > 0 { l.list_writes() } else { Vec::new() };
    l.walk(&ends);
    l.plan
}

impl Looker<'_> {
    /// The write of an instruction.
    fn write_of(&self, id: InstrId) -> Option<Write> {
        Some(match Effect::of(self.body, id) {
            Effect::Store { deref, .. } | Effect::Atomic { deref } | Effect::Copy { dst: deref, .. } => {
                match self.places.target(deref) {
                    Some(t) => Write::Place(t),
                    None => Write::Modes(Modes::all()),
                }
            }
            Effect::Barrier(modes) => Write::Modes(modes),
            Effect::Call => Write::Call,
            Effect::EmitVertex => Write::Modes(Modes::OUT),
            Effect::None | Effect::Load { .. } | Effect::Leave => return None,
        })
    }

    /// Lists all writes in program order; returns the index of the first write after each loop.
    fn list_writes(&mut self) -> Vec<usize> {
        let (mut ends, mut open) = (Vec::new(), Vec::new());
        for step in self.body.walk_cf() {
            match step {
                Walk::Block(b) => {
                    for id in self.body.instrs(b) {
                        if let Some(w) = self.write_of(id) {
                            self.writes.push(w);
                        }
                    }
                }
                Walk::Loop(_) => {
                    open.push(ends.len());
                    ends.push(0);
                }
                Walk::EndLoop(_) => {
                    if let Some(i) = open.pop() {
                        ends[i] = self.writes.len();
                    }
                }
                _ => {}
            }
        }
        ends
    }

    fn walk(&mut self, loop_ends: &[usize]) {
        let mut frames: Vec<Frame> = Vec::new();
        let mut loops = loop_ends.iter();
        let body = self.body;
        for step in body.walk_cf() {
            match step {
                Walk::Block(b) => {
                    let mut next = body.first_instr(b);
                    while let Some(id) = next {
                        self.instr(id);
                        next = body.next(id);
                    }
                    self.reached &= body.jump(b).is_none();
                }
                Walk::If(_) => frames.push(Frame {
                    log: self.log.len(),
                    then: Vec::new(),
                    then_reached: false,
                    reached: self.reached,
                }),
                Walk::Else(_) => {
                    let Some(log) = frames.last().map(|f| f.log) else { continue };
                    let changes = self.take_changes(log);
                    let Some(f) = frames.last_mut() else { continue };
                    (f.then, f.then_reached) = (changes, self.reached);
                    self.reached = f.reached;
                }
                Walk::EndIf(_) => {
                    let Some(f) = frames.pop() else { continue };
                    if f.then_reached {
                        let els = self.take_changes(f.log);
                        match self.reached {
                            true => f.then.iter().chain(&els).for_each(|(place, known)| {
                                let met = self.facts[*place as usize].meet(known);
                                self.set(*place, met);
                            }),
                            false => f.then.iter().for_each(|&(place, known)| self.set(place, known)),
                        }
                    }
                    self.reached |= f.then_reached;
                }
                Walk::Loop(_) => {
                    let start = self.at;
                    self.forget(start, loops.next().copied().unwrap_or(start));
                    frames.push(Frame {
                        log: self.log.len(),
                        then: Vec::new(),
                        then_reached: false,
                        reached: self.reached,
                    });
                }
                Walk::EndLoop(_) => {
                    let Some(f) = frames.pop() else { continue };
                    self.undo(f.log);
                    self.reached = f.reached;
                }
            }
        }
    }

    fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            let Some((place, old)) = self.log.pop() else { return };
            self.put(place, old);
        }
    }

    /// Undoes the changes since a mark and returns the facts of each changed location as they were before that.
    fn take_changes(&mut self, mark: usize) -> Vec<(PlaceId, Known)> {
        self.collection += 1;
        let mut changes = Vec::new();
        while self.log.len() > mark {
            let Some((place, old)) = self.log.pop() else { break };
            let known = self.put(place, old);
            if std::mem::replace(&mut self.seen[place as usize], self.collection) != self.collection {
                changes.push((place, known));
            }
        }
        changes
    }

    fn put(&mut self, place: PlaceId, new: Known) -> Known {
        let old = std::mem::replace(&mut self.facts[place as usize], new);
        if (old.mask == 0) != (new.mask == 0) {
            self.places.count(place, new.mask != 0);
            self.live = if new.mask != 0 { self.live + 1 } else { self.live - 1 };
        }
        old
    }

    fn set(&mut self, place: PlaceId, new: Known) {
        if self.facts[place as usize] != new {
            let old = self.put(place, new);
            self.log.push((place, old));
        }
    }

    /// Invalidates the facts that writes may change.
    fn forget(&mut self, from: usize, to: usize) {
        for i in from..to {
            if self.live == 0 {
                return;
            }
            self.write(self.writes[i]);
        }
    }

    /// Invalidates the facts that a write may change.
    fn write(&mut self, write: Write) {
        let mut touched = std::mem::take(&mut self.scratch);
        touched.clear();
        match write {
            Write::Place(t) => self.places.touching(t.place, &mut touched),
            Write::Modes(modes) => self.places.in_modes(modes, &mut touched),
            // Calls do not specify which locals their deref arguments reach: invalidate all.
            Write::Call => self.places.in_modes(WRITTEN, &mut touched),
        }
        for &place in &touched {
            let mut known = self.facts[place as usize];
            match write {
                Write::Place(t) if t.place == place => known.mask &= !t.mask,
                _ => known.mask = 0,
            }
            self.set(place, known);
        }
        self.scratch = touched;
    }

    /// A component of an operand; looks through loads that will be replaced.
    fn source(&self, value: InstrId, c: u8) -> (InstrId, u8) {
        match self.replaced.get(value).checked_sub(1) {
            Some(i) => {
                let known = &self.plan.loads[i as usize].1;
                (known.values[c as usize], known.comps[c as usize])
            }
            None => (value, c),
        }
    }

    fn instr(&mut self, id: InstrId) {
        let effect = Effect::of(self.body, id);
        match effect {
            Effect::None | Effect::Leave => {}
            Effect::Load { deref } => self.load(id, deref),
            Effect::Store { deref, value, mask } => {
                self.at += 1;
                self.store(id, deref, value, mask);
            }
            Effect::Copy { dst, src } => {
                self.at += 1;
                self.copy(id, dst, src);
            }
            Effect::Atomic { .. } | Effect::Barrier(_) | Effect::Call | Effect::EmitVertex => {
                self.at += 1;
                if let Some(w) = self.write_of(id) {
                    self.write(w);
                }
            }
        }
    }

    /// The location of an access, unless the access must stay.
    fn place(&self, id: InstrId, deref: InstrId) -> Option<Target> {
        let target = self.places.target(deref)?;
        (self.places.comps(target.place) > 0
            && !access_of(self.shader, self.body, id, deref).intersects(FIXED))
        .then_some(target)
    }

    fn load(&mut self, id: InstrId, deref: InstrId) {
        let Some(t) = self.place(id, deref).filter(|t| !t.dynamic && self.reached) else { return };
        let mut known = self.facts[t.place as usize];
        if known.mask & t.mask == t.mask {
            if t.component {
                let c = t.mask.trailing_zeros() as usize;
                (known.values[0], known.comps[0], known.mask) = (known.values[c], known.comps[c], 1);
            }
            self.plan.loads.push((id, known));
            self.replaced.set(id, self.plan.loads.len() as u32);
            return;
        }
        let new = t.mask & !known.mask;
        for c in (0..4).filter(|c| new & (1 << c) != 0) {
            known.set(c, id, if t.component { 0 } else { c as u8 });
        }
        self.set(t.place, known);
    }

    fn store(&mut self, id: InstrId, deref: InstrId, value: InstrId, mask: u8) {
        let Some(t) = self.place(id, deref) else {
            if let Some(w) = self.write_of(id) {
                self.write(w);
            }
            return;
        };
        // A single component has the first bit of its store's mask.
        let mask = if !t.component {
            mask & t.mask
        } else if mask & 1 != 0 {
            t.mask
        } else {
            0
        };
        let mut new = Known::nothing();
        if !t.dynamic {
            for c in (0..4u8).filter(|c| mask & (1 << c) != 0) {
                let (v, comp) = self.source(value, if t.component { 0 } else { c });
                new.set(c as usize, v, comp);
            }
            let old = self.facts[t.place as usize];
            let same = |c: usize| old.values[c] == new.values[c] && old.comps[c] == new.comps[c];
            if self.reached && old.mask & mask == mask && (0..4).all(|c| mask & (1 << c) == 0 || same(c)) {
                self.plan.remove.push(id);
                return;
            }
        }
        self.write(Write::Place(Target { mask, ..t }));
        if !t.dynamic {
            let mut known = self.facts[t.place as usize];
            for c in (0..4).filter(|c| mask & (1 << c) != 0) {
                known.set(c, new.values[c], new.comps[c]);
            }
            self.set(t.place, known);
        }
    }

    fn copy(&mut self, id: InstrId, dst: InstrId, src: InstrId) {
        let i = self.body[id].as_intrinsic();
        let fixed = i.is_some_and(|i| (i.access() | i.src_access()).intersects(FIXED));
        let var_fixed = |d| access_of(self.shader, self.body, d, d).intersects(FIXED);
        if !fixed && !var_fixed(dst) && !var_fixed(src) && self.reached {
            let (to, from) = (DerefPath::new(self.body, dst), DerefPath::new(self.body, src));
            if to == from {
                self.plan.remove.push(id);
                return;
            }
            if let (Some(t), Some(s)) = (self.place(id, dst), self.place(id, src)) {
                let known = self.facts[s.place as usize];
                let whole = !t.component && !s.component;
                let exact = !self.places.is_wild(t.place) && !self.places.is_wild(s.place);
                if whole && exact && known.mask & s.mask == s.mask {
                    self.plan.copies.push((id, known));
                    self.write(Write::Place(t));
                    self.set(t.place, known);
                    return;
                }
            }
        }
        if let Some(w) = self.write_of(id) {
            self.write(w);
        }
    }
}

/// Memory that anything can write at all.
const WRITTEN: Modes = SHARED_MEMORY.union(Modes::FUNCTION_TEMP).union(Modes::SHADER_TEMP);

/// Builds one value from the known components, before the cursor.
fn assemble(b: &mut Builder, known: &Known, comps: u8) -> InstrId {
    let srcs: SmallVec<[Src; 4]> =
        (0..comps as usize).map(|c| Src::comp(known.values[c], known.comps[c] as usize)).collect();
    b.vec_srcs(&srcs)
}

fn apply(body: &mut Body, plan: Plan) {
    let mut replacements = airfoil_ir::Replacements::default();
    for &(id, known) in &plan.loads {
        let comps = body[id].ty.comps;
        let value = assemble(&mut Builder::before(body, id), &known, comps);
        replacements.insert(id, value);
    }
    for &(id, known) in &plan.copies {
        let Some(copy) = body[id].as_intrinsic().copied() else { continue };
        let comps = (0..4).take_while(|c| known.mask & (1 << c) != 0).count() as u8;
        let value = assemble(&mut Builder::before(body, id), &known, comps);
        let store = Intrinsic::new(IntrinsicOp::store_deref, &[copy.src(0), value])
            .with(Index::WriteMask, u32::from(known.mask))
            .with(Index::Access, copy.access());
        body.set_instr(id, InstrKind::Intrinsic(store), Ty::NONE);
        remove_unused_chain(body, copy.src(1));
    }
    body.replace_all(&replacements);
    for id in plan.loads.into_iter().map(|l| l.0).chain(plan.remove) {
        let derefs: SmallVec<[InstrId; 2]> =
            body[id].as_intrinsic().map_or(SmallVec::new(), |i| match i.op {
                IntrinsicOp::copy_deref => SmallVec::from_slice(i.srcs()),
                _ => SmallVec::from_slice(&i.srcs()[..1]),
            });
        body.remove(id);
        derefs.into_iter().for_each(|d| remove_unused_chain(body, d));
    }
}

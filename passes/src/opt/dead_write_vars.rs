//! Removes stores that are overwritten before anything can read them.
//!
//! Accepts any form with derefs. Preserves control flow. Works on all modes of memory, component by
//! component: a store keeps the components of its mask that are live and is removed if there are none left.
//! Locals of a function are dead at its end; memory reached through a pointer parameter belongs to the caller
//! and is not. A store is live again before anything that may read its location: an aliasing load, copy or
//! atomic, a call, a barrier and the end of the invocation (memory visible to others), an emitted vertex
//! (outputs), and the end of the function. Volatile and coherent stores stay.
//!
//! One backward walk. The sides of an `if` start from the facts after it, are undone from a log, and merge to
//! the facts common to both. At jumps and at the end of a loop body there are no facts. Cost: accesses times
//! nesting depth.
//!
//! Source: NIR's `nir_opt_dead_write_vars`, which works on one block at a time.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   out vec2 o location=0
//!   entry fn main {
//!     %o = deref_var &o
//!     32x2 %0 = const 1.0, 2.0
//!     32x1 %1 = const 3.0
//!     store_deref %o, %0
//!     32x1 %2 = const 0
//!     %3 = deref_array %o[%2]
//!     store_deref %3, %1
//!     store_deref %3, %1
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   out vec2 o location=0
//!
//!   fn main {
//!   b0:
//!     %0 = deref_var &o
//!     32x2 %1 = const 1.0, 2.0
//!     32x1 %2 = const 3.0
//!     store_deref %0, %1 mask=y
//!     32x1 %3 = const 0
//!     %4 = deref_array %0[%3]
//!     store_deref %4, %2 mask=x
//!   }
//! }
//! ```

use crate::util::deref_path;
use crate::util::memory::{FIXED, PlaceId, Places, access_of};
use crate::vars::lower_var_copies::remove_unused_chain;
use crate::{Changes, Constructs, Context, Pass, PassInfo, plan_each_body};
use airfoil_ir::analysis::{Effect, SHARED_MEMORY};
use airfoil_ir::{
    BlockId, Body, Dense, Diagnostic, Index, InstrId, InstrKind, IntrinsicOp, Modes, Owner, Shader, VarId,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct DeadWriteVars;

static INFO: PassInfo = PassInfo::new(
    "dead_write_vars",
    "removes stores that are overwritten before they are read",
    include_str!("dead_write_vars.rs"),
)
.reads(Changes::ALL.difference(Changes::INFO))
.needs(Constructs::DEREF);

impl Pass for DeadWriteVars {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let dead = |shader: &Shader, body: &Body| Some(look(shader, body)).filter(|dead| !dead.is_empty());
        let changed = plan_each_body(shader, dead, apply);
        Ok((Changes::MEMORY | Changes::AGAIN).when(changed))
    }
}

fn apply(body: &mut Body, dead: Vec<(InstrId, u8)>) {
    for (id, mask) in dead {
        if mask == 0 {
            let deref = body[id].as_intrinsic().map(|i| i.srcs().to_vec()).unwrap_or_default();
            body.remove(id);
            deref.into_iter().for_each(|d| remove_unused_chain(body, d));
        } else {
            body.edit(id, |i| {
                if let InstrKind::Intrinsic(i) = &mut i.kind {
                    i.set(Index::WriteMask, u32::from(mask));
                }
            });
        }
    }
}

/// Components of a location that will be overwritten before they are read. Valid if `since` is at least
/// [`Looker::floor`]: raising that one value invalidates all facts.
#[derive(Clone, Copy, Debug, Default)]
struct Fact {
    mask: u8,
    since: u32,
}

struct Frame {
    log: usize,
    /// Facts after the `if`.
    floor: u32,
    /// Locations that the `else` side changed, with their facts at its end.
    els: Vec<(PlaceId, u8)>,
    /// Whether the `else` side invalidated the facts after the `if`.
    els_fresh: bool,
}

struct Looker<'a> {
    shader: &'a Shader,
    body: &'a Body,
    places: Places,
    facts: Vec<Fact>,
    floor: u32,
    clock: u32,
    log: Vec<(PlaceId, Fact)>,
    /// A stamp per place, for finding duplicates.
    stamps: Vec<u32>,
    stamp: u32,
    scratch: Vec<PlaceId>,
    /// Stores and the components that stay.
    dead: Vec<(InstrId, u8)>,
}

/// Whether a local is written, or anything else is written twice: otherwise there cannot be dead stores. Most
/// bodies write each output once, and a full analysis costs ten times as much.
fn may_overwrite(body: &Body) -> bool {
    let mut written: Dense<bool, VarId> = Dense::default();
    for (_, instr) in body.entries() {
        let Some(i) = instr
            .as_intrinsic()
            .filter(|i| matches!(i.op, IntrinsicOp::store_deref | IntrinsicOp::copy_deref))
        else {
            continue;
        };
        let nothing = i.op == IntrinsicOp::store_deref && i.write_mask() == 0;
        let local =
            nothing || body[i.src(0)].as_deref().is_none_or(|d| d.modes.intersects(Modes::FUNCTION_TEMP));
        match deref_path::root_var(body, i.src(0)).filter(|_| !local) {
            Some(var) if !written.get(var) => written.set(var, true),
            _ => return true,
        }
    }
    false
}

fn look(shader: &Shader, body: &Body) -> Vec<(InstrId, u8)> {
    if !may_overwrite(body) {
        return Vec::new();
    }
    let places = Places::new(shader, body);
    let mut l = Looker {
        shader,
        body,
        facts: vec![Fact::default(); places.len()],
        stamps: vec![0; places.len()],
        stamp: 0,
        places,
        floor: 1,
        clock: 1,
        log: Vec::new(),
        scratch: Vec::new(),
        dead: Vec::new(),
    };
    // Locals are not read after the end of their function. A pointer parameter may refer to a local of the caller.
    for place in 0..l.places.len() as PlaceId {
        let comps = l.places.comps(place);
        let is_own = l.places.modes(place) == Modes::FUNCTION_TEMP && !l.places.is_through_pointer(place);
        if comps > 0 && is_own {
            l.set(place, (1 << comps) - 1);
        }
    }
    l.walk();
    l.dead
}

impl Looker<'_> {
    fn walk(&mut self) {
        let body = self.body;
        let mut frames: Vec<Frame> = Vec::new();
        let mut block = body.root().last;
        loop {
            self.block(block);
            if let Some(cf) = body.prev_cf(block) {
                if body.as_if(cf).is_some() {
                    self.start_else(&mut frames);
                } else {
                    // `break` and `continue` are not followed to the code after the loop or its next
                    // iteration.
                    self.forget_all();
                }
            } else {
                match body.owner(block) {
                    Owner::Root | Owner::Detached => return,
                    Owner::Else(_) => self.start_then(&mut frames),
                    Owner::Then(_) => self.end_if(&mut frames),
                    Owner::Loop(_) => {}
                }
            }
            block = match body.prev_block(block) {
                Some(b) => b,
                None => return,
            };
        }
    }

    fn mask(&self, place: PlaceId) -> u8 {
        let f = self.facts[place as usize];
        if f.since >= self.floor { f.mask } else { 0 }
    }

    fn put(&mut self, place: PlaceId, new: Fact) -> Fact {
        let old = std::mem::replace(&mut self.facts[place as usize], new);
        if (old.mask == 0) != (new.mask == 0) {
            self.places.count(place, new.mask != 0);
        }
        old
    }

    fn set(&mut self, place: PlaceId, mask: u8) {
        let old = self.put(place, Fact { mask, since: self.clock });
        self.log.push((place, old));
    }

    fn forget_all(&mut self) {
        self.clock += 1;
        self.floor = self.clock;
    }

    fn start_else(&mut self, frames: &mut Vec<Frame>) {
        frames.push(Frame { log: self.log.len(), floor: self.floor, els: Vec::new(), els_fresh: false });
    }

    /// Undoes one side; returns the locations that it changed, with their facts.
    fn undo(&mut self, log: usize, floor: u32) -> Vec<(PlaceId, u8)> {
        let mut left = Vec::new();
        self.stamp += 1;
        while self.log.len() > log {
            let Some((place, old)) = self.log.pop() else { break };
            if self.stamps[place as usize] != self.stamp {
                self.stamps[place as usize] = self.stamp;
                left.push((place, self.mask(place)));
            }
            self.put(place, old);
        }
        self.floor = floor;
        left
    }

    fn start_then(&mut self, frames: &mut [Frame]) {
        let Some(f) = frames.last_mut() else { return };
        f.els_fresh = self.floor != f.floor;
        f.els = self.undo(f.log, f.floor);
    }

    fn end_if(&mut self, frames: &mut Vec<Frame>) {
        let Some(f) = frames.pop() else { return };
        let then_fresh = self.floor != f.floor;
        let then = self.undo(f.log, f.floor);
        // The fact of a side about a location: its own, or that after the `if` unless the side invalidated it.
        self.stamp += 1;
        let mut both: Vec<(PlaceId, u8)> = Vec::new();
        for &(place, _) in &then {
            self.stamps[place as usize] = self.stamp;
        }
        let left = |side: &[(PlaceId, u8)], i: Option<usize>, fresh: bool, after: u8| match i {
            Some(i) => side[i].1,
            None if fresh => 0,
            None => after,
        };
        let index: rustc_hash::FxHashMap<PlaceId, usize> =
            f.els.iter().enumerate().map(|(i, &(p, _))| (p, i)).collect();
        for &(place, mask) in &then {
            let els = left(&f.els, index.get(&place).copied(), f.els_fresh, self.mask(place));
            both.push((place, mask & els));
        }
        for &(place, mask) in &f.els {
            if self.stamps[place as usize] != self.stamp {
                both.push((place, mask & left(&then, None, then_fresh, self.mask(place))));
            }
        }
        if then_fresh || f.els_fresh {
            self.forget_all();
        }
        for (place, mask) in both {
            self.set(place, mask);
        }
    }

    fn block(&mut self, block: BlockId) {
        let body = self.body;
        if body.jump(block).is_some() {
            self.forget_all();
        }
        let mut next = body.last_instr(block);
        while let Some(id) = next {
            next = body.prev(id);
            self.instr(id);
        }
    }

    fn instr(&mut self, id: InstrId) {
        match Effect::of(self.body, id) {
            Effect::None => {
                // Other operations with a deref operand read through it at most.
                if !matches!(self.body[id].kind, InstrKind::Deref(_) | InstrKind::Alu(_)) {
                    let body = self.body;
                    body[id].visit_operands(|v| self.read(v));
                }
            }
            Effect::Load { deref } | Effect::Atomic { deref } => self.read(deref),
            Effect::Store { deref, mask, .. } => self.store(id, deref, mask, None),
            Effect::Copy { dst, src } => self.store(id, dst, u8::MAX, Some(src)),
            Effect::Call => self.forget_all(),
            Effect::EmitVertex => self.read_modes(Modes::OUT),
            Effect::Barrier(modes) => self.read_modes(modes),
            // Writes visible to other invocations must have happened when this one ends.
            Effect::Leave => self.read_modes(SHARED_MEMORY),
        }
    }

    fn read_modes(&mut self, modes: Modes) {
        let mut touched = std::mem::take(&mut self.scratch);
        touched.clear();
        self.places.in_modes(modes, &mut touched);
        touched.iter().for_each(|&p| self.set(p, 0));
        self.scratch = touched;
    }

    /// Marks the location of a deref as possibly read.
    fn read(&mut self, deref: InstrId) {
        let Some(t) = self.places.target(deref) else { return };
        let mut touched = std::mem::take(&mut self.scratch);
        touched.clear();
        self.places.touching(t.place, &mut touched);
        for &place in &touched {
            let mask = if place == t.place { self.mask(place) & !t.mask } else { 0 };
            self.set(place, mask);
        }
        self.scratch = touched;
    }

    fn store(&mut self, id: InstrId, deref: InstrId, mask: u8, src: Option<InstrId>) {
        let fixed = access_of(self.shader, self.body, id, deref).intersects(FIXED)
            || src.is_some_and(|s| {
                access_of(self.shader, self.body, id, s).intersects(FIXED)
                    || self.body[id].as_intrinsic().is_some_and(|i| i.src_access().intersects(FIXED))
            });
        let target = self.places.target(deref);
        let known =
            target.filter(|t| !fixed && self.places.comps(t.place) > 0 && !self.places.is_wild(t.place));
        let Some(t) = known else {
            // A copy of a whole, or an access that stays: it does not overwrite anything for sure.
            if fixed {
                self.read(deref);
            }
            src.into_iter().for_each(|s| self.read(s));
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
        let dead = self.mask(t.place);
        let needed = mask & !dead;
        if needed == 0 || (needed != mask && !t.component && src.is_none()) {
            self.dead.push((id, needed));
        }
        if needed == 0 {
            return;
        }
        if !t.dynamic {
            self.set(t.place, dead | mask);
        }
        src.into_iter().for_each(|s| self.read(s));
    }
}

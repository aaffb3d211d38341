//! Memory that one reading passes to the next on the same thread: empty lists with room, so that a module of the usual
//! size allocates for its shader and for little else.

use super::constants::SConst;
use super::functions::{Entry, SFunction};
use super::ids::{Id, Link};
use super::plan::{Plan, Planned};
use super::translator::Phi;
use super::types::{SMember, SType, TyIx};
use super::values::{Ptr, Val};
use super::variables::Global;
use crate::locals::Locals;
use airfoil_ir::{Body, InstrId, VarId};
use slotmap::SecondaryMap;
use std::cell::Cell;
use std::rc::Rc;

/// Words of the largest module whose memory is kept.
const MAX_WORDS: usize = 1 << 16;

thread_local! {
    static SPARE: Cell<Option<Box<Buffers>>> = const { Cell::new(None) };
}

/// Lists of the reader, all empty.
#[derive(Default)]
pub(crate) struct Buffers {
    pub ids: Vec<Id>,
    pub links: Vec<Link>,
    pub types: Vec<SType>,
    pub members: Vec<SMember>,
    pub params: Vec<TyIx>,
    pub consts: Vec<SConst>,
    pub const_parts: Vec<u32>,
    pub globals: Vec<Global>,
    pub functions: Vec<SFunction>,
    pub entries: Vec<Entry>,
    pub modes: Vec<usize>,
    pub pool: Vec<Val>,
    pub pointers: Vec<Ptr>,
    pub queue: Vec<u32>,
    pub calls: Vec<(u32, u32)>,
    pub locals: Vec<u32>,
    pub plans: Vec<Rc<Plan>>,
    pub translator: TranslatorBuffers,
}

/// Lists of the translation of a function.
#[derive(Default)]
pub(crate) struct TranslatorBuffers {
    pub phis: Vec<Phi>,
    pub phi_stores: Vec<(u32, u32, u32)>,
    pub locals: Locals,
    pub var_derefs: SecondaryMap<VarId, InstrId>,
    pub body: Option<Body>,
}

impl TranslatorBuffers {
    /// Makes the lists of a function empty again.
    pub fn clear(&mut self) {
        self.phis.clear();
        self.phi_stores.clear();
        self.locals.clear();
        self.var_derefs.clear();
    }
}

impl Buffers {
    /// The memory that the last reading left.
    pub fn take() -> Buffers {
        SPARE.try_with(Cell::take).ok().flatten().map_or_else(Buffers::default, |spare| *spare)
    }

    /// Empties the lists and leaves them to the next reading, unless the module was large.
    pub fn leave(mut self, words: usize) {
        // A small module may have a large table, since ids need not be consecutive.
        if words > MAX_WORDS || self.ids.capacity() > 2 * MAX_WORDS {
            return;
        }
        for function in self.functions.drain(..) {
            if let Planned::Done(mut plan) = function.plan
                && let Some(plan_of) = Rc::get_mut(&mut plan)
            {
                plan_of.clear();
                self.plans.push(plan);
            }
        }
        self.ids.clear();
        self.links.clear();
        self.types.clear();
        self.members.clear();
        self.params.clear();
        self.consts.clear();
        self.const_parts.clear();
        self.globals.clear();
        self.entries.clear();
        self.modes.clear();
        self.pool.clear();
        self.pointers.clear();
        self.queue.clear();
        self.calls.clear();
        self.locals.clear();
        self.translator.clear();
        // A thread that ends keeps nothing.
        let _ = SPARE.try_with(|spare| spare.set(Some(Box::new(self))));
    }
}

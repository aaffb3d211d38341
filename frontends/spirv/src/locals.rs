//! Scalar and vector locals of a function as SSA values, constructed while the function is read: [`LocalValues`] with the types of
//! the module.
//!
//! Applies to variables of storage class Function that are only loaded and stored whole, and to phis.

use crate::state::TyIx;
use airfoil_ir::{BlockId, Body, InstrId, LocalValues, OuterLocals, Ty};

/// The stores of a function in the order of its plan.
#[derive(Default)]
pub(crate) struct Stores {
    /// The local of each store.
    pub locals: Vec<u32>,
    /// The stores inside each loop, in the order in which loops start.
    pub loops: Vec<(u32, u32)>,
    /// The first local of the function itself; others are those of its callers.
    pub first_local: u32,
    /// For a local of the function whose first access is a store, with all other accesses in the rest of the same region: that store. A loop
    /// around it never reads a store of an earlier iteration. Otherwise [`u32::MAX`].
    pub born: Vec<u32>,
}

/// A function around an inlined one.
pub(crate) struct Outer {
    stores: Stores,
    next_loop: usize,
    values: OuterLocals,
}

/// The locals of the function that is read.
#[derive(Default)]
pub(crate) struct Locals {
    pub values: LocalValues,
    /// Type of each local.
    tys: Vec<TyIx>,
    stores: Stores,
    next_loop: usize,
}

impl Locals {
    /// Forgets all locals, but keeps the memory.
    pub fn clear(&mut self) {
        self.values.clear();
        self.tys.clear();
        self.next_loop = 0;
        self.stores = Stores::default();
    }

    /// Adds a local.
    pub fn add(&mut self, ty: TyIx, shape: Ty) -> u32 {
        self.tys.push(ty);
        self.values.add(shape)
    }

    pub fn len(&self) -> usize {
        self.tys.len()
    }

    pub fn ty(&self, local: u32) -> TyIx {
        self.tys[local as usize]
    }

    /// Sets the stores inside loops, which all locals must be known for.
    pub fn set_stores(&mut self, stores: Stores) {
        self.stores = stores;
    }

    /// Starts a function within the one that is read.
    pub fn enter(&mut self) -> Outer {
        let stores = std::mem::take(&mut self.stores);
        let next_loop = std::mem::take(&mut self.next_loop);
        Outer { stores, next_loop, values: self.values.enter() }
    }

    /// Ends a function within another, whose locals nothing refers to afterwards.
    pub fn leave_function(&mut self, outer: Outer) {
        (self.stores, self.next_loop) = (outer.stores, outer.next_loop);
        self.values.leave_function(outer.values);
    }

    /// The current value.
    pub fn load(&mut self, body: &mut Body, local: u32) -> InstrId {
        self.values.load(body, local)
    }

    pub fn store(&mut self, local: u32, value: InstrId) {
        self.values.store(local, value);
    }

    /// Starts the next loop between the block before it and its first block.
    pub fn start_loop(&mut self, prev: BlockId, header: BlockId) {
        let Stores { locals, loops, first_local, born } = &self.stores;
        let (from, to) = loops.get(self.next_loop).copied().unwrap_or((0, 0));
        self.next_loop += 1;
        let lives_longer = |local: &u32| {
            let own = local.checked_sub(*first_local);
            let born = own.and_then(|own| born.get(own as usize)).copied().unwrap_or(u32::MAX);
            born == u32::MAX || born < from
        };
        let stored = locals[from as usize..to as usize].iter().copied().filter(lives_longer);
        self.values.start_loop(prev, header, stored);
    }
}

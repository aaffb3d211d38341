//! Ifs, loops and jumps of the IR, with the values that locals have across them ([`airfoil_ir::LocalValues`]).

use super::home::Home;
use super::stores::Stored;
use super::{Lowerer, Module, columns_of};
use crate::hir::VarId;
use airfoil_ir::{BlockId, CfId, Cursor, InstrId, Jump};

impl Lowerer<'_, '_> {
    /// Starts an `if`.
    pub fn open_if(&mut self, cond: InstrId) -> CfId {
        self.m.locals.start_if();
        self.b.push_if(cond)
    }

    /// Goes from the `then` region of an `if` to the `else` region.
    pub fn open_else(&mut self, cf: CfId) {
        let end = self.open_block();
        self.m.locals.start_else(end);
        self.b.push_else(cf);
    }

    /// Ends an `if`.
    pub fn close_if(&mut self, cf: CfId) {
        let mut end = self.open_block();
        if !self.m.locals.is_in_else() {
            self.m.locals.start_else(end);
            end = self.b.body.as_if(cf).map(|n| n.els().last);
        }
        let next = self.after(cf);
        self.m.locals.end_if(end, next);
    }

    /// Starts a loop that stores to these variables.
    pub fn open_loop(&mut self, stored: Stored) -> CfId {
        let before = self.b.block();
        let cf = self.b.push_loop();
        let Module { stores, homes, unit, locals, .. } = &mut *self.m;
        let kept = stores.list(stored).iter().filter(|&&var| stores.is_kept(stored, var));
        let of_var = |&var: &VarId| match homes[var.0 as usize] {
            Home::Local(first) => first..first + columns_of(unit[var].ty).map_or(1, |(n, _)| u32::from(n)),
            _ => 0..0,
        };
        locals.start_loop(before, self.b.block(), kept.flat_map(of_var));
        cf
    }

    /// Ends a loop, whose body continues at its end.
    pub fn close_loop(&mut self, cf: CfId) {
        if let Some(block) = self.open_block() {
            self.m.locals.leave(block, Jump::Continue);
        }
        let next = self.after(cf);
        self.m.locals.end_loop(next);
    }

    /// Goes to the block after an `if` or loop: to its end, since locals insert phis at its start.
    fn after(&mut self, cf: CfId) -> BlockId {
        let next = self.b.body.cf(cf).next();
        self.b.cursor = Cursor::BlockEnd(next);
        next
    }

    /// Jumps; no code follows in the block.
    pub fn jump(&mut self, jump: Jump) {
        self.m.locals.leave(self.b.block(), jump);
        self.b.jump(jump);
    }

    /// The current block, unless it ends in a jump.
    fn open_block(&self) -> Option<BlockId> {
        let block = self.b.block();
        self.b.body.jump(block).is_none().then_some(block)
    }
}

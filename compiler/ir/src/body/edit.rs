//! Structured edits of the control-flow tree. Each keeps order, tree, edges and the predecessors that phis
//! name.
//!
//! Phis name predecessors by block. When a block is split or joined, the block that ends an edge changes
//! its name; these edits rename it in the phis of its successors. Edits that add or remove edges document what happens
//! to phis.

use super::{Block, Body, Cf, CfList, Cursor, If, InstrGroup, Loop, Owner, Region, Replacements};
use crate::enums::Control;
use crate::ids::{BlockId, CfId, InstrId};
use crate::instr::{Instr, InstrKind, Jump};
use crate::value::Ty;
use smallvec::SmallVec;

impl Body {
    /// Inserts an empty `if` at a position; the code after the position moves to a new block after it.
    pub fn insert_if(&mut self, at: Cursor, cond: InstrId) -> CfId {
        let (prev, next) = self.split(at);
        self.count(cond);
        let blank = Region { first: prev, last: prev };
        let id =
            self.cfs.insert(Cf::If(If { cond, then: blank, els: blank, prev, next, control: Control::None }));
        let (then, els) = (self.new_region(Owner::Then(id)), self.new_region(Owner::Else(id)));
        if let Cf::If(n) = &mut self.cfs[id] {
            (n.then, n.els) = (then, els);
        }
        self.join_cf(prev, id, next);
        id
    }

    /// Inserts an empty loop at a position; the code after the position moves to a new block after it.
    pub fn insert_loop(&mut self, at: Cursor) -> CfId {
        let (prev, next) = self.split(at);
        let blank = Region { first: prev, last: prev };
        let id = self.cfs.insert(Cf::Loop(Loop { body: blank, prev, next, control: Control::None }));
        let body = self.new_region(Owner::Loop(id));
        if let Cf::Loop(n) = &mut self.cfs[id] {
            n.body = body;
        }
        self.join_cf(prev, id, next);
        id
    }

    fn new_region(&mut self, owner: Owner) -> Region {
        let first = self.blocks.insert(Block::new(owner));
        Region { first, last: first }
    }

    fn join_cf(&mut self, prev: BlockId, cf: CfId, next: BlockId) {
        self.blocks[prev].next = Some(cf);
        self.blocks[next].prev = Some(cf);
    }

    /// Splits a block at a position into two with nothing between; the caller inserts an `if` or loop there.
    fn split(&mut self, at: Cursor) -> (BlockId, BlockId) {
        let head = self.block_at(at);
        let mut rest = match at {
            Cursor::BlockStart(b) => self.first_instr(b),
            Cursor::BlockEnd(_) => None,
            Cursor::Before(i) => Some(i),
            Cursor::After(i) => self.next(i),
        };
        // Edges out of the block start at the new one from now on, unless the position is after a jump.
        let jumps = rest.is_none() && self.jump(head).is_some();
        let successors = if jumps { [None; 2] } else { self.successors(head) };
        let Block { owner, next, last, .. } = self.blocks[head];
        let tail = self.blocks.insert(Block { first: rest, last: None, owner, prev: None, next });
        for s in successors.into_iter().flatten() {
            self.rename_phi_pred(s, head, tail);
        }
        if let Some(first) = rest {
            let before = self.instrs[first].prev.take();
            match before {
                Some(b) => self.instrs[b].next = None,
                None => self.blocks[head].first = None,
            }
            self.blocks[tail].last = last;
            self.blocks[head].last = before;
        }
        while let Some(i) = rest {
            self.instrs[i].block = tail;
            rest = self.next(i);
        }
        self.blocks[head].next = None;
        if let Some(cf) = next {
            self.cfs[cf].set_prev(tail);
        }
        self.move_region_end(owner, head, tail);
        if self.names.is_some() {
            self.split_names(head, tail);
        }
        (head, tail)
    }

    /// If `from` ends its region, `to` does from now on.
    fn move_region_end(&mut self, owner: Owner, from: BlockId, to: BlockId) {
        if let Some(region) = self.region_mut(owner)
            && region.last == from
        {
            region.last = to;
        }
    }

    /// Renames a predecessor in the phis of `block`.
    pub fn rename_phi_pred(&mut self, block: BlockId, from: BlockId, to: BlockId) {
        let mut next = self.first_instr(block);
        while let Some(id) = next {
            let InstrKind::Phi(srcs) = &mut self.instrs[id].instr.kind else { break };
            srcs.iter_mut().filter(|s| s.pred == from).for_each(|s| s.pred = to);
            next = self.next(id);
        }
    }

    /// Takes the source of a predecessor out of the phis of `block`, because the edge is gone. Phis that lose
    /// their last source become undefined values.
    pub fn remove_phi_pred(&mut self, block: BlockId, pred: BlockId) {
        let mut next = self.first_instr(block);
        while let Some(id) = next {
            if self[id].as_phi().is_none() {
                break;
            }
            next = self.next(id);
            self.edit(id, |i| {
                if let InstrKind::Phi(srcs) = &mut i.kind {
                    srcs.retain(|s| s.pred != pred);
                    if srcs.is_empty() {
                        i.kind = InstrKind::Undef;
                    }
                }
            });
        }
    }

    /// Gives the phis of `block` an undefined source for a new predecessor, unless they have one.
    ///
    /// The undefs go to the start of the entry block, which has no predecessors and therefore no phis.
    fn add_undef_phi_pred(&mut self, block: BlockId, pred: BlockId) {
        let phis: Vec<InstrId> = self.phis(block).collect();
        for phi in phis {
            let ty = self[phi].ty;
            if self[phi].as_phi().is_some_and(|srcs| srcs.iter().any(|s| s.pred == pred)) {
                continue;
            }
            let undef = self.insert(Cursor::BlockStart(self.entry()), Instr::new(InstrKind::Undef, ty));
            self.add_phi_src(phi, crate::instr::PhiSrc { pred, value: undef });
        }
    }

    /// Ends a block with a jump. Phis at edges that are removed lose a source; phis at the target get an
    /// undefined one, for the caller to replace ([`Body::set_phi_src`]). Nothing happens to phis if control
    /// went to the target anyway.
    ///
    /// # Panics
    /// If the block is not the last of its region or jumps already: use [`Body::truncate`] there.
    pub fn insert_jump(&mut self, block: BlockId, jump: Jump) -> InstrId {
        assert!(self.blocks[block].next.is_none() && self.jump(block).is_none(), "code after a jump");
        let before = self.successors(block);
        let id = self.insert(Cursor::BlockEnd(block), Instr::new(InstrKind::Jump(jump), Ty::NONE));
        self.move_edge(block, before);
        id
    }

    /// Brings phis up to date after the end of `block` has changed, which led to `before`.
    fn move_edge(&mut self, block: BlockId, before: [Option<BlockId>; 2]) {
        let after = self.successors(block);
        if before == after {
            return;
        }
        before.into_iter().flatten().for_each(|s| self.remove_phi_pred(s, block));
        after.into_iter().flatten().for_each(|s| self.add_undef_phi_pred(s, block));
    }

    /// Deletes everything from a position to the end of its region and jumps from there instead.
    ///
    /// Values defined there and used elsewhere become undefined; phis change as for [`Body::insert_jump`].
    pub fn truncate(&mut self, at: Cursor, jump: Jump) -> InstrId {
        let (head, tail) = self.split(at);
        self.delete_from(tail, head);
        let id = self.insert(Cursor::BlockEnd(head), Instr::new(InstrKind::Jump(jump), Ty::NONE));
        if let Some(target) = self.jump_target(head, jump) {
            self.add_undef_phi_pred(target, head);
        }
        id
    }

    /// Takes the jump off the end of a block; phis change as for [`Body::insert_jump`].
    pub fn remove_jump(&mut self, block: BlockId) {
        let Some(last) = self.last_instr(block).filter(|&i| self[i].as_jump().is_some()) else { return };
        let before = self.successors(block);
        self.remove(last);
        self.move_edge(block, before);
    }

    /// Takes everything out of a region, which then holds one empty block.
    ///
    /// Phis at the edges out of the region keep their sources: their predecessor is the list's last block,
    /// until [`Body::splice`] renames it or [`Body::delete_list`] takes it away.
    ///
    /// # Panics
    /// If the region does not exist.
    pub fn take_region(&mut self, owner: Owner) -> CfList {
        let blank = self.new_region(owner);
        let slot = self.region_mut(owner);
        assert!(slot.is_some(), "{owner:?} is not a region");
        let region = slot.map_or(blank, |r| std::mem::replace(r, blank));
        let around = self.loop_around(blank.first);
        self.set_owner(region, Owner::Detached);
        if self.jump(region.last).is_some() {
            self.add_edges(blank.last);
        }
        CfList { region, from: Some(owner), around }
    }

    /// Gives the phis in the successors of a block an undefined source for its new edges.
    fn add_edges(&mut self, block: BlockId) {
        self.successors(block).into_iter().flatten().for_each(|s| self.add_undef_phi_pred(s, block));
    }

    /// Removes the instructions, ifs and loops between two positions of the same region and returns them as a list.
    /// The instructions before `from` and after `to` are merged into one block.
    pub fn extract(&mut self, from: Cursor, to: Cursor) -> CfList {
        let owner = self.owner(self.block_at(from));
        let (end, tail) = self.split(to);
        // An empty range: the position `from` is now on the other side of the cut.
        let from = if self.block_at(from) == tail { Cursor::BlockEnd(end) } else { from };
        let (head, first) = self.split(from);
        let region = Region { first, last: if end == head { first } else { end } };
        let around = self.loop_around(head);
        self.set_owner(region, Owner::Detached);
        self.append_block(head, tail, owner);
        if self.jump(region.last).is_some() {
            self.add_edges(head);
        }
        CfList { region, from: None, around }
    }

    /// Inserts a list at a position: its first block is merged with the instructions before, its last block with those
    /// after. If the list ends in a jump, the rest of the region is deleted. If the list moves
    /// to another loop, phis at the new targets of its jumps get undefined sources.
    pub fn splice(&mut self, at: Cursor, list: CfList) {
        let (head, tail) = self.split(at);
        let moves = self.loop_around(head) != list.around;
        let jumps = if moves { self.escaping_jumps(&list) } else { Vec::new() };
        self.forget_jumps(&list, &jumps);
        self.connect(head, list.region, tail);
        for (block, _) in jumps {
            // Blocks after a jump may have been deleted.
            if self.has_block(block) {
                self.add_edges(block);
            } else if self.jump(head).is_some() && block == list.region.first {
                self.add_edges(head);
            }
        }
    }

    /// The blocks of a list that jump to the loop that it was in.
    fn escaping_jumps(&self, list: &CfList) -> Vec<(BlockId, Jump)> {
        let jump = |b| Some((b, self.jump(b).filter(|j| matches!(j, Jump::Break | Jump::Continue))?));
        let jumps = self.blocks_in(list.region).filter_map(jump);
        jumps.filter(|&(b, _)| self.loop_around(b).is_none()).collect()
    }

    /// Takes the sources for jumps out of a list off the phis of the loop that it was in.
    fn forget_jumps(&mut self, list: &CfList, jumps: &[(BlockId, Jump)]) {
        let Some(l) = list.around.and_then(|cf| self.cfs.get(cf)?.as_loop()) else { return };
        let (header, next) = (l.body.first, l.next);
        for &(block, jump) in jumps {
            self.remove_phi_pred(if jump == Jump::Break { next } else { header }, block);
        }
    }

    /// Removes an `if` or loop with all that is in it; the blocks around it join.
    ///
    /// Values defined inside and used outside become undefined, as do the phis of the next block.
    pub fn delete_cf(&mut self, cf: CfId) {
        let phis: Vec<InstrId> = self.phis(self.cfs[cf].next()).collect();
        for phi in phis {
            let ty = self[phi].ty;
            self.set_instr(phi, InstrKind::Undef, ty);
        }
        let (head, tail) = self.remove_cf(cf);
        let owner = self.owner(head);
        self.append_block(head, tail, owner);
    }

    /// Replaces an `if` by one of its sides (`then` if `taken`): constant conditions.
    ///
    /// Phis after the `if` become the value from the remaining side. If that side jumps, the region after the `if`
    /// is deleted.
    pub fn flatten_if(&mut self, cf: CfId, taken: bool) {
        let Some(n) = self.as_if(cf) else { return };
        let (keep, next) = (if taken { n.then } else { n.els }, n.next);
        let mut replacements = Replacements::default();
        let phis: Vec<InstrId> = self.phis(next).collect();
        for &phi in &phis {
            let srcs = self[phi].as_phi().unwrap_or_default();
            match srcs.iter().find(|s| s.pred == keep.last) {
                Some(src) => replacements.insert(phi, src.value),
                None => {
                    let ty = self[phi].ty;
                    self.set_instr(phi, InstrKind::Undef, ty);
                }
            }
        }
        if replacements.len() > 8 {
            self.replace_all(&replacements);
        }
        for phi in phis.into_iter().filter(|_| !replacements.is_empty()) {
            // Few values are found faster one by one: their uses are close.
            self.replace_uses(phi, replacements.resolve(phi));
            self.remove(phi);
        }
        let list = self.take_region(if taken { Owner::Then(cf) } else { Owner::Else(cf) });
        let (head, tail) = self.remove_cf(cf);
        self.connect(head, list.region, tail);
    }

    /// Deletes a list that has been taken out. Its values that are used elsewhere become undefined.
    pub fn delete_list(&mut self, list: CfList) {
        let jumps = self.escaping_jumps(&list);
        self.forget_jumps(&list, &jumps);
        let from = list.from.filter(|o| o.cf().is_none_or(|cf| self.has_cf(cf)));
        if let Some(region) = from.and_then(|o| self.region(o))
            && self.jump(list.region.last).is_none()
            && let Some(target) = self.fall_through(region.last)
        {
            // The edge out of the region starts at its current last block.
            self.remove_phi_pred(target, list.region.last);
            if self.jump(region.last).is_none() {
                self.add_undef_phi_pred(target, region.last);
            }
        }
        self.delete_region(list.region);
    }

    /// Sets the owner of the blocks directly in a list.
    fn set_owner(&mut self, region: Region, owner: Owner) {
        let mut block = region.first;
        loop {
            self.blocks[block].owner = owner;
            if block == region.last {
                break;
            }
            match self.blocks[block].next {
                Some(cf) => block = self.cfs[cf].next(),
                None => break,
            }
        }
    }

    /// Moves the contents of `tail` to the end of `head`, which is followed by nothing, and drops `tail`.
    fn append_block(&mut self, head: BlockId, tail: BlockId, owner: Owner) {
        if self.names.is_some() {
            self.join_names(head, tail);
        }
        let successors = self.successors(tail);
        let mut next = self.first_instr(tail);
        let Block { first, last, next: cf, .. } = self.blocks[tail];
        if let (Some(first), Some(last)) = (first, last) {
            let end = self.blocks[head].last;
            match end {
                Some(e) => self.instrs[e].next = Some(first),
                None => self.blocks[head].first = Some(first),
            }
            self.instrs[first].prev = end;
            self.blocks[head].last = Some(last);
        }
        while let Some(i) = next {
            self.instrs[i].block = head;
            next = self.next(i);
        }
        self.blocks[head].next = cf;
        if let Some(cf) = cf {
            self.cfs[cf].set_prev(head);
        }
        self.move_region_end(owner, tail, head);
        self.blocks.remove(tail);
        for s in successors.into_iter().flatten() {
            let s = if s == tail { head } else { s };
            self.rename_phi_pred(s, tail, head);
        }
    }

    /// Puts a detached list between two neighbouring blocks of a region that have nothing between them.
    fn connect(&mut self, head: BlockId, list: Region, tail: BlockId) {
        let owner = self.owner(head);
        self.set_owner(list, owner);
        let end = if list.first == list.last { head } else { list.last };
        // Sources that a removed region still has in phis go before those of the empty block that replaces it.
        for s in self.successors(tail).into_iter().flatten() {
            let known = |phi| self[phi].as_phi().is_some_and(|p| p.iter().any(|src| src.pred == list.last));
            if self.phis(s).any(known) {
                self.remove_phi_pred(s, tail);
            }
        }
        self.append_block(head, list.first, owner);
        if self.jump(end).is_some() {
            self.delete_from(tail, end);
        } else {
            self.append_block(end, tail, owner);
        }
    }

    /// Removes an `if` or loop from the tree and deletes its contents. Returns the blocks before and after it, which are
    /// adjacent then.
    fn remove_cf(&mut self, cf: CfId) -> (BlockId, BlockId) {
        let (head, tail) = (self.cfs[cf].prev(), self.cfs[cf].next());
        let regions = match &self.cfs[cf] {
            Cf::If(n) => [Some(n.then), Some(n.els)],
            Cf::Loop(n) => [Some(n.body), None],
        };
        for region in regions.into_iter().flatten() {
            self.forget_outgoing(region);
            self.delete_region(region);
        }
        if let Some(Cf::If(n)) = self.cfs.remove(cf) {
            self.uncount(n.cond);
        }
        self.blocks[head].next = None;
        self.blocks[tail].prev = None;
        (head, tail)
    }

    /// Deletes `first`, which has nothing before it, and everything after it in its region, which then ends in `end`.
    fn delete_from(&mut self, first: BlockId, end: BlockId) {
        let owner = self.owner(first);
        let Some(region) = self.region_mut(owner) else { return };
        let rest = Region { first, last: std::mem::replace(&mut region.last, end) };
        self.forget_outgoing(rest);
        self.delete_region(rest);
    }

    /// Takes the sources for edges out of a region off the phis that they lead to.
    fn forget_outgoing(&mut self, region: Region) {
        let blocks: SmallVec<[BlockId; 8]> = self.blocks_in(region).collect();
        for b in blocks {
            for s in self.successors(b).into_iter().flatten() {
                self.remove_phi_pred(s, b);
            }
        }
    }

    /// Deletes blocks with everything in them. Values used from elsewhere become undefined.
    fn delete_region(&mut self, region: Region) {
        let blocks: SmallVec<[BlockId; 8]> = self.blocks_in(region).collect();
        let dead: SmallVec<[InstrId; 16]> = blocks.iter().flat_map(|&b| self.instrs(b)).collect();
        // Operands first, so that the counts that stay are uses from elsewhere.
        for &id in &dead {
            self.edit(id, |i| i.kind = InstrKind::Undef);
        }
        for &b in &blocks {
            if let Some(Cf::If(n)) = self.blocks[b].next.and_then(|cf| self.cfs.remove(cf)) {
                self.uncount(n.cond);
            }
        }
        let mut replacements = Replacements::default();
        for &id in &dead {
            if self.is_unused(id) {
                continue;
            }
            let undef = Instr::new(InstrKind::Undef, self[id].ty);
            let undef = self.insert(Cursor::BlockStart(self.entry()), undef);
            replacements.insert(id, undef);
        }
        self.replace_all(&replacements);
        for id in dead {
            self.instrs.remove(id);
            self.tally.take(InstrGroup::Undef);
        }
        for b in blocks {
            self.blocks.remove(b);
            if let Some(names) = &mut self.names {
                names.remove_block(b);
            }
        }
    }
}

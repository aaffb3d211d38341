//! Moves a body to the memory that it needs.
//!
//! Slots of removed instructions, blocks, ifs and loops stay in the slot maps until they are used again: code that passes made
//! smaller is several times as large as the same code read from text, and so is each copy of it.

use super::{Block, Body, Cf, Node, Owner, Region};
use crate::ids::{BlockId, CfId, InstrId};
use crate::instr::{Instr, InstrKind};
use slotmap::{Key, SecondaryMap, SlotMap};

/// New keys by old keys.
#[derive(Default)]
struct Keys {
    instrs: SecondaryMap<InstrId, InstrId>,
    blocks: SecondaryMap<BlockId, BlockId>,
    cfs: SecondaryMap<CfId, CfId>,
}

impl Body {
    /// Renumbers instructions, blocks, ifs and loops in the order of the text, without free slots. All keys change; the text
    /// does not. A body that [keeps names](Body::keep_names) stays as it is, since they refer to keys.
    pub fn compact(&mut self) {
        if self.names.is_some() {
            return;
        }
        let mut keys = Keys::default();
        let blocks: Vec<BlockId> = self.blocks().collect();
        let cfs: Vec<CfId> = blocks.iter().filter_map(|&b| self.blocks[b].next).collect();
        let order: Vec<InstrId> = self.all_instrs().collect();
        let mut new = Body {
            instrs: SlotMap::with_capacity_and_key(order.len()),
            blocks: SlotMap::with_capacity_and_key(blocks.len()),
            cfs: SlotMap::with_capacity_and_key(cfs.len()),
            ..Body::new()
        };
        new.blocks.clear();
        moved(&mut self.instrs, order, &mut new.instrs, &mut keys.instrs);
        moved(&mut self.blocks, blocks, &mut new.blocks, &mut keys.blocks);
        moved(&mut self.cfs, cfs, &mut new.cfs, &mut keys.cfs);
        new.instrs.values_mut().for_each(|node| keys.node(node));
        new.blocks.values_mut().for_each(|block| keys.block(block));
        new.cfs.values_mut().for_each(|cf| keys.cf(cf));
        new.instr_end = new.instrs.keys().map(|id| id.index() + 1).max().unwrap_or(0);
        new.root = keys.region(self.root);
        (new.tally, new.settled_by) = (std::mem::take(&mut self.tally), self.settled_by);
        *self = new;
    }
}

/// Moves the values with these keys to a new map, and records their keys there.
fn moved<K: Key, V>(
    old: &mut SlotMap<K, V>,
    order: Vec<K>,
    new: &mut SlotMap<K, V>,
    keys: &mut SecondaryMap<K, K>,
) {
    keys.set_capacity(old.capacity());
    for id in order {
        if let Some(value) = old.remove(id) {
            keys.insert(id, new.insert(value));
        }
    }
}

impl Keys {
    fn node(&self, node: &mut Node) {
        let Node { instr, block, prev, next } = node;
        *block = self.blocks[*block];
        for link in [prev, next].into_iter().flatten() {
            *link = self.instrs[*link];
        }
        self.instr(instr);
    }

    fn instr(&self, instr: &mut Instr) {
        let settled = instr.settled;
        instr.map_operands(|id| self.instrs[id]);
        if let InstrKind::Phi(srcs) = &mut instr.kind {
            srcs.iter_mut().for_each(|src| src.pred = self.blocks[src.pred]);
        }
        // The operands have other keys, but are the same.
        instr.settled = settled;
    }

    fn block(&self, block: &mut Block) {
        let Block { first, last, owner, prev, next } = block;
        for link in [first, last].into_iter().flatten() {
            *link = self.instrs[*link];
        }
        for link in [prev, next].into_iter().flatten() {
            *link = self.cfs[*link];
        }
        match owner {
            Owner::Then(cf) | Owner::Else(cf) | Owner::Loop(cf) => *cf = self.cfs[*cf],
            Owner::Root | Owner::Detached => {}
        }
    }

    fn region(&self, region: Region) -> Region {
        Region { first: self.blocks[region.first], last: self.blocks[region.last] }
    }

    fn cf(&self, cf: &mut Cf) {
        let (prev, next) = match cf {
            Cf::If(n) => {
                n.cond = self.instrs[n.cond];
                (n.then, n.els) = (self.region(n.then), self.region(n.els));
                (&mut n.prev, &mut n.next)
            }
            Cf::Loop(n) => {
                n.body = self.region(n.body);
                (&mut n.prev, &mut n.next)
            }
        };
        for block in [prev, next] {
            *block = self.blocks[*block];
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::generate::{self, Options};
    use crate::{Instr, InstrKind, Shader, Ty, text, validate};

    #[test]
    fn compact_bodies_have_the_same_text_and_no_free_slots() {
        let mut ifs = 0;
        for seed in 0..200 {
            let mut shader = generate::from_seed(seed, &Options::default());
            let printed = text::print(&shader);
            // Free slots: instructions that nothing uses, inserted between the others.
            let entry = shader.entry.unwrap();
            let body = &mut shader.functions[entry].body;
            for block in body.blocks().collect::<Vec<_>>() {
                let at = body.before_jump(block);
                let unused = || Instr::new(InstrKind::Undef, Ty::B32);
                let extra: Vec<_> = (0..20).map(|_| body.insert(at, unused())).collect();
                extra.into_iter().for_each(|id| body.remove(id));
            }
            assert!(body.instr_capacity() > body.num_instrs() + 10);
            ifs += body.num_cfs();
            shader.compact();
            let body = shader.entry_body().unwrap();
            assert_eq!(body.instr_capacity(), body.num_instrs() + 1);
            assert_eq!(validate::validate(&shader), []);
            assert_eq!(text::print(&shader), printed, "seed {seed}");
            shader.compact();
            assert_eq!(text::print(&shader), printed, "seed {seed}");
        }
        assert!(ifs > 100, "{ifs}");
    }

    #[test]
    fn bodies_with_names_keep_their_keys() {
        let mut shader = generate::from_seed(1, &Options::default());
        shader.keep_names();
        let keys = |shader: &Shader| shader.entry_body().unwrap().all_instrs().collect::<Vec<_>>();
        let before = keys(&shader);
        shader.compact();
        assert_eq!(keys(&shader), before);
    }
}

//! Checks of the invariants of a body: links of the tree, lists of instructions, use
//! counts. Reads the raw storage with care, so that broken links neither panic nor loop.

use super::tally::Tally;
use super::{Body, Cf, Owner, Region};
use crate::ids::{BlockId, CfId, InstrId};
use slotmap::SecondaryMap;

/// The kind of structure that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Links between blocks, ifs and loops.
    Tree,
    /// The list of instructions of a block.
    List,
    /// An operand or condition that does not exist.
    Stale,
    /// A use count.
    Count,
}

/// A broken piece of structure.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    pub fault: Fault,
    pub message: String,
    pub block: Option<BlockId>,
    pub cf: Option<CfId>,
    pub instr: Option<InstrId>,
}

struct Checker<'a> {
    body: &'a Body,
    found: Vec<Broken>,
    blocks: SecondaryMap<BlockId, ()>,
    cfs: SecondaryMap<CfId, ()>,
    instrs: SecondaryMap<InstrId, ()>,
    regions: Vec<(Owner, Region)>,
}

impl Body {
    /// Everything that is broken in tree, lists and counts.
    pub(crate) fn check_structure(&self) -> Vec<Broken> {
        let mut checker = Checker {
            body: self,
            found: Vec::new(),
            blocks: SecondaryMap::with_capacity(self.blocks.len() + 1),
            cfs: SecondaryMap::with_capacity(self.cfs.len() + 1),
            instrs: SecondaryMap::with_capacity(self.instr_capacity()),
            regions: vec![(Owner::Root, self.root)],
        };
        while let Some((owner, region)) = checker.regions.pop() {
            checker.region(owner, region);
        }
        // Unreachable nodes are lost only if the links that should lead there are right.
        if checker.found.is_empty() {
            checker.lost();
        }
        checker.uses();
        if Tally::of(self.instr_values()) != self.tally {
            checker.report(Fault::Count, None, "the numbers of instructions by group are wrong");
        }
        checker.found
    }
}

impl Checker<'_> {
    fn report(&mut self, fault: Fault, block: Option<BlockId>, message: impl Into<String>) {
        self.found.push(Broken { fault, message: message.into(), block, cf: None, instr: None });
    }

    fn report_cf(&mut self, cf: CfId, message: impl Into<String>) {
        let (fault, message) = (Fault::Tree, message.into());
        self.found.push(Broken { fault, message, block: None, cf: Some(cf), instr: None });
    }

    fn report_instr(&mut self, fault: Fault, instr: InstrId, message: impl Into<String>) {
        let block = self.body.instrs.get(instr).map(|n| n.block);
        self.found.push(Broken { fault, message: message.into(), block, cf: None, instr: Some(instr) });
    }

    /// Follows a region from its first block on.
    fn region(&mut self, owner: Owner, region: Region) {
        let (mut id, mut before) = (region.first, None);
        loop {
            let Some(block) = self.body.blocks.get(id) else {
                return self.report(Fault::Tree, Some(id), "a region names a block that does not exist");
            };
            if self.blocks.insert(id, ()).is_some() {
                return self.report(Fault::Tree, Some(id), "a block is in two places");
            }
            if block.owner != owner {
                let message = format!("a block in {owner:?} says that it is in {:?}", block.owner);
                self.report(Fault::Tree, Some(id), message);
            }
            if block.prev != before {
                self.report(
                    Fault::Tree,
                    Some(id),
                    "a block does not link back to its predecessor in the region",
                );
            }
            self.list(id);
            let Some(cf) = block.next else { break };
            let Some(node) = self.body.cfs.get(cf) else {
                return self.report(Fault::Tree, Some(id), "what follows a block does not exist");
            };
            if self.cfs.insert(cf, ()).is_some() {
                return self.report_cf(cf, "an if or loop is in two places");
            }
            if node.prev() != id {
                self.report_cf(cf, "an if or loop does not link back to the block before it");
            }
            match node {
                Cf::If(n) => self.regions.extend([(Owner::Else(cf), n.els), (Owner::Then(cf), n.then)]),
                Cf::Loop(n) => self.regions.push((Owner::Loop(cf), n.body)),
            }
            (id, before) = (node.next(), Some(cf));
        }
        if id != region.last {
            self.report(Fault::Tree, Some(id), "a region ends in another block than it says");
        }
    }

    /// Follows the instructions of a block.
    fn list(&mut self, block: BlockId) {
        let (mut before, mut next) = (None, self.body.blocks[block].first);
        while let Some(id) = next {
            let Some(node) = self.body.instrs.get(id) else {
                return self.report(
                    Fault::List,
                    Some(block),
                    "a block lists an instruction that does not exist",
                );
            };
            if self.instrs.insert(id, ()).is_some() {
                return self.report_instr(Fault::List, id, "an instruction is in two places");
            }
            if node.block != block {
                self.report_instr(Fault::List, id, "an instruction says that it is in another block");
            }
            if node.prev != before {
                self.report_instr(Fault::List, id, "an instruction does not link back to the one before");
            }
            (before, next) = (Some(id), node.next);
        }
        if self.body.blocks[block].last != before {
            self.report(Fault::List, Some(block), "a block ends in another instruction than it says");
        }
    }

    /// Unreachable nodes, such as lists that were extracted and neither inserted nor deleted.
    fn lost(&mut self) {
        if let Some(block) = self.body.blocks.keys().find(|&b| !self.blocks.contains_key(b)) {
            return self.report(Fault::Tree, Some(block), "a block is not part of the tree");
        }
        if let Some(cf) = self.body.cfs.keys().find(|&c| !self.cfs.contains_key(c)) {
            return self.report_cf(cf, "an if or loop is not part of the tree");
        }
        if let Some(id) = self.body.instrs.keys().find(|&i| !self.instrs.contains_key(i)) {
            self.report_instr(Fault::List, id, "an instruction is in no block");
        }
    }

    /// Counts the uses again.
    fn uses(&mut self) {
        let body = self.body;
        let mut counts: SecondaryMap<InstrId, u32> = SecondaryMap::with_capacity(body.instr_capacity());
        let mut stale = Vec::new();
        for (id, node) in &body.instrs {
            node.instr.visit_operands(|v| {
                if body.instrs.contains_key(v) {
                    *counts.entry(v).map_or(&mut 0, |e| e.or_insert(0)) += 1;
                } else {
                    stale.push(id);
                }
            });
        }
        for (cf, node) in &body.cfs {
            let Cf::If(n) = node else { continue };
            if body.instrs.contains_key(n.cond) {
                *counts.entry(n.cond).map_or(&mut 0, |e| e.or_insert(0)) += 1;
            } else {
                let message = "the condition of an if does not exist".to_owned();
                self.found.push(Broken {
                    fault: Fault::Stale,
                    message,
                    block: None,
                    cf: Some(cf),
                    instr: None,
                });
            }
        }
        stale.dedup();
        for id in stale {
            self.report_instr(Fault::Stale, id, "an operand does not exist");
        }
        for (id, node) in &body.instrs {
            let counted = counts.get(id).copied().unwrap_or(0);
            if counted != node.instr.uses {
                let message = format!("{} uses are recorded, but there are {counted}", node.instr.uses);
                self.report_instr(Fault::Count, id, message);
            }
        }
    }
}

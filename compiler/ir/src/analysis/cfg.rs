//! Blocks in order, with edges in both directions.

use super::graph::Edges;
use crate::body::{Body, Owner, Walk};
use crate::ids::{BlockId, CfId};
use crate::instr::Jump;
use slotmap::SecondaryMap;

/// The blocks of a body in the order of the text, with successors and predecessors.
///
/// The order is a reverse post-order apart from unreachable blocks, so dominators come first. Blocks are
/// numbered by their position in it.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{analysis::Cfg, text};
///
/// let shader = text::parse(r#"foil 1
/// shader fragment "main" { fn main {
///   %front = load_front_face
///   if %front { return }
/// } }"#)?;
/// let cfg = Cfg::new(shader.entry_body().unwrap());
/// // An `if` has two sides even if the text omits one.
/// let [entry, then, els, join] = *cfg.blocks() else { panic!("there are four blocks") };
/// assert!(cfg.succs(entry).eq([then, els]));
/// assert_eq!(cfg.preds(join), [els]);
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    order: Vec<BlockId>,
    index: SecondaryMap<BlockId, u32>,
    pub(super) succs: Vec<[Option<u32>; 2]>,
    /// Predecessors of each block: all in one list, with the position where each block's start.
    preds: Vec<BlockId>,
    starts: Vec<u32>,
}

impl PartialEq for Cfg {
    fn eq(&self, other: &Cfg) -> bool {
        self.order == other.order && self.succs == other.succs
    }
}

impl Cfg {
    /// Computes order and edges, in linear time even for deep trees.
    pub fn new(body: &Body) -> Cfg {
        let order: Vec<BlockId> = body.blocks().collect();
        let mut index = SecondaryMap::with_capacity(order.len());
        for (i, &b) in order.iter().enumerate() {
            index.insert(b, i as u32);
        }
        let mut cfg = Cfg { succs: Vec::with_capacity(order.len()), order, index, ..Cfg::default() };
        cfg.find_successors(body);
        cfg.find_predecessors();
        cfg
    }

    fn find_successors(&mut self, body: &Body) {
        let mut loops: Vec<CfId> = Vec::new();
        for step in body.walk_cf() {
            match step {
                Walk::Loop(cf) => loops.push(cf),
                Walk::EndLoop(_) => drop(loops.pop()),
                Walk::Block(b) => {
                    let succs = match body.jump(b) {
                        Some(Jump::Return | Jump::Halt) => [None; 2],
                        Some(jump) => {
                            let around = loops.last().and_then(|&l| body.as_loop(l));
                            let to = around.map(|l| match jump {
                                Jump::Break => l.next(),
                                _ => l.body().first,
                            });
                            [to, None]
                        }
                        None => match (body.next_cf(b), body.owner(b)) {
                            // Only the end of a region depends on the construct around it.
                            (None, Owner::Root | Owner::Detached) => [None; 2],
                            _ => body.successors(b),
                        },
                    };
                    self.succs.push(succs.map(|s| s.and_then(|s| self.index.get(s).copied())));
                }
                Walk::If(_) | Walk::Else(_) | Walk::EndIf(_) => {}
            }
        }
    }

    fn find_predecessors(&mut self) {
        let pairs = self
            .succs
            .iter()
            .enumerate()
            .flat_map(|(from, succs)| succs.iter().flatten().map(move |&to| (to, from as u32)));
        let edges = Edges::new(self.order.len(), pairs);
        (self.starts, self.preds) = edges.into_lists(|i| self.order[i as usize]);
    }

    /// The blocks in the order of the text.
    pub fn blocks(&self) -> &[BlockId] {
        &self.order
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Never true: a body has at least one block.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Position of a block in the order.
    ///
    /// # Panics
    /// If the block is not part of the body.
    pub fn index(&self, block: BlockId) -> usize {
        self.index[block] as usize
    }

    /// Position of a block in the order; `None` if it is not part of the body.
    pub fn try_index(&self, block: BlockId) -> Option<usize> {
        self.index.get(block).map(|&i| i as usize)
    }

    /// The predecessors of a block, in the order of the text.
    pub fn preds(&self, block: BlockId) -> &[BlockId] {
        let i = self.index(block);
        &self.preds[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// The successors of a block; of an `if`, `then` first.
    pub fn succs(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.succs[self.index(block)].iter().flatten().map(|&i| self.order[i as usize])
    }
}

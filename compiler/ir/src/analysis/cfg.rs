//! Blocks in order, with their predecessors.

use crate::body::Body;
use crate::ids::BlockId;
use slotmap::SecondaryMap;
use smallvec::SmallVec;

/// The blocks of a body in the order of the text, with predecessors.
///
/// The order is a reverse post-order apart from unreachable blocks, so dominators come first.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    order: Vec<BlockId>,
    index: SecondaryMap<BlockId, u32>,
    preds: Vec<SmallVec<[BlockId; 2]>>,
}

impl Cfg {
    /// Computes order and edges.
    pub fn new(body: &Body) -> Cfg {
        let order: Vec<BlockId> = body.blocks().collect();
        let mut index = SecondaryMap::with_capacity(order.len());
        for (i, &b) in order.iter().enumerate() {
            index.insert(b, i as u32);
        }
        let mut preds = vec![SmallVec::new(); order.len()];
        for &b in &order {
            for s in body.successors(b).into_iter().flatten() {
                preds[index[s] as usize].push(b);
            }
        }
        Cfg { order, index, preds }
    }

    /// The blocks in the order of the text.
    pub fn blocks(&self) -> &[BlockId] {
        &self.order
    }

    /// Position of a block in the order.
    pub fn index(&self, block: BlockId) -> usize {
        self.index[block] as usize
    }

    /// The predecessors of a block, in the order of the text.
    pub fn preds(&self, block: BlockId) -> &[BlockId] {
        &self.preds[self.index(block)]
    }
}

//! Dominance and post-dominance of blocks.

use super::Cfg;
use super::graph::{DomTree, Edges};
use crate::body::Body;
use crate::ids::BlockId;
use std::sync::Arc;

/// Which blocks every path from the entry to a block passes.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{analysis::Dominance, text};
///
/// let shader = text::parse(r#"foil 1 shader fragment "main" { fn main {
///     %helper = load_helper_invocation
///     loop {
///       if %helper { break }
///       demote
///     }
/// } }"#)?;
/// let dominance = Dominance::new(shader.entry_body().unwrap());
/// let [_, header, leave, _, tail, exit] = *dominance.cfg().blocks() else { panic!("six blocks") };
/// assert_eq!(dominance.idom(exit), Some(leave));
/// assert!(dominance.dominates(header, exit) && !dominance.dominates(tail, exit));
/// assert_eq!(dominance.common(leave, tail), Some(header));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dominance {
    cfg: Arc<Cfg>,
    tree: DomTree,
}

impl Dominance {
    /// The dominators of a body.
    pub fn new(body: &Body) -> Dominance {
        Dominance::of(&Arc::new(Cfg::new(body)))
    }

    /// The dominators of known edges.
    pub fn of(cfg: &Arc<Cfg>) -> Dominance {
        let pairs =
            cfg.succs.iter().enumerate().flat_map(|(i, s)| s.iter().flatten().map(move |&t| (i as u32, t)));
        let tree = DomTree::new(&Edges::new(cfg.len(), pairs), 0);
        Dominance { cfg: Arc::clone(cfg), tree }
    }

    fn index(&self, block: BlockId) -> u32 {
        self.cfg.index(block) as u32
    }

    fn block(&self, index: u32) -> BlockId {
        self.cfg.blocks()[index as usize]
    }

    /// The blocks in order and their edges.
    pub fn cfg(&self) -> &Cfg {
        &self.cfg
    }

    /// Whether the entry reaches a block.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.tree.reached(self.index(block))
    }

    /// The closest other block that dominates; none for the entry and for unreachable blocks.
    pub fn idom(&self, block: BlockId) -> Option<BlockId> {
        self.tree.idom(self.index(block)).map(|i| self.block(i))
    }

    /// Whether every path from the entry to `b` passes `a`, in O(1). A block dominates itself; every block
    /// dominates an unreachable one.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree.dominates(self.index(a), self.index(b))
    }

    /// The blocks whose immediate dominator is `block`, in the order of the text.
    pub fn children(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.tree.children(self.index(block)).iter().map(|&i| self.block(i))
    }

    /// The reachable blocks, each before the blocks that it dominates and these directly after it.
    pub fn preorder(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.tree.preorder().iter().map(|&i| self.block(i))
    }

    /// The closest block that dominates both; `None` if one of them is unreachable.
    pub fn common(&self, a: BlockId, b: BlockId) -> Option<BlockId> {
        let (mut a, b) = (self.index(a), self.index(b));
        if !self.tree.reached(a) || !self.tree.reached(b) {
            return None;
        }
        while !self.tree.dominates(a, b) {
            a = self.tree.idom(a)?;
        }
        Some(self.block(a))
    }
}

/// Which blocks every path from a block to the end of the function passes.
///
/// The end is one imagined block that every `return`, `halt` and the last block lead to. Loops that nothing
/// leaves get an imagined edge to it from their first block, so that every block reaches the end.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{analysis::PostDominance, text};
///
/// let shader = text::parse(r#"foil 1 shader fragment "main" { fn main {
///     %helper = is_helper_invocation
///     if %helper { discard }
///     if %helper { return }
/// } }"#)?;
/// let body = shader.entry_body().unwrap();
/// let blocks: Vec<_> = body.blocks().collect();
/// let post = PostDominance::new(body);
/// // `return` is an edge to the end of the function; `discard` is not.
/// assert_eq!(post.ipdom(blocks[0]), Some(blocks[3]));
/// assert_eq!(post.ipdom(blocks[3]), None);
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PostDominance {
    cfg: Arc<Cfg>,
    tree: DomTree,
}

impl PostDominance {
    /// The post-dominators of a body.
    pub fn new(body: &Body) -> PostDominance {
        PostDominance::of(&Arc::new(Cfg::new(body)), body)
    }

    /// The post-dominators of known edges.
    pub fn of(cfg: &Arc<Cfg>, body: &Body) -> PostDominance {
        let end = cfg.len() as u32;
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(cfg.len() * 2);
        for (i, succs) in cfg.succs.iter().enumerate() {
            edges.extend(succs.iter().flatten().map(|&s| (s, i as u32)));
            if succs[0].is_none() {
                edges.push((end, i as u32));
            }
        }
        let ends = endless_headers(cfg, body, &edges);
        edges.extend(ends.into_iter().map(|header| (end, header)));
        let tree = DomTree::new(&Edges::new(cfg.len() + 1, edges.iter().copied()), end);
        PostDominance { cfg: Arc::clone(cfg), tree }
    }

    fn index(&self, block: BlockId) -> u32 {
        self.cfg.index(block) as u32
    }

    fn block(&self, index: u32) -> Option<BlockId> {
        self.cfg.blocks().get(index as usize).copied()
    }

    /// The closest other block that post-dominates; `None` if that is the end of the function.
    pub fn ipdom(&self, block: BlockId) -> Option<BlockId> {
        self.block(self.tree.idom(self.index(block))?)
    }

    /// Whether every path from `b` to the end passes `a`, in O(1). A block post-dominates itself.
    pub fn post_dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree.dominates(self.index(a), self.index(b))
    }

    /// The blocks whose immediate post-dominator is `block`, in the order of the text.
    pub fn children(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.tree.children(self.index(block)).iter().filter_map(|&i| self.block(i))
    }
}

/// First blocks of the loops from which no path leads to the end. `edges` are the reversed ones.
fn endless_headers(cfg: &Cfg, body: &Body, edges: &[(u32, u32)]) -> Vec<u32> {
    let graph = Edges::new(cfg.len() + 1, edges.iter().copied());
    let mut reaches_end = vec![false; cfg.len() + 1];
    let mut work = vec![cfg.len() as u32];
    while let Some(node) = work.pop() {
        for &p in graph.of(node) {
            if !std::mem::replace(&mut reaches_end[p as usize], true) {
                work.push(p);
            }
        }
    }
    cfg.blocks()
        .iter()
        .filter_map(|&b| Some(cfg.index(body.as_loop(body.next_cf(b)?)?.body().first) as u32))
        .filter(|&header| !reaches_end[header as usize])
        .collect()
}

//! The nest of loops, which follows from the tree.

use super::Cfg;
use crate::body::{Body, Walk};
use crate::ids::{BlockId, CfId};
use crate::instr::Jump;
use slotmap::SecondaryMap;
use std::ops::Range;
use std::sync::Arc;

/// One loop.
///
/// # Examples
///
/// ```
/// use airfoil_ir::analysis::{Dominance, LoopNest};
/// # use airfoil_ir::text;
///
/// let shader = text::parse(r#"foil 1 shader fragment "main" { fn main {
///     %front = load_front_face
///     loop { if %front { return } }
/// } }"#)?;
/// let body = shader.entry_body().unwrap();
/// let nest = LoopNest::new(body);
/// let [info] = nest.loops() else { panic!("there is one loop") };
/// // Nothing breaks out of the loop, and its end starts the next turn without a `continue`.
/// assert!(info.returns && info.breaks.is_empty() && info.continues.is_empty());
/// assert!(!Dominance::new(body).is_reachable(info.exit));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopInfo {
    /// The loop.
    pub cf: CfId,
    /// Its first block, where every turn starts.
    pub header: BlockId,
    /// The block after it, the target of `break`.
    pub exit: BlockId,
    /// Position of the loop around it in [`LoopNest::loops`].
    pub parent: Option<usize>,
    /// 1 for outermost loops.
    pub depth: u32,
    /// Blocks that break out of this loop, in the order of the text.
    pub breaks: Vec<BlockId>,
    /// Blocks that start the next turn by `continue`, in the order of the text.
    pub continues: Vec<BlockId>,
    /// Whether something in it, nested loops included, leaves the function.
    pub returns: bool,
    blocks: Range<u32>,
}

/// All loops of a body.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Jump, analysis::LoopNest};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let outer = b.push_loop();
/// let inner = b.push_loop();
/// b.jump(Jump::Break);
/// b.pop(inner);
/// b.jump(Jump::Break);
/// let nest = LoopNest::new(&body);
/// assert!(nest.innermost_first().map(|l| l.cf).eq([inner, outer]));
/// // The outer loop includes the blocks around and inside the inner one.
/// assert_eq!(nest.loops().iter().map(|l| nest.blocks(l).len()).collect::<Vec<_>>(), [3, 1]);
/// assert_eq!(body.blocks().map(|block| nest.depth(block)).collect::<Vec<_>>(), [0, 1, 2, 1, 0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopNest {
    cfg: Arc<Cfg>,
    loops: Vec<LoopInfo>,
    /// Innermost loop of every block, plus 1; 0 = none.
    innermost: Vec<u32>,
    positions: SecondaryMap<CfId, usize>,
}

impl LoopNest {
    /// The loops of a body.
    pub fn new(body: &Body) -> LoopNest {
        LoopNest::of(&Arc::new(Cfg::new(body)), body)
    }

    /// The loops of a body whose blocks are in order already.
    pub fn of(cfg: &Arc<Cfg>, body: &Body) -> LoopNest {
        let innermost = Vec::with_capacity(cfg.len());
        let mut nest = LoopNest { cfg: Arc::clone(cfg), innermost, ..LoopNest::default() };
        let mut current: Option<usize> = None;
        for step in body.walk_cf() {
            match step {
                Walk::Loop(cf) => {
                    let Some(l) = body.as_loop(cf) else { continue };
                    let start = nest.innermost.len() as u32;
                    nest.loops.push(LoopInfo {
                        cf,
                        header: l.body().first,
                        exit: l.next(),
                        parent: current,
                        depth: current.map_or(0, |p| nest.loops[p].depth) + 1,
                        breaks: Vec::new(),
                        continues: Vec::new(),
                        returns: false,
                        blocks: start..start,
                    });
                    current = Some(nest.loops.len() - 1);
                    nest.positions.insert(cf, nest.loops.len() - 1);
                }
                Walk::EndLoop(_) => {
                    let Some(done) = current else { continue };
                    nest.loops[done].blocks.end = nest.innermost.len() as u32;
                    current = nest.loops[done].parent;
                    if let Some(parent) = current {
                        nest.loops[parent].returns |= nest.loops[done].returns;
                    }
                }
                Walk::Block(b) => {
                    nest.innermost.push(current.map_or(0, |l| l as u32 + 1));
                    let (Some(l), Some(jump)) = (current, body.jump(b)) else { continue };
                    match jump {
                        Jump::Break => nest.loops[l].breaks.push(b),
                        Jump::Continue => nest.loops[l].continues.push(b),
                        Jump::Return | Jump::Halt => nest.loops[l].returns = true,
                    }
                }
                Walk::If(_) | Walk::Else(_) | Walk::EndIf(_) => {}
            }
        }
        nest
    }

    /// The loops in the order of the text: outer before inner.
    pub fn loops(&self) -> &[LoopInfo] {
        &self.loops
    }

    /// The loops, inner before outer: a pass that moves code out of each loop sees it leave the loops around, too.
    pub fn innermost_first(&self) -> impl Iterator<Item = &LoopInfo> {
        self.loops.iter().rev()
    }

    /// Position in [`LoopNest::loops`] of a loop.
    pub fn position(&self, cf: CfId) -> Option<usize> {
        self.positions.get(cf).copied()
    }

    /// Position in [`LoopNest::loops`] of the innermost loop around a block.
    pub fn innermost(&self, block: BlockId) -> Option<usize> {
        (self.innermost[self.cfg.index(block)] as usize).checked_sub(1)
    }

    /// The innermost loop around a block.
    pub fn loop_of(&self, block: BlockId) -> Option<&LoopInfo> {
        Some(&self.loops[self.innermost(block)?])
    }

    /// Number of loops around a block.
    pub fn depth(&self, block: BlockId) -> u32 {
        self.loop_of(block).map_or(0, |l| l.depth)
    }

    /// The blocks of a loop, nested loops included, in the order of the text.
    pub fn blocks(&self, l: &LoopInfo) -> &[BlockId] {
        &self.cfg.blocks()[l.blocks.start as usize..l.blocks.end as usize]
    }

    /// Whether a block is in a loop, nested loops included.
    pub fn contains(&self, l: &LoopInfo, block: BlockId) -> bool {
        l.blocks.contains(&(self.cfg.index(block) as u32))
    }
}

//! Values that are live at the borders of blocks.
//!
//! Found from each use upwards to the definition, so the cost is the size of the answer. The answer is a
//! sorted list a block: most values die in the block that defines them, and bit sets of values times blocks
//! would grow with the square of the shader.

use super::{Cfg, UseMap, User};
use crate::body::Body;
use crate::ids::{BlockId, InstrId};
use slotmap::SecondaryMap;
use std::sync::Arc;

/// Live values at the start and end of every block.
///
/// The result of a phi is defined at the start of its block, not live into it; its sources are live at the
/// end of their predecessors.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, SystemValue, analysis::Liveness};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let front = b.load_system_value(SystemValue::front_face);
/// let cf = b.push_if(front);
/// let one = b.imm_u32(1);
/// b.push_else(cf);
/// let two = b.imm_u32(2);
/// let phi = b.if_phi(cf, one, two).unwrap();
/// let live = Liveness::new(&body);
/// // The edge uses the source of a phi: it is live out of its side, but not into the block of the phi.
/// assert!(live.is_live_out(one, body.block_of(one)));
/// assert_eq!(live.live_in(body.block_of(phi)).len(), 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    cfg: Arc<Cfg>,
    /// Number of every value in the order of the text, and back.
    number: SecondaryMap<InstrId, u32>,
    values: Vec<InstrId>,
    live_in: Vec<Vec<u32>>,
    live_out: Vec<Vec<u32>>,
}

impl PartialEq for Liveness {
    fn eq(&self, other: &Liveness) -> bool {
        // Numbers follow from the order of the values.
        self.cfg == other.cfg
            && self.values == other.values
            && self.live_in == other.live_in
            && self.live_out == other.live_out
    }
}

impl Liveness {
    /// The live values of a body.
    pub fn new(body: &Body) -> Liveness {
        Liveness::of(&Arc::new(Cfg::new(body)), body)
    }

    /// The live values of a body whose blocks are in order already.
    pub fn of(cfg: &Arc<Cfg>, body: &Body) -> Liveness {
        let mut live = Liveness {
            cfg: Arc::clone(cfg),
            number: SecondaryMap::with_capacity(body.instr_capacity()),
            values: Vec::with_capacity(body.num_instrs()),
            live_in: vec![Vec::new(); cfg.len()],
            live_out: vec![Vec::new(); cfg.len()],
        };
        let uses = UseMap::new(body);
        let mut work = Vec::new();
        for (b, &block) in cfg.blocks().iter().enumerate() {
            for id in body.instrs(block) {
                if !body[id].has_value() {
                    continue;
                }
                let number = live.values.len() as u32;
                live.values.push(id);
                live.number.insert(id, number);
                for &user in uses.users(id) {
                    live.follow_use(body, id, user, b as u32, number, &mut work);
                }
            }
        }
        live
    }

    /// Marks `number`, defined in block `def`, live on all paths up from a use.
    fn follow_use(
        &mut self,
        body: &Body,
        value: InstrId,
        user: User,
        def: u32,
        number: u32,
        work: &mut Vec<u32>,
    ) {
        match user {
            User::Instr(id) => {
                if let Some(srcs) = body[id].as_phi() {
                    for src in srcs.iter().filter(|s| s.value == value) {
                        if let Some(pred) = self.cfg.try_index(src.pred) {
                            self.live_at_end(pred as u32, def, number, work);
                        }
                    }
                } else {
                    self.live_at_start(self.cfg.index(body.block_of(id)) as u32, def, number, work);
                }
            }
            User::If(cf) => {
                self.live_at_start(self.cfg.index(body.cf(cf).prev()) as u32, def, number, work);
            }
        }
        let cfg = Arc::clone(&self.cfg);
        while let Some(block) = work.pop() {
            for &pred in cfg.preds(cfg.blocks()[block as usize]) {
                self.live_at_end(cfg.index(pred) as u32, def, number, work);
            }
        }
    }

    /// The value is needed in `block`; if it comes from elsewhere, the blocks before need it too.
    fn live_at_start(&mut self, block: u32, def: u32, number: u32, work: &mut Vec<u32>) {
        if block != def && push_once(&mut self.live_in[block as usize], number) {
            work.push(block);
        }
    }

    fn live_at_end(&mut self, block: u32, def: u32, number: u32, work: &mut Vec<u32>) {
        if push_once(&mut self.live_out[block as usize], number) {
            self.live_at_start(block, def, number, work);
        }
    }

    /// Values that are live at the start of a block, in the order of the text.
    pub fn live_in(&self, block: BlockId) -> impl ExactSizeIterator<Item = InstrId> + '_ {
        self.live_in[self.cfg.index(block)].iter().map(|&n| self.values[n as usize])
    }

    /// Values that are live at the end of a block, in the order of the text.
    pub fn live_out(&self, block: BlockId) -> impl ExactSizeIterator<Item = InstrId> + '_ {
        self.live_out[self.cfg.index(block)].iter().map(|&n| self.values[n as usize])
    }

    /// Whether a value is live at the start of a block.
    pub fn is_live_in(&self, value: InstrId, block: BlockId) -> bool {
        self.contains(&self.live_in, value, block)
    }

    /// Whether a value is live at the end of a block.
    pub fn is_live_out(&self, value: InstrId, block: BlockId) -> bool {
        self.contains(&self.live_out, value, block)
    }

    fn contains(&self, sets: &[Vec<u32>], value: InstrId, block: BlockId) -> bool {
        let Some(number) = self.number.get(value) else { return false };
        sets[self.cfg.index(block)].binary_search(number).is_ok()
    }
}

/// Values are handled one after the other, so the value can only be the last one of a set.
fn push_once(set: &mut Vec<u32>, number: u32) -> bool {
    let new = set.last() != Some(&number);
    if new {
        set.push(number);
    }
    new
}

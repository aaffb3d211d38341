//! Moves invariant operations before their loop where that takes few registers.
//!
//! Accepts any form. Preserves control flow. An ALU operation is invariant if its operands are defined before the loop or invariant. It may
//! be executed before the loop even where the loop did not execute it: ALU operations have no effects, and the result is the same.
//! A value that is computed before a loop stays live across it, while operands that nothing else in the loop reads no longer do. So an
//! operation moves, together with the invariant operations that only it needs, if its result has at most `limit` bits more than those
//! operands: comparisons always move, sums if one operand has no other use. Convergent operations stay. Loops are visited
//! from the inside to the outside. Cost: the instructions of loops, times the nesting depth.
//!
//! Source: NIR's `nir_opt_licm`; Aho, Lam, Sethi, Ullman, "Compilers", 2006, section 9.5.
//!
//! ```foil-example
//! b0:
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! loop {
//!   b1:
//!   32x1 %2 = phi b0: %0, b4: %3
//!   %4 = imul %1, %1
//!   %3 = iadd %2, %4
//!   %5 = ilt %4, %3
//!   if %5 {
//!   b2:
//!     break
//!   } else {
//!   b3:
//!   }
//!   b4:
//! }
//! b5:
//! store_output %3, %0 io=0 mask=x
//! =>
//! b0:
//! 32x1 %0 = const 0
//! 32x1 %1 = load_vertex_id
//! 32x1 %2 = imul %1, %1
//! loop {
//!   b1:
//!   32x1 %3 = phi b0: %0, b4: %4
//!   32x1 %4 = iadd %3, %2
//!   1x1 %5 = ilt %2, %4
//!   if %5 {
//!   b2:
//!     break
//!   } else {
//!   b3:
//!   }
//!   b4:
//! }
//! b5:
//! store_output %4, %0 io=0 mask=x
//! ```

use crate::util::loops::inner_loops_first;
use crate::{Changes, Constructs, Context, Pass, PassInfo, PassOptions, each_body, pass_options};
use airfoil_ir::{Body, CfId, Cursor, Dense, Diagnostic, InstrGroup, InstrId, InstrKind, Region, Shader};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pass_options! {
    /// See the [module documentation](self).
    pub struct OptLicm {
        /// Maximum number of bits that are live across a loop in addition, for each operation.
        limit: u32 = 4,
    }
}

static INFO: PassInfo =
    PassInfo::new("opt_licm", "moves invariant operations before loops", include_str!("opt_licm.rs"))
        .options(OptLicm::OPTIONS)
        .reads(Changes::CODE)
        .needs(Constructs::JUMP);

/// Rounds over the invariant operations of a loop.
const MAX_ROUNDS: u32 = 4;
/// Operations that move at once.
const MAX_CONE: usize = 32;

impl Pass for OptLicm {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| {
            // A loop that nothing leaves may stay as it is.
            if !body.has(InstrGroup::Jump) {
                return Changes::NONE;
            }
            let loops = inner_loops_first(body);
            let mut marks = Marks::new(if loops.is_empty() { 0 } else { body.instr_capacity() });
            loops.into_iter().fold(Changes::NONE, |changes, cf| {
                marks.start_loop();
                changes | self.visit(body, cf, &mut marks)
            })
        }))
    }
}

/// How an instruction relates to the loop that is visited.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    /// It is not in the loop, or has moved out of it.
    Outside,
    /// It is in the loop and varies, or is a constant.
    Inside,
    /// It is in the loop and invariant.
    Invariant,
}

/// The marks of instructions: those of an earlier loop do not count.
struct Marks {
    marks: Dense<u32>,
    /// The value of [`Mark::Inside`] for this loop; that of [`Mark::Invariant`] is one more.
    inside: u32,
}

impl Marks {
    fn new(capacity: usize) -> Marks {
        Marks { marks: Dense::new(capacity), inside: 0 }
    }

    fn start_loop(&mut self) {
        self.inside += 2;
    }

    fn get(&self, id: InstrId) -> Mark {
        match self.marks.get(id).checked_sub(self.inside) {
            Some(0) => Mark::Inside,
            Some(_) => Mark::Invariant,
            None => Mark::Outside,
        }
    }

    fn set(&mut self, id: InstrId, mark: Mark) {
        let mark = match mark {
            Mark::Outside => 0,
            Mark::Inside => self.inside,
            Mark::Invariant => self.inside + 1,
        };
        self.marks.set(id, mark);
    }
}

/// Invariant operations of a loop.
struct Invariants<'b> {
    body: &'b Body,
    /// Uses of values in the loop.
    uses: FxHashMap<InstrId, u32>,
    marks: &'b mut Marks,
    /// Operations that move and the constants of the loop that they use, in order.
    moved: SmallVec<[InstrId; 16]>,
}

impl OptLicm {
    /// Moves operations of a loop before it.
    fn visit(&self, body: &mut Body, cf: CfId, marks: &mut Marks) -> Changes {
        let Some(l) = body.as_loop(cf) else { return Changes::NONE };
        let (region, before) = (l.body(), l.prev());
        // Phis at the start of the loop read values that come later.
        for block in body.blocks_in(region) {
            body.instrs(block).for_each(|id| marks.set(id, Mark::Inside));
        }
        let mut found: SmallVec<[InstrId; 32]> = SmallVec::new();
        for block in body.blocks_in(region) {
            for id in body.instrs(block).filter(|&id| is_movable(body, id)) {
                let mut varies = false;
                body[id].visit_operands(|v| varies |= marks.get(v) == Mark::Inside && !is_constant(body, v));
                if !varies {
                    marks.set(id, Mark::Invariant);
                    found.push(id);
                }
            }
        }
        if found.is_empty() {
            return Changes::NONE;
        }
        let uses = count_uses(body, region);
        let mut invariants = Invariants { body, uses, marks, moved: SmallVec::new() };
        let mut rounds = 0;
        loop {
            let count = invariants.moved.len();
            found.retain(|&mut id| !invariants.try_move(id, self.limit));
            rounds += 1;
            // A move may leave an operand with a single use.
            if invariants.moved.len() == count || rounds == MAX_ROUNDS {
                break;
            }
        }
        let moved = invariants.moved;
        if moved.is_empty() {
            return Changes::NONE;
        }
        for &id in &moved {
            body.move_to(id, Cursor::BlockEnd(before));
        }
        Changes::VALUES | Changes::AGAIN.when(rounds == MAX_ROUNDS)
    }
}

impl Invariants<'_> {
    /// Moves an operation with the invariant ones that only it uses, if that pays; whether it has moved or does not need to be tried
    /// again.
    fn try_move(&mut self, root: InstrId, limit: u32) -> bool {
        if self.marks.get(root) != Mark::Invariant {
            return true;
        }
        // The operations that move, users first, and the uses of their operands by them.
        let mut cone: SmallVec<[InstrId; 8]> = SmallVec::from_slice(&[root]);
        let mut within: SmallVec<[(InstrId, u32); 16]> = SmallVec::new();
        let (mut next, mut room) = (0, MAX_CONE);
        while next < cone.len() {
            let id = cone[next];
            next += 1;
            let (uses, marks) = (&self.uses, &*self.marks);
            self.body[id].visit_operands(|v| {
                let at = within.iter().position(|w| w.0 == v).unwrap_or_else(|| {
                    within.push((v, 0));
                    within.len() - 1
                });
                within[at].1 += 1;
                if marks.get(v) == Mark::Invariant && uses.get(&v) == Some(&within[at].1) && room > 0 {
                    room -= 1;
                    cone.push(v);
                }
            });
        }
        let is_freed = |&&(v, n): &&(InstrId, u32)| {
            self.uses.get(&v) == Some(&n) && !is_constant(self.body, v) && !cone.contains(&v)
        };
        let freed: i64 = within.iter().filter(is_freed).map(|&(v, _)| bits(self.body, v)).sum();
        // Invariant operands that stay in the loop would have to move, too.
        let stays = |&(v, _): &(InstrId, u32)| self.marks.get(v) == Mark::Invariant && !cone.contains(&v);
        if bits(self.body, root) - freed > i64::from(limit) || within.iter().any(stays) {
            return false;
        }
        for (v, n) in within {
            self.uses.entry(v).and_modify(|uses| *uses -= n);
            // Constants move with their user.
            if is_constant(self.body, v) && self.marks.get(v) == Mark::Inside {
                self.marks.set(v, Mark::Outside);
                self.moved.push(v);
            }
        }
        for id in cone.into_iter().rev() {
            self.marks.set(id, Mark::Outside);
            self.moved.push(id);
        }
        true
    }
}

/// Whether an instruction may be executed before the loop if its operands permit.
fn is_movable(body: &Body, id: InstrId) -> bool {
    matches!(body[id].kind, InstrKind::Alu(_)) && !body[id].is_convergent()
}

/// Values that take no register.
fn is_constant(body: &Body, id: InstrId) -> bool {
    matches!(body[id].kind, InstrKind::Const(_) | InstrKind::Undef)
}

fn bits(body: &Body, id: InstrId) -> i64 {
    let ty = body[id].ty;
    i64::from(ty.comps) * i64::from(ty.bits)
}

/// The uses of each value in a loop.
fn count_uses(body: &Body, region: Region) -> FxHashMap<InstrId, u32> {
    let mut uses = FxHashMap::default();
    for block in body.blocks_in(region) {
        for id in body.instrs(block) {
            body[id].visit_operands(|v| *uses.entry(v).or_default() += 1);
        }
        if let Some(n) = body.next_cf(block).and_then(|cf| body.as_if(cf)) {
            *uses.entry(n.cond()).or_default() += 1;
        }
    }
    uses
}

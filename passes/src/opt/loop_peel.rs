//! Peels the first iteration off an `if` that starts a loop and takes one side in the first iteration, the other in all later ones.
//!
//! Accepts any form. The side of the first iteration moves before the loop, the other to the end of the loop, where it is executed
//! before the next iteration starts. No code is duplicated: each invocation executes the same instructions in the same order, with the
//! same active invocations. Requires that the first block of the loop holds phis and constants only, that the condition is one of the phis, a
//! constant from before the loop and the other one afterwards, and that the loop continues at its end alone. Linear.
//!
//! Source: NIR's `nir_opt_peel_loop_initial_if`.
//!
//! ```foil-example
//! b0:
//! 32x1 %0 = const 0
//! 32x1 %1 = const 4
//! 1x1 %2 = const false
//! 1x1 %3 = const true
//! loop {
//!   b1:
//!   1x1 %4 = phi b0: %3, b5: %2
//!   32x1 %5 = phi b0: %0, b5: %6
//!   if %4 {
//!   b2:
//!     store_output %1, %0 io=0 mask=x
//!   } else {
//!   b3:
//!     store_output %5, %0 io=0 mask=x
//!   }
//!   b4:
//!   %7 = load_vertex_id
//!   %6 = iadd %5, %7
//!   %8 = ilt %1, %6
//!   if %8 {
//!   b6:
//!     break
//!   } else {
//!   b7:
//!   }
//!   b5:
//! }
//! b8:
//! =>
//! b0:
//! 32x1 %0 = const 0
//! 32x1 %1 = const 4
//! 1x1 %2 = const 0
//! 1x1 %3 = const -1
//! store_output %1, %0 io=0 mask=x
//! loop {
//!   b1:
//!   1x1 %4 = phi b0: %3, b4: %2
//!   32x1 %5 = phi b0: %0, b4: %7
//!   32x1 %6 = load_vertex_id
//!   %7 = iadd %5, %6
//!   1x1 %8 = ilt %1, %7
//!   if %8 {
//!   b2:
//!     break
//!   } else {
//!   b3:
//!   }
//!   b4:
//!   store_output %7, %0 io=0 mask=x
//! }
//! b5:
//! ```

use crate::util::loops::inner_loops_first;
use crate::util::phis::constant_condition;
use crate::{Changes, Constructs, Context, Pass, PassInfo, each_body};
use airfoil_ir::{
    Body, CfId, Cursor, Diagnostic, InstrGroup, InstrId, InstrKind, Jump, Owner, PhiSrc, Region, Shader,
};
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct LoopPeel;

static INFO: PassInfo = PassInfo::new(
    "loop_peel",
    "peels the first iteration off the `if` that starts a loop",
    include_str!("loop_peel.rs"),
)
.reads(Changes::CODE)
.needs(Constructs::JUMP);

impl Pass for LoopPeel {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| {
            // A loop that nothing leaves may stay as it is.
            if !body.has(InstrGroup::Jump) || body.num_cfs() < 2 {
                return Changes::NONE;
            }
            let loops = inner_loops_first(body);
            let visit = |changes, cf| changes | Changes::CODE.when(peel(body, cf));
            loops.into_iter().fold(Changes::NONE, visit)
        }))
    }
}

/// A phi with the values from the two ways to it: into the loop and its end, or the first and the other side of the `if`.
#[derive(Clone, Copy)]
struct Choice {
    phi: InstrId,
    first: InstrId,
    later: InstrId,
}

type Choices = SmallVec<[Choice; 8]>;

fn peel(body: &mut Body, cf: CfId) -> bool {
    let Some(l) = body.as_loop(cf) else { return false };
    let (region, before) = (l.body(), l.prev());
    let header = region.first;
    let Some(inner) = body.next_cf(header) else { return false };
    let Some(n) = body.as_if(inner).cloned() else { return false };
    if body.jump(region.last).is_some() {
        return false;
    }
    let is_phi = |id: &InstrId| body[*id].as_phi().is_some();
    let is_free = |id: &InstrId| matches!(body[*id].kind, InstrKind::Const(_) | InstrKind::Undef);
    let constants: SmallVec<[InstrId; 4]> = body.instrs(header).filter(|id| !is_phi(id)).collect();
    if !constants.iter().all(is_free) {
        return false;
    }
    let choices = |block, first, later| -> Option<Choices> {
        let choice = |phi| match *body[phi].as_phi()? {
            [a, b] if (a.pred, b.pred) == (first, later) => {
                Some(Choice { phi, first: a.value, later: b.value })
            }
            [a, b] if (b.pred, a.pred) == (first, later) => {
                Some(Choice { phi, first: b.value, later: a.value })
            }
            _ => None,
        };
        body.phis(block).map(choice).collect()
    };
    let Some(header_phis) = choices(header, before, region.last) else { return false };
    let Some(cond) = header_phis.iter().find(|c| c.phi == n.cond()) else { return false };
    let known = |value| constant_condition(body, value);
    let (Some(taken), Some(later)) = (known(cond.first), known(cond.later)) else { return false };
    let (first, other) = if taken { (n.then(), n.els()) } else { (n.els(), n.then()) };
    if taken == later || [first, other].iter().any(|&side| leaves(body, cf, side)) {
        return false;
    }
    let Some(joined) = choices(n.next(), first.last, other.last) else { return false };

    for &constant in &constants {
        body.move_to(constant, Cursor::BlockEnd(before));
    }
    let entered = |v: InstrId| header_phis.iter().find(|c| c.phi == v).map_or(v, |c| c.first);
    let continued = |v: InstrId| header_phis.iter().find(|c| c.phi == v).map_or(v, |c| c.later);
    replace_in(body, first, entered);
    replace_in(body, other, continued);
    // Values that the sides give to the rest of the iteration now come from outside, or from the end of the iteration before.
    for c in &joined {
        let srcs = [
            PhiSrc { pred: before, value: entered(c.first) },
            PhiSrc { pred: region.last, value: continued(c.later) },
        ];
        body.set_kind(c.phi, InstrKind::Phi(srcs.into_iter().collect()));
        body.move_to(c.phi, Cursor::BlockStart(header));
    }
    let sides = if taken {
        [Owner::Then(inner), Owner::Else(inner)]
    } else {
        [Owner::Else(inner), Owner::Then(inner)]
    };
    let [first, other] = sides.map(|side| body.take_region(side));
    body.delete_cf(inner);
    body.splice(Cursor::BlockEnd(before), first);
    if let Some(last) = body.as_loop(cf).map(|l| l.body().last) {
        body.splice(Cursor::BlockEnd(last), other);
    }
    true
}

/// Whether control leaves a side of the `if` other than at its end: to the loop, or out of the function from its last block.
fn leaves(body: &Body, cf: CfId, side: Region) -> bool {
    let jumps_to_loop =
        |b| matches!(body.jump(b), Some(Jump::Break | Jump::Continue)) && body.loop_around(b) == Some(cf);
    body.jump(side.last).is_some() || body.blocks_in(side).any(jumps_to_loop)
}

/// Replaces operands and conditions in a region.
fn replace_in(body: &mut Body, region: Region, new: impl Fn(InstrId) -> InstrId) {
    let blocks: SmallVec<[_; 8]> = body.blocks_in(region).collect();
    for block in blocks {
        let mut next = body.first_instr(block);
        while let Some(id) = next {
            next = body.next(id);
            body.map_operands(id, &new);
        }
        if let Some(cf) = body.next_cf(block) {
            body.map_condition(cf, &new);
        }
    }
}

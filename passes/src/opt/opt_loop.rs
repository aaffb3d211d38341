//! Simplifies how loops are left and continued.
//!
//! Accepts any form.
//!
//! * Two `break`s that follow each other, with at most `limit` cheap operations between, become one on both conditions. The
//!   operations run once more when the first condition leaves the loop.
//! * A `continue` at the end of a side of the `if` that ends a loop body is removed.
//!
//! A value that depends on which `break` left the loop is selected by the first condition. Convergent instructions do not
//! move. Linear.
//!
//! Source: NIR's `nir_opt_loop`.
//!
//! ```foil-example
//! b0:
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! %2 = ilt %1, %0
//! loop {
//!   b1:
//!   32x1 %3 = phi b0: %1, b5: %6
//!   if %2 {
//!   b2:
//!     break
//!   } else {
//!   b3:
//!   }
//!   b4:
//!   %4 = ieq %3, %0
//!   if %4 {
//!   b6:
//!     break
//!   } else {
//!   b7:
//!   }
//!   b5:
//!   %6 = ishr %3, %1
//! }
//! b8:
//! store_output %1, %0 io=0 mask=x
//! =>
//! b0:
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! %2 = ilt %1, %0
//! loop {
//!   b1:
//!   32x1 %3 = phi b0: %1, b4: %6
//!   %4 = ieq %3, %0
//!   %5 = ior %2, %4
//!   if %5 {
//!   b2:
//!     break
//!   } else {
//!   b3:
//!   }
//!   b4:
//!   %6 = ishr %3, %1
//! }
//! b5:
//! store_output %1, %0 io=0 mask=x
//! ```

use crate::util::loops::inner_loops_first;
use crate::{Changes, Constructs, Context, Pass, PassInfo, PassOptions, each_body, pass_options};
use airfoil_ir::{
    Alu, AluOp, BlockId, Body, CfId, Cursor, Diagnostic, If, Instr, InstrId, InstrKind, Jump, PhiSrc, Shader,
    Src, Swizzle, Ty,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct OptLoop {
        /// Maximum number of operations between two breaks, and of values that depend on which one left the loop.
        limit: u32 = 4,
    }
}

static INFO: PassInfo =
    PassInfo::new("opt_loop", "merges breaks and removes needless continues", include_str!("opt_loop.rs"))
        .options(OptLoop::OPTIONS)
        .reads(Changes::CODE)
        .needs(Constructs::JUMP);

impl Pass for OptLoop {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| {
            let loops = inner_loops_first(body);
            let visit =
                |p, cf| p | Changes::CODE.when(self.merge_breaks(body, cf) | drop_continues(body, cf));
            loops.into_iter().fold(Changes::NONE, visit)
        }))
    }
}

/// The side of an `if` that only breaks, while the other one is empty: the value of the condition, and the block.
fn breaking_side(body: &Body, n: &If) -> Option<(bool, BlockId)> {
    let is_one = |r: airfoil_ir::Region| (r.first == r.last).then_some(r.first);
    let (then, els) = (is_one(n.then())?, is_one(n.els())?);
    let breaks = |b: BlockId| body.jump(b) == Some(Jump::Break) && body.first_instr(b) == body.last_instr(b);
    let empty = |b: BlockId| body.first_instr(b).is_none();
    if breaks(then) && empty(els) {
        Some((true, then))
    } else if empty(then) && breaks(els) {
        Some((false, els))
    } else {
        None
    }
}

impl OptLoop {
    /// Merges the breaks directly in a loop.
    fn merge_breaks(&self, body: &mut Body, cf: CfId) -> bool {
        let Some(l) = body.as_loop(cf) else { return false };
        let (mut block, exit) = (l.body().first, l.next());
        let mut progress = false;
        while let Some(first) = body.next_cf(block) {
            let next = body.cf(first).next();
            match body.next_cf(next) {
                // The block before is followed by the second `if` then.
                Some(second) if self.merge(body, first, second, exit) => progress = true,
                _ => block = next,
            }
        }
        progress
    }

    fn merge(&self, body: &mut Body, first: CfId, second: CfId, exit: BlockId) -> bool {
        let (Some(a), Some(b)) = (body.as_if(first).cloned(), body.as_if(second).cloned()) else {
            return false;
        };
        let between = a.next();
        let (Some((a_is, a_block)), Some((b_is, b_block))) =
            (breaking_side(body, &a), breaking_side(body, &b))
        else {
            return false;
        };
        let movable = |id: InstrId| {
            let instr = &body[id];
            let pure = matches!(instr.kind, InstrKind::Alu(_) | InstrKind::Const(_) | InstrKind::Undef);
            pure && !instr.is_convergent()
        };
        let costs = |id: &InstrId| body[*id].as_alu().is_some();
        if !body.instrs(between).all(movable)
            || body.instrs(between).filter(costs).count() > self.limit as usize
        {
            return false;
        }
        // Values after the loop that depend on which condition is true.
        let mut chosen = Vec::new();
        for phi in body.phis(exit) {
            let from = |pred| body[phi].as_phi()?.iter().find(|s| s.pred == pred).map(|s| s.value);
            let (Some(x), Some(y)) = (from(a_block), from(b_block)) else { return false };
            if x != y {
                chosen.push((phi, x, y));
            }
        }
        let is_deref = |v: InstrId| body[v].as_deref().is_some();
        if chosen.len() > self.limit as usize || chosen.iter().any(|&(_, x, y)| is_deref(x) || is_deref(y)) {
            return false;
        }
        let at = Cursor::BlockEnd(between);
        let alu = |body: &mut Body, op, ty: Ty, srcs: &[Src]| {
            body.insert(at, Instr::new(InstrKind::Alu(Alu::new(op, ty.comps, srcs)), ty))
        };
        for (phi, x, y) in chosen {
            let ty = body[phi].ty;
            let cond = Src { value: a.cond(), swizzle: Swizzle::splat(0, ty.comps as usize) };
            let (x, y) = if a_is { (x, y) } else { (y, x) };
            let value = alu(body, AluOp::bcsel, ty, &[cond, x.into(), y.into()]);
            body.set_phi_src(phi, PhiSrc { pred: b_block, value });
        }
        // The first condition, in the sense of the second.
        let mut cond = a.cond();
        if a_is != b_is {
            cond = alu(body, AluOp::inot, Ty::BOOL, &[cond.into()]);
        }
        let op = if b_is { AluOp::ior } else { AluOp::iand };
        let both = alu(body, op, Ty::BOOL, &[cond.into(), b.cond().into()]);
        body.map_condition(second, |_| both);
        body.delete_cf(first);
        true
    }
}

/// Removes continues at the end of the sides of the `if` that ends a loop body.
fn drop_continues(body: &mut Body, cf: CfId) -> bool {
    let Some(l) = body.as_loop(cf) else { return false };
    let (header, tail) = (l.body().first, l.body().last);
    if body.first_instr(tail).is_some() {
        return false;
    }
    let Some(n) = body.prev_cf(tail).and_then(|cf| body.as_if(cf)) else { return false };
    let (then, els) = (n.then().last, n.els().last);
    let side = match (body.jump(then), body.jump(els)) {
        (Some(Jump::Continue), None) => then,
        (None, Some(Jump::Continue)) => els,
        _ => return false,
    };
    let mut values: Vec<(InstrId, InstrId, InstrId)> = Vec::new();
    for phi in body.phis(header) {
        let from = |pred| body[phi].as_phi()?.iter().find(|s| s.pred == pred).map(|s| s.value);
        let (Some(continued), Some(fallen)) = (from(side), from(tail)) else { return false };
        values.push((phi, continued, fallen));
    }
    body.remove_jump(side);
    let other = if side == then { els } else { then };
    for (phi, continued, fallen) in values {
        if continued == fallen {
            continue;
        }
        let srcs = [PhiSrc { pred: side, value: continued }, PhiSrc { pred: other, value: fallen }];
        let instr = Instr::new(InstrKind::Phi(srcs.into_iter().collect()), body[phi].ty);
        let joined = body.insert(Cursor::BlockEnd(tail), instr);
        body.set_phi_src(phi, PhiSrc { pred: tail, value: joined });
    }
    true
}

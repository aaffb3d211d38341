//! Converts small ifs to selects (`bcsel`): both sides run unconditionally.
//!
//! Accepts any form. An `if` qualifies if its sides are single blocks without jumps, with at most `limit`
//! counted instructions each, all of them safe to execute speculatively: no side effects, not convergent
//! (derivatives, implicit levels of detail, subgroup operations), and loads only from locations that always
//! exist (constant offsets, in workgroup memory inside its size, and whole variables). Loads from buffers stay: a branch
//! around memory is cheaper than a load whose value is not needed. Constants, moves and derefs are not counted.
//! Selects copy bits, so exactness is preserved. An `if` around a discard alone becomes a conditional discard. Hints
//! on the `if` (`flatten`, keep) are respected. Inner ifs come first, so that outer ones may follow.
//!
//! Source: NIR's `nir_opt_peephole_select`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! %2 = ine %1, %0
//! if %2 {
//!   b1:
//!   %3 = ineg %1
//! } else {
//!   b2:
//! }
//! b3:
//! %4 = phi b1: %3, b2: %1
//! store_output %4, %0 io=0 mask=x
//! =>
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! %2 = ine %1, %0
//! %3 = ineg %1
//! %4 = bcsel %2, %3, %1
//! store_output %4, %0 io=0 mask=x
//! ```

use crate::util::phis::rewrite_phis;
use crate::util::speculate::may_be_speculated;
use crate::{Changes, Constructs, Context, Pass, PassInfo, PassOptions, each_body, pass_options};
use airfoil_ir::{
    Alu, AluOp, Body, CfId, Control, Cursor, Diagnostic, If, InstrId, InstrKind, Intrinsic, IntrinsicOp,
    Shader, Src, Swizzle, Walk,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct PeepholeSelect {
        /// Maximum number of counted instructions per side.
        limit: u32 = 8,
        /// Whether loads that are safe to speculate may move.
        loads: bool = true,
        /// Whether slow operations (division, roots, transcendental functions) may move.
        expensive: bool = true,
        /// Whether an `if` around a discard becomes a conditional discard.
        discard: bool = true,
    }
}

static INFO: PassInfo =
    PassInfo::new("peephole_select", "converts small ifs to selects", include_str!("peephole_select.rs"))
        .options(PeepholeSelect::OPTIONS)
        .reads(Changes::CODE)
        .needs(Constructs::CONTROL_FLOW);

impl Pass for PeepholeSelect {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let shared_size = shader.info.shared_size;
        Ok(each_body(shader, |body| {
            if body.num_cfs() == 0 {
                return Changes::NONE;
            }
            let ifs: Vec<CfId> = body
                .walk_cf()
                .filter_map(|s| if let Walk::EndIf(cf) = s { Some(cf) } else { None })
                .collect();
            ifs.into_iter()
                .fold(Changes::NONE, |p, cf| p | Changes::CODE.when(self.select(body, cf, shared_size)))
        }))
    }
}

impl PeepholeSelect {
    fn select(&self, body: &mut Body, cf: CfId, shared_size: u32) -> bool {
        let Some(n) = body.as_if(cf).cloned() else { return false };
        let (then, els) = (n.then(), n.els());
        if n.control == Control::Keep || then.first != then.last || els.first != els.last {
            return false;
        }
        if self.discard && conditional_discard(body, cf, &n) {
            return true;
        }
        let limit = if n.control == Control::Flatten { u32::MAX } else { self.limit };
        // A deref is not a plain value: selects cannot choose between two.
        let has_deref = |phi: InstrId| {
            body[phi].as_phi().is_some_and(|s| s.iter().any(|s| body[s.value].as_deref().is_some()))
        };
        if ![then.first, els.first].iter().all(|&b| self.can_move(body, b, limit, shared_size))
            || body.phis(n.next()).any(has_deref)
        {
            return false;
        }
        for block in [then.first, els.first] {
            let mut next = body.first_instr(block);
            while let Some(id) = next {
                next = body.next(id);
                body.move_to(id, Cursor::BlockEnd(n.prev()));
            }
        }
        rewrite_phis(body, n.next(), |body, phi| {
            let lanes = body[phi].ty.comps;
            let from = |pred| body[phi].as_phi()?.iter().find(|s| s.pred == pred).map(|s| s.value);
            let (a, b) = (from(then.last)?, from(els.last)?);
            let cond = Src { value: n.cond(), swizzle: Swizzle::splat(0, lanes as usize) };
            Some(InstrKind::Alu(Alu::new(AluOp::bcsel, lanes, &[cond, a.into(), b.into()])))
        });
        body.delete_cf(cf);
        true
    }

    fn can_move(&self, body: &Body, block: airfoil_ir::BlockId, limit: u32, shared_size: u32) -> bool {
        let mut left = limit;
        for id in body.instrs(block) {
            let cost = match self.cost(body, id, shared_size) {
                Some(cost) if cost <= left => cost,
                _ => return false,
            };
            left -= cost;
        }
        true
    }

    /// Cost of an instruction; `None` if it must stay.
    fn cost(&self, body: &Body, id: InstrId, shared_size: u32) -> Option<u32> {
        if !may_be_speculated(body, id, shared_size) {
            return None;
        }
        match &body[id].kind {
            InstrKind::Alu(a) => match a.op {
                AluOp::mov | AluOp::vec2 | AluOp::vec3 | AluOp::vec4 => Some(0),
                op if !self.expensive && is_expensive(op) => None,
                _ => Some(1),
            },
            // Other loads and stores cannot be between, as both sides move as a whole.
            InstrKind::Intrinsic(i) => match i.op {
                IntrinsicOp::load_param => Some(0),
                op if op.system_value().is_some() => Some(0),
                op if op.info().operands.is_empty() => Some(1),
                IntrinsicOp::convert_alu_types | IntrinsicOp::convert_air => Some(1),
                _ => self.loads.then_some(1),
            },
            _ => Some(0),
        }
    }
}

/// Operations many times as slow as an addition.
fn is_expensive(op: AluOp) -> bool {
    use AluOp::*;
    matches!(
        op,
        fdiv | frcp
            | fsqrt
            | frsq
            | fsin
            | fcos
            | ftan
            | fasin
            | facos
            | fatan
            | fatan2
            | fsinh
            | fcosh
            | ftanh
            | fasinh
            | facosh
            | fatanh
            | fexp
            | fexp2
            | flog
            | flog2
            | fpow
            | idiv
            | udiv
            | irem
            | imod
            | umod
    )
}

/// `if c { discard }` becomes `discard_if c`.
fn conditional_discard(body: &mut Body, cf: CfId, n: &If) -> bool {
    use IntrinsicOp as Op;
    let Some(first) = body.first_instr(n.then().first) else { return false };
    let alone = body.next(first).is_none() && body.first_instr(n.els().first).is_none();
    if !alone || body.phis(n.next()).next().is_some() {
        return false;
    }
    let op = match body[first].as_intrinsic().map(|i| i.op) {
        Some(Op::discard) => Op::discard_if,
        Some(Op::demote) => Op::demote_if,
        Some(Op::terminate) => Op::terminate_if,
        _ => return false,
    };
    body.move_to(first, Cursor::BlockEnd(n.prev()));
    body.set_kind(first, InstrKind::Intrinsic(Intrinsic::new(op, &[n.cond()])));
    body.delete_cf(cf);
    true
}

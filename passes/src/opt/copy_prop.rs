//! Propagates copies: users of `mov` and `vecN` read the original values.
//!
//! Accepts any form. Preserves control flow. ALU operands compose their swizzle with that of the move, and
//! look through a vector if all lanes they read come from one value. Other users read whole values, so they
//! look through moves without a swizzle only. A `mov` of lanes of a vector becomes a vector of its own, so
//! that the larger vector can die; a vector of lanes of one value becomes a `mov`. `dce` removes the moves. A
//! single walk; phis come last because only they use values defined later.
//!
//! Source: NIR's `nir_opt_copy_prop`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x4 %1 = load_input %0 io=0 dest_type=float32
//! %2 = mov %1.wzyx
//! %3 = fadd %2.xy, %1.zw
//! store_output %3, %0 io=0 mask=xy
//! =>
//! 32x1 %0 = const 0
//! 32x4 %1 = load_input %0 io=0 dest_type=float32
//! %2 = mov %1.wzyx
//! %3 = fadd %1.wz, %1.zw
//! store_output %3, %0 io=0 mask=xy
//! ```

use crate::{Changes, Context, Pass, PassInfo, each_body};
use airfoil_ir::{Alu, AluOp, Body, Diagnostic, InstrId, InstrKind, Shader, Src, Swizzle};
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct CopyProp;

static INFO: PassInfo = PassInfo::new("copy_prop", "propagates copies", include_str!("copy_prop.rs"))
    .reads(Changes::VALUES.union(Changes::MEMORY));

impl Pass for CopyProp {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| Changes::VALUES.when(propagate(body))))
    }
}

fn propagate(body: &mut Body) -> bool {
    let mut progress = false;
    let mut phis: Vec<InstrId> = Vec::new();
    let mut block = Some(body.entry());
    while let Some(b) = block {
        let mut next = body.first_instr(b);
        while let Some(id) = next {
            next = body.next(id);
            progress |= match &body[id].kind {
                InstrKind::Phi(_) => {
                    phis.push(id);
                    false
                }
                InstrKind::Alu(alu) if reads_moves(body, alu) => {
                    let alu = *alu;
                    alu_operands(body, id, alu)
                }
                InstrKind::Alu(_) => false,
                InstrKind::Const(_) | InstrKind::Undef | InstrKind::Jump(_) => false,
                _ => whole_operands(body, id),
            };
        }
        if let Some(cf) = body.next_cf(b)
            && let Some(cond) = body.as_if(cf).map(|n| n.cond())
        {
            let whole = source(body, cond);
            progress |= body.map_condition(cf, |_| whole);
        }
        block = body.next_block(b);
    }
    for phi in phis {
        progress |= whole_operands(body, phi);
    }
    progress
}

/// The value that `value` is a plain copy of, or `value` itself.
pub(crate) fn source(body: &Body, value: InstrId) -> InstrId {
    let ty = body[value].ty;
    match body[value].as_alu() {
        Some(a) if a.op == AluOp::mov => {
            let src = a.src(0);
            if body[src.value].ty == ty && src.swizzle.is_identity(ty.comps as usize) {
                src.value
            } else {
                value
            }
        }
        _ => value,
    }
}

pub(crate) fn whole_operands(body: &mut Body, id: InstrId) -> bool {
    let mut copied = false;
    body[id].visit_operands(|v| copied |= source(body, v) != v);
    if !copied {
        return false;
    }
    let mut sources = SmallVec::<[InstrId; 8]>::new();
    body[id].visit_operands(|v| sources.push(source(body, v)));
    let mut sources = sources.into_iter();
    body.map_operands(id, |v| sources.next().unwrap_or(v))
}

/// The original operand of `src`, of which `lanes` lanes are read.
fn through(body: &Body, src: Src, lanes: usize) -> Option<Src> {
    let def = body[src.value].as_alu()?;
    match def.op {
        AluOp::mov => {
            let inner = def.src(0);
            Some(Src { value: inner.value, swizzle: src.swizzle.compose(inner.swizzle, lanes) })
        }
        AluOp::vec2 | AluOp::vec3 | AluOp::vec4 => {
            let first = def.src(src.swizzle.get(0));
            let mut swizzle = Swizzle::IDENTITY;
            for lane in 0..lanes {
                let part = def.src(src.swizzle.get(lane));
                if part.value != first.value {
                    return None;
                }
                swizzle = swizzle.with(lane, part.swizzle.get(0));
            }
            Some(Src { value: first.value, swizzle })
        }
        _ => None,
    }
}

/// Whether an operation may read a move or vector: most do not.
pub(crate) fn reads_moves(body: &Body, alu: &Alu) -> bool {
    let is_copy = |&v: &InstrId| body[v].as_alu().is_some_and(|a| a.op == AluOp::mov || is_vec(a.op));
    is_vec(alu.op) || alu.values().iter().any(is_copy)
}

pub(crate) fn alu_operands(body: &mut Body, id: InstrId, alu: Alu) -> bool {
    let ty = body[id].ty;
    let info = alu.op.info();
    let mut srcs: SmallVec<[Src; 4]> = alu.srcs().collect();
    let mut changed = false;
    for (i, src) in srcs.iter_mut().enumerate() {
        // Earlier instructions have their original operands already, so that two steps reach the end: a move of a
        // vector, and the vector.
        for _ in 0..2 {
            let Some(inner) = through(body, *src, info.operand_comps(i, ty.comps) as usize) else { break };
            *src = inner;
            changed = true;
        }
    }
    let mut op = alu.op;
    let lanes = ty.comps as usize;
    if matches!(op, AluOp::vec2 | AluOp::vec3 | AluOp::vec4) && srcs.iter().all(|s| s.value == srcs[0].value)
    {
        let swizzle = (0..lanes).fold(Swizzle::IDENTITY, |s, i| s.with(i, srcs[i].swizzle.get(0)));
        srcs = SmallVec::from_slice(&[Src { value: srcs[0].value, swizzle }]);
        (op, changed) = (AluOp::mov, true);
    } else if op == AluOp::mov && lanes > 1 && !changed {
        // Lanes of several values: build a vector of just these.
        if let Some(def) = body[srcs[0].value].as_alu().filter(|a| is_vec(a.op))
            && (!srcs[0].swizzle.is_identity(lanes) || body[srcs[0].value].ty.comps != ty.comps)
        {
            let lane = |i| def.src(srcs[0].swizzle.get(i));
            srcs = (0..lanes).map(|i| through(body, lane(i), 1).unwrap_or(lane(i))).collect();
            (op, changed) = ([AluOp::vec2, AluOp::vec3, AluOp::vec4][lanes - 2], true);
        }
    }
    if changed {
        let mut new = Alu::new(op, ty.comps, &srcs);
        new.flags = alu.flags;
        body.set_kind(id, InstrKind::Alu(new));
    }
    changed
}

pub(super) fn is_vec(op: AluOp) -> bool {
    matches!(op, AluOp::vec2 | AluOp::vec3 | AluOp::vec4)
}

//! Removes lanes that nothing reads from the results of operations.
//!
//! Accepts any form. Preserves control flow. One backward walk collects the lanes that are read: an operation reads of its
//! operands only the lanes that its own lanes need, everything else reads whole values. A second walk gives operations
//! fewer lanes and renumbers the swizzles of their users. Covers ALU operations that work lane by lane, moves and
//! vectors; loads, phis and values with names for debuggers keep their shape. A vector that only a masked store through
//! a deref reads keeps its shape, too, but its other lanes repeat one that is stored.
//!
//! Source: NIR's `nir_opt_shrink_vectors`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x4 %1 = load_input %0 io=0 dest_type=float32
//! 32x4 %2 = load_input %0 io=1 dest_type=float32
//! %3 = fadd %1, %2
//! %4 = fmul %3.xz, %1.xx
//! store_output %4, %0 io=0 mask=xy
//! =>
//! 32x1 %0 = const 0
//! 32x4 %1 = load_input %0 io=0 dest_type=float32
//! 32x4 %2 = load_input %0 io=1 dest_type=float32
//! %3 = fadd %1.xz, %2.xz
//! %4 = fmul %3, %1.xx
//! store_output %4, %0 io=0 mask=xy
//! ```

use crate::{Changes, Context, Pass, PassInfo, each_body};
use airfoil_ir::{
    Alu, AluOp, Body, Dense, Diagnostic, InstrGroup, InstrId, InstrKind, IntrinsicOp, Owner, Shader, Src,
    Swizzle, Ty,
};
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct ShrinkVectors;

static INFO: PassInfo =
    PassInfo::new("shrink_vectors", "removes lanes that nothing reads", include_str!("shrink_vectors.rs"))
        .reads(Changes::CODE);

impl Pass for ShrinkVectors {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, |body| {
            let freed = free_lanes(body);
            Changes::VALUES.when(shrink(body) | freed)
        }))
    }
}

/// Lanes of vectors that a store masks out repeat a lane that is stored.
fn free_lanes(body: &mut Body) -> bool {
    if !body.has(InstrGroup::OtherDeref) && !body.has(InstrGroup::LocalDeref) {
        return false;
    }
    let stores: Vec<(InstrId, u32)> = body
        .entries()
        .filter_map(|(_, instr)| {
            let store = instr.as_intrinsic().filter(|i| i.op == IntrinsicOp::store_deref)?;
            Some((store.src(1), store.write_mask()))
        })
        .collect();
    let mut found = false;
    for (value, mask) in stores {
        let instr = &body[value];
        let Some(alu) = instr.as_alu().copied().filter(|a| is_vec(a.op) && instr.uses() == 1) else {
            continue;
        };
        let lanes = usize::from(instr.ty.comps);
        let Some(stored) = (0..lanes).find(|lane| mask >> lane & 1 != 0) else { continue };
        let named = body.names().is_some_and(|names| names.holds(value));
        let kept = |lane: usize| if mask >> lane & 1 != 0 { lane } else { stored };
        if named || (0..lanes).all(|lane| alu.src(lane) == alu.src(kept(lane))) {
            continue;
        }
        let srcs: SmallVec<[Src; 4]> = (0..lanes).map(|lane| alu.src(kept(lane))).collect();
        let mut changed = Alu::new(alu.op, instr.ty.comps, &srcs);
        changed.flags = alu.flags;
        body.set_kind(value, InstrKind::Alu(changed));
        found = true;
    }
    found
}

/// All lanes of a value.
const ALL: u8 = 15;

fn shrink(body: &mut Body) -> bool {
    // The lanes of each value that are read, and whether an operation has others.
    let mut read = Dense::<u8>::new(body.instr_capacity());
    let mut found = false;
    let mut block = Some(body.root().last);
    if body.num_cfs() > 0 {
        header_phis(body, &mut read);
    }
    while let Some(b) = block {
        if let Some(n) = body.next_cf(b).and_then(|cf| body.as_if(cf)) {
            read.set(n.cond(), ALL);
        }
        let mut next = body.last_instr(b);
        while let Some(id) = next {
            next = body.prev(id);
            let instr = &body[id];
            let InstrKind::Alu(alu) = &instr.kind else {
                instr.visit_operands(|v| read.set(v, ALL));
                continue;
            };
            let lanes = lanes_of(body, id, &read);
            found |= lanes != all(instr.ty);
            visit_lanes(alu, instr.ty, lanes, |v, lanes| read.set(v, read.get(v) | lanes));
        }
        block = body.prev_block(b);
    }
    if found {
        rewrite(body, &read);
    }
    found
}

/// Phis of loop headers read values that a backward walk visits earlier.
fn header_phis(body: &Body, read: &mut Dense<u8>) {
    for b in body.blocks().filter(|&b| body.prev_cf(b).is_none() && matches!(body.owner(b), Owner::Loop(_))) {
        for phi in body.phis(b) {
            body[phi].visit_operands(|v| read.set(v, ALL));
        }
    }
}

fn all(ty: Ty) -> u8 {
    (1 << ty.comps) - 1
}

/// The lanes that a value keeps, of those that are read.
fn lanes_of(body: &Body, id: InstrId, read: &Dense<u8>) -> u8 {
    let instr = &body[id];
    let all = all(instr.ty);
    let Some(alu) = instr.as_alu().filter(|_| instr.ty.comps > 1) else { return all };
    let lanes = read.get(id) & all;
    let keeps = !(alu.op.info().is_per_component() || is_vec(alu.op))
        || lanes == 0
        || body.names().is_some_and(|names| names.holds(id));
    if keeps { all } else { lanes }
}

fn is_vec(op: AluOp) -> bool {
    matches!(op, AluOp::vec2 | AluOp::vec3 | AluOp::vec4)
}

/// Calls `f` with the lanes of operands that lanes of a result depend on.
fn visit_lanes(alu: &Alu, ty: Ty, lanes: u8, mut f: impl FnMut(InstrId, u8)) {
    let is_vec = is_vec(alu.op);
    let operands = alu.op.info().operands;
    for (i, src) in alu.srcs().enumerate() {
        if is_vec {
            if lanes >> i & 1 != 0 {
                f(src.value, 1 << src.swizzle.get(0));
            }
            continue;
        }
        let read = match operands[i].comps {
            0 => lanes & all(ty),
            fixed => (1 << fixed) - 1,
        };
        f(src.value, src.swizzle.components(read));
    }
}

fn rewrite(body: &mut Body, read: &Dense<u8>) {
    // The lanes that each value had before.
    let mut kept = Dense::<u8>::new(body.instr_capacity());
    let mut block = Some(body.entry());
    while let Some(b) = block {
        let mut next = body.first_instr(b);
        while let Some(id) = next {
            next = body.next(id);
            let Some(alu) = body[id].as_alu().copied() else { continue };
            let ty = body[id].ty;
            let lanes = lanes_of(body, id, read);
            // The new component of an operand for its old one.
            let moved = |src: Src, lane: usize| {
                let old = src.swizzle.get(lane);
                match kept.get(src.value) {
                    0 => old,
                    mask => (mask & ((1 << old) - 1)).count_ones() as usize,
                }
            };
            let reads_moved = alu.values().iter().any(|&v| kept.get(v) != 0);
            if lanes == all(ty) && !reads_moved {
                continue;
            }
            let new = Ty::new(lanes.count_ones() as u8, ty.bits);
            let chosen: SmallVec<[usize; 4]> =
                (0..ty.comps as usize).filter(|l| lanes >> l & 1 != 0).collect();
            let mut op = alu.op;
            let srcs: SmallVec<[Src; 4]> = if is_vec(op) {
                op = [AluOp::mov, AluOp::vec2, AluOp::vec3, AluOp::vec4][chosen.len() - 1];
                let part = |&lane: &usize| {
                    let src = alu.src(lane);
                    Src { value: src.value, swizzle: Swizzle::scalar(moved(src, 0)) }
                };
                chosen.iter().map(part).collect()
            } else {
                let operand = |(i, src): (usize, Src)| {
                    let fixed = op.info().operands[i].comps as usize;
                    let lane = |to: usize| if fixed == 0 { chosen[to] } else { to };
                    let count = if fixed == 0 { chosen.len() } else { fixed };
                    let swizzle =
                        (0..count).fold(Swizzle::IDENTITY, |s, to| s.with(to, moved(src, lane(to))));
                    Src { value: src.value, swizzle }
                };
                alu.srcs().enumerate().map(operand).collect()
            };
            if lanes != all(ty) {
                kept.set(id, lanes);
            }
            let mut changed = Alu::new(op, new.comps, &srcs);
            changed.flags = alu.flags;
            body.set_instr(id, InstrKind::Alu(changed), new);
        }
        block = body.next_block(b);
    }
}

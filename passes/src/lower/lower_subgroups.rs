//! Combinations over subgroups that Metal lacks become loops over the invocations.
//!
//! Takes the forms `slots` and `target` and leaves the one that it took. Metal has sums, products, minima, maxima and bit operations
//! over the subgroup and over quads, running sums and products, and votes, of up to 32 bits (Metal Shading Language section 6.9.2). Lowered are
//! the others:
//!
//! * reductions over clusters of other sizes than one, four and all;
//! * running minima, maxima and bit operations;
//! * reductions and scans of 64 bits, and of booleans but `iand` and `ior` over the subgroup or quads;
//! * votes whether 64-bit values are equal: a comparison with the first, and a vote on that.
//!
//! The loop goes over all numbers of invocations, which are the same for all; where the ballot has the
//! number, its value is read and taken if it belongs to the cluster or comes before. So inactive invocations do not count, and
//! operands are combined in the order of their numbers. After: NIR's `nir_lower_subgroups`.
//!
//! ```foil-example
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 32 1 1
//!   fn main {
//!     64x1 %0 = const 1
//!     1x1 %1 = vote_ieq %0
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 32 1 1
//!   fn main {
//!     64x1 %0 = const 1
//!     64x1 %2 = read_first_invocation %0
//!     1x1 %3 = ieq %0, %2
//!     1x1 %1 = vote_all %3
//!   }
//! }
//! ```

use crate::{Context, Pass, PassInfo, Progress, each_body};
use airfoil_ir::alu::f64_to_bits;
use airfoil_ir::{
    AluOp, Body, Builder, Diagnostic, Form, InstrId, InstrKind, Intrinsic, IntrinsicOp, Jump, PhiSrc,
    ReduceOp, Shader, SystemValue, Ty, bit_mask,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerSubgroups;

static INFO: PassInfo = PassInfo::new(
    "lower_subgroups",
    "combinations over subgroups that Metal lacks become loops",
    include_str!("lower_subgroups.rs"),
)
.takes(&[Form::Slots, Form::Target]);

impl Pass for LowerSubgroups {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Progress, Diagnostic> {
        Ok(each_body(shader, |body| {
            let lacking = |id: &InstrId| body[*id].as_intrinsic().is_some_and(|i| is_lacking(body, *id, i));
            let found: Vec<InstrId> = body.all_instrs().filter(lacking).collect();
            // From the end: a loop moves what follows it up to the next one.
            for &id in found.iter().rev() {
                let Some(&i) = body[id].as_intrinsic() else { continue };
                match i.op {
                    IntrinsicOp::vote_ieq | IntrinsicOp::vote_feq => vote(body, id, &i),
                    _ => combine(body, id, &i),
                }
            }
            Progress::from(!found.is_empty())
        }))
    }
}

/// Whether Metal lacks an operation.
fn is_lacking(body: &Body, id: InstrId, i: &Intrinsic) -> bool {
    let bits = body[id].ty.bits;
    match i.op {
        IntrinsicOp::vote_ieq | IntrinsicOp::vote_feq => body[i.src(0)].ty.bits == 64,
        // Alone in the cluster: the value itself.
        IntrinsicOp::reduce if i.cluster() == 1 => false,
        IntrinsicOp::reduce => {
            let of_bools = matches!(i.reduce_op(), ReduceOp::Iand | ReduceOp::Ior);
            !matches!(i.cluster(), 0 | 4) || bits == 64 || (bits == 1 && !of_bools)
        }
        IntrinsicOp::inclusive_scan | IntrinsicOp::exclusive_scan => {
            let running =
                matches!(i.reduce_op(), ReduceOp::Iadd | ReduceOp::Fadd | ReduceOp::Imul | ReduceOp::Fmul);
            !running || bits == 64 || bits == 1
        }
        _ => false,
    }
}

fn vote(body: &mut Body, id: InstrId, i: &Intrinsic) {
    let mut b = Builder::before(body, id);
    let value = i.src(0);
    let first = b.intrinsic(IntrinsicOp::read_first_invocation, b.ty(value), &[value]);
    let op = if i.op == IntrinsicOp::vote_feq { AluOp::feq } else { AluOp::ieq };
    let same = b.alu(op, &[value, first]);
    let same = b.all(same);
    body.set_kind(id, InstrKind::Intrinsic(Intrinsic::new(IntrinsicOp::vote_all, &[same])));
}

/// The ALU operation of a combination, and the value that changes nothing (SPIR-V, group operations: `ExclusiveScan` starts with it).
fn operation(op: ReduceOp, bits: u8) -> (AluOp, u64) {
    let bits = u32::from(bits);
    match op {
        ReduceOp::Iadd => (AluOp::iadd, 0),
        ReduceOp::Fadd => (AluOp::fadd, f64_to_bits(0.0, bits)),
        ReduceOp::Imul => (AluOp::imul, 1),
        ReduceOp::Fmul => (AluOp::fmul, f64_to_bits(1.0, bits)),
        ReduceOp::Imin => (AluOp::imin, bit_mask(bits - 1)),
        ReduceOp::Umin => (AluOp::umin, bit_mask(bits)),
        ReduceOp::Fmin => (AluOp::fmin, f64_to_bits(f64::INFINITY, bits)),
        ReduceOp::Imax => (AluOp::imax, 1 << (bits - 1)),
        ReduceOp::Umax => (AluOp::umax, 0),
        ReduceOp::Fmax => (AluOp::fmax, f64_to_bits(f64::NEG_INFINITY, bits)),
        ReduceOp::Iand => (AluOp::iand, bit_mask(bits)),
        ReduceOp::Ior => (AluOp::ior, 0),
        ReduceOp::Ixor => (AluOp::ixor, 0),
    }
}

/// What the loop carries.
#[derive(Clone, Copy)]
struct State {
    /// Number of the invocation that is looked at.
    number: InstrId,
    /// What has been combined.
    sum: InstrId,
    /// Whether that is anything.
    any: InstrId,
}

fn combine(body: &mut Body, id: InstrId, i: &Intrinsic) {
    let (ty, value) = (body[id].ty, i.src(0));
    let (op, neutral) = operation(i.reduce_op(), ty.bits);
    let mut b = Builder::before(body, id);
    let own = b.load_system_value(SystemValue::subgroup_invocation);
    let count = b.load_system_value(SystemValue::subgroup_size);
    let yes = b.imm_bool(true);
    let active = b.intrinsic(IntrinsicOp::ballot, Ty::new(4, 32), &[yes]);
    let start = State { number: b.imm_u32(0), sum: b.constant(ty, [neutral; 4]), any: b.imm_bool(false) };
    let one = b.imm_u32(1);
    let cluster = (i.op == IntrinsicOp::reduce && i.cluster() != 0).then(|| {
        // Sizes are powers of two (SPIR-V, `ClusterSize`).
        let mask = b.imm_u32(!(i.cluster() - 1));
        (mask, b.iand(own, mask))
    });
    let before = b.block();
    let cf = b.push_loop();
    let phi = |b: &mut Builder<'_>, ty: Ty, value| b.phi(ty, &[PhiSrc { pred: before, value }]);
    let at = State {
        number: phi(&mut b, Ty::B32, start.number),
        sum: phi(&mut b, ty, start.sum),
        any: phi(&mut b, Ty::BOOL, start.any),
    };
    let done = b.uge(at.number, count);
    let end = b.push_if(done);
    b.jump(Jump::Break);
    b.pop(end);
    let there = b.intrinsic(IntrinsicOp::ballot_bit_extract, Ty::BOOL, &[active, at.number]);
    let taken = b.push_if(there);
    let theirs = b.intrinsic(IntrinsicOp::read_invocation, ty, &[value, at.number]);
    let wanted = match (i.op, cluster) {
        (IntrinsicOp::inclusive_scan, _) => b.uge(own, at.number),
        (IntrinsicOp::exclusive_scan, _) => b.ult(at.number, own),
        (_, Some((mask, mine))) => {
            let its = b.iand(at.number, mask);
            b.ieq(its, mine)
        }
        _ => b.imm_bool(true),
    };
    let both = b.alu(op, &[at.sum, theirs]);
    let with = b.bcsel(at.any, both, theirs);
    let sum = b.bcsel(wanted, with, at.sum);
    let any = b.ior(at.any, wanted);
    b.pop(taken);
    let joined = |b: &mut Builder<'_>, ty: Ty, new, old| {
        let node = b.body.as_if(taken).map(|n| (n.then().last, n.els().last));
        let (then, els) = node.unwrap_or((before, before));
        b.phi(ty, &[PhiSrc { pred: then, value: new }, PhiSrc { pred: els, value: old }])
    };
    let sum = joined(&mut b, ty, sum, at.sum);
    let any = joined(&mut b, Ty::BOOL, any, at.any);
    let number = b.iadd(at.number, one);
    let latch = b.block();
    b.pop(cf);
    for (phi, value) in [(at.number, number), (at.sum, sum), (at.any, any)] {
        b.body.set_phi_src(phi, PhiSrc { pred: latch, value });
    }
    body.set_kind(id, crate::util::phis::copy_of(body, at.sum).unwrap_or(InstrKind::Undef));
}

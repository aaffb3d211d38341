//! Lowers subgroup operations that Metal lacks to loops over the invocations.
//!
//! Accepts forms `slots` and `target`. Metal has sums, products, minima, maxima and bitwise operations over
//! the subgroup and over quads, prefix sums and products, and votes, of up to 32 bits (Metal Shading Language
//! section 6.9.2). The pass lowers:
//!
//! * reductions over clusters of sizes other than one, four and all;
//! * prefix minima, maxima and bitwise operations;
//! * reductions and scans of 64-bit values, and of booleans except `iand` and `ior` over the subgroup or
//!   quads;
//! * votes on the equality of 64-bit values: a comparison with the first, and a vote on that.
//!
//! The loop iterates over all invocation indices, so it is uniform; if the ballot contains the index, the
//! value of that invocation is read and combined if it belongs to the cluster or precedes the current one. So
//! inactive invocations are skipped, and operands are combined in ascending order.
//!
//! Source: NIR's `nir_lower_subgroups`.
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

use crate::util::rewrite::rewrite_backward;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::alu::f64_to_bits;
use airfoil_ir::{
    AluOp, Body, Builder, Diagnostic, Form, Instr, InstrId, InstrKind, Intrinsic, IntrinsicOp, Jump, PhiSrc,
    ReduceOp, Shader, SystemValue, Ty, bit_mask,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerSubgroups;

static INFO: PassInfo = PassInfo::new(
    "lower_subgroups",
    "lowers subgroup operations unsupported by Metal to loops",
    include_str!("lower_subgroups.rs"),
)
.takes(&[Form::Slots, Form::Target]);

impl Pass for LowerSubgroups {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        // Backward: a loop moves the code after it.
        Ok(rewrite_backward(shader, is_lacking, |b, id| {
            let Some(i) = b.body[id].as_intrinsic().copied() else { return false };
            match i.op {
                IntrinsicOp::vote_ieq | IntrinsicOp::vote_feq => vote(b.body, id, &i),
                _ => combine(b.body, id, &i),
            }
            true
        }))
    }
}

/// Whether Metal lacks an operation.
fn is_lacking(body: &Body, instr: &Instr) -> bool {
    let InstrKind::Intrinsic(i) = &instr.kind else { return false };
    let bits = instr.ty.bits;
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

/// The ALU operation of a reduction, and its identity (SPIR-V, group operations: `ExclusiveScan` starts with
/// it).
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

/// Loop-carried values.
#[derive(Clone, Copy)]
struct State {
    /// Index of the current invocation.
    number: InstrId,
    /// The combined value.
    sum: InstrId,
    /// Whether a value has been combined yet.
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

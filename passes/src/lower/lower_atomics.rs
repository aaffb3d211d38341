//! Lowers atomic operations that Metal lacks to supported ones.
//!
//! Accepts forms `slots` and `target`.
//!
//! * **Minimum and maximum of 32-bit floats** in buffers, workgroup memory and images, and their sum in
//!   workgroup memory and images: a compare-exchange loop on the bits. At least one invocation succeeds per
//!   iteration. The comparison is bitwise, so the loop terminates for NaNs.
//! * **64-bit `and`, `or`, `xor` with unused result**: two 32-bit operations, if all 64-bit atomics of the shader on
//!   that kind of memory (workgroup memory, or buffers and addresses) are this one. Then their order cannot be observed,
//!   and no result shows one half without the other. Another shader that runs at the same time and reads a buffer could;
//!   no API has a barrier between the two that would let it rely on either value.
//!
//! Memory orders and scopes are those of the original operation. The backend rejects the remaining atomics
//! that Metal lacks.
//!
//! Source: the loops of NIR's `nir_lower_atomics`.
//!
//! ```foil-example
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 4 1 1
//!   shared_size 8
//!   fn main {
//!   b0:
//!     32x1 %0 = const 4
//!     32x1 %1 = const 1.0
//!     32x1 %2 = shared_atomic %0, %1 op=fmax
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 4 1 1
//!   shared_size 8
//!   fn main {
//!   b0:
//!     32x1 %0 = const 4
//!     32x1 %1 = const 1.0
//!     32x1 %2 = const 0
//!     32x1 %3 = shared_atomic %0, %2 op=load
//!     loop {
//!     b1:
//!       32x1 %4 = phi b0: %3, b3: %6
//!       32x1 %5 = fmax %4, %1
//!       32x1 %6 = shared_atomic_swap %0, %4, %5 op=cmpxchg
//!       1x1 %7 = ieq %6, %4
//!       if %7 {
//!       b2:
//!         break
//!       }
//!     b3:
//!     }
//!     b4:
//!   }
//! }
//! ```

use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{
    AluOp, AtomicOp, Body, Builder, Diagnostic, Form, Index, InstrId, InstrKind, Intrinsic, IntrinsicOp,
    Jump, PhiSrc, Replacements, Shader, Ty,
};
use smallvec::{SmallVec, smallvec};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerAtomics;

static INFO: PassInfo = PassInfo::new(
    "lower_atomics",
    "lowers atomic operations unsupported by Metal to supported ones",
    include_str!("lower_atomics.rs"),
)
.takes(&[Form::Slots, Form::Target]);

impl Pass for LowerAtomics {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let found: Vec<Found> = shader.functions.values().map(|f| atomics(&f.body)).collect();
        let bodies = || shader.functions.values().map(|f| &f.body).zip(&found);
        let halved = Halved { shared: halved(bodies(), true), buffers: halved(bodies(), false) };
        let mut progress = Changes::NONE;
        for (function, found) in shader.functions.values_mut().zip(found) {
            progress |= lower(&mut function.body, found, halved);
        }
        Ok(progress)
    }
}

/// Atomics of a body, in program order.
type Found = Vec<(InstrId, Intrinsic)>;

/// Whether an operation is a compare-exchange on memory other than an image.
fn is_swap(op: IntrinsicOp) -> bool {
    matches!(
        op,
        IntrinsicOp::ssbo_atomic_swap | IntrinsicOp::shared_atomic_swap | IntrinsicOp::global_atomic_swap
    )
}

/// The atomics on buffers, addresses, workgroup memory and images; compare-exchanges only where their
/// presence matters.
fn atomics(body: &Body) -> Found {
    use IntrinsicOp::{global_atomic, image_atomic, shared_atomic, ssbo_atomic};
    let is_one = |i: &&Intrinsic| {
        matches!(i.op, ssbo_atomic | shared_atomic | global_atomic | image_atomic) || is_swap(i.op)
    };
    body.entries().filter_map(|(id, instr)| Some((id, *instr.as_intrinsic().filter(is_one)?))).collect()
}

/// The bitwise operations that become two of 32 bits.
#[derive(Clone, Copy)]
struct Halved {
    /// On workgroup memory.
    shared: Option<AtomicOp>,
    /// On buffers and addresses.
    buffers: Option<AtomicOp>,
}

/// The bitwise operation that all 64-bit atomics on workgroup memory (else on buffers and addresses) share, if all their
/// results are unused.
fn halved<'a>(bodies: impl Iterator<Item = (&'a Body, &'a Found)>, shared: bool) -> Option<AtomicOp> {
    let mut only = None;
    for (body, &(id, ref i)) in bodies.flat_map(|(body, found)| found.iter().map(move |f| (body, f))) {
        let on_shared = matches!(i.op, IntrinsicOp::shared_atomic | IntrinsicOp::shared_atomic_swap);
        let wide = body[i.src(i.srcs().len() - 1)].ty.bits == 64;
        if on_shared != shared || i.op == IntrinsicOp::image_atomic || !wide {
            continue;
        }
        if is_swap(i.op) {
            return None;
        }
        let op = i.atomic_op();
        let bitwise = matches!(op, AtomicOp::Iand | AtomicOp::Ior | AtomicOp::Ixor);
        if !bitwise || !body.is_unused(id) || only.is_some_and(|o| o != op) {
            return None;
        }
        only = Some(op);
    }
    only
}

fn lower(body: &mut Body, found: Found, halved: Halved) -> Changes {
    let mut replacements = Replacements::default();
    let mut gone = Vec::new();
    for (id, i) in found {
        if is_swap(i.op) {
            continue;
        }
        let (op, data) = (i.atomic_op(), i.src(i.srcs().len() - 1));
        let shared = i.op == IntrinsicOp::shared_atomic;
        let float = match op {
            AtomicOp::Fmin => Some(AluOp::fmin),
            AtomicOp::Fmax => Some(AluOp::fmax),
            AtomicOp::Fadd if shared || i.op == IntrinsicOp::image_atomic => Some(AluOp::fadd),
            _ => None,
        };
        match (float, body[data].ty.bits) {
            (Some(alu), 32) => {
                let old = exchange_until_unchanged(body, id, &i, alu, data);
                replacements.insert(id, old);
            }
            (None, 64) if i.op != IntrinsicOp::image_atomic => {
                if (if shared { halved.shared } else { halved.buffers }) != Some(op) {
                    continue;
                }
                halves(&mut Builder::before(body, id), &i, data);
            }
            _ => continue,
        }
        gone.push(id);
    }
    body.replace_all(&replacements);
    gone.iter().for_each(|&id| body.remove(id));
    Changes::ALL.when(!gone.is_empty())
}

/// An atomic on the same memory: other operands, the same indices except for the operation.
fn like(
    i: &Intrinsic,
    intrinsic: IntrinsicOp,
    op: AtomicOp,
    place: &[InstrId],
    values: &[InstrId],
) -> Intrinsic {
    let srcs: SmallVec<[InstrId; 4]> = place.iter().chain(values).copied().collect();
    let mut new = Intrinsic::new(intrinsic, &srcs);
    for &index in i.op.info().indices {
        // Compare-exchanges have the same indices as the other atomics.
        let _ = i.indices().get(i.op, index).is_some_and(|bits| new.try_set(index, bits));
    }
    new.with(Index::Atomic, op)
}

/// Inserts the loop before an atomic; returns the previous value.
fn exchange_until_unchanged(
    body: &mut Body,
    id: InstrId,
    i: &Intrinsic,
    alu: AluOp,
    data: InstrId,
) -> InstrId {
    use IntrinsicOp as Op;
    let swap = match i.op {
        Op::ssbo_atomic => Op::ssbo_atomic_swap,
        Op::shared_atomic => Op::shared_atomic_swap,
        Op::image_atomic => Op::image_atomic_swap,
        _ => Op::global_atomic_swap,
    };
    let place = &i.srcs()[..i.srcs().len() - 1];
    let mut b = Builder::before(body, id);
    let zero = b.imm_u32(0);
    let first = b.insert_intrinsic(like(i, i.op, AtomicOp::Load, place, &[zero]), Ty::B32);
    let cf = b.push_loop();
    let header = b.block();
    // The other source is added when it exists.
    let before = b.body.as_loop(cf).map_or(header, |l| l.prev());
    let expected = b.phi(Ty::B32, &[PhiSrc { pred: before, value: first }]);
    let wanted = b.alu(alu, &[expected, data]);
    // Images have both in one vector.
    let values: SmallVec<[InstrId; 2]> = match swap {
        Op::image_atomic_swap => smallvec![b.vec(&[expected, wanted])],
        _ => smallvec![expected, wanted],
    };
    let found = b.insert_intrinsic(like(i, swap, AtomicOp::Cmpxchg, place, &values), Ty::B32);
    let same = b.ieq(found, expected);
    let done = b.push_if(same);
    b.jump(Jump::Break);
    b.pop(done);
    let again = b.block();
    b.pop(cf);
    let srcs = smallvec![PhiSrc { pred: before, value: first }, PhiSrc { pred: again, value: found },];
    body.set_kind(expected, InstrKind::Phi(srcs));
    found
}

/// The halves of a 64-bit operation, the lower one first.
fn halves(b: &mut Builder, i: &Intrinsic, data: InstrId) {
    let pair = b.alu(AluOp::unpack_64_2x32, &[data]);
    let mut place: SmallVec<[InstrId; 2]> = i.srcs()[..i.srcs().len() - 1].into();
    for half in 0..2 {
        if half == 1
            && let Some(offset) = place.last_mut()
        {
            // An address has 64 bits.
            let four = b.imm(b.ty(*offset).bits, 4);
            *offset = b.iadd(*offset, four);
        }
        let value = b.channel(pair, half);
        b.insert_intrinsic(like(i, i.op, i.atomic_op(), &place, &[value]), Ty::B32);
    }
}

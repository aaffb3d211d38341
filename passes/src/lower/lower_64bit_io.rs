//! Lowers 64-bit inputs and outputs to pairs of 32-bit components, for targets without 64-bit stage
//! interfaces.
//!
//! Accepts forms `slots` and `target`. Preserves control flow. Component `c` of 64 bits in a slot becomes the
//! 32-bit components `2c` (low half) and `2c + 1`, which is how locations count them (GLSL 4.60 section
//! 4.4.1: a `dvec2` fills a location, `dvec3` and `dvec4` take two). Accesses are split at the ends of slots,
//! as [`lower_io`](crate::lower::lower_io) splits them. Loads read `uint32` and pack; stores unpack and
//! write. Vertex attributes, varyings, per-patch values and outputs of meshes are lowered in the same way, so
//! that all stages of a pipeline match; outputs of fragment shaders stay, since attachments have formats.
//! 64-bit values are never interpolated (section 4.3.4: `flat`), and neither are the pairs: they are
//! integers. I/O variables keep the types declared in the source.
//!
//! Source: the 64-bit split of NIR's `nir_lower_io`.
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   in float64 d location=0
//!   out float64 f location=1
//!   fn main {
//!   b0:
//!     32x1 %0 = const 0
//!     64x1 %1 = load_input %0 io=0 dest_type=float64
//!     store_output %1, %0 io=1 mask=x src_type=float64
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   in float64 d location=0
//!   out float64 f location=1
//!   fn main {
//!   b0:
//!     32x1 %0 = const 0
//!     32x2 %1 = load_input %0 io=0 dest_type=uint32
//!     64x1 %2 = pack_64_2x32 %1
//!     32x2 %3 = unpack_64_2x32 %2
//!     store_output %3, %0 io=1 mask=xy src_type=uint32
//!   }
//! }
//! ```

use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{
    AluOp, Body, Builder, Diagnostic, Form, Index, InstrId, Intrinsic, IntrinsicOp, IoSemantics, Scalar,
    Shader, Src, Stage, Ty,
};
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct Lower64bitIo;

static INFO: PassInfo = PassInfo::new(
    "lower_64bit_io",
    "lowers 64-bit inputs and outputs to pairs of 32-bit components",
    include_str!("lower_64bit_io.rs"),
)
.takes(&[Form::Slots, Form::Target])
// Seeded inputs depend on the type, so they change.
.results(Results::All);

impl Pass for Lower64bitIo {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let stage = shader.stage;
        let matches = |body: &Body, ty: Ty, i: &Intrinsic| is_wide(body, i, ty, stage);
        Ok(replace_intrinsics(shader, matches, |b, id, i| match b.ty(id) {
            ty if ty.comps == 0 => {
                store(b, &i);
                Replacement::Remove
            }
            ty => Replacement::Value(load(b, &i, ty)),
        }))
    }
}

/// Whether an intrinsic with a result of type `ty` accesses 64-bit inputs or outputs to lower.
fn is_wide(body: &Body, i: &Intrinsic, ty: Ty, stage: Stage) -> bool {
    match i.op {
        // Attachments have formats, none of which has such pairs.
        IntrinsicOp::store_output | IntrinsicOp::load_output if stage == Stage::Fragment => false,
        IntrinsicOp::store_output | IntrinsicOp::store_per_vertex_output => body[i.src(0)].ty.bits == 64,
        IntrinsicOp::load_input
        | IntrinsicOp::load_per_vertex_input
        | IntrinsicOp::load_output
        | IntrinsicOp::load_per_vertex_output => ty.bits == 64,
        _ => false,
    }
}

/// Components of an access that share a slot.
struct Part {
    /// Slots after the accessed one.
    slot: u32,
    /// First of these components of the value, and their count.
    first: u8,
    count: u8,
    /// First component in the slot, in pairs.
    pair: u32,
}

/// Splits an access at the ends of slots: two components of 64 bits fill one.
fn parts(i: &Intrinsic, comps: u8) -> SmallVec<[Part; 2]> {
    let mut list = SmallVec::new();
    let mut first = 0;
    while first < comps {
        let at = i.component() + u32::from(first);
        let count = (comps - first).min(2 - (at % 2) as u8);
        list.push(Part { slot: at / 2, first, count, pair: at % 2 });
        first += count;
    }
    list
}

/// The slots of an access, including those that its later parts reach.
fn slots_of(b: &Builder, i: &Intrinsic, parts: &[Part]) -> IoSemantics {
    let mut io = i.io();
    let first = i.srcs().last().and_then(|&offset| b.scalar_const(offset)).and_then(|n| u8::try_from(n).ok());
    if let (Some(first), Some(last)) = (first, parts.last()) {
        io.num_slots = io.num_slots.max(first.saturating_add(last.slot as u8).saturating_add(1));
    }
    io
}

/// The operands of an access from index `from` on, for later slots; the last one counts slots.
fn operands(b: &mut Builder, i: &Intrinsic, from: usize, part: &Part) -> SmallVec<[InstrId; 3]> {
    let mut srcs: SmallVec<[InstrId; 3]> = i.srcs()[from..].iter().copied().collect();
    if let Some(last) = srcs.last_mut().filter(|_| part.slot > 0) {
        let more = b.imm_u32(part.slot);
        *last = b.iadd(*last, more);
    }
    srcs
}

fn load(b: &mut Builder, i: &Intrinsic, ty: Ty) -> InstrId {
    let mut values: SmallVec<[InstrId; 4]> = SmallVec::new();
    let parts = parts(i, ty.comps);
    let io = slots_of(b, i, &parts);
    for part in parts {
        let srcs = operands(b, i, 0, &part);
        let mut access =
            i.with(Index::Io, io).with(Index::Component, part.pair * 2).with(Index::DestType, Scalar::Uint32);
        srcs.iter().enumerate().for_each(|(n, &src)| access.set_src(n, src));
        let pairs = b.insert_intrinsic(access, Ty::new(part.count * 2, 32));
        values.extend((0..part.count).map(|c| {
            let pair = b.swizzle(pairs, &[c * 2, c * 2 + 1]);
            b.alu(AluOp::pack_64_2x32, &[pair])
        }));
    }
    b.vec(&values)
}

fn store(b: &mut Builder, i: &Intrinsic) {
    let value = i.src(0);
    let parts = parts(i, b.ty(value).comps);
    let io = slots_of(b, i, &parts);
    for part in parts {
        let written = i.write_mask() >> part.first & ((1 << part.count) - 1);
        if written == 0 {
            continue;
        }
        let halves: SmallVec<[Src; 4]> = (part.first..part.first + part.count)
            .flat_map(|c| {
                let one = b.channel(value, usize::from(c));
                let pair = b.alu(AluOp::unpack_64_2x32, &[one]);
                [0, 1].map(|half| Src::comp(pair, half))
            })
            .collect();
        let mut srcs: SmallVec<[InstrId; 3]> = smallvec::smallvec![b.vec_srcs(&halves)];
        srcs.extend(operands(b, i, 1, &part));
        let mask = (0..u32::from(part.count))
            .filter(|c| written >> c & 1 != 0)
            .fold(0, |mask, c| mask | 3 << (2 * c));
        let new = Intrinsic::new(i.op, &srcs)
            .with(Index::Io, io)
            .with(Index::Component, part.pair * 2)
            .with(Index::WriteMask, mask)
            .with(Index::SrcType, Scalar::Uint32);
        b.insert_intrinsic(new, Ty::NONE);
    }
}

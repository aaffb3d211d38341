//! Makes pairs of 32-bit components of 64-bit inputs and outputs, for targets whose stages exchange nothing wider.
//!
//! Takes the forms `slots` and `target` and leaves the form. Keeps control flow. Component `c` of 64 bits in a slot is the pair of components
//! `2c` (low half) and `2c + 1` of 32 bits, which is how locations count them (GLSL 4.60 section 4.4.1: a `dvec2` fills a location, `dvec3` and
//! `dvec4` take two); [`lower_io`](crate::lower_io) has cut accesses at the ends of slots. Loads read `uint32` and pack, stores unpack and
//! write. Vertex attributes, varyings, values of patches and outputs of meshes are lowered alike, so that all stages of a
//! pipeline fit each other; outputs of fragment shaders stay, since attachments have formats. Values of 64 bits are never interpolated (section 4.3.4: `flat`), pairs must not be either: they are integers. I/O variables
//! keep their types, which say what the source declared. After: the 64-bit split of NIR's `nir_lower_io`.
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

use crate::{Context, Pass, PassInfo, Progress, each_body};
use airfoil_ir::analysis::Keeps;
use airfoil_ir::{
    AluOp, Body, Builder, Diagnostic, Form, Index, InstrId, Intrinsic, IntrinsicOp, Replacements, Scalar,
    Shader, Src, Stage, Ty,
};
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct Lower64bitIo;

static INFO: PassInfo = PassInfo::new(
    "lower_64bit_io",
    "makes pairs of 32-bit components of 64-bit inputs and outputs",
    include_str!("lower_64bit_io.rs"),
)
.takes(&[Form::Slots, Form::Target])
.keeps(Keeps::CONTROL_FLOW);

impl Pass for Lower64bitIo {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Progress, Diagnostic> {
        let stage = shader.stage;
        Ok(each_body(shader, |body| lower(body, stage)))
    }
}

fn lower(body: &mut Body, stage: Stage) -> Progress {
    let wide: Vec<(InstrId, Intrinsic)> = body
        .entries()
        .filter_map(|(id, instr)| Some((id, *instr.as_intrinsic()?)))
        .filter(|(id, i)| match i.op {
            // Attachments have formats; none has such pairs.
            IntrinsicOp::store_output | IntrinsicOp::load_output if stage == Stage::Fragment => false,
            IntrinsicOp::store_output | IntrinsicOp::store_per_vertex_output => body[i.src(0)].ty.bits == 64,
            IntrinsicOp::load_input
            | IntrinsicOp::load_per_vertex_input
            | IntrinsicOp::load_output
            | IntrinsicOp::load_per_vertex_output => body[*id].ty.bits == 64,
            _ => false,
        })
        .collect();
    let mut replacements = Replacements::default();
    for (id, i) in &wide {
        let ty = body[*id].ty;
        let mut b = Builder::before(body, *id);
        if ty.comps == 0 {
            store(&mut b, i);
        } else {
            replacements.insert(*id, load(&mut b, i, ty));
        }
    }
    body.replace_all(&replacements);
    wide.iter().for_each(|(id, _)| body.remove(*id));
    Progress::from(!wide.is_empty())
}

fn load(b: &mut Builder, i: &Intrinsic, ty: Ty) -> InstrId {
    let pairs = i.with(Index::Component, i.component() * 2).with(Index::DestType, Scalar::Uint32);
    let pairs = b.insert_intrinsic(pairs, Ty::new(ty.comps * 2, 32));
    let values: SmallVec<[InstrId; 2]> = (0..ty.comps)
        .map(|c| {
            let pair = b.swizzle(pairs, &[c * 2, c * 2 + 1]);
            b.alu(AluOp::pack_64_2x32, &[pair])
        })
        .collect();
    b.vec(&values)
}

fn store(b: &mut Builder, i: &Intrinsic) {
    let value = i.src(0);
    let comps = b.ty(value).comps as usize;
    let halves: SmallVec<[Src; 4]> = (0..comps)
        .flat_map(|c| {
            let one = b.channel(value, c);
            let pair = b.alu(AluOp::unpack_64_2x32, &[one]);
            [0, 1].map(|half| Src::comp(pair, half))
        })
        .collect();
    let pairs = b.vec_srcs(&halves);
    let mask = (0..comps).filter(|c| i.write_mask() >> c & 1 != 0).fold(0, |mask, c| mask | 3 << (2 * c));
    let srcs: SmallVec<[InstrId; 3]> = std::iter::once(pairs).chain(i.srcs()[1..].iter().copied()).collect();
    let new = Intrinsic::new(i.op, &srcs)
        .with(Index::Io, i.io())
        .with(Index::Component, i.component() * 2)
        .with(Index::WriteMask, mask)
        .with(Index::SrcType, Scalar::Uint32);
    b.insert_intrinsic(new, Ty::NONE);
}

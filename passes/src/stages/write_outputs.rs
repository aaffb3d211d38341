//! Writes zero to the outputs of a vertex function that some path leaves unwritten, and adds a position if it has none.
//!
//! Metal requires a position, and outputs that are declared but undefined have hung GPUs (DXMT 17e30e0). OpenGL and Vulkan
//! leave such values undefined. The zeros are written at the start of the function; components that every path
//! writes are left alone.
//!
//! ```foil-example
//! foil 1
//! shader vertex "v" {
//!   form slots
//!   out vec2 a location=0
//!   entry fn main {
//!     32x1 %z = const 0
//!     32x1 %0 = const 1.0
//!     store_output %0, %z io=0 mask=x src_type=float32
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "v" {
//!   form slots
//!   out vec2 a location=0
//!   out vec4 position location=position
//!   entry fn main {
//!     32x1 %0 = const 0
//!     32x4 %1 = const 0, 0, 0, 0
//!     store_output %1, %0 io=position mask=xyzw src_type=float32
//!     32x1 %2 = const 0
//!     store_output %2, %0 io=0 component=1 mask=x src_type=float32
//!     32x1 %3 = const 0
//!     32x1 %4 = const 1.0
//!     store_output %4, %3 io=0 mask=x src_type=float32
//!   }
//! }
//! ```

use super::interface::{Piece, is_varying, leaves, reach};
use crate::util::outputs::{output_at, slot_store};
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{
    BlockId, Body, Builder, Cursor, Diagnostic, Form, Index, Intrinsic, IntrinsicOp, IoSemantics, Jump,
    Modes, Region, Scalar, Shader, Slot, Stage, Ty, Variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// See the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOutputs;

static INFO: PassInfo = PassInfo::new(
    "write_outputs",
    "writes zero to outputs of vertex functions that some path leaves unwritten",
    include_str!("write_outputs.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

impl Pass for WriteOutputs {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let unwritten = unwritten(shader);
        if unwritten.is_empty() {
            return Ok(Changes::NONE);
        }
        let Some(body) = shader.entry_body_mut() else { return Ok(Changes::NONE) };
        let start = body.entry();
        let mut b = Builder::at(body, Cursor::BlockStart(start));
        let offset = b.imm_u32(0);
        for piece in &unwritten {
            let bits = if piece.scalar == Scalar::Any { 32 } else { piece.scalar.bits() };
            let zero = b.zero(Ty::new(piece.comps, bits));
            let store = Intrinsic::new(IntrinsicOp::store_output, &[zero, offset])
                .with(Index::Io, IoSemantics::new(piece.slot))
                .with(Index::Component, u32::from(piece.component))
                .with(Index::WriteMask, (1u32 << piece.comps) - 1)
                .with(Index::SrcType, piece.scalar);
            let _ = b.insert_intrinsic(store, Ty::NONE);
        }
        let added = unwritten.iter().any(|p| p.slot == Slot::POSITION);
        if added && output_at(shader, Slot::POSITION).is_none() {
            let ty = shader.types.vector(Scalar::Float32, 4);
            let mut position = Variable::new("position", ty, Modes::OUT);
            position.location = Some(Slot::POSITION);
            let _ = shader.add_var(position);
            return Ok(Changes::INSTRUCTIONS | Changes::VARIABLES);
        }
        Ok(Changes::INSTRUCTIONS)
    }
}

/// Whether the pass changes a shader.
pub fn applies(shader: &Shader) -> bool {
    !unwritten(shader).is_empty()
}

/// Components by slot and index, with their types.
type Components = BTreeMap<(Slot, u8), Scalar>;

/// The outputs that some path leaves unwritten, as runs of components.
fn unwritten(shader: &Shader) -> Vec<Piece> {
    let vertex = matches!(shader.stage, Stage::Vertex | Stage::TessEval) && shader.form != Form::Variables;
    let Some(body) = shader.entry_body().filter(|_| vertex) else { return Vec::new() };
    let mut needed = Components::new();
    for piece in leaves(shader, Modes::OUT).iter().filter(|l| is_varying(l.slot) && !l.compact) {
        let Piece { slot, component, comps, scalar } = piece.piece();
        needed.extend((component..component + comps).map(|c| ((slot, c), scalar)));
    }
    for store in body.all_instrs().filter_map(|id| slot_store(body, id)) {
        for slot in reach(body, store) {
            for c in written_components(store) {
                needed.entry((slot, c)).or_insert(store.src_type());
            }
        }
    }
    if needed.is_empty() {
        return Vec::new();
    }
    // All clip distances are one output.
    if needed.keys().any(|(slot, _)| matches!(*slot, Slot::CLIP_DIST0 | Slot::CLIP_DIST1)) {
        for n in 0..shader.info.clip_distances.min(8) {
            let slot = if n < 4 { Slot::CLIP_DIST0 } else { Slot::CLIP_DIST1 };
            needed.entry((slot, n % 4)).or_insert(Scalar::Float32);
        }
    }
    for c in 0..4 {
        needed.entry((Slot::POSITION, c)).or_insert(Scalar::Float32);
    }
    let written = written_everywhere(body);
    let mut list: Vec<Piece> = Vec::new();
    for (&(slot, component), &scalar) in needed.iter().filter(|(at, _)| !written.contains(at)) {
        match list.last_mut() {
            Some(p) if p.slot == slot && p.scalar == scalar && p.component + p.comps == component => {
                p.comps += 1
            }
            _ => list.push(Piece { slot, component, comps: 1, scalar }),
        }
    }
    list
}

/// The components that a store writes.
fn written_components(store: &Intrinsic) -> impl Iterator<Item = u8> {
    let (first, mask) = (store.component() as u8, store.write_mask());
    (0..4).filter(move |c| mask & (1 << c) != 0).map(move |c| first + c)
}

/// The components that every path through a function writes.
fn written_everywhere(body: &Body) -> BTreeSet<(Slot, u8)> {
    let last = body.root().last;
    let leaves_early = |b: BlockId| b != last && matches!(body.jump(b), Some(Jump::Return | Jump::Halt));
    if body.blocks().any(leaves_early) {
        return BTreeSet::new();
    }
    written_in(body, body.root(), 0)
}

/// The components that every path through a region writes. A jump within a loop may skip what follows, so that loops are not
/// looked into.
fn written_in(body: &Body, region: Region, depth: u32) -> BTreeSet<(Slot, u8)> {
    let mut written = BTreeSet::new();
    let mut block = region.first;
    loop {
        for store in body.instrs(block).filter_map(|id| slot_store(body, id)) {
            if let [slot] = *reach(body, store) {
                written.extend(written_components(store).map(|c| (slot, c)));
            }
        }
        let Some(cf) = body.next_cf(block).filter(|_| block != region.last) else { return written };
        if let Some(n) = body.as_if(cf).filter(|_| depth < 64) {
            let then = written_in(body, n.then(), depth + 1);
            let other = written_in(body, n.els(), depth + 1);
            written.extend(then.intersection(&other));
        }
        block = body.cf(cf).next();
    }
}

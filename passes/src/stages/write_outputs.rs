//! Writes zero to the outputs of a function that some path leaves unwritten, and adds a position to a vertex function without one.
//!
//! Metal requires a position, and outputs that are declared but undefined have hung GPUs (DXMT 17e30e0). OpenGL and Vulkan
//! leave such values undefined. Applies to the functions of a Metal pipeline: vertex (and evaluation), mesh and fragment
//! functions.
//!
//! * The zeros are written at the start of the function; components that every path writes are left alone. Fragment
//!   functions write a component on every path or on none, apart from paths that discard.
//! * An undefined value that reaches an output through phis, vectors and selections is zero, and so is a local variable
//!   that is written on some paths and then is the value of an output.
//! * Mesh functions: outputs that nothing writes, or that are written under a condition, are written for each vertex that gets
//!   a position, or for each primitive that gets indices. Outputs whose stores may reach the vertex from another invocation
//!   are kept in workgroup memory, filled with zeros at the start and copied at the end. Such a function must have one exit
//!   ([`lower_returns`](crate::lower::lower_returns)); at most 32 KiB of workgroup memory are supported.
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

mod mesh;
mod mesh_shared;

use super::interface::{Piece, is_varying, leaves, reach};
use crate::util::deref_path::{self, Root};
use crate::util::outputs::{output_at, slot_store};
use crate::vars::lower_variable_initializers;
use crate::{Changes, Context, Pass, PassInfo, Results};
use airfoil_ir::{
    AluOp, BlockId, Body, Builder, Constant, Cursor, DerefKind, Diagnostic, Form, Index, InstrId, InstrKind,
    Intrinsic, IntrinsicOp, IoSemantics, Jump, Modes, Region, Scalar, Shader, Slot, Stage, Ty, VarId,
    Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// See the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOutputs;

static INFO: PassInfo = PassInfo::new(
    "write_outputs",
    "writes zero to outputs that some path leaves unwritten",
    include_str!("write_outputs.rs"),
)
.takes(&[Form::Slots, Form::Target])
.results(Results::All);

impl Pass for WriteOutputs {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let Missing { pieces, undefined, locals, mesh } = missing(shader);
        let mut changes = Changes::INSTRUCTIONS
            .when(!pieces.is_empty() || !undefined.is_empty() || !mesh.zeros.is_empty())
            | Changes::VARIABLES.when(!locals.is_empty())
            | Changes::ALL.when(!mesh.others.is_empty());
        for local in locals {
            shader.vars[local].initializer = Some(Constant::Zero);
            changes |= lower_variable_initializers::lower(shader, local)?;
        }
        let Some(body) = shader.entry_body_mut() else { return Ok(Changes::NONE) };
        for id in undefined {
            body.set_kind(id, InstrKind::Const([0; 4]));
        }
        mesh::write(body, &mesh.zeros);
        mesh_shared::keep(shader, &mesh.others)?;
        let Some(body) = shader.entry_body_mut() else { return Ok(changes) };
        if pieces.is_empty() {
            return Ok(changes);
        }
        let start = body.entry();
        let mut b = Builder::at(body, Cursor::BlockStart(start));
        let offset = b.imm_u32(0);
        for &(source, piece) in &pieces {
            let zero = zero(&mut b, &piece);
            let io = IoSemantics { dual_source: source, ..IoSemantics::new(piece.slot) };
            let store = store(IntrinsicOp::store_output, &[zero, offset], io, &piece);
            let _ = b.insert_intrinsic(store, Ty::NONE);
        }
        let added = pieces.iter().any(|(_, p)| p.slot == Slot::POSITION);
        if added && output_at(shader, Slot::POSITION).is_none() {
            let ty = shader.types.vector(Scalar::Float32, 4);
            let mut position = Variable::new("position", ty, Modes::OUT);
            position.location = Some(Slot::POSITION);
            let _ = shader.add_var(position);
            changes |= Changes::VARIABLES;
        }
        Ok(changes)
    }
}

/// Whether the pass changes a shader.
pub fn applies(shader: &Shader) -> bool {
    let Missing { pieces, undefined, locals, mesh } = missing(shader);
    let mesh = mesh.zeros.is_empty() && mesh.others.is_empty();
    !(pieces.is_empty() && undefined.is_empty() && locals.is_empty() && mesh)
}

/// A zero of the shape of a piece.
fn zero(b: &mut Builder<'_>, piece: &Piece) -> InstrId {
    let bits = if piece.scalar == Scalar::Any { 32 } else { piece.scalar.bits() };
    b.zero(Ty::new(piece.comps, bits))
}

/// A store of all components of a piece.
fn store(op: IntrinsicOp, srcs: &[InstrId], io: IoSemantics, piece: &Piece) -> Intrinsic {
    Intrinsic::new(op, srcs)
        .with(Index::Io, io)
        .with(Index::Component, u32::from(piece.component))
        .with(Index::WriteMask, (1u32 << piece.comps) - 1)
        .with(Index::SrcType, piece.scalar)
}

/// Everything that is not defined on some path.
#[derive(Debug, Default)]
struct Missing {
    /// Components that some path leaves unwritten, with the blend source.
    pieces: Vec<(u8, Piece)>,
    /// Undefined values that reach an output.
    undefined: Vec<InstrId>,
    /// Locals that may be unwritten when they are the value of an output.
    locals: Vec<VarId>,
    /// Outputs of the vertices and primitives of a mesh.
    mesh: mesh::Missing,
}

fn missing(shader: &Shader) -> Missing {
    let Some(body) = shader.entry_body().filter(|_| shader.form != Form::Variables) else {
        return Missing::default();
    };
    let pieces = match shader.stage {
        Stage::Vertex | Stage::TessEval => vertex_pieces(shader, body),
        Stage::Fragment => fragment_pieces(shader, body),
        Stage::Mesh => Vec::new(),
        _ => return Missing::default(),
    };
    let mesh = match shader.stage {
        Stage::Mesh => mesh::missing(shader, body),
        _ => mesh::Missing::default(),
    };
    let (undefined, locals) = undefined_values(shader, body);
    Missing { pieces, undefined, locals, mesh }
}

/// Components by blend source, slot and index, with their types.
type Components = BTreeMap<(u8, Slot, u8), Scalar>;

/// The outputs of a vertex function that some path leaves unwritten, as runs of components.
fn vertex_pieces(shader: &Shader, body: &Body) -> Vec<(u8, Piece)> {
    let mut needed = Components::new();
    for piece in leaves(shader, Modes::OUT).iter().filter(|l| is_varying(l.slot) && !l.compact) {
        let Piece { slot, component, comps, scalar } = piece.piece();
        needed.extend((component..component + comps).map(|c| ((0, slot, c), scalar)));
    }
    for store in body.all_instrs().filter_map(|id| slot_store(body, id)) {
        for slot in reach(body, store) {
            for c in written_components(store) {
                needed.entry((0, slot, c)).or_insert(store.src_type());
            }
        }
    }
    if needed.is_empty() {
        return Vec::new();
    }
    // All clip distances are one output.
    if needed.keys().any(|(_, slot, _)| matches!(*slot, Slot::CLIP_DIST0 | Slot::CLIP_DIST1)) {
        for (slot, c) in clip_distances(shader) {
            needed.entry((0, slot, c)).or_insert(Scalar::Float32);
        }
    }
    for c in 0..4 {
        needed.entry((0, Slot::POSITION, c)).or_insert(Scalar::Float32);
    }
    unwritten(body, &needed)
}

/// The slots and components of the clip distances.
fn clip_distances(shader: &Shader) -> impl Iterator<Item = (Slot, u8)> {
    (0..shader.info.clip_distances.min(8))
        .map(|n| (if n < 4 { Slot::CLIP_DIST0 } else { Slot::CLIP_DIST1 }, n % 4))
}

/// The outputs of a fragment function that are written on some paths only. An attachment that the function reads keeps what
/// is there on the other paths.
fn fragment_pieces(shader: &Shader, body: &Body) -> Vec<(u8, Piece)> {
    let declared = leaves(shader, Modes::OUT);
    let reads = |i: &Intrinsic| i.op == IntrinsicOp::load_output;
    let kept: BTreeSet<Slot> = body
        .all_instrs()
        .filter_map(|id| body[id].as_intrinsic().filter(|i| reads(i)))
        .flat_map(|i| reach(body, i))
        .collect();
    let mut needed = Components::new();
    for store in body.all_instrs().filter_map(|id| slot_store(body, id)) {
        let source = store.io().dual_source;
        for slot in reach(body, store).into_iter().filter(|slot| !kept.contains(slot)) {
            for c in written_components(store) {
                needed.entry((source, slot, c)).or_insert(store.src_type());
                let leaf = declared.iter().find(|l| {
                    l.slot == slot && l.index == source && !l.compact && l.piece().contains(slot, c)
                });
                for c in leaf.into_iter().flat_map(|l| l.component..l.component + l.comps) {
                    needed.entry((source, slot, c)).or_insert(store.src_type());
                }
            }
        }
    }
    unwritten(body, &needed)
}

/// The undefined values that reach an output, and the locals that may be unwritten when they do.
fn undefined_values(shader: &Shader, body: &Body) -> (Vec<InstrId>, Vec<VarId>) {
    let mut seen: FxHashSet<InstrId> = FxHashSet::default();
    let mut stack: Vec<InstrId> =
        body.all_instrs().filter_map(|id| slot_store(body, id)).map(|store| store.src(0)).collect();
    let (mut undefined, mut locals) = (Vec::new(), Vec::new());
    let mut known: FxHashSet<VarId> = FxHashSet::default();
    // The values stored to each local, for locals that are copied to others.
    let mut stored: Option<FxHashMap<VarId, Vec<InstrId>>> = None;
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match &body[id].kind {
            InstrKind::Undef => undefined.push(id),
            InstrKind::Phi(_) => body[id].visit_operands(|v| stack.push(v)),
            InstrKind::Alu(alu)
                if matches!(alu.op, AluOp::mov | AluOp::bcsel | AluOp::vec2 | AluOp::vec3 | AluOp::vec4) =>
            {
                body[id].visit_operands(|v| stack.push(v));
            }
            InstrKind::Intrinsic(i) if i.op == IntrinsicOp::load_deref => {
                let Root::Var(var) = deref_path::root(body, i.src(0)) else { continue };
                let v = &shader.vars[var];
                let local = v.mode.intersects(Modes::FUNCTION_TEMP | Modes::SHADER_TEMP);
                if !local || !known.insert(var) {
                    continue;
                }
                let stored = stored.get_or_insert_with(|| stored_values(body));
                stack.extend(stored.get(&var).into_iter().flatten());
                if v.initializer.is_none() {
                    locals.push(var);
                }
            }
            _ => {}
        }
    }
    if !locals.is_empty() {
        let written = locals_written(body, &known);
        locals.retain(|&var| !is_written(shader, written.as_ref(), var));
    }
    (undefined, locals)
}

/// The values that a function stores to each variable.
fn stored_values(body: &Body) -> FxHashMap<VarId, Vec<InstrId>> {
    let mut stored: FxHashMap<VarId, Vec<InstrId>> = FxHashMap::default();
    for (_, instr) in body.entries() {
        let Some(i) = instr.as_intrinsic().filter(|i| i.op == IntrinsicOp::store_deref) else { continue };
        if let Root::Var(var) = deref_path::root(body, i.src(0)) {
            stored.entry(var).or_default().push(i.src(1));
        }
    }
    stored
}

/// The components of some locals that every path through the function writes; `None` if no path returns.
fn locals_written(body: &Body, locals: &FxHashSet<VarId>) -> Option<BTreeSet<(VarId, u8)>> {
    let writes = |id: InstrId| -> BTreeSet<(VarId, u8)> {
        let Some(i) = body[id].as_intrinsic().filter(|i| i.op == IntrinsicOp::store_deref) else {
            return BTreeSet::new();
        };
        match body[i.src(0)].as_deref().map(|d| d.kind) {
            Some(DerefKind::Var(var)) if locals.contains(&var) => {
                (0..4).filter(|c| i.write_mask() & (1 << c) != 0).map(|c| (var, c)).collect()
            }
            _ => BTreeSet::new(),
        }
    };
    written_everywhere(body, false, &writes)
}

/// Whether every path writes all of a local that is a scalar or vector. Reads before are undefined.
fn is_written(shader: &Shader, written: Option<&BTreeSet<(VarId, u8)>>, var: VarId) -> bool {
    let Some(shape) = shader.types.value_ty(shader.vars[var].ty) else { return false };
    written.is_none_or(|written| (0..shape.comps).all(|c| written.contains(&(var, c))))
}

/// Of these components, those that some path leaves unwritten, as runs.
fn unwritten(body: &Body, needed: &Components) -> Vec<(u8, Piece)> {
    if needed.is_empty() {
        return Vec::new();
    }
    let writes = |id: InstrId| -> BTreeSet<(u8, Slot, u8)> {
        let store = slot_store(body, id);
        let to = store.and_then(|store| match *reach(body, store) {
            [slot] => Some((store, slot)),
            _ => None,
        });
        to.into_iter()
            .flat_map(|(store, slot)| {
                written_components(store).map(move |c| (store.io().dual_source, slot, c))
            })
            .collect()
    };
    let Some(written) = written_everywhere(body, true, &writes) else { return Vec::new() };
    let mut list: Vec<(u8, Piece)> = Vec::new();
    for (&(source, slot, component), &scalar) in needed.iter().filter(|(at, _)| !written.contains(at)) {
        match list.last_mut() {
            Some((s, p))
                if *s == source
                    && p.slot == slot
                    && p.scalar == scalar
                    && p.component + p.comps == component =>
            {
                p.comps += 1;
            }
            _ => list.push((source, Piece { slot, component, comps: 1, scalar })),
        }
    }
    list
}

/// The components that a store writes.
fn written_components(store: &Intrinsic) -> impl Iterator<Item = u8> + use<> {
    let (first, mask) = (store.component() as u8, store.write_mask());
    (0..4).filter(move |c| mask & (1 << c) != 0).map(move |c| first + c)
}

/// Everything that each path through a function writes; `None` if no path returns. A path that halts writes nothing that
/// anyone sees if `halts`.
fn written_everywhere<T: Ord + Clone>(
    body: &Body,
    halts: bool,
    writes: &dyn Fn(InstrId) -> BTreeSet<T>,
) -> Option<BTreeSet<T>> {
    let last = body.root().last;
    let leaves_early = |b: BlockId| b != last && body.jump(b) == Some(Jump::Return);
    if body.blocks().any(leaves_early) {
        return Some(BTreeSet::new());
    }
    written_in(body, body.root(), halts, writes, 0)
}

/// Depth of ifs that are examined; deeper ones count as if they wrote nothing. The recursion fits into a small stack.
const MAX_DEPTH: u32 = 16;

/// Everything that each path through a region writes; `None` if no path reaches its end. A jump within a loop may skip code
/// that follows it, so that loops are not examined.
fn written_in<T: Ord + Clone>(
    body: &Body,
    region: Region,
    halts: bool,
    writes: &dyn Fn(InstrId) -> BTreeSet<T>,
    depth: u32,
) -> Option<BTreeSet<T>> {
    let mut written = BTreeSet::new();
    let mut block = region.first;
    loop {
        body.instrs(block).for_each(|id| written.extend(writes(id)));
        if halts && body.jump(block) == Some(Jump::Halt) {
            return None;
        }
        let Some(cf) = body.next_cf(block).filter(|_| block != region.last) else { return Some(written) };
        if let Some(n) = body.as_if(cf).filter(|_| depth < MAX_DEPTH) {
            let then = written_in(body, n.then(), halts, writes, depth + 1);
            let other = written_in(body, n.els(), halts, writes, depth + 1);
            match (then, other) {
                (Some(then), Some(other)) => written.extend(then.intersection(&other).cloned()),
                (Some(only), None) | (None, Some(only)) => written.extend(only),
                (None, None) => return None,
            }
        }
        block = body.cf(cf).next();
    }
}

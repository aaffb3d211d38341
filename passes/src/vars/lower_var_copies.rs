//! Lowers copies of variables to loads and stores of their scalars and vectors.
//!
//! Accepts any form with derefs. Preserves control flow. Applies to every `copy_deref`, of any type, with or
//! without wildcards (created by [`split_var_copies`](crate::vars::split_var_copies)). For a copy of up to 16
//! leaves all loads precede all stores, so that overlapping arrays are copied as a whole; so they do for copies
//! between two blocks that may share memory. Other larger ones are copied leaf by leaf. Loads and stores take the qualifiers of the copy. Cost: the number of leaves copied.
//! At most 65536 leaves per copy are supported.
//!
//! Source: NIR's `nir_lower_var_copies`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   struct S { float[2] x, vec4 v }
//!   entry fn main {
//!     function_temp S a
//!     function_temp S b
//!     %0 = deref_var &a
//!     %1 = deref_var &b
//!     copy_deref %0, %1
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   struct S { float[2] x, vec4 v }
//!
//!   fn main {
//!     function_temp S a
//!     function_temp S b
//!   b0:
//!     %0 = deref_var &a
//!     %1 = deref_var &b
//!     %2 = deref_struct %0.x
//!     %3 = deref_struct %1.x
//!     32x1 %4 = const 0
//!     %5 = deref_array %2[%4]
//!     %6 = deref_array %3[%4]
//!     32x1 %7 = const 1
//!     %8 = deref_array %2[%7]
//!     %9 = deref_array %3[%7]
//!     %10 = deref_struct %0.v
//!     %11 = deref_struct %1.v
//!     32x1 %12 = load_deref %6
//!     32x1 %13 = load_deref %9
//!     32x4 %14 = load_deref %11
//!     store_deref %5, %12 mask=x
//!     store_deref %8, %13 mask=x
//!     store_deref %10, %14 mask=xyzw
//!   }
//! }
//! ```

use crate::util::deref_path::{DerefPath, Step, step};
use crate::{Changes, Constructs, Context, Pass, PassInfo, try_each_body};
use airfoil_ir::{
    Access, Body, Builder, Deref, Diagnostic, Index, InstrGroup, InstrId, Intrinsic, IntrinsicOp, Modes,
    Shader, Ty, Type, TypeId, Types,
};
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerVarCopies;

static INFO: PassInfo = PassInfo::new(
    "lower_var_copies",
    "lowers variable copies to loads and stores",
    include_str!("lower_var_copies.rs"),
)
.reads(Changes::MEMORY)
.needs(Constructs::COPY);

impl Pass for LowerVarCopies {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        try_each_body(shader, |types, body| lower_copies(types, body, Modes::all()))
    }
}

/// Lowers the copies of a body that touch memory of the given modes.
///
/// # Errors
/// If a copy has too many leaves.
pub fn lower_copies(types: &mut Types, body: &mut Body, modes: Modes) -> Result<Changes, Diagnostic> {
    if !body.has(InstrGroup::Copy) {
        return Ok(Changes::NONE);
    }
    let is_copy = |&id: &InstrId| body[id].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::copy_deref);
    let copies: Vec<InstrId> = body.all_instrs().filter(is_copy).collect();
    let mut progress = Changes::NONE;
    for id in copies {
        let Some(i) = body[id].as_intrinsic().copied() else { continue };
        let (dst, src) = (i.src(0), i.src(1));
        let touched = |d: InstrId| body[d].as_deref().is_some_and(|d| d.modes.intersects(modes));
        if !touched(dst) && !touched(src) {
            continue;
        }
        let mut b = Builder::before(body, id);
        emit_copy(types, &mut b, dst, src, i.access(), i.src_access())?;
        body.remove(id);
        for deref in [dst, src] {
            remove_unused_chain(body, deref);
        }
        progress = Changes::VALUES | Changes::MEMORY;
    }
    Ok(progress)
}

/// Removes a deref and its parents as far as they are unused.
pub fn remove_unused_chain(body: &mut Body, deref: InstrId) {
    let mut at = Some(deref);
    while let Some(id) = at.filter(|&id| body.get(id).is_some_and(|i| i.uses() == 0)) {
        let Some(d) = body[id].as_deref() else { return };
        at = d.parent();
        body.remove(id);
    }
}

/// Maximum number of leaves of one copy.
const MAX_LEAVES: usize = 1 << 16;

/// Maximum number of leaves that are all loaded before the first is stored.
const TOGETHER: usize = 16;

/// Emits loads and stores that copy `src` to `dst`, which have the same type apart from layout.
///
/// # Errors
/// If there are too many leaves or the types differ.
pub fn emit_copy(
    types: &mut Types,
    b: &mut Builder,
    dst: InstrId,
    src: InstrId,
    dst_access: Access,
    src_access: Access,
) -> Result<(), Diagnostic> {
    let (to, from) = (prefix(b.body, dst), prefix(b.body, src));
    let mut leaves = Vec::new();
    pair(types, b, to, from, &mut leaves)?;
    let together = leaves.len() <= TOGETHER || may_overlap(types, b.body, dst, src);
    for part in leaves.chunks(if together { leaves.len().max(1) } else { 1 }) {
        let mut loaded = SmallVec::<[InstrId; TOGETHER]>::new();
        for &(_, src, ty) in part {
            let load = Intrinsic::new(IntrinsicOp::load_deref, &[src]).with(Index::Access, src_access);
            loaded.push(b.insert_intrinsic(load, ty));
        }
        for (&(dst, _, ty), value) in part.iter().zip(loaded) {
            let store = Intrinsic::new(IntrinsicOp::store_deref, &[dst, value])
                .with(Index::WriteMask, u32::from(ty.full_mask()))
                .with(Index::Access, dst_access);
            b.insert_intrinsic(store, Ty::NONE);
        }
    }
    Ok(())
}

/// Whether two derefs refer to different variables that may share memory. Copies between them are not split.
pub(crate) fn may_overlap(types: &Types, body: &Body, dst: InstrId, src: InstrId) -> bool {
    let root = |mut deref: InstrId| {
        while let Some((parent, _)) = step(body, deref) {
            deref = parent;
        }
        body[deref].as_deref()
    };
    let (Some(dst), Some(src)) = (root(dst), root(src)) else { return true };
    let shared = |d: &Deref| matches!(&types[d.ty], Type::Struct(s) if s.block);
    let buffers = Modes::SSBO | Modes::GLOBAL;
    let workgroup = (dst.modes & src.modes).intersects(Modes::SHARED) && shared(dst) && shared(src);
    dst.kind != src.kind && (workgroup || (dst.modes & src.modes).intersects(buffers))
}

/// A deref without wildcards, and the steps from the first wildcard on.
type Prefix = (InstrId, SmallVec<[Step; 6]>);

fn prefix(body: &Body, deref: InstrId) -> Prefix {
    let steps = DerefPath::new(body, deref).steps;
    let Some(first) = steps.iter().position(|s| *s == Step::Wildcard) else {
        return (deref, SmallVec::new());
    };
    let mut at = deref;
    for _ in first..steps.len() {
        at = body[at].as_deref().and_then(Deref::parent).unwrap_or(at);
    }
    (at, steps[first..].into())
}

/// Two composites, part `next` of which comes next.
struct Composites {
    dst: Prefix,
    src: Prefix,
    next: u32,
    count: u32,
    is_struct: bool,
}

/// Walks both sides down to pairs of leaves. The walk has a stack of its own: types nest up to 255 deep.
fn pair(
    types: &mut Types,
    b: &mut Builder,
    dst: Prefix,
    src: Prefix,
    leaves: &mut Vec<(InstrId, InstrId, Ty)>,
) -> Result<(), Diagnostic> {
    let mismatch = || Diagnostic::error("E0350", "the two sides of a copy have different types");
    let mut stack: Vec<Composites> = Vec::new();
    let mut parts = Some((dst, src));
    loop {
        if let Some((dst, src)) = parts.take() {
            let dst = follow(types, b, dst);
            let src = follow(types, b, src);
            let (dst_ty, _) = b.pointee(dst.0).ok_or_else(mismatch)?;
            let (src_ty, _) = b.pointee(src.0).ok_or_else(mismatch)?;
            if let (Type::Vector { .. }, Some(ty)) = (&types[dst_ty], types.value_ty(src_ty)) {
                if leaves.len() == MAX_LEAVES {
                    let message = format!("a copy has more than {MAX_LEAVES} scalars and vectors");
                    return Err(Diagnostic::error("E0351", message));
                }
                leaves.push((dst.0, src.0, ty));
            } else {
                let (n, is_struct) = parts_of(types, dst_ty).ok_or_else(mismatch)?;
                if parts_of(types, src_ty) != Some((n, is_struct)) {
                    return Err(mismatch());
                }
                stack.push(Composites { dst, src, next: 0, count: n, is_struct });
            }
        }
        let Some(top) = stack.last_mut() else { return Ok(()) };
        if top.next == top.count {
            stack.pop();
            continue;
        }
        let i = top.next;
        top.next += 1;
        parts = Some(if top.is_struct {
            let d = b.deref_struct(types, top.dst.0, i);
            let s = b.deref_struct(types, top.src.0, i);
            ((d, SmallVec::new()), (s, SmallVec::new()))
        } else {
            let index = b.imm_u32(i);
            let d = b.deref_array(types, top.dst.0, index);
            let s = b.deref_array(types, top.src.0, index);
            let rest = |p: &Prefix| p.1.get(1..).unwrap_or_default().into();
            ((d, rest(&top.dst)), (s, rest(&top.src)))
        });
    }
}

/// Number of the parts of a composite, and whether it is a structure.
fn parts_of(types: &Types, ty: TypeId) -> Option<(u32, bool)> {
    match &types[ty] {
        Type::Struct(s) => Some((s.members.len() as u32, true)),
        Type::Array { .. } | Type::Matrix { .. } => Some((types.num_elements(ty)?, false)),
        _ => None,
    }
}

/// Consumes the steps up to the next wildcard.
fn follow(types: &mut Types, b: &mut Builder, (mut at, mut steps): Prefix) -> Prefix {
    let known = steps.iter().position(|s| *s == Step::Wildcard).unwrap_or(steps.len());
    for step in steps.drain(..known) {
        at = match step {
            Step::Field(field) => b.deref_struct(types, at, field),
            Step::Const(i) => b.deref_array_imm(types, at, i),
            Step::Dynamic(index) => b.deref_array(types, at, index),
            Step::Wildcard => break,
        };
    }
    (at, steps)
}

//! Splits copies of structures, arrays and matrices into copies of their scalars and vectors.
//!
//! Accepts any form with derefs. Preserves control flow. Members of structures are copied one by one;
//! elements of arrays and columns of matrices remain one copy with a wildcard (`a[*].x = b[*].x`), so the
//! cost depends on the types, not on the number of elements.
//! [`split_struct_vars`](crate::vars::split_struct_vars) requires this. Copies of scalars and vectors stay, and so do copies
//! between buffers or blocks that may overlap.
//!
//! Source: NIR's `nir_split_var_copies`.
//!
//! ```foil-example
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   struct S { float[3] x, mat2 m, vec4 v }
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
//!   struct S { float[3] x, mat2x2 m, vec4 v }
//!
//!   fn main {
//!     function_temp S a
//!     function_temp S b
//!   b0:
//!     %0 = deref_var &a
//!     %1 = deref_var &b
//!     %2 = deref_struct %0.x
//!     %3 = deref_struct %1.x
//!     %4 = deref_array_wildcard %2[*]
//!     %5 = deref_array_wildcard %3[*]
//!     copy_deref %4, %5
//!     %6 = deref_struct %0.m
//!     %7 = deref_struct %1.m
//!     %8 = deref_array_wildcard %6[*]
//!     %9 = deref_array_wildcard %7[*]
//!     copy_deref %8, %9
//!     %10 = deref_struct %0.v
//!     %11 = deref_struct %1.v
//!     copy_deref %10, %11
//!   }
//! }
//! ```

use crate::vars::lower_var_copies::{may_overlap, remove_unused_chain};
use crate::{Changes, Constructs, Context, Pass, PassInfo, try_each_body};
use airfoil_ir::{
    Body, Builder, DerefKind, Diagnostic, Index, InstrGroup, InstrId, Intrinsic, IntrinsicOp, Shader, Ty,
    Type, Types,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct SplitVarCopies;

static INFO: PassInfo = PassInfo::new(
    "split_var_copies",
    "splits copies of composites into copies of scalars and vectors",
    include_str!("split_var_copies.rs"),
)
.reads(Changes::MEMORY)
.needs(Constructs::COPY);

impl Pass for SplitVarCopies {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        try_each_body(shader, split)
    }
}

fn split(types: &mut Types, body: &mut Body) -> Result<Changes, Diagnostic> {
    if !body.has(InstrGroup::Copy) {
        return Ok(Changes::NONE);
    }
    let splits = |&id: &InstrId| {
        let Some(i) = body[id].as_intrinsic().filter(|i| i.op == IntrinsicOp::copy_deref) else {
            return false;
        };
        let Some(d) = body[i.src(0)].as_deref() else { return false };
        matches!(types[d.ty], Type::Struct(_) | Type::Array { .. } | Type::Matrix { .. })
            && !may_overlap(types, body, i.src(0), i.src(1))
    };
    let copies: Vec<InstrId> = body.all_instrs().filter(splits).collect();
    let progress = (Changes::VALUES | Changes::MEMORY).when(!copies.is_empty());
    for id in copies {
        let Some(copy) = body[id].as_intrinsic().copied() else { continue };
        let mut b = Builder::before(body, id);
        split_copy(types, &mut b, copy, copy.src(0), copy.src(1))
            .ok_or_else(|| Diagnostic::error("E0350", "the two sides of a copy have different types"))?;
        body.remove(id);
        remove_unused_chain(body, copy.src(0));
        remove_unused_chain(body, copy.src(1));
    }
    Ok(progress)
}

/// Emits the copies of the parts of `dst` and `src`; `None` if their types differ.
fn split_copy(types: &mut Types, b: &mut Builder, copy: Intrinsic, dst: InstrId, src: InstrId) -> Option<()> {
    let ((dst_ty, dst_modes), (src_ty, src_modes)) = (b.pointee(dst)?, b.pointee(src)?);
    match (&types[dst_ty], &types[src_ty]) {
        (Type::Struct(d), Type::Struct(s)) => {
            if d.members.len() != s.members.len() {
                return None;
            }
            for field in 0..d.members.len() as u32 {
                let (d, s) = (b.deref_struct(types, dst, field), b.deref_struct(types, src, field));
                split_copy(types, b, copy, d, s)?;
            }
        }
        (Type::Array { .. }, Type::Array { .. }) | (Type::Matrix { .. }, Type::Matrix { .. }) => {
            if types.num_elements(dst_ty) != types.num_elements(src_ty) {
                return None;
            }
            let (d_elem, s_elem) = (types.element(dst_ty)?, types.element(src_ty)?);
            let d = b.deref(DerefKind::ArrayWildcard { parent: dst }, d_elem, dst_modes);
            let s = b.deref(DerefKind::ArrayWildcard { parent: src }, s_elem, src_modes);
            split_copy(types, b, copy, d, s)?;
        }
        _ => {
            let part = Intrinsic::new(IntrinsicOp::copy_deref, &[dst, src])
                .with(Index::Access, copy.access())
                .with(Index::SrcAccess, copy.src_access());
            b.insert_intrinsic(part, Ty::NONE);
        }
    }
    Some(())
}

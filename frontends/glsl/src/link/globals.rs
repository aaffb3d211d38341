//! Checks that declarations of one global variable agree: variables shared by the objects of one stage, and for uniforms
//! and buffer blocks, which all stages share (GLSL 4.60 sections 3.3, 4.3.5, 4.3.9; GLSL ES 3.20 sections 4.3.5, 4.3.9).

use super::compare::{Comparer, Strictness, interpolation, sampling};
use super::report::{Report, stage_name};
use crate::hir::{ExprKind, MatrixLayout, Packing, Storage, Unit, VarId, Variable};
use crate::types::{StructId, Type, TypeTable};
use rustc_hash::FxHashSet;

/// The name that identifies a variable among shaders: the block's name for a block.
pub fn linked_name<'u>(unit: &'u Unit, var: &Variable) -> &'u str {
    let block = if var.block { unit.types.as_struct(unit.types.without_arrays(var.ty)) } else { None };
    &unit.names[block.and_then(|s| s.name).unwrap_or(var.name)]
}

/// Whether the outermost array was declared without a size, so that use or another declaration gives it.
pub fn implicit_size(types: &TypeTable, var: &Variable) -> bool {
    types.as_array(var.ty).is_some_and(|a| a.len == 0 || var.min_len > 0)
}

/// Checks that two declarations of one variable agree. Gives the length of the outermost array that both are to have, if
/// a declaration without size takes it from the other.
pub fn agree(a: &Unit, va: VarId, b: &Unit, vb: VarId, report: &mut Report) -> Option<u32> {
    let (x, y) = (&a[va], &b[vb]);
    let mut wrong = |what: String| {
        let name = linked_name(b, y);
        let who = if a.stage == b.stage {
            format!("two objects of the {}", stage_name(a.stage))
        } else {
            format!("{} and {}", stage_name(a.stage), stage_name(b.stage))
        };
        report.error_var(b, vb, "E1110", format!("`{name}`: {who} declare it differently: {what}"));
    };
    if x.block || y.block {
        if x.block != y.block {
            wrong("one is a block".into());
        } else if let Some(what) = blocks(a, x, b, y) {
            wrong(what);
        }
        return None;
    }
    let (qx, qy) = (&x.qualifiers, &y.qualifiers);
    if qx.storage != qy.storage {
        wrong("the storage qualifiers differ".into());
        return None;
    }
    let es = a.version.is_es();
    let uniform = qx.storage == Storage::Uniform;
    // A uniform without use may differ in precision in ES 1.00 only (GLSL ES 1.00 section 4.5.3, ES 3.00 section 4.5.3).
    let precision = es && uniform && (a.version.number >= 300 || (x.used && y.used));
    let len = match types(a, x, b, y, precision) {
        Ok(len) => len,
        Err(what) => {
            wrong(what);
            return None;
        }
    };
    let (lx, ly) = (&qx.layout, &qy.layout);
    let both = |p: Option<u32>, q: Option<u32>| p.is_some() && q.is_some() && p != q;
    let io = qx.storage.is_io() && x.builtin.is_none();
    let checks = [
        (precision && qx.precision != qy.precision, "the precisions differ"),
        (both(lx.location, ly.location), "the locations differ"),
        (both(lx.component, ly.component), "the components differ"),
        (both(lx.index, ly.index), "the indices differ"),
        (both(lx.binding, ly.binding), "the bindings differ"),
        (both(lx.set, ly.set), "the descriptor sets differ"),
        (both(lx.offset, ly.offset), "the offsets differ"),
        (lx.format.is_some() && ly.format.is_some() && lx.format != ly.format, "the image formats differ"),
        (uniform && qx.memory != qy.memory, "the memory qualifiers differ"),
        (
            io && interpolation(qx.interpolation, x.ty) != interpolation(qy.interpolation, y.ty),
            "the interpolations differ",
        ),
        (io && sampling(qx.sampling) != sampling(qy.sampling), "`centroid` or `sample` is in one only"),
        (io && qx.patch != qy.patch, "`patch` is in one only"),
        (io && qx.invariant != qy.invariant, "`invariant` is in one only"),
        (uniform && subroutine_name(a, x) != subroutine_name(b, y), "the subroutine types differ"),
    ];
    for (_, what) in checks.iter().filter(|(bad, _)| *bad) {
        wrong((*what).into());
    }
    if let (Some(cx), Some(cy)) = (x.constant, y.constant)
        && a[cx].scalars != b[cy].scalars
    {
        wrong("the initial values differ".into());
    }
    len
}

fn subroutine_name<'u>(unit: &'u Unit, var: &Variable) -> Option<&'u str> {
    var.qualifiers.subroutine.map(|f| &unit.names[unit[f].name])
}

/// Compares the types; the length that both get if one has none of its own.
fn types(a: &Unit, x: &Variable, b: &Unit, y: &Variable, precision: bool) -> Result<Option<u32>, String> {
    let how = Strictness { names: true, precision, ..Strictness::default() };
    let mut comparer = Comparer::new(a, b, how);
    let (ax, ay) = (a.types.as_array(x.ty), b.types.as_array(y.ty));
    let (ix, iy) = (implicit_size(&a.types, x), implicit_size(&b.types, y));
    if let (Some(ax), Some(ay), true) = (ax, ay, ix || iy) {
        if let Some(why) = comparer.differ(ax.elem, ay.elem) {
            return Err(why);
        }
        let needs = |len: u32, declared: u32| {
            format!("an array of {declared} elements, but element {} is used elsewhere", len - 1)
        };
        let (lx, ly) = (ax.len.max(x.min_len), ay.len.max(y.min_len));
        return match (ix, iy) {
            (true, true) => Ok(Some(lx.max(ly))),
            (true, false) if lx > ly => Err(needs(lx, ly)),
            (false, true) if ly > lx => Err(needs(ly, lx)),
            (true, false) => Ok(Some(ly)),
            _ => Ok(Some(lx)),
        };
    }
    comparer.differ(x.ty, y.ty).map_or(Ok(None), Err)
}

/// Compares two declarations of one block.
fn blocks(a: &Unit, x: &Variable, b: &Unit, y: &Variable) -> Option<String> {
    let (lx, ly) = (&x.qualifiers.layout, &y.qualifiers.layout);
    let memory = matches!(x.qualifiers.storage, Storage::Uniform | Storage::Buffer);
    let how = Strictness { memory, locations: !memory, interpolation: !memory, ..Strictness::default() };
    if let Some(why) = Comparer::new(a, b, how).differ(x.ty, y.ty) {
        return Some(why);
    }
    let packing = |p: Option<Packing>| p.unwrap_or(Packing::Shared);
    let matrix = |m: Option<MatrixLayout>| m.unwrap_or(MatrixLayout::ColumnMajor);
    let both = |p: Option<u32>, q: Option<u32>| p.is_some() && q.is_some() && p != q;
    let text = if memory && packing(lx.packing) != packing(ly.packing) {
        "the packings differ"
    } else if memory && matrix(lx.matrix) != matrix(ly.matrix) {
        "the matrix layouts differ"
    } else if memory && x.nameless_block != y.nameless_block {
        "one has an instance name"
    } else if both(lx.binding, ly.binding) {
        "the bindings differ"
    } else if both(lx.set, ly.set) {
        "the descriptor sets differ"
    } else if both(lx.location, ly.location) {
        "the locations differ"
    } else {
        return None;
    };
    Some(text.into())
}

/// Gives arrays their length, in variables, members of blocks and all expressions that come from them.
#[derive(Debug, Default)]
pub struct Resize {
    vars: FxHashSet<VarId>,
    fields: FxHashSet<(StructId, u32)>,
}

impl Resize {
    /// The outermost array of `var` has `len` elements.
    pub fn set(&mut self, unit: &mut Unit, var: VarId, len: u32) {
        let Some(array) = unit.types.as_array(unit[var].ty) else { return };
        if array.len != len {
            unit[var].ty = unit.types.array(array.elem, len);
            self.vars.insert(var);
        }
    }

    /// The outermost array of a member has `len` elements.
    pub fn set_field(&mut self, unit: &mut Unit, id: StructId, field: u32, len: u32) {
        let ty = unit.types.structs[id.0 as usize].fields[field as usize].ty;
        let Some(array) = unit.types.as_array(ty) else { return };
        let sized = unit.types.array(array.elem, len);
        unit.types.structs[id.0 as usize].fields[field as usize].ty = sized;
        self.fields.insert((id, field));
    }

    /// Changes the types of expressions. Operands precede the expressions that use them.
    pub fn finish(self, unit: &mut Unit) {
        if self.vars.is_empty() && self.fields.is_empty() {
            return;
        }
        let mut changed = vec![false; unit.exprs.len()];
        for i in 0..unit.exprs.len() {
            let ty = match unit.exprs[i].kind {
                ExprKind::Var(v) if self.vars.contains(&v) => unit[v].ty,
                ExprKind::Index(a, _) if changed.get(a.0 as usize) == Some(&true) => {
                    unit.types.element(unit[a].ty).unwrap_or(Type::Error)
                }
                ExprKind::Field(a, n) => match unit[a].ty {
                    Type::Struct(id) if self.fields.contains(&(id, n)) => {
                        unit.types.structs[id.0 as usize].fields[n as usize].ty
                    }
                    _ => continue,
                },
                _ => continue,
            };
            changed[i] = unit.exprs[i].ty != ty;
            unit.exprs[i].ty = ty;
        }
    }
}

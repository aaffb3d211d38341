//! Checks that declarations of one global variable agree: variables shared by the objects of one stage, and for uniforms
//! and buffer blocks, which all stages share (GLSL 4.60 sections 3.3, 4.3.5, 4.3.9; GLSL ES 3.20 sections 4.3.5, 4.3.9).

use super::compare::{Comparer, Strictness, interpolation, sampling};
use super::layout::own_layout;
use super::report::{Report, stage_name};
use crate::hir::{ExprKind, MatrixLayout, Packing, Storage, Unit, VarId, Variable};
use crate::types::{Field, Struct, StructId, Type, TypeTable};
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

/// Whether a member of a block was declared without a size, and indices in use or another declaration give it.
pub fn implicit_member(unit: &Unit, var: &Variable, members: &[Field], n: usize) -> bool {
    let runtime = var.qualifiers.storage == Storage::Buffer && n + 1 == members.len();
    let unsized_array = unit.types.as_array(members[n].ty).is_some_and(|a| a.len == 0);
    !runtime && (unsized_array || var.field_min_len.iter().any(|&(m, _)| m as usize == n))
}

/// Lengths that declarations without size take from others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// Of the outermost array.
    pub array: Option<u32>,
    /// Of members of a block.
    pub members: Vec<(u32, u32)>,
}

impl Lengths {
    /// Whether nothing takes a length.
    pub fn is_empty(&self) -> bool {
        self.array.is_none() && self.members.is_empty()
    }

    /// Sets the lengths in a declaration.
    pub fn apply(&self, unit: &mut Unit, var: VarId, resize: &mut Resize) {
        if let Some(len) = self.array {
            resize.set(unit, var, len);
        }
        if let Type::Struct(id) = unit.types.without_arrays(unit[var].ty) {
            for &(member, len) in &self.members {
                resize.set_field(unit, id, member, len);
            }
        }
    }
}

/// An array of one declaration: its length, the length that indices in use require, and whether it was declared without size.
struct Extent {
    len: u32,
    used: u32,
    implicit: bool,
}

/// The length of two arrays of which at least one was declared without size.
fn common_length(a: &Extent, b: &Extent) -> Result<u32, String> {
    let needs = |len: u32, declared: u32| {
        format!("an array of {declared} elements, but element {} is used elsewhere", len - 1)
    };
    let (la, lb) = (a.len.max(a.used), b.len.max(b.used));
    match (a.implicit, b.implicit) {
        (true, true) => Ok(la.max(lb)),
        (true, false) if la > lb => Err(needs(la, lb)),
        (false, true) if lb > la => Err(needs(lb, la)),
        (true, false) => Ok(lb),
        _ => Ok(la),
    }
}

/// Checks that two declarations of one variable agree, and returns the lengths that both take.
pub fn agree(a: &Unit, va: VarId, b: &Unit, vb: VarId, report: &mut Report) -> Lengths {
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
            return Lengths::default();
        }
        if !same_memory((a, va), (b, vb)) {
            wrong("the offsets or strides differ".into());
            return Lengths::default();
        }
        return blocks(a, x, b, y).unwrap_or_else(|what| {
            wrong(what);
            Lengths::default()
        });
    }
    let (qx, qy) = (&x.qualifiers, &y.qualifiers);
    if qx.storage != qy.storage {
        wrong("the storage qualifiers differ".into());
        return Lengths::default();
    }
    let es = a.version.is_es();
    let uniform = qx.storage == Storage::Uniform;
    // A uniform without use may differ in precision in ES 1.00 only (GLSL ES 1.00 section 4.5.3, ES 3.00 section 4.5.3).
    let precision = es && uniform && (a.version.number >= 300 || (x.used && y.used));
    let len = match types(a, x, b, y, precision) {
        Ok(len) => len,
        Err(what) => {
            wrong(what);
            return Lengths::default();
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
    Lengths { array: len, members: Vec::new() }
}

/// Whether two blocks of SPIR-V modules have the same layout, if no packing gives it.
pub fn same_memory((a, x): (&Unit, VarId), (b, y): (&Unit, VarId)) -> bool {
    match (own_layout(a, x), own_layout(b, y)) {
        (Some(x), Some(y)) => x.agrees(y),
        (None, None) => true,
        _ => false,
    }
}

fn subroutine_name<'u>(unit: &'u Unit, var: &Variable) -> Option<&'u str> {
    var.qualifiers.subroutine.map(|f| &unit.names[unit[f].name])
}

/// Compares the types; the length that both get if one has none of its own.
fn types(a: &Unit, x: &Variable, b: &Unit, y: &Variable, precision: bool) -> Result<Option<u32>, String> {
    let how = Strictness { names: !b.is_imported(), precision, ..Strictness::default() };
    let mut comparer = Comparer::new(a, b, how);
    let (ax, ay) = (a.types.as_array(x.ty), b.types.as_array(y.ty));
    let (ix, iy) = (implicit_size(&a.types, x), implicit_size(&b.types, y));
    if let (Some(ax), Some(ay), true) = (ax, ay, ix || iy) {
        if let Some(why) = comparer.differ(ax.elem, ay.elem) {
            return Err(why);
        }
        return common_length(
            &Extent { len: ax.len, used: x.min_len, implicit: ix },
            &Extent { len: ay.len, used: y.min_len, implicit: iy },
        )
        .map(Some);
    }
    comparer.differ(x.ty, y.ty).map_or(Ok(None), Err)
}

/// Compares two declarations of one block, and returns the lengths that both take.
fn blocks(a: &Unit, x: &Variable, b: &Unit, y: &Variable) -> Result<Lengths, String> {
    let (lx, ly) = (&x.qualifiers.layout, &y.qualifiers.layout);
    let memory = matches!(x.qualifiers.storage, Storage::Uniform | Storage::Buffer);
    let how = Strictness { memory, locations: !memory, interpolation: !memory, ..Strictness::default() };
    let mut lengths = Lengths::default();
    let open = open_members(a, x, b, y, &mut lengths.members)?;
    let mut comparer = Comparer::new(a, b, how).with_open_members(open);
    let (ix, iy) = (implicit_size(&a.types, x), implicit_size(&b.types, y));
    let why = match (a.types.as_array(x.ty), b.types.as_array(y.ty)) {
        (Some(ax), Some(ay)) if ix || iy => {
            lengths.array = Some(common_length(
                &Extent { len: ax.len, used: x.min_len, implicit: ix },
                &Extent { len: ay.len, used: y.min_len, implicit: iy },
            )?);
            comparer.differ(ax.elem, ay.elem)
        }
        _ => comparer.differ(x.ty, y.ty),
    };
    if let Some(why) = why {
        return Err(why);
    }
    let packing = |p: Option<Packing>| p.unwrap_or(Packing::Shared);
    let matrix = |m: Option<MatrixLayout>| m.unwrap_or(MatrixLayout::ColumnMajor);
    let both = |p: Option<u32>, q: Option<u32>| p.is_some() && q.is_some() && p != q;
    let text = if memory && packing(lx.packing) != packing(ly.packing) {
        "the packings differ"
    } else if memory && matrix(lx.matrix) != matrix(ly.matrix) {
        "the matrix layouts differ"
    } else if memory && x.nameless_block != y.nameless_block && !b.is_imported() {
        "one has an instance name"
    } else if both(lx.binding, ly.binding) {
        "the bindings differ"
    } else if both(lx.set, ly.set) {
        "the descriptor sets differ"
    } else if both(lx.location, ly.location) {
        "the locations differ"
    } else {
        return Ok(lengths);
    };
    Err(text.into())
}

/// Members that are arrays without size in at least one of two declarations of a block, and the lengths that both take.
fn open_members(
    a: &Unit,
    x: &Variable,
    b: &Unit,
    y: &Variable,
    lengths: &mut Vec<(u32, u32)>,
) -> Result<Vec<usize>, String> {
    let mut open = Vec::new();
    let (Some(sx), Some(sy)) = (block_of(a, x), block_of(b, y)) else { return Ok(open) };
    for n in 0..sx.fields.len().min(sy.fields.len()) {
        let (ix, iy) = (implicit_member(a, x, &sx.fields, n), implicit_member(b, y, &sy.fields, n));
        let (ax, ay) = (a.types.as_array(sx.fields[n].ty), b.types.as_array(sy.fields[n].ty));
        let (Some(ax), Some(ay), true) = (ax, ay, ix || iy) else { continue };
        let used =
            |v: &Variable| v.field_min_len.iter().find(|(m, _)| *m as usize == n).map_or(0, |&(_, len)| len);
        let name = &a.names[sx.fields[n].name];
        let len = common_length(
            &Extent { len: ax.len, used: used(x), implicit: ix },
            &Extent { len: ay.len, used: used(y), implicit: iy },
        )
        .map_err(|why| format!("member `{name}` is {why}"))?;
        lengths.push((n as u32, len));
        open.push(n);
    }
    Ok(open)
}

/// The block that a variable holds, possibly in arrays.
pub fn block_of<'u>(unit: &'u Unit, v: &Variable) -> Option<&'u Struct> {
    if v.block { unit.types.as_struct(unit.types.without_arrays(v.ty)) } else { None }
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
        // Expressions of another object may have the type without size.
        unit[var].ty = unit.types.array(array.elem, len);
        self.vars.insert(var);
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

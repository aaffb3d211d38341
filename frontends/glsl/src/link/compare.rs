//! Compares declarations of two shaders. Types compare by structure, since every shader has its own type table.

use crate::basic_types::type_name;
use crate::hir::{MatrixLayout, Unit};
use crate::types::{Field, StructId, Type};
use airfoil_ir::{Interpolation, Sampling};
use rustc_hash::FxHashSet;

/// The properties that count when types are compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strictness {
    /// Structures must have the same name.
    pub names: bool,
    /// Precisions of members must agree.
    pub precision: bool,
    /// Members' memory layout (matrix layout, `offset`, `align`, memory qualifiers) must agree.
    pub memory: bool,
    /// Members' locations must agree.
    pub locations: bool,
    /// Members' interpolation must agree.
    pub interpolation: bool,
}

/// Compares types of two shaders.
#[derive(Debug)]
pub struct Comparer<'a> {
    a: &'a Unit,
    b: &'a Unit,
    how: Strictness,
    /// Pairs of structures that are the same, or are being compared.
    same: FxHashSet<(StructId, StructId)>,
    /// Members of the outermost block whose lengths do not count.
    open: Vec<usize>,
}

impl<'a> Comparer<'a> {
    /// For types of `a` with types of `b`.
    pub fn new(a: &'a Unit, b: &'a Unit, how: Strictness) -> Comparer<'a> {
        Comparer { a, b, how, same: FxHashSet::default(), open: Vec::new() }
    }

    /// Ignores the lengths of these members of the outermost block, which are arrays.
    pub fn with_open_members(self, open: Vec<usize>) -> Comparer<'a> {
        Comparer { open, ..self }
    }

    /// Why two types differ; `None` if they are the same.
    pub fn differ(&mut self, ta: Type, tb: Type) -> Option<String> {
        match (ta, tb) {
            (Type::Array(x), Type::Array(y)) => {
                let (x, y) = (self.a.types.get_array(x), self.b.types.get_array(y));
                if x.len == y.len { self.differ(x.elem, y.elem) } else { Some(self.unlike(ta, tb)) }
            }
            (Type::Struct(x), Type::Struct(y)) => self.structs(x, y),
            // Referenced blocks are not compared; chains of blocks may be long.
            (Type::Reference(x), Type::Reference(y)) => {
                let (a, b) = (&self.a.types.structs[x.0 as usize], &self.b.types.structs[y.0 as usize]);
                let same = a.name.map(|n| &self.a.names[n]) == b.name.map(|n| &self.b.names[n]);
                (!same).then(|| self.unlike(ta, tb))
            }
            (x, y) if x == y => None,
            _ => Some(self.unlike(ta, tb)),
        }
    }

    fn unlike(&self, ta: Type, tb: Type) -> String {
        let (a, b) = (self.a, self.b);
        format!(
            "the types are {} and {}",
            type_name(ta, &a.types, &a.names),
            type_name(tb, &b.types, &b.names)
        )
    }

    fn structs(&mut self, x: StructId, y: StructId) -> Option<String> {
        if !self.same.insert((x, y)) {
            return None;
        }
        let (a, b) = (self.a, self.b);
        let (sx, sy) = (&a.types.structs[x.0 as usize], &b.types.structs[y.0 as usize]);
        let name_x = sx.name.map(|n| &a.names[n]);
        let name_y = sy.name.map(|n| &b.names[n]);
        if self.how.names && name_x != name_y {
            return Some(self.unlike(Type::Struct(x), Type::Struct(y)));
        }
        if sx.fields.len() != sy.fields.len() {
            let name = name_x.unwrap_or("the structure");
            return Some(format!("`{name}` has {} and {} members", sx.fields.len(), sy.fields.len()));
        }
        let open = std::mem::take(&mut self.open);
        let mut pairs = sx.fields.iter().zip(&sy.fields).enumerate();
        pairs.find_map(|(n, (fx, fy))| self.fields(fx, fy, open.contains(&n)))
    }

    fn fields(&mut self, x: &Field, y: &Field, open: bool) -> Option<String> {
        let (name, other) = (&self.a.names[x.name], &self.b.names[y.name]);
        // SPIR-V modules need not have names.
        if name != other && !self.a.is_imported() && !self.b.is_imported() {
            return Some(format!("members `{name}` and `{other}` are at the same position"));
        }
        let (mut tx, mut ty) = (x.ty, y.ty);
        if let (true, Some(ax), Some(ay)) = (open, self.a.types.as_array(tx), self.b.types.as_array(ty)) {
            (tx, ty) = (ax.elem, ay.elem);
        }
        if let Some(why) = self.differ(tx, ty) {
            return Some(format!("in member `{name}` {why}"));
        }
        let (qx, qy) = (&x.qualifiers, &y.qualifiers);
        let (lx, ly) = (&qx.layout, &qy.layout);
        let matrix = |m: Option<MatrixLayout>| m.unwrap_or(MatrixLayout::ColumnMajor);
        let what = if self.how.precision && qx.precision != qy.precision {
            "precision"
        } else if self.how.memory && matrix(lx.matrix) != matrix(ly.matrix) {
            "matrix layout"
        } else if self.how.memory && qx.memory != qy.memory {
            "memory qualification"
        } else if self.how.memory && lx.offset != ly.offset {
            "offset"
        } else if self.how.memory && lx.align != ly.align {
            "align"
        } else if self.how.locations
            && (lx.location != ly.location || lx.component.unwrap_or(0) != ly.component.unwrap_or(0))
        {
            "location"
        } else if self.how.interpolation
            && interpolation(qx.interpolation, x.ty) != interpolation(qy.interpolation, y.ty)
        {
            "interpolation"
        } else {
            return None;
        };
        Some(format!("the {what} of member `{name}` differs"))
    }
}

/// The interpolation that a declaration amounts to: smooth, but integers and doubles can only be flat.
pub fn interpolation(said: Option<Interpolation>, ty: Type) -> Interpolation {
    let flat = ty.base().is_some_and(|b| !b.is_float() || b.bits() == 64);
    said.unwrap_or(if flat { Interpolation::Flat } else { Interpolation::Smooth })
}

/// The sampling that a declaration amounts to.
pub fn sampling(said: Option<Sampling>) -> Sampling {
    said.unwrap_or(Sampling::Center)
}

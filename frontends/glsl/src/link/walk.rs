//! Walks the leaves of a type: the entries that the API lists for a variable (OpenGL 4.6 section 7.3.1.1).
//!
//! Structures are split, and so are arrays of structures and of arrays; an array of anything else is one leaf,
//! `name[0]`.

use super::layout::{Shape, TypeLayout};
use crate::hir::Unit;
use crate::types::{OpaqueKind, Type};
use airfoil_ir::Name;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// Most leaves of one variable or block.
pub const MAX_LEAVES: u32 = 1 << 16;

/// An entry.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Name, with `[0]` for an array.
    pub name: Name,
    /// Type without array.
    pub ty: Type,
    /// Elements: 1 for anything but an array, 0 for a runtime-sized array.
    pub size: u32,
    /// Location in memory, if there is a layout.
    pub memory: Option<LeafMemory>,
    /// First uniform location, counted from the variable's.
    pub location: u32,
    /// First binding of something opaque, counted from the variable's.
    pub opaque: u32,
    /// Index of its first element among all of its path: of an array in arrays or structures.
    pub element: u32,
    /// First scalar in the flattened value.
    pub scalar: u32,
}

/// Location of a leaf in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeafMemory {
    /// Bytes from the start of the block.
    pub offset: u32,
    /// Bytes from one element to the next; 0 for anything but an array.
    pub array_stride: u32,
    /// Bytes from one column or row to the next; 0 for anything but a matrix.
    pub matrix_stride: u32,
    /// Row-major matrix.
    pub row_major: bool,
}

/// Goes through the leaves of one variable or member.
pub struct Walker<'u> {
    unit: &'u Unit,
    leaves: Vec<Leaf>,
    /// Name of the part that is walked.
    name: String,
    /// The name of the whole, and the indices of members; only kept if there is something opaque. Members may lack names.
    path: String,
    location: u32,
    scalar: u32,
    /// Opaque leaves by path: where their bindings start, and how many elements each has.
    opaque: FxHashMap<String, u32>,
}

impl<'u> Walker<'u> {
    /// For a unit's types.
    pub fn new(unit: &'u Unit) -> Walker<'u> {
        Walker {
            unit,
            leaves: Vec::new(),
            name: String::new(),
            path: String::new(),
            location: 0,
            scalar: 0,
            opaque: FxHashMap::default(),
        }
    }

    /// The leaves of a variable or member. The caller has checked that they are at most [`MAX_LEAVES`].
    pub fn leaves(mut self, name: &str, ty: Type, layout: Option<(&TypeLayout, u32)>) -> Vec<Leaf> {
        let unit = self.unit;
        if unit.types.any(ty, &mut |t| matches!(t, Type::Opaque(_))) {
            let mut next = 0;
            self.number_opaque(name, ty, 1, &mut next);
            self.path.push_str(name);
        }
        self.name.push_str(name);
        self.walk(ty, layout, 0);
        self.leaves
    }

    /// Bindings: all elements of one opaque member follow each other, members in order of declaration.
    fn number_opaque(&mut self, path: &str, ty: Type, count: u32, next: &mut u32) {
        match ty {
            Type::Array(id) => {
                let a = self.unit.types.get_array(id);
                self.number_opaque(path, a.elem, count.saturating_mul(a.len.max(1)), next);
            }
            Type::Struct(id) => {
                let unit = self.unit;
                for (n, f) in unit.types.structs[id.0 as usize].fields.iter().enumerate() {
                    self.number_opaque(&format!("{path}.{n}"), f.ty, count, next);
                }
            }
            Type::Opaque(_) => {
                self.opaque.insert(path.to_owned(), *next);
                *next = next.saturating_add(count);
            }
            _ => {}
        }
    }

    /// `index` is the number of this element among all of its path.
    fn walk(&mut self, ty: Type, layout: Option<(&TypeLayout, u32)>, index: u32) {
        let unit = self.unit;
        let (name, path) = (self.name.len(), self.path.len());
        match ty {
            Type::Array(id) => {
                let a = unit.types.get_array(id);
                if !matches!(a.elem, Type::Array(_) | Type::Struct(_)) {
                    let index = index.saturating_mul(a.len.max(1));
                    self.name.push_str("[0]");
                    self.leaf(a.elem, a.len, layout, index);
                    self.name.truncate(name);
                    return;
                }
                for i in 0..a.len.max(1) {
                    let inner = layout.and_then(|(l, at)| {
                        l.elem().map(|e| (&**e, at.saturating_add(l.stride().saturating_mul(i))))
                    });
                    let index = index.saturating_mul(a.len.max(1)).saturating_add(i);
                    let _ = write!(self.name, "[{i}]");
                    self.walk(a.elem, inner, index);
                    self.name.truncate(name);
                }
            }
            Type::Struct(id) => {
                for (n, f) in unit.types.structs[id.0 as usize].fields.iter().enumerate() {
                    let inner = layout.and_then(|(l, at)| {
                        l.members().get(n).map(|m| (&*m.layout, at.saturating_add(m.offset)))
                    });
                    let field = &unit.names[f.name];
                    self.name.push('.');
                    self.name.push_str(field);
                    if !self.opaque.is_empty() {
                        let _ = write!(self.path, ".{n}");
                    }
                    self.walk(f.ty, inner, index);
                    self.name.truncate(name);
                    self.path.truncate(path);
                }
            }
            _ => self.leaf(ty, 1, layout, index),
        }
    }

    fn leaf(&mut self, ty: Type, size: u32, layout: Option<(&TypeLayout, u32)>, index: u32) {
        let counter = ty.as_opaque().is_some_and(|o| o.kind == OpaqueKind::AtomicCounter);
        let in_memory = !matches!(ty, Type::Opaque(_));
        let memory = layout.filter(|_| in_memory).map(|(l, offset)| {
            let (matrix_stride, row_major) = l.matrix().unwrap_or_default();
            let array_stride = if let Shape::Array { stride, .. } = l.shape { stride } else { 0 };
            LeafMemory { offset, array_stride, matrix_stride, row_major }
        });
        let opaque = self.opaque.get(&self.path).map_or(0, |first| first.saturating_add(index));
        let (location, scalar) = (self.location, self.scalar);
        let elements = size.max(1);
        if !counter {
            self.location = self.location.saturating_add(elements);
        }
        self.scalar = self.scalar.saturating_add(self.unit.types.components(ty).saturating_mul(elements));
        let name = Name::from(self.name.as_str());
        self.leaves.push(Leaf { name, ty, size, memory, location, opaque, element: index, scalar });
    }
}

//! Types of the IR as types of the language.

use crate::hir::{MatrixLayout, Packing, Qualifiers, Unit};
use crate::link::layout::{Layouts, Rules, Shape, TypeLayout};
use crate::source::Span;
use crate::types::{Base, Field, Opaque, OpaqueKind, Struct, Type};
use airfoil_ir::{self as ir, ImageType, Scalar, TypeId, Types};
use rustc_hash::FxHashMap;

/// The packings that a block can have, in the order in which they are tried.
const PACKINGS: [Packing; 3] = [Packing::Std140, Packing::Std430, Packing::Scalar];

/// Converts the types of a shader; each structure once.
#[derive(Debug, Default)]
pub struct TypeMap {
    known: FxHashMap<TypeId, Type>,
}

impl TypeMap {
    /// The type in a unit; `Error` for one that the language does not have.
    pub fn convert(&mut self, types: &Types, ty: TypeId, unit: &mut Unit) -> Type {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let made = match &types[ty] {
            ir::Type::Vector { scalar, comps } => {
                base(*scalar).map_or(Type::Error, |base| Type::Vector { base, size: *comps })
            }
            ir::Type::Matrix { scalar, cols, rows, .. } => {
                base(*scalar).map_or(Type::Error, |base| Type::Matrix { base, cols: *cols, rows: *rows })
            }
            ir::Type::Array { elem, len, .. } => {
                let elem = self.convert(types, *elem, unit);
                unit.types.array(elem, *len)
            }
            ir::Type::Struct(s) => {
                let mut fields = Vec::with_capacity(s.members.len());
                for m in &s.members {
                    let ty = self.convert(types, m.ty, unit);
                    let mut qualifiers = Qualifiers::default();
                    qualifiers.layout.offset = m.offset;
                    qualifiers.layout.matrix = Some(matrix_layout(types, m.ty));
                    let name = unit.names.intern(&m.name);
                    fields.push(Field { name, ty, span: Span::default(), qualifiers, builtin: None });
                }
                let name = Some(unit.names.intern(&s.name));
                let (block, span) = (s.block, Span::default());
                Type::Struct(unit.types.add_struct(Struct { name, fields, block, span, reference: None }))
            }
            ir::Type::Image(image) => Type::Opaque(opaque(*image)),
            ir::Type::Sampler => Type::Error,
        };
        self.known.insert(ty, made);
        made
    }
}

fn base(scalar: Scalar) -> Option<Base> {
    Some(match scalar {
        Scalar::Any => return None,
        Scalar::Bool => Base::Bool,
        Scalar::Int8 => Base::Int8,
        Scalar::Int16 => Base::Int16,
        Scalar::Int32 => Base::Int,
        Scalar::Int64 => Base::Int64,
        Scalar::Uint8 => Base::Uint8,
        Scalar::Uint16 => Base::Uint16,
        Scalar::Uint32 => Base::Uint,
        Scalar::Uint64 => Base::Uint64,
        Scalar::Float16 => Base::Half,
        Scalar::Float32 => Base::Float,
        Scalar::Float64 => Base::Double,
    })
}

fn opaque(image: ImageType) -> Opaque {
    let kind = match (image.storage, image.combined) {
        (true, _) => OpaqueKind::Image,
        (false, true) => OpaqueKind::Sampled,
        (false, false) => OpaqueKind::Texture,
    };
    Opaque {
        kind,
        sampled: base(image.sampled).unwrap_or(Base::Float),
        dim: image.dim,
        arrayed: image.arrayed,
        shadow: image.shadow && !image.storage,
        external: false,
    }
}

/// The layout of the matrices in a type, which has one kind of them.
fn matrix_layout(types: &Types, ty: TypeId) -> MatrixLayout {
    match types[types.without_arrays(ty)] {
        ir::Type::Matrix { row_major: true, .. } => MatrixLayout::RowMajor,
        _ => MatrixLayout::ColumnMajor,
    }
}

/// The packing that gives a block the offsets and strides that it has in the shader.
pub fn packing(types: &Types, block: TypeId, unit: &Unit, converted: Type) -> Option<Packing> {
    let mut layouts = Layouts::new(&unit.types);
    PACKINGS.into_iter().find(|&packing| {
        let rules = Rules { packing, matrix: MatrixLayout::ColumnMajor };
        layouts.of(converted, rules).is_ok_and(|layout| fits(types, block, &layout))
    })
}

/// Whether a layout is that of a type. Types nest as deeply as a front end allows.
fn fits(types: &Types, ty: TypeId, layout: &TypeLayout) -> bool {
    match (&types[ty], &layout.shape) {
        (ir::Type::Vector { .. }, Shape::Vector) => true,
        (ir::Type::Matrix { stride, row_major, .. }, Shape::Matrix { stride: s, row_major: r }) => {
            (stride, row_major) == (s, r)
        }
        (ir::Type::Array { elem, stride, .. }, Shape::Array { stride: s, elem: inner, .. }) => {
            stride == s && fits(types, *elem, inner)
        }
        (ir::Type::Struct(s), Shape::Struct { members, .. }) => {
            let mut pairs = s.members.iter().zip(members);
            pairs.all(|(m, place)| m.offset == Some(place.offset) && fits(types, m.ty, &place.layout))
        }
        _ => false,
    }
}

//! Types of the IR as types of the language.

use crate::hir::{MatrixLayout, Packing, Qualifiers, Unit};
use crate::link::layout::{Layouts, MAX_BYTES, MemberLayout, Rules, Shape, TypeLayout};
use crate::source::Span;
use crate::types::{Base, Field, Opaque, OpaqueKind, Struct, Type};
use airfoil_ir::{self as ir, ImageFormat, ImageType, Scalar, TypeId, Types};
use rustc_hash::FxHashMap;
use std::sync::Arc;

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
                    if let ir::Type::Image(image) = &types[types.without_arrays(m.ty)] {
                        qualifiers.layout.format = image_format(image);
                    }
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

/// The format of an image, if it has one.
pub fn image_format(image: &ImageType) -> Option<ImageFormat> {
    Some(image.format).filter(|&format| format != ImageFormat::Unknown)
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

/// Lays out types of a shader by their offsets and strides; each type once.
pub struct Explicit<'a> {
    types: &'a Types,
    unit: &'a Unit,
    known: FxHashMap<TypeId, Option<Arc<TypeLayout>>>,
}

impl<'a> Explicit<'a> {
    /// For the types of a shader and of its unit.
    pub fn new(types: &'a Types, unit: &'a Unit) -> Explicit<'a> {
        Explicit { types, unit, known: FxHashMap::default() }
    }

    /// The layout of a type. `None` if members or elements overlap or are not aligned to their components, which contradicts every
    /// packing, or if the type is too large. Types nest as deeply as a front end allows.
    pub fn of(&mut self, ty: TypeId, converted: Type) -> Option<Arc<TypeLayout>> {
        if let Some(known) = self.known.get(&ty) {
            return known.clone();
        }
        let made = self.compute(ty, converted).map(Arc::new);
        self.known.insert(ty, made.clone());
        made
    }

    fn compute(&mut self, ty: TypeId, converted: Type) -> Option<TypeLayout> {
        let (types, unit) = (self.types, self.unit);
        match (&types[ty], converted) {
            (ir::Type::Vector { scalar, comps }, _) => {
                let align = bytes_of(*scalar);
                Some(TypeLayout { size: align * u32::from(*comps), align, shape: Shape::Vector })
            }
            (ir::Type::Matrix { scalar, cols, rows, stride, row_major }, _) => {
                let align = bytes_of(*scalar);
                let (vectors, len) = if *row_major { (rows, cols) } else { (cols, rows) };
                let vector = align * u32::from(*len);
                let size = steps((*vectors).into(), *stride, (vector, align))?;
                Some(TypeLayout {
                    size,
                    align,
                    shape: Shape::Matrix { stride: *stride, row_major: *row_major },
                })
            }
            (ir::Type::Array { elem, len, stride }, Type::Array(id)) => {
                let elem = self.of(*elem, unit.types.get_array(id).elem)?;
                let size = steps(*len, *stride, (elem.size, elem.align))?;
                let align = elem.align;
                Some(TypeLayout { size, align, shape: Shape::Array { stride: *stride, len: *len, elem } })
            }
            (ir::Type::Struct(s), Type::Struct(id)) => {
                let fields = &unit.types.structs[id.0 as usize].fields;
                let mut members = Vec::with_capacity(s.members.len());
                for (member, field) in s.members.iter().zip(fields) {
                    let layout = self.of(member.ty, field.ty)?;
                    let offset = member.offset.filter(|offset| offset.is_multiple_of(layout.align))?;
                    members.push(MemberLayout { offset, layout });
                }
                let end = |m: &MemberLayout| u64::from(m.offset) + u64::from(m.layout.size);
                let mut order: Vec<&MemberLayout> = members.iter().collect();
                order.sort_by_key(|m| (m.offset, end(m)));
                if order.windows(2).any(|pair| end(pair[0]) > u64::from(pair[1].offset)) {
                    return None;
                }
                let align = members.iter().map(|m| m.layout.align).max().unwrap_or(1);
                let last = members.iter().map(end).max().unwrap_or(0);
                let size = within(last.next_multiple_of(u64::from(align)))?;
                Some(TypeLayout { size, align, shape: Shape::Struct { id, members } })
            }
            _ => None,
        }
    }
}

/// Bytes of elements with a stride, each of a size and alignment; the last one does not take a whole stride.
fn steps(count: u32, stride: u32, (size, align): (u32, u32)) -> Option<u32> {
    let is_valid = stride >= size && stride.is_multiple_of(align);
    match count {
        _ if !is_valid => None,
        0 => Some(0),
        n => within(u64::from(n - 1) * u64::from(stride) + u64::from(size)),
    }
}

fn within(bytes: u64) -> Option<u32> {
    u32::try_from(bytes).ok().filter(|&bytes| u64::from(bytes) <= MAX_BYTES)
}

/// Bytes of a component; booleans are numbers in memory.
fn bytes_of(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Bool => 4,
        _ => (u32::from(scalar.bits()) / 8).max(1),
    }
}

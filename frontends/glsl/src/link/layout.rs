//! Layout of blocks in memory: std140, std430, scalar (GLSL 4.60 section 4.4.5, OpenGL 4.6 section 7.6.2.2).
//!
//! `shared` and `packed` are laid out as std140: no member is left out, so that equal declarations always match and offsets do
//! not depend on what a shader happens to use. The default uniform block is laid out as std140, too; opaque members take
//! no space in it.

use crate::hir::{MatrixLayout, Packing, Storage, Unit, VarId, Variable};
use crate::types::{StructId, Type, TypeTable};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Most bytes of a laid-out type: the range of a signed 32-bit offset.
pub const MAX_BYTES: u64 = i32::MAX as u64;

/// How a type is laid out: the layout qualifiers of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Packing.
    pub packing: Packing,
    /// Layout of matrices without a qualifier of their own.
    pub matrix: MatrixLayout,
}

impl Rules {
    /// Of the default uniform block.
    pub const DEFAULT_BLOCK: Rules = Rules { packing: Packing::Std140, matrix: MatrixLayout::ColumnMajor };

    /// Of a block variable. A block without a qualifier is `shared`; for Vulkan a buffer or push-constant block is std430, a
    /// uniform block std140 (GL_KHR_vulkan_glsl).
    pub fn of_block(unit: &Unit, var: &Variable) -> Rules {
        let layout = &var.qualifiers.layout;
        let default = match (unit.vulkan, var.qualifiers.storage) {
            (true, Storage::Buffer) => Packing::Std430,
            (true, _) if layout.push_constant => Packing::Std430,
            (true, _) => Packing::Std140,
            (false, _) => Packing::Shared,
        };
        Rules {
            packing: layout.packing.unwrap_or(default),
            matrix: layout.matrix.unwrap_or(MatrixLayout::ColumnMajor),
        }
    }
}

/// A type in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeLayout {
    /// Bytes, padding at the end included; a runtime-sized array counts no element.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Contents.
    pub shape: Shape,
}

/// The contents of a type in memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Scalar or vector without gaps.
    Vector,
    /// Opaque: no room.
    Opaque,
    /// Matrix.
    Matrix {
        /// Bytes from one column (row-major: one row) to the next.
        stride: u32,
        /// Rows are contiguous.
        row_major: bool,
    },
    /// Array.
    Array {
        /// Bytes from one element to the next.
        stride: u32,
        /// Elements; 0 = runtime-sized.
        len: u32,
        /// An element.
        elem: Arc<TypeLayout>,
    },
    /// Structure or block.
    Struct {
        /// Which.
        id: StructId,
        /// Members, in order.
        members: Vec<MemberLayout>,
    },
}

/// A member in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberLayout {
    /// Bytes from the start of the structure.
    pub offset: u32,
    /// The member itself.
    pub layout: Arc<TypeLayout>,
}

impl TypeLayout {
    /// Bytes from one element of the outermost array to the next; 0 for anything but an array.
    pub fn stride(&self) -> u32 {
        if let Shape::Array { stride, .. } = self.shape { stride } else { 0 }
    }

    /// An element of the outermost array.
    pub fn elem(&self) -> Option<&Arc<TypeLayout>> {
        if let Shape::Array { elem, .. } = &self.shape { Some(elem) } else { None }
    }

    /// Members of a structure; none if it is none.
    pub fn members(&self) -> &[MemberLayout] {
        if let Shape::Struct { members, .. } = &self.shape { members } else { &[] }
    }

    /// Stride and whether it is row-major, of a matrix inside of any arrays.
    pub fn matrix(&self) -> Option<(u32, bool)> {
        match &self.shape {
            Shape::Matrix { stride, row_major } => Some((*stride, *row_major)),
            Shape::Array { elem, .. } => elem.matrix(),
            _ => None,
        }
    }

    /// Whether two layouts, of types that agree, have the same offsets and strides.
    pub fn agrees(&self, other: &TypeLayout) -> bool {
        match (&self.shape, &other.shape) {
            (Shape::Array { stride, len, elem }, Shape::Array { stride: s, len: l, elem: e }) => {
                (stride, len) == (s, l) && elem.agrees(e)
            }
            (Shape::Struct { members, .. }, Shape::Struct { members: others, .. }) => {
                members.len() == others.len()
                    && members
                        .iter()
                        .zip(others)
                        .all(|(a, b)| a.offset == b.offset && a.layout.agrees(&b.layout))
            }
            (a, b) => a == b,
        }
    }

    /// Bytes that a buffer needs at least: as `size`, with one element of a runtime-sized last member
    /// (OpenGL 4.6 section 7.3.1.1, `BUFFER_DATA_SIZE`).
    pub fn min_buffer_size(&self) -> u32 {
        match self.members().last() {
            Some(MemberLayout { offset, layout }) => match layout.shape {
                Shape::Array { len: 0, stride, .. } => {
                    round_up(u64::from(*offset) + u64::from(stride), self.align).min(MAX_BYTES) as u32
                }
                _ => self.size,
            },
            None => self.size,
        }
    }
}

/// The type has more bytes than [`MAX_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "it takes more than {MAX_BYTES} bytes")
    }
}

impl std::error::Error for TooLarge {}

/// Lays out types of one table; each type once.
#[derive(Debug)]
pub struct Layouts<'t> {
    types: &'t TypeTable,
    known: FxHashMap<(Type, Rules), Arc<TypeLayout>>,
}

impl<'t> Layouts<'t> {
    /// For the types of `types`.
    pub fn new(types: &'t TypeTable) -> Layouts<'t> {
        Layouts { types, known: FxHashMap::default() }
    }

    /// Layout of the block that a variable holds, possibly in arrays.
    pub fn of_block(&mut self, unit: &Unit, id: VarId) -> Result<Arc<TypeLayout>, TooLarge> {
        match own_layout(unit, id) {
            Some(layout) => Ok(layout.clone()),
            None => {
                let var = &unit[id];
                self.of(unit.types.without_arrays(var.ty), Rules::of_block(unit, var))
            }
        }
    }

    /// Layout of a type.
    pub fn of(&mut self, ty: Type, rules: Rules) -> Result<Arc<TypeLayout>, TooLarge> {
        if let Some(known) = self.known.get(&(ty, rules)) {
            return Ok(known.clone());
        }
        let layout = Arc::new(self.compute(ty, rules)?);
        self.known.insert((ty, rules), layout.clone());
        Ok(layout)
    }

    fn compute(&mut self, ty: Type, rules: Rules) -> Result<TypeLayout, TooLarge> {
        // Types nest as deeply as the parser allows.
        match ty {
            Type::Vector { base, size } => {
                let bytes = u32::from(base.bits()) / 8;
                let (size, align) = vector(bytes, u32::from(size), rules.packing);
                Ok(TypeLayout { size, align, shape: Shape::Vector })
            }
            Type::Matrix { base, cols, rows } => {
                let bytes = u32::from(base.bits()) / 8;
                let row_major = rules.matrix == MatrixLayout::RowMajor;
                let (vectors, len) = if row_major { (rows, cols) } else { (cols, rows) };
                let (size, align) = vector(bytes, u32::from(len), rules.packing);
                let align = aggregate_align(align, rules.packing);
                let stride = round_up(u64::from(size), align) as u32;
                Ok(TypeLayout {
                    size: stride * u32::from(vectors),
                    align,
                    shape: Shape::Matrix { stride, row_major },
                })
            }
            Type::Array(id) => {
                let array = self.types.get_array(id);
                let elem = self.of(array.elem, rules)?;
                let align = aggregate_align(elem.align, rules.packing);
                let stride = checked(round_up(u64::from(elem.size), align))?;
                let size = checked(u64::from(stride) * u64::from(array.len))?;
                Ok(TypeLayout { size, align, shape: Shape::Array { stride, len: array.len, elem } })
            }
            Type::Struct(id) => self.structure(id, rules),
            Type::Reference(_) => self.compute(Type::UINT64, rules),
            Type::Opaque(_) | Type::Void | Type::Error => {
                Ok(TypeLayout { size: 0, align: 1, shape: Shape::Opaque })
            }
        }
    }

    fn structure(&mut self, id: StructId, rules: Rules) -> Result<TypeLayout, TooLarge> {
        let types = self.types;
        let s = &types.structs[id.0 as usize];
        let mut members = Vec::with_capacity(s.fields.len());
        let (mut end, mut align) = (0u64, 1);
        for field in &s.fields {
            let said = &field.qualifiers.layout;
            let inner = Rules { matrix: said.matrix.unwrap_or(rules.matrix), ..rules };
            let layout = self.of(field.ty, inner)?;
            // `align` raises a member's alignment, `offset` moves it first (GLSL 4.60 section 4.4.5). Alignments are powers of two.
            let own = said.align.filter(|a| a.is_power_of_two()).unwrap_or(1).max(layout.align);
            let start = round_up(said.offset.map_or(end, u64::from), own);
            members.push(MemberLayout { offset: checked(start)?, layout: layout.clone() });
            end = end.max(start + u64::from(layout.size));
            align = align.max(own);
        }
        let align = aggregate_align(align, rules.packing);
        // A block's size is not padded beyond the needs of its members, but readers may load whole vectors.
        let size = checked(round_up(end, align))?;
        Ok(TypeLayout { size, align, shape: Shape::Struct { id, members } })
    }
}

/// The layout of a block of a SPIR-V module that no packing gives.
pub fn own_layout(unit: &Unit, id: VarId) -> Option<&Arc<TypeLayout>> {
    let layouts = unit.imported.as_ref().map_or(&[][..], |imported| &imported.layouts);
    layouts.iter().find(|(var, _)| *var == id).map(|(_, layout)| layout)
}

/// Size and alignment of a vector with components of `bytes` bytes: three components are aligned as four.
fn vector(bytes: u32, len: u32, packing: Packing) -> (u32, u32) {
    let align = match (packing, len) {
        (Packing::Scalar, _) | (_, 1) => bytes,
        (_, 2) => 2 * bytes,
        _ => 4 * bytes,
    };
    (bytes * len, align)
}

/// Arrays, matrices and structures are aligned to 16 bytes, but in std430 and scalar layout.
fn aggregate_align(align: u32, packing: Packing) -> u32 {
    match packing {
        Packing::Std430 | Packing::Scalar => align,
        Packing::Std140 | Packing::Shared | Packing::Packed => align.max(16),
    }
}

fn round_up(n: u64, align: u32) -> u64 {
    n.next_multiple_of(u64::from(align.max(1)))
}

fn checked(bytes: u64) -> Result<u32, TooLarge> {
    if bytes <= MAX_BYTES { Ok(bytes as u32) } else { Err(TooLarge) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hir::Qualifiers;
    use crate::source::Span;
    use crate::token::Symbol;
    use crate::types::{Base, Field, Struct};

    fn rules(packing: Packing) -> Rules {
        Rules { packing, matrix: MatrixLayout::ColumnMajor }
    }

    fn structure(types: &mut TypeTable, fields: &[Type]) -> Type {
        let fields = fields
            .iter()
            .map(|&ty| Field {
                name: Symbol(0),
                ty,
                span: Span::default(),
                qualifiers: Qualifiers::default(),
                builtin: None,
            })
            .collect();
        Type::Struct(types.add_struct(Struct {
            name: None,
            fields,
            block: false,
            span: Span::default(),
            reference: None,
        }))
    }

    fn offsets(types: &TypeTable, ty: Type, packing: Packing) -> (Vec<u32>, u32) {
        let layout = Layouts::new(types).of(ty, rules(packing)).unwrap();
        (layout.members().iter().map(|m| m.offset).collect(), layout.size)
    }

    #[test]
    fn example_of_the_opengl_specification() {
        // OpenGL 4.6 section 7.6.2.2, the block Example without its nested structures.
        let mut types = TypeTable::default();
        let float = Type::FLOAT;
        let bool2 = types.array(Type::BOOL, 2);
        let inner = structure(&mut types, &[Type::INT, Type::vector(Base::Bool, 2)]);
        let mat2x3 = Type::Matrix { base: Base::Float, cols: 2, rows: 3 };
        let all = structure(
            &mut types,
            &[float, Type::VEC2, Type::VEC3, inner, float, bool2, mat2x3, Type::DOUBLE],
        );
        assert_eq!(offsets(&types, all, Packing::Std140), (vec![0, 8, 16, 32, 48, 64, 96, 128], 144));
        assert_eq!(offsets(&types, all, Packing::Std430), (vec![0, 8, 16, 32, 48, 52, 64, 96], 112));
        assert_eq!(offsets(&types, all, Packing::Scalar), (vec![0, 4, 12, 24, 36, 40, 48, 72], 80));
    }

    #[test]
    fn row_major_swaps_vectors() {
        let mut types = TypeTable::default();
        let mat = Type::Matrix { base: Base::Double, cols: 2, rows: 4 };
        let array = types.array(mat, 3);
        let row_major = Rules { packing: Packing::Std140, matrix: MatrixLayout::RowMajor };
        let layout = Layouts::new(&types).of(array, row_major).unwrap();
        assert_eq!((layout.matrix(), layout.stride(), layout.size), (Some((16, true)), 64, 192));
        let columns = Layouts::new(&types).of(array, rules(Packing::Std140)).unwrap();
        assert_eq!((columns.matrix(), columns.stride()), (Some((32, false)), 64));
    }

    #[test]
    fn explicit_offsets_and_alignments() {
        let mut types = TypeTable::default();
        let Type::Struct(id) = structure(&mut types, &[Type::VEC4, Type::VEC4, Type::FLOAT]) else {
            unreachable!()
        };
        types.structs[id.0 as usize].fields[1].qualifiers.layout.offset = Some(24);
        types.structs[id.0 as usize].fields[1].qualifiers.layout.align = Some(32);
        types.structs[id.0 as usize].fields[2].qualifiers.layout.align = Some(64);
        assert_eq!(offsets(&types, Type::Struct(id), Packing::Std140), (vec![0, 32, 64], 128));
    }

    #[test]
    fn runtime_sized_member_counts_once_for_the_buffer() {
        let mut types = TypeTable::default();
        let tail = types.array(Type::VEC3, 0);
        let block = structure(&mut types, &[Type::FLOAT, tail]);
        let layout = Layouts::new(&types).of(block, rules(Packing::Std430)).unwrap();
        assert_eq!((layout.size, layout.min_buffer_size()), (16, 32));
    }

    #[test]
    fn enormous_types_are_refused_quickly() {
        let mut types = TypeTable::default();
        let mut ty = types.array(Type::VEC4, 0x7fff_ffff);
        assert_eq!(Layouts::new(&types).of(ty, Rules::DEFAULT_BLOCK).unwrap_err(), TooLarge);
        // 2^200 elements by doubling: each type is laid out once.
        ty = Type::VEC4;
        for _ in 0..200 {
            ty = structure(&mut types, &[ty, ty]);
        }
        assert_eq!(Layouts::new(&types).of(ty, Rules::DEFAULT_BLOCK).unwrap_err(), TooLarge);
    }

    #[test]
    fn array_strides_depend_on_the_packing() {
        let mut types = TypeTable::default();
        let array = types.array(Type::scalar(Base::Float), 3);
        let mut layouts = Layouts::new(&types);
        for (packing, stride) in [(Packing::Std140, 16), (Packing::Std430, 4)] {
            assert_eq!(layouts.of(array, rules(packing)).unwrap().stride(), stride);
        }
    }
}

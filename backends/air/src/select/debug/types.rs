//! Types in the debug information, by which a debugger reads values and the memory of pointers.
//!
//! | type of the IR | record |
//! |---|---|
//! | scalar | `DIBasicType` by its C name |
//! | vector | `DICompositeType`, `DW_TAG_array_type` with the vector flag, as in clang |
//! | matrix | array of its columns (of its rows, if those are contiguous) |
//! | array | `DW_TAG_array_type`; -1 elements if it is known only at run time |
//! | structure, block | `DW_TAG_structure_type` with the offsets of the members in bits |
//! | texture, sampler | pointer to a declared structure by Metal's name |
//!
//! DWARF 4 as LLVM writes it has no distance between elements: they follow each other by their size. Elements that are farther
//! apart are put into a structure of that size, whose one member has no name. Sizes and offsets are in bits.

use crate::module::{Md, Module, di};
use crate::select::types::{Layouts, Shape};
use airfoil_ir::{Name, Scalar, StructType, Type, TypeId, Types};
use rustc_hash::FxHashMap;

/// `DW_TAG_array_type`
const ARRAY: u64 = 0x01;
/// `DW_TAG_member`
const MEMBER: u64 = 0x0d;
/// `DW_TAG_pointer_type`
const POINTER: u64 = 0x0f;
/// `DW_TAG_structure_type`
const STRUCTURE: u64 = 0x13;
/// `DW_TAG_base_type`
const BASE: u64 = 0x24;
/// `DIFlagFwdDecl`
const DECLARED: u64 = 1 << 2;
/// `DIFlagVector`
const VECTOR: u64 = 1 << 11;
/// Second bit of the first field of a composite type: its references are not identifiers of types, as LLVM before 3.9
/// had.
const NEW_REFERENCES: u64 = 2;
/// Structures nested deeper than this are bytes, as in their memory.
const MAX_DEPTH: u32 = 64;

/// Type of an argument in the source.
pub(crate) enum SourceType {
    /// A scalar or vector.
    Value(Scalar, u8),
    /// A pointer to memory of this type.
    Memory(TypeId, Layout),
    /// A texture, sampler or the like: Metal's name.
    Handle(Name),
}

/// An argument that the source names.
pub(crate) struct SourceArgument {
    pub(crate) argument: u32,
    pub(crate) name: Name,
    pub(crate) ty: SourceType,
}

/// Whose layout a type has.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Layout {
    /// The offsets and strides that the type gives.
    Explicit,
    /// LLVM's own.
    Private,
}

/// A type that was described.
#[derive(Clone, Copy)]
struct Described {
    md: Md,
    /// Size in bits, up to the end of the last member.
    bits: u64,
}

/// The tables that hold the types.
pub(crate) struct Context<'a> {
    pub(crate) m: &'a mut Module,
    pub(crate) layouts: &'a mut Layouts,
    pub(crate) types: &'a Types,
}

/// The types that were described so far.
#[derive(Default)]
pub(crate) struct DebugTypes {
    scalars: FxHashMap<Scalar, Described>,
    vectors: FxHashMap<(Scalar, u8, u64), Described>,
    types: FxHashMap<(TypeId, Layout), Described>,
    pointers: FxHashMap<Md, Md>,
    handles: FxHashMap<Name, Md>,
}

impl DebugTypes {
    /// A scalar or vector as a value.
    pub(crate) fn value(&mut self, m: &mut Module, scalar: Scalar, comps: u8) -> Md {
        self.vector(m, scalar, comps, 0).md
    }

    /// A type of memory, or of an array of values.
    pub(crate) fn memory(&mut self, c: &mut Context<'_>, ty: TypeId, layout: Layout) -> Md {
        self.of(c, ty, layout, 0).md
    }

    /// A pointer.
    pub(crate) fn pointer(&mut self, m: &mut Module, to: Md) -> Md {
        *self.pointers.entry(to).or_insert_with(|| {
            let null = Md::NULL.word();
            m.md_debug(
                di::DERIVED_TYPE,
                &[0, POINTER, null, null, 0, null, to.word(), 64, 0, 0, 0, null, 0],
                false,
            )
        })
    }

    /// An opaque type with the name that Metal gives it.
    pub(crate) fn handle(&mut self, m: &mut Module, name: &str) -> Md {
        if let Some(&known) = self.handles.get(name) {
            return known;
        }
        let declared = composite(m, STRUCTURE, name, Md::NULL, 0, DECLARED, Md::NULL);
        let md = self.pointer(m, declared);
        self.handles.insert(name.into(), md);
        md
    }

    fn scalar(&mut self, m: &mut Module, scalar: Scalar) -> Described {
        *self.scalars.entry(scalar).or_insert_with(|| {
            let (name, bits, encoding) = basic(scalar);
            let name = m.md_str(name).word();
            let md = m.md_debug(di::BASIC_TYPE, &[0, BASE, name, bits, 0, encoding], false);
            Described { md, bits }
        })
    }

    /// A vector that takes at least `room` bits; three components have room for four.
    fn vector(&mut self, m: &mut Module, scalar: Scalar, comps: u8, room: u64) -> Described {
        let element = self.scalar(m, scalar);
        if comps <= 1 {
            return element;
        }
        let room = if comps == 3 && room == element.bits * 4 { room } else { 0 };
        *self.vectors.entry((scalar, comps, room)).or_insert_with(|| {
            let bits = room.max(element.bits * u64::from(comps));
            let md = array(m, element.md, Some(u64::from(comps)), bits, VECTOR);
            Described { md, bits }
        })
    }

    fn of(&mut self, c: &mut Context<'_>, ty: TypeId, layout: Layout, depth: u32) -> Described {
        if let Some(&known) = self.types.get(&(ty, layout)) {
            return known;
        }
        let types = c.types;
        let made = match &types[ty] {
            &Type::Vector { scalar, comps } => self.vector(c.m, memory_scalar(scalar, layout), comps, 0),
            &Type::Matrix { scalar, cols, rows, stride, row_major } => {
                let (len, comps) =
                    if row_major && layout == Layout::Explicit { (rows, cols) } else { (cols, rows) };
                let stride = match self.private(c, ty, layout) {
                    Some(Shape::Matrix { stride, .. } | Shape::Array { stride, .. }) => stride,
                    _ => stride,
                };
                let column = self.vector(c.m, scalar, comps, u64::from(stride) * 8);
                self.elements(c.m, column, Some(u64::from(len)), stride)
            }
            &Type::Array { elem, len, stride } => {
                let stride = match self.private(c, ty, layout) {
                    Some(Shape::Array { stride, .. }) => stride,
                    _ => stride,
                };
                let elem = match types[elem] {
                    Type::Vector { scalar, comps } => {
                        self.vector(c.m, memory_scalar(scalar, layout), comps, u64::from(stride) * 8)
                    }
                    _ if depth > MAX_DEPTH => self.bytes(c.m, types.size(elem)),
                    _ => self.of(c, elem, layout, depth + 1),
                };
                let len = (len != 0).then_some(u64::from(len));
                self.elements(c.m, elem, len, stride)
            }
            Type::Struct(_) if depth > MAX_DEPTH => self.bytes(c.m, types.size(ty)),
            Type::Struct(s) => self.structure(c, ty, s, layout, depth),
            Type::Image(_) => Described { md: self.handle(c.m, "texture"), bits: 64 },
            Type::Sampler => Described { md: self.handle(c.m, "sampler"), bits: 64 },
        };
        self.types.insert((ty, layout), made);
        made
    }

    /// LLVM's layout of a type, if requested.
    fn private(&self, c: &mut Context<'_>, ty: TypeId, layout: Layout) -> Option<Shape> {
        (layout == Layout::Private).then(|| {
            let mem = c.layouts.private(c.m, c.types, ty);
            c.layouts[mem].shape.clone()
        })
    }

    /// An array whose elements are `stride` bytes apart; zero means as far as they are large.
    fn elements(&mut self, m: &mut Module, elem: Described, len: Option<u64>, stride: u32) -> Described {
        let apart = u64::from(stride) * 8;
        let elem = if apart > elem.bits {
            let member = member(m, "", elem, 0);
            let list = m.md_node(&[member]);
            Described { md: composite(m, STRUCTURE, "", Md::NULL, apart, 0, list), bits: apart }
        } else {
            elem
        };
        let bits = len.map_or(0, |len| elem.bits.saturating_mul(len));
        Described { md: array(m, elem.md, len, bits, 0), bits }
    }

    fn structure(
        &mut self,
        c: &mut Context<'_>,
        ty: TypeId,
        s: &StructType,
        layout: Layout,
        depth: u32,
    ) -> Described {
        let shape = self.private(c, ty, layout);
        let (mut list, mut end) = (Vec::with_capacity(s.members.len()), 0);
        for (at, part) in s.members.iter().enumerate() {
            let described = self.of(c, part.ty, layout, depth + 1);
            let offset = match (&shape, part.offset) {
                (Some(Shape::Struct { fields, by_member }), _) => {
                    by_member.get(at).and_then(|&field| fields.get(field as usize)).map(|field| field.0)
                }
                (_, offset) => offset,
            };
            let offset = offset.map_or(end, |bytes| u64::from(bytes) * 8);
            end = end.max(offset.saturating_add(described.bits));
            list.push(member(c.m, &part.name, described, offset));
        }
        let list = c.m.md_node(&list);
        Described { md: composite(c.m, STRUCTURE, &s.name, Md::NULL, end, 0, list), bits: end }
    }

    fn bytes(&mut self, m: &mut Module, size: u32) -> Described {
        let byte = self.scalar(m, Scalar::Uint8);
        self.elements(m, byte, Some(u64::from(size)), 0)
    }
}

/// The representation of a scalar in memory: booleans take a byte, and a word where the layout is given.
fn memory_scalar(scalar: Scalar, layout: Layout) -> Scalar {
    match (scalar, layout) {
        (Scalar::Bool, Layout::Explicit) => Scalar::Uint32,
        _ => scalar,
    }
}

/// Name, size in bits and DWARF encoding of a scalar.
fn basic(scalar: Scalar) -> (&'static str, u64, u64) {
    const BOOLEAN: u64 = 0x02;
    const FLOAT: u64 = 0x04;
    const SIGNED: u64 = 0x05;
    const SIGNED_CHAR: u64 = 0x06;
    const UNSIGNED: u64 = 0x07;
    const UNSIGNED_CHAR: u64 = 0x08;
    match scalar {
        Scalar::Bool => ("bool", 8, BOOLEAN),
        Scalar::Int8 => ("char", 8, SIGNED_CHAR),
        Scalar::Int16 => ("short", 16, SIGNED),
        Scalar::Int32 => ("int", 32, SIGNED),
        Scalar::Int64 => ("long", 64, SIGNED),
        Scalar::Uint8 => ("uchar", 8, UNSIGNED_CHAR),
        Scalar::Uint16 => ("ushort", 16, UNSIGNED),
        Scalar::Uint32 | Scalar::Any => ("uint", 32, UNSIGNED),
        Scalar::Uint64 => ("ulong", 64, UNSIGNED),
        Scalar::Float16 => ("half", 16, FLOAT),
        Scalar::Float32 => ("float", 32, FLOAT),
        Scalar::Float64 => ("double", 64, FLOAT),
    }
}

/// An array type; -1 is LLVM's length of arrays whose length is known only at run time.
fn array(m: &mut Module, elem: Md, len: Option<u64>, bits: u64, flags: u64) -> Md {
    // The lower bound is zero.
    let range = m.md_debug(di::SUBRANGE, &[0, len.unwrap_or(u64::MAX), 0], false);
    let list = m.md_node(&[range]);
    composite(m, ARRAY, "", elem, bits, flags, list)
}

fn composite(m: &mut Module, tag: u64, name: &str, base: Md, bits: u64, flags: u64, elements: Md) -> Md {
    let null = Md::NULL.word();
    let name = named(m, name);
    let record = [
        NEW_REFERENCES,
        tag,
        name.word(),
        null,
        0,
        null,
        base.word(),
        bits,
        0,
        0,
        flags,
        elements.word(),
        0,
        null,
        null,
        null,
    ];
    m.md_debug(di::COMPOSITE_TYPE, &record, false)
}

fn member(m: &mut Module, name: &str, ty: Described, offset: u64) -> Md {
    let null = Md::NULL.word();
    let name = named(m, name).word();
    let record = [0, MEMBER, name, null, 0, null, ty.md.word(), ty.bits, 0, offset, 0, null, 0];
    m.md_debug(di::DERIVED_TYPE, &record, false)
}

/// A name, or null for none.
fn named(m: &mut Module, name: &str) -> Md {
    if name.is_empty() { Md::NULL } else { m.md_str(name) }
}

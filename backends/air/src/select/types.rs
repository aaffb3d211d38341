//! Types: the representation of values and memory of the IR in AIR, and the names that Metal gives them.
//!
//! Memory comes in two kinds. *Explicit* memory (blocks) has offsets and strides that must be exact: where LLVM's own
//! layout differs, padding is explicit, three-component vectors become arrays of three, and types that cannot be
//! expressed become bytes. *Private* memory (variables) has LLVM's own layout; booleans take a byte.

use crate::functions::NumberKind;
use crate::module::{Md, Module, Str, Type, TypeId};
use airfoil_ir as ir;
use airfoil_ir::Scalar;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::borrow::Cow;

/// How a value's bits are held in SSA: as integers (booleans included) or as floats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum Class {
    #[default]
    Int,
    Float,
}

impl Class {
    /// The class of a kind of number.
    pub(super) fn of_kind(kind: NumberKind) -> Class {
        match kind {
            NumberKind::Float => Class::Float,
            NumberKind::Signed | NumberKind::Unsigned => Class::Int,
        }
    }

    pub(super) fn of(scalar: Scalar) -> Class {
        if matches!(scalar, Scalar::Float16 | Scalar::Float32) { Class::Float } else { Class::Int }
    }
}

/// The scalar type of a class and width. 64-bit floats do not exist and are held as integers.
pub(super) fn scalar_type(class: Class, bits: u8) -> TypeId {
    match (class, bits) {
        (Class::Float, 16) => TypeId::HALF,
        (Class::Float, 32) => TypeId::FLOAT,
        (_, 1) => TypeId::I1,
        (_, 8) => TypeId::I8,
        (_, 16) => TypeId::I16,
        (_, 64) => TypeId::I64,
        _ => TypeId::I32,
    }
}

/// Scalar and vector types by class, width and components, so that none is looked up twice.
#[derive(Default)]
pub(super) struct ValueTypes {
    vectors: [[[Option<TypeId>; 3]; 8]; 2],
}

impl ValueTypes {
    pub(super) fn get(&mut self, m: &mut Module, class: Class, bits: u8, comps: u8) -> TypeId {
        let scalar = scalar_type(class, bits);
        if comps <= 1 {
            return scalar;
        }
        let slot = &mut self.vectors[class as usize][bits.trailing_zeros() as usize & 7]
            [usize::from(comps - 2).min(2)];
        *slot.get_or_insert_with(|| m.vector(scalar, u32::from(comps)))
    }
}

/// Metal's name of a scalar or vector: `float3`, `uint`.
pub(super) fn vector_name(scalar: Scalar, comps: u8) -> &'static str {
    const NAMES: [[&str; 4]; 12] = [
        ["bool", "bool2", "bool3", "bool4"],
        ["char", "char2", "char3", "char4"],
        ["short", "short2", "short3", "short4"],
        ["int", "int2", "int3", "int4"],
        ["long", "long2", "long3", "long4"],
        ["uchar", "uchar2", "uchar3", "uchar4"],
        ["ushort", "ushort2", "ushort3", "ushort4"],
        ["uint", "uint2", "uint3", "uint4"],
        ["ulong", "ulong2", "ulong3", "ulong4"],
        ["half", "half2", "half3", "half4"],
        ["float", "float2", "float3", "float4"],
        // No doubles in Metal: only their bits can be kept.
        ["ulong", "ulong2", "ulong3", "ulong4"],
    ];
    let row = match scalar {
        Scalar::Bool => 0,
        Scalar::Int8 => 1,
        Scalar::Int16 => 2,
        Scalar::Int32 => 3,
        Scalar::Int64 => 4,
        Scalar::Uint8 => 5,
        Scalar::Uint16 => 6,
        Scalar::Uint32 | Scalar::Any => 7,
        Scalar::Uint64 => 8,
        Scalar::Float16 => 9,
        Scalar::Float32 => 10,
        Scalar::Float64 => 11,
    };
    NAMES[row][usize::from(comps.clamp(1, 4)) - 1]
}

/// Address space of device memory.
pub(super) const DEVICE: u32 = 1;
/// Address space of constant memory.
pub(super) const CONSTANT: u32 = 2;
/// Address space of threadgroup memory.
pub(super) const THREADGROUP: u32 = 3;

/// Handle of a memory type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct MemId(u32);

/// A type of memory.
pub(super) struct Mem {
    /// LLVM type.
    pub(super) air: TypeId,
    /// Bytes that LLVM counts for it.
    pub(super) size: u32,
    /// Alignment that LLVM gives it.
    abi: u32,
    /// Alignment that Metal gives it.
    pub(super) align: u32,
    /// Structure.
    pub(super) shape: Shape,
}

/// The structure of a memory type.
#[derive(Clone)]
pub(super) enum Shape {
    /// A scalar or vector; `packed` if it is an array of scalars.
    Vector { class: Class, bits: u8, comps: u8, packed: bool },
    /// Elements at a distance of `stride`; `wrapped` if each is in a struct with its padding.
    Array { elem: MemId, stride: u32, len: u32, wrapped: bool },
    /// `{ [columns x vector] }`
    Matrix { column: MemId, stride: u32, len: u32 },
    /// Members: offset, index in the LLVM struct, type; by offset. The second list is by member index.
    Struct { fields: Box<[(u32, u32, MemId)]>, by_member: Box<[u32]> },
    /// Bytes.
    Raw,
}

/// Deeper nesting is kept as bytes.
pub(super) const MAX_DEPTH: u32 = 64;

/// The memory types of one selection.
#[derive(Default)]
pub(super) struct Layouts {
    mems: Vec<Mem>,
    private: FxHashMap<ir::TypeId, MemId>,
    explicit: FxHashMap<(ir::TypeId, u32), MemId>,
    names: FxHashMap<Str, TypeId>,
    /// Whether a variable has a type that nests deeper than [`MAX_DEPTH`].
    pub(super) too_deep: bool,
}

impl std::ops::Index<MemId> for Layouts {
    type Output = Mem;
    fn index(&self, id: MemId) -> &Mem {
        &self.mems[id.0 as usize]
    }
}

fn align_up(value: u32, align: u32) -> u32 {
    value.checked_next_multiple_of(align.max(1)).unwrap_or(value)
}

impl Layouts {
    fn add(&mut self, air: TypeId, size: u32, abi: u32, align: u32, shape: Shape) -> MemId {
        self.mems.push(Mem { air, size, abi, align, shape });
        MemId(self.mems.len() as u32 - 1)
    }

    /// Memory of a block or of a part of one.
    pub(super) fn explicit(&mut self, m: &mut Module, types: &ir::Types, ty: ir::TypeId) -> MemId {
        self.mem(m, types, ty, false, u32::MAX, 0)
    }

    /// Memory of a variable.
    pub(super) fn private(&mut self, m: &mut Module, types: &ir::Types, ty: ir::TypeId) -> MemId {
        self.mem(m, types, ty, true, u32::MAX, 0)
    }

    fn raw(&mut self, m: &mut Module, size: u32) -> MemId {
        let air = m.array(TypeId::I8, size);
        self.add(air, size, 1, 1, Shape::Raw)
    }

    /// Memory that takes at most `room` bytes.
    fn mem(
        &mut self,
        m: &mut Module,
        types: &ir::Types,
        ty: ir::TypeId,
        private: bool,
        room: u32,
        depth: u32,
    ) -> MemId {
        let known = if private { self.private.get(&ty) } else { self.explicit.get(&(ty, room)) };
        if let Some(&known) = known {
            return known;
        }
        self.too_deep |= private && depth > MAX_DEPTH;
        let id = if depth > MAX_DEPTH {
            self.raw(m, types.size(ty).min(room))
        } else {
            self.make(m, types, ty, private, room, depth)
        };
        if private {
            self.private.insert(ty, id);
        } else {
            self.explicit.insert((ty, room), id);
        }
        id
    }

    fn make(
        &mut self,
        m: &mut Module,
        types: &ir::Types,
        ty: ir::TypeId,
        private: bool,
        room: u32,
        depth: u32,
    ) -> MemId {
        match &types[ty] {
            ir::Type::Vector { scalar, comps } => self.vector(m, *scalar, *comps, private, room),
            ir::Type::Matrix { scalar, cols, rows, stride, row_major } => {
                let row_major = *row_major && !private;
                let (len, comps) = if row_major { (*rows, *cols) } else { (*cols, *rows) };
                let (len, stride) = (u32::from(len), if private { 0 } else { *stride });
                let column = self.vector(m, *scalar, comps, private, if stride == 0 { room } else { stride });
                let natural = self[column].size;
                let plain = !row_major && (stride == 0 || stride == natural);
                if plain && natural.saturating_mul(len) <= room {
                    let (air, align) = (self[column].air, self[column].align);
                    let columns = m.array(air, len);
                    let air = self.named(m, "struct.metal::matrix", &[columns], false);
                    let abi = self[column].abi;
                    return self.add(
                        air,
                        natural * len,
                        abi,
                        align,
                        Shape::Matrix { column, stride: natural, len },
                    );
                }
                self.array(m, column, len, stride)
            }
            ir::Type::Array { elem, len, stride } => {
                let stride = if private { 0 } else { *stride };
                let room = if stride == 0 { u32::MAX } else { stride };
                let elem = self.mem(m, types, *elem, private, room, depth + 1);
                self.array(m, elem, (*len).max(1), stride)
            }
            ir::Type::Struct(s) => self.structure(m, types, (ty, s), private, room, depth),
            ir::Type::Image(_) | ir::Type::Sampler => self.raw(m, 8),
        }
    }

    fn vector(&mut self, m: &mut Module, scalar: Scalar, comps: u8, private: bool, room: u32) -> MemId {
        let class = Class::of(scalar);
        let bits = match scalar.bits() {
            1 if private => 8,
            0 | 1 => 32,
            bits => bits,
        };
        let (bytes, n) = (u32::from(bits / 8), u32::from(comps));
        let elem = scalar_type(class, bits);
        let size = bytes * if n == 3 { 4 } else { n };
        if size <= room || n == 1 {
            let air = if n == 1 { elem } else { m.vector(elem, n) };
            return self.add(air, size, size, size, Shape::Vector { class, bits, comps, packed: false });
        }
        let air = m.array(elem, n);
        self.add(air, bytes * n, bytes, bytes, Shape::Vector { class, bits, comps, packed: true })
    }

    fn array(&mut self, m: &mut Module, elem: MemId, len: u32, stride: u32) -> MemId {
        let (air, size, abi, align) = {
            let e = &self[elem];
            (e.air, e.size, e.abi, e.align)
        };
        let total = |stride: u32| stride.saturating_mul(len);
        if stride == 0 || stride == size {
            let air = m.array(air, len);
            return self.add(
                air,
                total(size),
                abi,
                align,
                Shape::Array { elem, stride: size, len, wrapped: false },
            );
        }
        if size < stride {
            let padding = m.array(TypeId::I8, stride - size);
            let wrapper = m.structure(&[air, padding], true);
            let air = m.array(wrapper, len);
            return self.add(air, total(stride), 1, align, Shape::Array { elem, stride, len, wrapped: true });
        }
        self.raw(m, total(stride))
    }

    fn structure(
        &mut self,
        m: &mut Module,
        types: &ir::Types,
        (ty, s): (ir::TypeId, &ir::StructType),
        private: bool,
        room: u32,
        depth: u32,
    ) -> MemId {
        let explicit = !private && s.members.iter().all(|member| member.offset.is_some());
        let mut order: SmallVec<[usize; 16]> = (0..s.members.len()).collect();
        if explicit {
            order.sort_by_key(|&i| s.members[i].offset);
        }
        let mut mems: SmallVec<[(u32, MemId); 16]> = SmallVec::new();
        let (mut end, mut packed, mut abi, mut align) = (0u32, false, 1u32, 1u32);
        for (at, &i) in order.iter().enumerate() {
            let member = &s.members[i];
            let offset = if explicit { member.offset.unwrap_or(0) } else { 0 };
            let next = order.get(at + 1).and_then(|&n| s.members[n].offset).unwrap_or(room);
            let space = if explicit { next.saturating_sub(offset) } else { u32::MAX };
            let mut id = self.mem(m, types, member.ty, private, space, depth + 1);
            if self[id].size > space {
                id = self.raw(m, types.size(member.ty).min(space));
            }
            let offset = if explicit { offset } else { align_up(end, self[id].abi) };
            if offset < end {
                return self.raw(m, types.size(ty).min(room));
            }
            packed |= offset % self[id].abi.max(1) != 0;
            abi = abi.max(self[id].abi);
            align = align.max(self[id].align);
            end = offset.saturating_add(self[id].size);
            mems.push((offset, id));
        }
        packed |= align_up(end, abi) > room;
        let mut fields: SmallVec<[TypeId; 32]> = SmallVec::new();
        let mut members = Vec::with_capacity(mems.len());
        let mut cursor = 0u32;
        for &(offset, id) in &mems {
            let natural = if packed { cursor } else { align_up(cursor, self[id].abi) };
            if natural < offset {
                let padding = m.array(TypeId::I8, offset - cursor);
                fields.push(padding);
            }
            members.push((offset, fields.len() as u32, id));
            fields.push(self[id].air);
            cursor = offset.saturating_add(self[id].size);
        }
        let size = if align_up(end, align) <= room { align_up(end, align) } else { end };
        if size > end {
            let padding = m.array(TypeId::I8, size - end);
            fields.push(padding);
        }
        let mut by_member = vec![0; members.len()];
        for (at, &i) in order.iter().enumerate() {
            by_member[i] = at as u32;
        }
        let name = ["struct.", if s.name.is_empty() { "Block" } else { &s.name }].concat();
        let air = self.named(m, &name, &fields, packed);
        let abi = if packed { 1 } else { abi };
        let shape = Shape::Struct { fields: members.into(), by_member: by_member.into() };
        self.add(air, size, abi, align, shape)
    }

    /// A named struct; the name gets a number if another one has it.
    pub(super) fn named(&mut self, m: &mut Module, name: &str, fields: &[TypeId], packed: bool) -> TypeId {
        let mut full = m.str(name);
        let mut number = 0;
        loop {
            let Some(&known) = self.names.get(&full) else {
                let ty = m.struct_named(full, fields, packed);
                self.names.insert(full, ty);
                return ty;
            };
            if let Type::Named { fields: list, packed: same, .. } = m.types().get(known)
                && same == packed
                && m.types().list(list) == fields
            {
                return known;
            }
            full = m.str(&format!("{name}.{number}"));
            number += 1;
        }
    }
}

/// Metal's name of a type of block memory (of the element for arrays).
pub(super) fn type_name(types: &ir::Types, ty: ir::TypeId) -> Cow<'_, str> {
    match &types[types.without_arrays(ty)] {
        ir::Type::Vector { scalar, comps } => {
            let scalar = if *scalar == Scalar::Bool { Scalar::Uint32 } else { *scalar };
            vector_name(scalar, *comps).into()
        }
        ir::Type::Matrix { scalar, cols, rows, .. } => {
            format!("{}{cols}x{rows}", vector_name(*scalar, 1)).into()
        }
        ir::Type::Struct(s) if s.name.is_empty() => "Block".into(),
        ir::Type::Struct(s) => (&*s.name).into(),
        ir::Type::Image(_) => "texture".into(),
        ir::Type::Sampler => "sampler".into(),
        ir::Type::Array { .. } => "".into(),
    }
}

/// The node `air.struct_type_info` of a struct, or `None` for other types.
pub(super) fn struct_info(
    m: &mut Module,
    layouts: &Layouts,
    types: &ir::Types,
    ty: ir::TypeId,
    mem: MemId,
) -> Option<Md> {
    struct_info_at(m, layouts, types, ty, mem, 0)
}

fn struct_info_at(
    m: &mut Module,
    layouts: &Layouts,
    types: &ir::Types,
    ty: ir::TypeId,
    mem: MemId,
    depth: u32,
) -> Option<Md> {
    let ir::Type::Struct(s) = &types[types.without_arrays(ty)] else { return None };
    let mut mem = mem;
    while let Shape::Array { elem, .. } = layouts[mem].shape {
        mem = elem;
    }
    let Shape::Struct { fields, by_member } = &layouts[mem].shape else { return None };
    if depth > MAX_DEPTH {
        return None;
    }
    let mut words: SmallVec<[Md; 64]> = SmallVec::with_capacity(s.members.len() * 5);
    for (member, &at) in s.members.iter().zip(by_member.iter()) {
        let (offset, _, id) = fields[at as usize];
        let (mut len, mut element) = (0u32, id);
        while let Shape::Array { elem, len: n, .. } = layouts[element].shape {
            if !matches!(types[member.ty], ir::Type::Array { .. }) {
                break;
            }
            len = len.max(1).saturating_mul(n);
            element = elem;
        }
        if let Some(info) = struct_info_at(m, layouts, types, member.ty, id, depth + 1) {
            let key = m.md_str("air.struct_type_info");
            words.extend([key, info]);
        }
        let name = match &layouts[element].shape {
            Shape::Vector { packed: true, .. } => format!("packed_{}", type_name(types, member.ty)).into(),
            // Booleans of private memory, which a payload is.
            Shape::Vector { bits: 8, comps, .. }
                if matches!(
                    types[types.without_arrays(member.ty)],
                    ir::Type::Vector { scalar: Scalar::Bool, .. }
                ) =>
            {
                vector_name(Scalar::Bool, *comps).into()
            }
            _ => type_name(types, member.ty),
        };
        words.extend([m.md_i32(offset as i32), m.md_i32(layouts[element].size as i32), m.md_i32(len as i32)]);
        words.extend([m.md_str(&name), m.md_str(&member.name)]);
    }
    Some(m.md_node(&words))
}

impl Layouts {
    /// Memory of one 32-bit number.
    pub(super) fn word(&mut self, m: &mut Module) -> MemId {
        self.vector(m, Scalar::Uint32, 1, false, u32::MAX)
    }
}

impl Layouts {
    /// Memory of one scalar.
    pub(super) fn scalar(&mut self, class: Class, bits: u8) -> MemId {
        let bytes = u32::from(bits / 8).max(1);
        let shape = Shape::Vector { class, bits, comps: 1, packed: false };
        self.add(scalar_type(class, bits), bytes, bytes, bytes, shape)
    }

    /// Memory of `len` 32-bit words.
    pub(super) fn words(&mut self, m: &mut Module, class: Class, len: u32) -> MemId {
        let elem = self.scalar(class, 32);
        self.array(m, elem, len, 0)
    }
}

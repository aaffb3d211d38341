//! Types: LLVM's with typed pointers, interned so that equal types have equal [`TypeId`]s.

use super::intern::{Index, Str, hash_of};

/// Handle of an interned type. Also the type's ID in the bitcode type table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TypeId(pub(crate) u32);

/// Handle of a list of types kept by the module: struct fields or function parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeList {
    start: u32,
    len: u32,
}

impl TypeList {
    /// The list without types.
    pub const EMPTY: TypeList = TypeList { start: 0, len: 0 };

    /// Number of types in the list.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether the list has no type.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// Shape of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// No value.
    Void,
    /// Label of a block (only as an operand type).
    Label,
    /// Metadata (only as an operand type).
    Metadata,
    /// Integer of a number of bits.
    Int(u32),
    /// 16-bit IEEE float.
    Half,
    /// 16-bit brain float, which the validator rejects.
    BFloat,
    /// 32-bit IEEE float.
    Float,
    /// 64-bit IEEE float, which the validator rejects.
    Double,
    /// Typed pointer.
    Pointer {
        /// Pointee.
        pointee: TypeId,
        /// Metal address space.
        space: u32,
    },
    /// Vector.
    Vector {
        /// Component type.
        elem: TypeId,
        /// Number of components.
        len: u32,
    },
    /// Array.
    Array {
        /// Element type.
        elem: TypeId,
        /// Number of elements.
        len: u32,
    },
    /// Literal (unnamed) struct.
    Struct {
        /// Member types.
        fields: TypeList,
        /// `<{ … }>`: no padding.
        packed: bool,
    },
    /// Struct with a name; two of different names are different types.
    Named {
        /// Name without the `%`.
        name: Str,
        /// Member types.
        fields: TypeList,
        /// `<{ … }>`: no padding.
        packed: bool,
    },
    /// Named struct without a body, as Metal's handles are.
    Opaque {
        /// Name without the `%`.
        name: Str,
    },
    /// Function signature.
    Function {
        /// Return type.
        ret: TypeId,
        /// Parameter types.
        params: TypeList,
    },
    /// Signature of a function with further arguments. No shader has one, but Apple's older compilers cast entry
    /// points to `void (...)*` in metadata.
    VarFunction {
        /// Return type.
        ret: TypeId,
        /// Parameter types.
        params: TypeList,
    },
}

impl TypeId {
    /// `void`
    pub const VOID: TypeId = TypeId(0);
    /// `i1`
    pub const I1: TypeId = TypeId(1);
    /// `i8`
    pub const I8: TypeId = TypeId(2);
    /// `i16`
    pub const I16: TypeId = TypeId(3);
    /// `i32`
    pub const I32: TypeId = TypeId(4);
    /// `i64`
    pub const I64: TypeId = TypeId(5);
    /// `half`
    pub const HALF: TypeId = TypeId(6);
    /// `float`
    pub const FLOAT: TypeId = TypeId(7);
    /// `metadata`
    pub const METADATA: TypeId = TypeId(8);
    /// `label`
    pub const LABEL: TypeId = TypeId(9);

    /// Position in [`Types::all`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The ten types every module has, in the order of the constants of [`TypeId`].
const BASIC: [Type; 10] = [
    Type::Void,
    Type::Int(1),
    Type::Int(8),
    Type::Int(16),
    Type::Int(32),
    Type::Int(64),
    Type::Half,
    Type::Float,
    Type::Metadata,
    Type::Label,
];

/// Table of the interned types. A type's parts always come before it.
#[derive(Clone, Debug, Default)]
pub struct Types {
    types: Vec<Type>,
    lists: Vec<TypeId>,
    index: Index,
    /// Pointers to each type by address space 0..4, `u32::MAX` where there is none yet: pointer types are
    /// looked up for every address computation.
    pointers: Vec<[u32; 4]>,
    /// Vectors of two to four of each basic type, like `pointers`.
    vectors: [[u32; 3]; BASIC.len()],
}

impl Types {
    pub(crate) fn new() -> Self {
        let mut types = Types {
            types: Vec::with_capacity(64),
            lists: Vec::with_capacity(128),
            index: Index::with_capacity(64),
            pointers: Vec::with_capacity(64),
            vectors: [[u32::MAX; 3]; BASIC.len()],
        };
        types.add_basic();
        types
    }

    /// Leaves the basic types only.
    pub(crate) fn clear(&mut self) {
        self.types.clear();
        self.lists.clear();
        self.index.clear();
        self.pointers.clear();
        self.vectors = [[u32::MAX; 3]; BASIC.len()];
        self.add_basic();
    }

    fn add_basic(&mut self) {
        for basic in BASIC {
            self.simple(basic);
        }
    }

    /// All types in table order.
    pub fn all(&self) -> &[Type] {
        &self.types
    }

    /// Shape of a type.
    pub fn get(&self, id: TypeId) -> Type {
        self.types.get(id.index()).copied().unwrap_or(Type::Void)
    }

    /// Members of a list.
    pub fn list(&self, list: TypeList) -> &[TypeId] {
        self.lists.get(list.start as usize..(list.start + list.len) as usize).unwrap_or(&[])
    }

    /// Interns a type that has no list: scalars, pointers, vectors, arrays and opaque structs.
    pub(crate) fn simple(&mut self, ty: Type) -> TypeId {
        let hash = hash_of(&ty);
        match self.index.find(hash, |p| self.types[p as usize] == ty) {
            Some(found) => TypeId(found),
            None => self.add(hash, ty),
        }
    }

    pub(crate) fn pointer(&mut self, pointee: TypeId, space: u32) -> TypeId {
        let cached = self.pointers.get(pointee.index()).and_then(|row| row.get(space as usize));
        if let Some(&found) = cached
            && found != u32::MAX
        {
            return TypeId(found);
        }
        let id = self.simple(Type::Pointer { pointee, space });
        if let Some(slot) = self.pointers.get_mut(pointee.index()).and_then(|row| row.get_mut(space as usize))
        {
            *slot = id.0;
        }
        id
    }

    pub(crate) fn vector(&mut self, elem: TypeId, len: u32) -> TypeId {
        let (row, column) = (elem.index(), len.wrapping_sub(2) as usize);
        let cached = self.vectors.get(row).and_then(|row| row.get(column));
        if let Some(&found) = cached
            && found != u32::MAX
        {
            return TypeId(found);
        }
        let id = self.simple(Type::Vector { elem, len });
        if let Some(slot) = self.vectors.get_mut(row).and_then(|row| row.get_mut(column)) {
            *slot = id.0;
        }
        id
    }

    pub(crate) fn structure(&mut self, fields: &[TypeId], packed: bool) -> TypeId {
        let hash = hash_of(&(1u8, packed, fields));
        let found = self.index.find(hash, |p| match self.types[p as usize] {
            Type::Struct { fields: list, packed: same } => same == packed && self.list(list) == fields,
            _ => false,
        });
        if let Some(found) = found {
            return TypeId(found);
        }
        let fields = self.add_list(fields);
        self.add(hash, Type::Struct { fields, packed })
    }

    pub(crate) fn named(&mut self, name: Str, fields: &[TypeId], packed: bool) -> TypeId {
        let hash = hash_of(&(3u8, name));
        let found = self.index.find(hash, |p| match self.types[p as usize] {
            Type::Named { name: same, fields: list, packed: pack } => {
                same == name && pack == packed && self.list(list) == fields
            }
            _ => false,
        });
        if let Some(found) = found {
            return TypeId(found);
        }
        let fields = self.add_list(fields);
        self.add(hash, Type::Named { name, fields, packed })
    }

    pub(crate) fn function(&mut self, ret: TypeId, params: &[TypeId]) -> TypeId {
        let hash = hash_of(&(2u8, ret, params));
        let found = self.index.find(hash, |p| match self.types[p as usize] {
            Type::Function { ret: same, params: list } => same == ret && self.list(list) == params,
            _ => false,
        });
        if let Some(found) = found {
            return TypeId(found);
        }
        let params = self.add_list(params);
        self.add(hash, Type::Function { ret, params })
    }

    pub(crate) fn var_function(&mut self, ret: TypeId, params: &[TypeId]) -> TypeId {
        let hash = hash_of(&(4u8, ret, params));
        let found = self.index.find(hash, |p| match self.types[p as usize] {
            Type::VarFunction { ret: same, params: list } => same == ret && self.list(list) == params,
            _ => false,
        });
        if let Some(found) = found {
            return TypeId(found);
        }
        let params = self.add_list(params);
        self.add(hash, Type::VarFunction { ret, params })
    }

    /// A struct whose body follows by [`Types::set_body`], for one that points to itself.
    pub(crate) fn declare_named(&mut self, name: Str) -> TypeId {
        let hash = hash_of(&(3u8, name));
        self.add(hash, Type::Named { name, fields: TypeList::EMPTY, packed: false })
    }

    pub(crate) fn set_body(&mut self, id: TypeId, fields: &[TypeId], packed: bool) {
        let fields = self.add_list(fields);
        if let Some(Type::Named { fields: old, packed: old_packed, .. }) = self.types.get_mut(id.index()) {
            (*old, *old_packed) = (fields, packed);
        }
    }

    fn add_list(&mut self, items: &[TypeId]) -> TypeList {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(items);
        TypeList { start, len: items.len() as u32 }
    }

    fn add(&mut self, hash: u32, ty: Type) -> TypeId {
        let id = self.types.len() as u32;
        self.types.push(ty);
        self.pointers.push([u32::MAX; 4]);
        self.index.insert(hash, id);
        TypeId(id)
    }

    // ---- questions ----

    /// Pointee of a pointer.
    pub fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match self.get(ty) {
            Type::Pointer { pointee, .. } => Some(pointee),
            _ => None,
        }
    }

    /// Component type of a vector, or the type itself.
    pub fn scalar(&self, ty: TypeId) -> TypeId {
        match self.get(ty) {
            Type::Vector { elem, .. } => elem,
            _ => ty,
        }
    }

    /// Number of components of a vector, or `None` for any other type.
    pub fn vector_len(&self, ty: TypeId) -> Option<u32> {
        match self.get(ty) {
            Type::Vector { len, .. } => Some(len),
            _ => None,
        }
    }

    /// Whether this is a float or a vector of floats.
    pub fn is_fp(&self, ty: TypeId) -> bool {
        matches!(self.get(self.scalar(ty)), Type::Half | Type::BFloat | Type::Float | Type::Double)
    }

    /// Whether this is an integer or a vector of integers.
    pub fn is_int(&self, ty: TypeId) -> bool {
        matches!(self.get(self.scalar(ty)), Type::Int(_))
    }

    /// Whether this is a pointer (not a vector of pointers).
    pub fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Pointer { .. })
    }

    /// Bits of a scalar, or of all components of a vector; zero for anything else.
    pub fn bits(&self, ty: TypeId) -> u32 {
        match self.get(ty) {
            Type::Int(bits) => bits,
            Type::Half | Type::BFloat => 16,
            Type::Float => 32,
            Type::Double => 64,
            Type::Vector { elem, len } => self.bits(elem).saturating_mul(len),
            _ => 0,
        }
    }

    /// Type of member `index` of a struct, array or vector.
    pub fn member(&self, ty: TypeId, index: u32) -> Option<TypeId> {
        match self.get(ty) {
            Type::Struct { fields, .. } | Type::Named { fields, .. } => {
                self.list(fields).get(index as usize).copied()
            }
            Type::Array { elem, len } | Type::Vector { elem, len } => (index < len).then_some(elem),
            _ => None,
        }
    }
}

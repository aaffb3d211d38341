//! Types of the language.
//!
//! A [`Type`] is a small copyable value; structures, blocks and arrays are entries of the [`TypeTable`] of their
//! shader. Two types are the same exactly when the values are equal.

use crate::builtin::BuiltinVar;
use crate::qualifiers::{MatrixLayout, Packing, Qualifiers};
use crate::source::Span;
use crate::token::Symbol;
use airfoil_ir::Dim;
use rustc_hash::FxHashMap;

/// Component type of scalars, vectors and matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Base {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `float16_t`.
    Half,
    /// `int16_t`.
    Int16,
    /// `uint16_t`.
    Uint16,
    /// `int8_t`.
    Int8,
    /// `uint8_t`.
    Uint8,
    /// `int64_t`.
    Int64,
    /// `uint64_t`.
    Uint64,
}

impl Base {
    /// Bits of a component; 32 for booleans, as in memory.
    pub fn bits(self) -> u8 {
        match self {
            Base::Int8 | Base::Uint8 => 8,
            Base::Half | Base::Int16 | Base::Uint16 => 16,
            Base::Bool | Base::Int | Base::Uint | Base::Float => 32,
            Base::Double | Base::Int64 | Base::Uint64 => 64,
        }
    }

    /// Whether it is a float of any width.
    pub fn is_float(self) -> bool {
        matches!(self, Base::Float | Base::Double | Base::Half)
    }

    /// Whether it is an integer of any width.
    pub fn is_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Whether it is a signed integer of any width.
    pub fn is_signed(self) -> bool {
        matches!(self, Base::Int | Base::Int16 | Base::Int8 | Base::Int64)
    }

    /// Whether it is an unsigned integer of any width.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Base::Uint | Base::Uint16 | Base::Uint8 | Base::Uint64)
    }
}

/// The kind of object that an opaque type refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpaqueKind {
    /// Texture with its sampler (`sampler2D`).
    Sampled,
    /// Storage image (`image2D`).
    Image,
    /// Texture alone, Vulkan (`texture2D`).
    Texture,
    /// Sampler alone, Vulkan (`sampler`, and `samplerShadow` with `shadow`).
    Sampler,
    /// Input attachment, Vulkan (`subpassInput`).
    Subpass,
    /// `atomic_uint`.
    AtomicCounter,
}

/// An opaque type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Opaque {
    /// Referenced type.
    pub kind: OpaqueKind,
    /// Type of a texel's components: `Float`, `Int`, `Uint`, `Int64` or `Uint64`.
    pub sampled: Base,
    /// Shape; `D2` where it means nothing.
    pub dim: Dim,
    /// With layers.
    pub arrayed: bool,
    /// Compares depths.
    pub shadow: bool,
    /// `samplerExternalOES`: filled from an external image.
    pub external: bool,
}

/// Index of a structure or block in the [`TypeTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructId(pub u32);

/// Index of an array type in the [`TypeTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayId(pub u32);

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// The type after an error; it silences further errors.
    Error,
    /// No value.
    Void,
    /// Scalar (`size` 1) or vector.
    Vector {
        /// Component type.
        base: Base,
        /// Components, 1 to 4.
        size: u8,
    },
    /// Matrix.
    Matrix {
        /// `Float`, `Double` or `Half`.
        base: Base,
        /// Columns, 2 to 4.
        cols: u8,
        /// Rows, 2 to 4.
        rows: u8,
    },
    /// Opaque.
    Opaque(Opaque),
    /// Structure or interface block.
    Struct(StructId),
    /// Reference to a buffer with the contents of this block (`GL_EXT_buffer_reference`): an address of 64 bits.
    Reference(StructId),
    /// Array.
    Array(ArrayId),
}

/// A member of a structure or block.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name.
    pub name: Symbol,
    /// Type.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
    /// Qualifiers, with the block's own filled in (interpolation, matrix layout, memory qualifiers).
    pub qualifiers: Qualifiers,
    /// The built-in variable that a member of `gl_PerVertex` is.
    pub builtin: Option<BuiltinVar>,
}

/// A structure or interface block.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Name; `None` for a structure without one.
    pub name: Option<Symbol>,
    /// Members in order.
    pub fields: Vec<Field>,
    /// An interface block rather than a structure.
    pub block: bool,
    /// Where it is declared; empty for built-in ones.
    pub span: Span,
    /// For a block that is a type: the properties that references to it need.
    pub reference: Option<Reference>,
}

/// The properties that references to a block need (`layout(buffer_reference)`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// How the block is laid out.
    pub packing: Packing,
    /// Layout of matrices that do not specify it themselves.
    pub matrix: MatrixLayout,
    /// Bytes from one block to the next, as arithmetic on references counts them.
    pub stride: u32,
    /// Whether its members are known, not only its name.
    pub defined: bool,
}

/// An array type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Array {
    /// Type of an element.
    pub elem: Type,
    /// Elements; 0 = not (yet) sized.
    pub len: u32,
}

/// The structures and arrays of a shader.
#[derive(Clone, Debug)]
pub struct TypeTable {
    /// Structures and blocks, in order of declaration.
    pub structs: Vec<Struct>,
    arrays: Vec<Array>,
    array_map: FxHashMap<Array, ArrayId>,
}

impl Default for TypeTable {
    fn default() -> Self {
        let mut table =
            TypeTable { structs: Vec::new(), arrays: Vec::new(), array_map: FxHashMap::default() };
        table.array(Type::vector(Base::Int, 2), 4);
        table
    }
}

impl TypeTable {
    /// `ivec2[4]`, in every table: the type that `textureGatherOffsets` takes.
    pub const FOUR_OFFSETS: Type = Type::Array(ArrayId(0));

    /// Adds a structure or block: always a new type.
    pub fn add_struct(&mut self, s: Struct) -> StructId {
        self.structs.push(s);
        StructId(self.structs.len() as u32 - 1)
    }

    /// The array of `len` elements (0 = not sized).
    pub fn array(&mut self, elem: Type, len: u32) -> Type {
        let key = Array { elem, len };
        if let Some(&id) = self.array_map.get(&key) {
            return Type::Array(id);
        }
        let id = ArrayId(self.arrays.len() as u32);
        self.arrays.push(key);
        self.array_map.insert(key, id);
        Type::Array(id)
    }

    /// An array type's element and length.
    pub fn get_array(&self, id: ArrayId) -> Array {
        self.arrays[id.0 as usize]
    }

    /// Element and length, if the type is an array.
    pub fn as_array(&self, ty: Type) -> Option<Array> {
        if let Type::Array(id) = ty { Some(self.get_array(id)) } else { None }
    }

    /// The structure, if the type is one.
    pub fn as_struct(&self, ty: Type) -> Option<&Struct> {
        if let Type::Struct(id) = ty { self.structs.get(id.0 as usize) } else { None }
    }

    /// The type with all arrays around it taken off.
    pub fn without_arrays(&self, mut ty: Type) -> Type {
        while let Type::Array(id) = ty {
            ty = self.get_array(id).elem;
        }
        ty
    }

    /// Elements of all arrays around it together; an array without size counts as one of one element.
    pub fn array_elements(&self, mut ty: Type) -> u32 {
        let mut elements = 1u32;
        while let Type::Array(id) = ty {
            let array = self.get_array(id);
            elements = elements.saturating_mul(array.len.max(1));
            ty = array.elem;
        }
        elements
    }

    /// Whether `test` holds for the type or anything inside it.
    pub fn any(&self, ty: Type, test: &mut dyn FnMut(Type) -> bool) -> bool {
        if test(ty) {
            return true;
        }
        match ty {
            Type::Array(id) => self.any(self.get_array(id).elem, test),
            Type::Struct(id) => self.structs[id.0 as usize].fields.iter().any(|f| self.any(f.ty, test)),
            _ => false,
        }
    }

    /// Whether it is or holds something opaque.
    pub fn has_opaque(&self, ty: Type) -> bool {
        self.any(ty, &mut |t| matches!(t, Type::Opaque(_)))
    }

    /// Scalar components of a value of this type, arrays and structures flattened; saturates.
    pub fn components(&self, ty: Type) -> u32 {
        match ty {
            Type::Vector { size, .. } => u32::from(size),
            Type::Matrix { cols, rows, .. } => u32::from(cols) * u32::from(rows),
            Type::Array(id) => {
                let a = self.get_array(id);
                self.components(a.elem).saturating_mul(a.len)
            }
            Type::Struct(id) => self.structs[id.0 as usize]
                .fields
                .iter()
                .fold(0, |n, f| self.components(f.ty).saturating_add(n)),
            Type::Opaque(_) | Type::Reference(_) => 1,
            Type::Void | Type::Error => 0,
        }
    }

    /// The type named by the name of a structure or block.
    pub fn named(&self, id: StructId) -> Type {
        let reference = self.structs.get(id.0 as usize).is_some_and(|s| s.reference.is_some());
        if reference { Type::Reference(id) } else { Type::Struct(id) }
    }

    /// The properties that references of a type need.
    pub fn as_reference(&self, ty: Type) -> Option<Reference> {
        if let Type::Reference(id) = ty { self.structs.get(id.0 as usize)?.reference } else { None }
    }

    /// The type that an index selects: array element, matrix column, vector component.
    pub fn element(&self, ty: Type) -> Option<Type> {
        match ty {
            Type::Array(id) => Some(self.get_array(id).elem),
            Type::Matrix { base, rows, .. } => Some(Type::Vector { base, size: rows }),
            Type::Vector { base, size } if size > 1 => Some(Type::Vector { base, size: 1 }),
            _ => None,
        }
    }
}

impl Type {
    /// `bool`.
    pub const BOOL: Type = Type::scalar(Base::Bool);
    /// `int`.
    pub const INT: Type = Type::scalar(Base::Int);
    /// `uint64_t`.
    pub const UINT64: Type = Type::scalar(Base::Uint64);
    /// `uint`.
    pub const UINT: Type = Type::scalar(Base::Uint);
    /// `float`.
    pub const FLOAT: Type = Type::scalar(Base::Float);
    /// `double`.
    pub const DOUBLE: Type = Type::scalar(Base::Double);
    /// `vec2`.
    pub const VEC2: Type = Type::vector(Base::Float, 2);
    /// `vec3`.
    pub const VEC3: Type = Type::vector(Base::Float, 3);
    /// `vec4`.
    pub const VEC4: Type = Type::vector(Base::Float, 4);
    /// `mat3`.
    pub const MAT3: Type = Type::Matrix { base: Base::Float, cols: 3, rows: 3 };
    /// `mat4`.
    pub const MAT4: Type = Type::Matrix { base: Base::Float, cols: 4, rows: 4 };

    /// A scalar type.
    pub const fn scalar(base: Base) -> Type {
        Type::Vector { base, size: 1 }
    }

    /// A vector type, or a scalar if `size` is 1.
    pub const fn vector(base: Base, size: u8) -> Type {
        Type::Vector { base, size }
    }

    /// Component type of a scalar, vector or matrix.
    pub fn base(self) -> Option<Base> {
        match self {
            Type::Vector { base, .. } | Type::Matrix { base, .. } => Some(base),
            _ => None,
        }
    }

    /// The number that a value is: references are addresses; other types stay.
    #[must_use]
    pub fn as_number(self) -> Type {
        if let Type::Reference(_) = self { Type::UINT64 } else { self }
    }

    /// Same shape with another component type; other types stay.
    #[must_use]
    pub fn with_base(self, base: Base) -> Type {
        match self {
            Type::Vector { size, .. } => Type::Vector { base, size },
            Type::Matrix { cols, rows, .. } => Type::Matrix { base, cols, rows },
            other => other,
        }
    }

    /// Whether it is a scalar.
    pub fn is_scalar(self) -> bool {
        matches!(self, Type::Vector { size: 1, .. })
    }

    /// Whether it is a vector of two to four components.
    pub fn is_vector(self) -> bool {
        matches!(self, Type::Vector { size: 2.., .. })
    }

    /// Whether it is a matrix.
    pub fn is_matrix(self) -> bool {
        matches!(self, Type::Matrix { .. })
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        matches!(self, Type::Array(_))
    }

    /// The opaque type it is.
    pub fn as_opaque(self) -> Option<Opaque> {
        if let Type::Opaque(o) = self { Some(o) } else { None }
    }
}

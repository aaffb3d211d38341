//! Types of variables, interned per shader.
//!
//! Values are typeless bits; types describe the contents of variables and the layout of memory.
//! Explicit layout (offsets, strides, row-major matrices) is part of the type, as in SPIR-V.

use crate::enums::{Dim, ImageFormat, Precision, Scalar};
use crate::name::Name;
use crate::value::Ty;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

/// An interned type of one shader.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Scalar, TypeId, Types};
///
/// let mut types = Types::default();
/// let [float, vec4]: [TypeId; 2] = [1, 4].map(|comps| types.vector(Scalar::Float32, comps));
/// assert_eq!((float.index(), vec4.index()), (0, 1));
/// // Equal types have equal IDs.
/// assert_eq!(types.element(vec4), Some(float));
/// assert_eq!(types.len(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

impl TypeId {
    /// Position in the shader's list of types.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A type.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Scalar, Type, Types};
///
/// let mut types = Types::default();
/// let mat = Type::Matrix { scalar: Scalar::Float32, cols: 4, rows: 3, stride: 16, row_major: false };
/// let mat = types.intern(mat);
/// // Four columns, the last of which has no padding; no value has a matrix type.
/// assert_eq!((types.num_slots(mat), types.size(mat)), (4, 60));
/// assert_eq!(types.value_ty(mat), None);
/// let column = types.element(mat).unwrap();
/// assert_eq!(types[column], Type::Vector { scalar: Scalar::Float32, comps: 3 });
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Scalar (`comps == 1`) or vector.
    Vector {
        /// Component type, never `Any`.
        scalar: Scalar,
        /// Components, 1 to 4.
        comps: u8,
    },
    /// Matrix; a value of it exists only as its columns.
    Matrix {
        /// Component type.
        scalar: Scalar,
        /// Columns, 2 to 4.
        cols: u8,
        /// Rows: components of a column, 2 to 4.
        rows: u8,
        /// Bytes between columns (rows if `row_major`); 0 = no explicit layout.
        stride: u32,
        /// Rows are contiguous in memory.
        row_major: bool,
    },
    /// Array.
    Array {
        /// Element type.
        elem: TypeId,
        /// Number of elements; 0 = known at run time only.
        len: u32,
        /// Bytes between elements; 0 = no explicit layout.
        stride: u32,
    },
    /// Structure or interface block.
    Struct(StructType),
    /// Image or texture without sampler, or with one (`combined`).
    Image(ImageType),
    /// Sampler without texture.
    Sampler,
}

/// A structure or interface block.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Type, text};
///
/// let shader = text::parse(r#"foil 1
/// shader fragment "f" {
///   struct Light { vec3 color, float power }
///   ubo Scene { Light[4] lights } scene set=0 binding=0
/// }"#)?;
/// let structs = shader.types.iter().filter_map(|(id, ty)| match ty {
///     Type::Struct(s) => Some((&*s.name, s.block, shader.types.size(id))),
///     _ => None,
/// });
/// // Members without offsets follow each other without padding.
/// assert!(structs.eq([("Light", false, 16), ("Scene", true, 64)]));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructType {
    /// Name; may be empty.
    pub name: Name,
    /// Members in order.
    pub members: Box<[Member]>,
    /// Whether this is an interface block.
    pub block: bool,
}

/// A member of a structure.
///
/// # Examples
///
/// ```
/// use airfoil_ir::validate::{Rule, validate};
/// use airfoil_ir::{Member, Scalar, Shader, Stage, StructType, Type};
///
/// let mut shader = Shader::new("main", Stage::Vertex);
/// let uint = shader.types.vector(Scalar::Uint32, 1);
/// let at = |offset| Member { offset: Some(offset), ..Member::new("count", uint) };
/// let block = |m: Member| Type::Struct(StructType { name: "Counts".into(), members: [m].into(), block: true });
/// // The offset is part of the type, and must be a multiple of the bytes of the scalar.
/// let good = shader.types.intern(block(at(12)));
/// assert_eq!(shader.types.size(good), 16);
/// assert_ne!(shader.types.intern(block(at(6))), good);
/// assert_eq!(validate(&shader)[0].rule, Rule::TypeAlignment);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Name; may be empty.
    pub name: Name,
    /// Type.
    pub ty: TypeId,
    /// Byte offset, if the structure has an explicit layout.
    pub offset: Option<u32>,
    /// Precision hint.
    pub precision: Precision,
}

impl Member {
    /// A member without offset and precision.
    pub fn new(name: &str, ty: TypeId) -> Member {
        Member { name: name.into(), ty, offset: None, precision: Precision::None }
    }
}

/// An image or texture type.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Dim, ImageFormat, ImageType, Modes, Scalar, Shader, Stage, Type, Variable, text};
///
/// let image = ImageType {
///     dim: Dim::D2,
///     arrayed: true,
///     shadow: true,
///     sampled: Scalar::Float32,
///     storage: false,
///     combined: true,
///     format: ImageFormat::Unknown,
/// };
/// let mut shader = Shader::new("main", Stage::Fragment);
/// let ty = shader.types.intern(Type::Image(image));
/// shader.add_var(Variable::new("map", ty, Modes::UNIFORM));
/// assert!(text::print(&shader).contains("uniform sampled(2d float32 array shadow) map"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageType {
    /// Shape.
    pub dim: Dim,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether sampling compares depths.
    pub shadow: bool,
    /// Type of a texel's components.
    pub sampled: Scalar,
    /// Read and written texel by texel (storage image) rather than sampled or fetched.
    pub storage: bool,
    /// A sampler comes with it.
    pub combined: bool,
    /// Declared format of a storage image.
    pub format: ImageFormat,
}

/// Types that a table has room for at first.
const USUAL: usize = 24;

/// The types of a shader. Cloning shares them until one side adds a type.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Scalar, Types};
///
/// let mut types = Types::default();
/// let dvec3 = types.vector(Scalar::Float64, 3);
/// let pair = types.array(dvec3, 2);
/// let nested = types.array(pair, 5);
/// // A vector wider than 128 bits takes two location slots.
/// assert_eq!((types.num_slots(dvec3), types.num_slots(nested)), (2, 20));
/// assert_eq!(types.without_arrays(nested), dvec3);
/// // A copy shares the table until one of the two adds a type.
/// let mut copy = types.clone();
/// copy.array(nested, 7);
/// assert_eq!((types.len(), copy.len()), (3, 4));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Types {
    set: Arc<IndexSet<Type, FxBuildHasher>>,
}

impl std::ops::Index<TypeId> for Types {
    type Output = Type;
    fn index(&self, id: TypeId) -> &Type {
        &self.set[id.index()]
    }
}

impl Types {
    /// Number of types.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// All types, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.set.iter().enumerate().map(|(i, t)| (TypeId(i as u32), t))
    }

    /// The type `ty`, added if it is new.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(i) = self.set.get_index_of(&ty) {
            return TypeId(i as u32);
        }
        let set = Arc::make_mut(&mut self.set);
        if set.is_empty() {
            set.reserve(USUAL);
        }
        TypeId(set.insert_full(ty).0 as u32)
    }

    /// The scalar or vector of a component type.
    pub fn vector(&mut self, scalar: Scalar, comps: u8) -> TypeId {
        self.intern(Type::Vector { scalar, comps })
    }

    /// An array without explicit layout.
    pub fn array(&mut self, elem: TypeId, len: u32) -> TypeId {
        self.intern(Type::Array { elem, len, stride: 0 })
    }

    /// Shape of a value of this type; `None` for anything but scalars and vectors.
    pub fn value_ty(&self, id: TypeId) -> Option<Ty> {
        match self[id] {
            Type::Vector { scalar, comps } => Some(Ty::new(comps, scalar.bits())),
            _ => None,
        }
    }

    /// The type that an array deref of `id` gives: array element, matrix column, vector component.
    pub fn element(&mut self, id: TypeId) -> Option<TypeId> {
        match self[id] {
            Type::Array { elem, .. } => Some(elem),
            Type::Matrix { scalar, rows, .. } => Some(self.vector(scalar, rows)),
            Type::Vector { scalar, comps } if comps > 1 => Some(self.vector(scalar, 1)),
            _ => None,
        }
    }

    /// Number of elements that an array deref of `id` can name; 0 for run-time arrays.
    pub fn num_elements(&self, id: TypeId) -> Option<u32> {
        match self[id] {
            Type::Array { len, .. } => Some(len),
            Type::Matrix { cols, .. } => Some(u32::from(cols)),
            Type::Vector { comps, .. } if comps > 1 => Some(u32::from(comps)),
            _ => None,
        }
    }

    /// The type with all arrays around it taken off.
    pub fn without_arrays(&self, mut id: TypeId) -> TypeId {
        while let Type::Array { elem, .. } = self[id] {
            id = elem;
        }
        id
    }

    /// Number of location slots that a variable of this type takes (GLSL 4.60 section 4.4.1: a vector of
    /// up to 128 bits takes one, a wider one two).
    pub fn num_slots(&self, id: TypeId) -> u32 {
        match &self[id] {
            Type::Vector { scalar, comps } => Self::vector_slots(*scalar, *comps),
            Type::Matrix { scalar, cols, rows, .. } => u32::from(*cols) * Self::vector_slots(*scalar, *rows),
            Type::Array { elem, len, .. } => self.num_slots(*elem).saturating_mul(*len),
            Type::Struct(s) => s.members.iter().fold(0, |n: u32, m| n.saturating_add(self.num_slots(m.ty))),
            Type::Image(_) | Type::Sampler => 1,
        }
    }

    fn vector_slots(scalar: Scalar, comps: u8) -> u32 {
        if scalar.bits() == 64 && comps > 2 { 2 } else { 1 }
    }

    /// Whether an input or output of this type, or an array of it, can begin at a component of its slots: a slot has four
    /// components of 32 bits, and only scalars and vectors of a single slot begin at another one than the first
    /// (GLSL 4.60 section 4.4.1, Vulkan 1.3 section 15.1.5).
    pub fn fits_component(&self, id: TypeId, component: u8) -> bool {
        match self[self.without_arrays(id)] {
            Type::Vector { scalar, comps } => {
                component == 0 || component + comps * if scalar.bits() == 64 { 2 } else { 1 } <= 4
            }
            _ => component == 0,
        }
    }

    /// Whether a type holds images or samplers.
    pub fn is_opaque(&self, id: TypeId) -> bool {
        match &self[id] {
            Type::Image(_) | Type::Sampler => true,
            Type::Array { elem, .. } => self.is_opaque(*elem),
            Type::Struct(s) => s.members.iter().any(|m| self.is_opaque(m.ty)),
            Type::Vector { .. } | Type::Matrix { .. } => false,
        }
    }

    /// Bytes from the start of the first to the end of the last member of an explicit layout; a run-time
    /// array counts as empty. Without explicit layout: tightly packed vectors (std430-like strides).
    /// Saturates: offsets and strides of a hostile module may exceed 32 bits together.
    pub fn size(&self, id: TypeId) -> u32 {
        match &self[id] {
            Type::Vector { scalar, comps } => Ty::new(*comps, scalar.bits()).bytes(),
            Type::Matrix { scalar, cols, rows, stride, row_major } => {
                let (major, minor) = if *row_major { (*rows, *cols) } else { (*cols, *rows) };
                let vector = Ty::new(minor, scalar.bits()).bytes();
                let stride = if *stride == 0 { vector } else { *stride };
                (u32::from(major) - 1).saturating_mul(stride).saturating_add(vector)
            }
            Type::Array { elem, len, .. } => self.array_stride(id, *elem).saturating_mul(*len),
            Type::Struct(s) => {
                let mut end = 0u32;
                for m in &s.members {
                    let at = m.offset.unwrap_or(end);
                    end = end.max(at.saturating_add(self.size(m.ty)));
                }
                end
            }
            Type::Image(_) | Type::Sampler => 8,
        }
    }

    fn array_stride(&self, id: TypeId, elem: TypeId) -> u32 {
        match self[id] {
            Type::Array { stride, .. } if stride != 0 => stride,
            _ => self.size(elem),
        }
    }
}

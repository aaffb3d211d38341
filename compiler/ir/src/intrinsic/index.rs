//! Indices: the constant operands of intrinsics, with their types and notation.

use crate::enums::*;
use crate::slot::Slot;

/// The slots that an input or output access may reach.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Index, Intrinsic, IntrinsicOp, IoSemantics, Shader, Slot, Stage, Ty, text};
///
/// // An access to an array in two varyings, at a dynamic offset.
/// let io = IoSemantics { num_slots: 2, invariant: true, ..IoSemantics::new(Slot::generic(3).unwrap()) };
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let offset = b.undef(Ty::B32);
/// let load = Intrinsic::new(IntrinsicOp::load_input, &[offset]).with(Index::Io, io);
/// let load = b.insert_intrinsic(load, Ty::B32);
/// let printed = text::print_instr(&Shader::new("main", Stage::Fragment), &body, load);
/// assert_eq!(printed, "32x1 %1 = load_input %0 io=(3 slots=2 invariant)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IoSemantics {
    /// First slot that the access can reach; a dynamic offset counts from here.
    pub location: Slot,
    /// Slots that the access can reach, 1 to 63.
    pub num_slots: u8,
    /// Blend source of a fragment output, 0 or 1.
    pub dual_source: u8,
    /// Vertex stream of a geometry output, 0 to 3.
    pub stream: u8,
    /// Accessed with reduced precision.
    pub medium_precision: bool,
    /// The value must be computed alike in all programs.
    pub invariant: bool,
    /// One value a primitive (mesh stage).
    pub per_primitive: bool,
}

impl IoSemantics {
    /// A plain access to one slot.
    pub fn new(location: Slot) -> IoSemantics {
        IoSemantics {
            location,
            num_slots: 1,
            dual_source: 0,
            stream: 0,
            medium_precision: false,
            invariant: false,
            per_primitive: false,
        }
    }
}

/// Alignment of a byte address: `address % mul == offset`.
///
/// # Examples
///
/// ```
/// use airfoil_ir::Align;
///
/// // The second member of a structure whose address is a multiple of 16.
/// let member = Align::new(16).plus(8);
/// assert_eq!((member.mul, member.offset), (16, 8));
/// assert_eq!(member.known(), 8);
/// // The offset wraps around: the next structure has the alignment of the first one.
/// assert_eq!(member.plus(8), Align::new(16));
/// assert_eq!(member.plus(2).known(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Align {
    /// A power of two, 1 to 2048, in bytes.
    pub mul: u16,
    /// Remainder, less than `mul`, in bytes.
    pub offset: u16,
}

impl Align {
    /// Offsets that are multiples of `mul` bytes.
    pub const fn new(mul: u16) -> Align {
        Align { mul, offset: 0 }
    }

    /// The greatest power of two in bytes that all offsets are known to be a multiple of.
    pub const fn known(self) -> u16 {
        if self.offset == 0 { self.mul } else { 1 << self.offset.trailing_zeros() }
    }

    /// Alignment of the offset plus the constant `bytes`.
    #[must_use]
    pub const fn plus(self, bytes: u32) -> Align {
        Align { mul: self.mul, offset: ((self.offset as u32 + bytes) % self.mul as u32) as u16 }
    }
}

/// A type that an index can hold.
///
/// # Examples
///
/// ```
/// use airfoil_ir::intrinsic::{Align, IndexValue};
/// use airfoil_ir::{Interpolation, Scope};
///
/// // The exponent of the alignment in 4 bits, then the offset.
/// assert_eq!(Align { mul: 16, offset: 4 }.pack(), 0x44);
/// assert_eq!(<Align as IndexValue>::unpack(0x83), Align { mul: 8, offset: 8 });
/// assert_eq!(Interpolation::NoPerspective.pack(), 2);
/// // Bits that do not denote a scope.
/// assert_eq!(Scope::unpack(7), Scope::None);
/// ```
pub trait IndexValue: Sized {
    /// To packed bits.
    fn pack(self) -> u32;
    /// From packed bits; bits that mean nothing give the default.
    fn unpack(bits: u32) -> Self;
}

impl IndexValue for u32 {
    fn pack(self) -> u32 {
        self
    }
    fn unpack(bits: u32) -> u32 {
        bits
    }
}

impl IndexValue for bool {
    fn pack(self) -> u32 {
        u32::from(self)
    }
    fn unpack(bits: u32) -> bool {
        bits & 1 != 0
    }
}

impl IndexValue for Align {
    fn pack(self) -> u32 {
        self.mul.trailing_zeros() | (u32::from(self.offset) << 4)
    }
    fn unpack(bits: u32) -> Align {
        Align { mul: 1 << (bits & 15), offset: ((bits >> 4) & 0xfff) as u16 }
    }
}

impl IndexValue for IoSemantics {
    fn pack(self) -> u32 {
        u32::from(self.location.0)
            | (u32::from(self.num_slots & 63) << 8)
            | (u32::from(self.dual_source & 1) << 14)
            | (u32::from(self.stream & 3) << 15)
            | (u32::from(self.medium_precision) << 17)
            | (u32::from(self.invariant) << 18)
            | (u32::from(self.per_primitive) << 19)
    }
    fn unpack(bits: u32) -> IoSemantics {
        IoSemantics {
            location: Slot(bits as u8),
            num_slots: (bits >> 8) as u8 & 63,
            dual_source: (bits >> 14) as u8 & 1,
            stream: (bits >> 15) as u8 & 3,
            medium_precision: bits & (1 << 17) != 0,
            invariant: bits & (1 << 18) != 0,
            per_primitive: bits & (1 << 19) != 0,
        }
    }
}

macro_rules! index_enums {
    ($($enum:ident),*) => { $(
        impl IndexValue for $enum {
            fn pack(self) -> u32 { self.number() }
            fn unpack(bits: u32) -> $enum { $enum::from_number(bits).unwrap_or_default() }
        }
    )* };
}
index_enums!(Interpolation, Dim, ImageFormat, AtomicOp, Scope, ReduceOp, RoundingMode, Scalar);

macro_rules! index_flags {
    ($($set:ident),*) => { $(
        impl IndexValue for $set {
            fn pack(self) -> u32 { self.to_bits() }
            fn unpack(bits: u32) -> $set { $set::from_bits_lossy(bits) }
        }
    )* };
}
index_flags!(Modes, Access, Semantics);

/// How an index is written in text.
///
/// # Examples
///
/// ```
/// use airfoil_ir::Index;
/// use airfoil_ir::intrinsic::IndexKind;
///
/// let IndexKind::Enum(name) = Index::Interp.kind() else { panic!("`interp` is an enumeration") };
/// assert_eq!([name(1), name(9)], [Some("flat"), None]);
/// let IndexKind::Flags(names) = Index::Semantics.kind() else { panic!("`semantics` is a set") };
/// assert_eq!(names[1], ("release", 2));
/// // Components are written as letters: `mask=xz`.
/// assert!(matches!(Index::WriteMask.kind(), IndexKind::ComponentMask));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum IndexKind {
    /// A decimal number.
    Number,
    /// `true` or `false`.
    Bool,
    /// Letters of components.
    ComponentMask,
    /// `multiple` or `multiple+offset`.
    Align,
    /// Slot and its qualifiers.
    Io,
    /// A name of an enumeration, given by its names in order of their numbers.
    Enum(fn(u32) -> Option<&'static str>),
    /// A set of names.
    Flags(&'static [(&'static str, u32)]),
}

fn enum_name<E: Named>(n: u32) -> Option<&'static str> {
    E::from_number(n).map(Named::name)
}

macro_rules! indices {
    ($( $(#[doc = $doc:literal])+ $variant:ident = $name:literal, $bits:literal, $kind:expr, $accessor:ident: $ty:ty; )+) => {
        /// Name of a constant operand.
        ///
        /// # Examples
        ///
        /// ```
        /// use airfoil_ir::{Index, Intrinsic, IntrinsicOp};
        ///
        /// let indices = IntrinsicOp::store_output.info().indices;
        /// let names: Vec<_> = indices.iter().map(|index| index.name()).collect();
        /// assert_eq!(names, ["io", "component", "mask", "src_type"]);
        /// // The indices of an operation are packed into 64 bits.
        /// assert_eq!(indices.iter().map(|index| index.bits()).sum::<u32>(), 30);
        /// // The accessor of an index that the operation does not have returns the default.
        /// let elect = Intrinsic::new(IntrinsicOp::elect, &[]);
        /// assert_eq!((Index::from_name("mask"), elect.write_mask()), (Some(Index::WriteMask), 0));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Index { $( $(#[doc = $doc])+ $variant, )+ }

        impl Index {
            /// All indices.
            pub const ALL: &'static [Index] = &[$( Index::$variant, )+];

            /// Name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $( Index::$variant => $name, )+ }
            }

            /// Bits that the index takes when packed.
            pub const fn bits(self) -> u32 {
                match self { $( Index::$variant => $bits, )+ }
            }

            /// How it is written.
            pub const fn kind(self) -> IndexKind {
                match self { $( Index::$variant => $kind, )+ }
            }

            /// Index of a name.
            pub fn from_name(name: &str) -> Option<Index> {
                Index::ALL.iter().copied().find(|i| i.name() == name)
            }
        }
    };
}

/// Passes the table of indices to a macro: name, name in the text form, packed bits, notation, accessor and type.
macro_rules! with_indices {
    ($with:ident) => {
        $with! {
            /// First component of the slot that is accessed, in units of the value's width.
            Component = "component", 2, IndexKind::Number, component: u32;
            /// Mask of the components that are stored; bit 0 is x.
            WriteMask = "mask", 4, IndexKind::ComponentMask, write_mask: u32;
            /// Qualifiers of the access; of the destination for copies.
            Access = "access", 12, IndexKind::Flags(Access::NAMES), access: Access;
            /// Qualifiers of the source of a copy.
            SrcAccess = "src_access", 12, IndexKind::Flags(Access::NAMES), src_access: Access;
            /// Alignment of the byte offset.
            Align = "align", 16, IndexKind::Align, align: Align;
            /// The slots that an input or output access can reach.
            Io = "io", 20, IndexKind::Io, io: IoSemantics;
            /// Scalar type of the result.
            DestType = "dest_type", 4, IndexKind::Enum(enum_name::<Scalar>), dest_type: Scalar;
            /// Scalar type of the operand.
            SrcType = "src_type", 4, IndexKind::Enum(enum_name::<Scalar>), src_type: Scalar;
            /// Interpolation of barycentric coordinates.
            Interp = "interp", 2, IndexKind::Enum(enum_name::<Interpolation>), interp: Interpolation;
            /// Shape of the image.
            Dim = "dim", 4, IndexKind::Enum(enum_name::<Dim>), dim: Dim;
            /// Whether the image has layers.
            Array = "array", 1, IndexKind::Bool, array: bool;
            /// Format of the image's texels.
            Format = "format", 6, IndexKind::Enum(enum_name::<ImageFormat>), format: ImageFormat;
            /// The operation of an atomic.
            Atomic = "op", 4, IndexKind::Enum(enum_name::<AtomicOp>), atomic_op: AtomicOp;
            /// The invocations that wait at a barrier.
            ExecutionScope = "execution", 3, IndexKind::Enum(enum_name::<Scope>), execution_scope: Scope;
            /// The invocations to which the ordered memory accesses are visible.
            MemoryScope = "memory", 3, IndexKind::Enum(enum_name::<Scope>), memory_scope: Scope;
            /// The kinds of memory that are ordered.
            MemoryModes = "modes", 14, IndexKind::Flags(Modes::NAMES), memory_modes: Modes;
            /// The memory ordering.
            Semantics = "semantics", 4, IndexKind::Flags(Semantics::NAMES), semantics: Semantics;
            /// Combining operation.
            Reduce = "reduce", 4, IndexKind::Enum(enum_name::<ReduceOp>), reduce_op: ReduceOp;
            /// Size of the clusters that are reduced separately; 0 = the whole subgroup.
            Cluster = "cluster", 8, IndexKind::Number, cluster: u32;
            /// Vertex stream.
            Stream = "stream", 2, IndexKind::Number, stream: u32;
            /// Rounding of a conversion.
            Rounding = "rounding", 3, IndexKind::Enum(enum_name::<RoundingMode>), rounding: RoundingMode;
            /// Whether a conversion saturates.
            Saturate = "sat", 1, IndexKind::Bool, saturate: bool;
            /// Index of a function parameter.
            Param = "param", 16, IndexKind::Number, param: u32;
        }
    };
}
pub(super) use with_indices;

with_indices!(indices);

//! Declared types.

use airfoil_ir::*;
use spirv::{Op, StorageClass};

/// Index of a type in the reader's list.
pub(crate) type TyIx = u32;

/// A type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Void,
    Bool,
    Int {
        bits: u8,
        signed: bool,
    },
    Float {
        bits: u8,
    },
    Vector {
        elem: TyIx,
        n: u8,
    },
    Matrix {
        column: TyIx,
        n: u8,
    },
    Array {
        elem: TyIx,
        len: u32,
        stride: u32,
    },
    Runtime {
        elem: TyIx,
        stride: u32,
    },
    /// Range of the members in the reader's list.
    Struct {
        first: u32,
        n: u32,
    },
    Image(ImageType),
    Sampler,
    /// The image type.
    SampledImage(TyIx),
    /// Storage class and id of the type pointed at, which may come later (0 = not yet known).
    Pointer {
        class: StorageClass,
        to: u32,
    },
    /// Range of the parameters in the reader's list.
    Function {
        ret: TyIx,
        first: u32,
        n: u32,
    },
    /// A type that nothing is done with.
    Other(Op),
}

/// A declared type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SType {
    pub kind: Kind,
    pub id: u32,
    pub depth: u16,
    /// Scalars and vectors that a value consists of.
    pub leaves: u32,
    /// Bytes to which memory of this type is aligned: those of its largest scalar.
    pub align: u8,
    /// Bytes that memory of this type takes, without the strides of matrices; saturates. Run-time arrays take none.
    pub size: u32,
    /// Shape of a scalar or vector; [`Ty::NONE`] for others.
    pub shape: Ty,
    pub ir: Option<TypeId>,
    /// Block or BufferBlock.
    pub block: bool,
    /// BufferBlock.
    pub buffer_block: bool,
}

/// A member of a structure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SMember {
    pub ty: TyIx,
    pub offset: Option<u32>,
    pub matrix_stride: u32,
    pub row_major: bool,
    pub access: Access,
    /// Value of the built-in plus 1; 0 = none.
    pub builtin: u32,
    pub precision: Precision,
}

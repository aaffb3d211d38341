//! Qualifiers of variables, members, parameters and results.

use crate::ids::FuncId;
use airfoil_ir::{ImageFormat, Interpolation, Precision, Sampling};

/// Storage qualifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Storage {
    /// A local variable.
    #[default]
    Local,
    /// A global variable without storage qualifier.
    Global,
    /// `const`, with a constant initialiser: [`Variable::constant`].
    Const,
    /// Input of the stage (`in`, `attribute`, fragment `varying`).
    In,
    /// Output of the stage (`out`, vertex `varying`).
    Out,
    /// Input and output of the fragment stage (`inout`, framebuffer fetch).
    InOut,
    /// `uniform`.
    Uniform,
    /// `buffer`.
    Buffer,
    /// `shared`.
    Shared,
    /// Parameter `in` (the default).
    ParamIn,
    /// Parameter `const in`.
    ParamConst,
    /// Parameter `out`.
    ParamOut,
    /// Parameter `inout`.
    ParamInOut,
}

impl Storage {
    /// Whether it is an input or output of the stage.
    pub fn is_io(self) -> bool {
        matches!(self, Storage::In | Storage::Out | Storage::InOut)
    }

    /// Whether it is a parameter.
    pub fn is_param(self) -> bool {
        matches!(self, Storage::ParamIn | Storage::ParamConst | Storage::ParamOut | Storage::ParamInOut)
    }

    /// Whether it is a parameter whose value is copied back to the argument.
    pub fn is_out_param(self) -> bool {
        matches!(self, Storage::ParamOut | Storage::ParamInOut)
    }
}

bitflags::bitflags! {
    /// Memory qualifiers.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Memory: u8 {
        /// `coherent` (and its narrower forms).
        const COHERENT = 1;
        /// `volatile`.
        const VOLATILE = 2;
        /// `restrict`.
        const RESTRICT = 4;
        /// `readonly`.
        const READONLY = 8;
        /// `writeonly`.
        const WRITEONLY = 16;
        /// `nonuniformEXT` on a resource.
        const NON_UNIFORM = 32;
    }
}

/// Layout of matrices in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixLayout {
    /// `column_major`.
    ColumnMajor,
    /// `row_major`.
    RowMajor,
}

/// How a block is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    /// `shared`.
    Shared,
    /// `packed`.
    Packed,
    /// `std140`.
    Std140,
    /// `std430`.
    Std430,
    /// `scalar` (`GL_EXT_scalar_block_layout`).
    Scalar,
}

/// Contents of the `layout(...)` of a variable, member or block. `None` = not specified.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// `location`.
    pub location: Option<u32>,
    /// `component`.
    pub component: Option<u32>,
    /// `index`: blend source of a fragment output, or index of a subroutine.
    pub index: Option<u32>,
    /// `binding`.
    pub binding: Option<u32>,
    /// `set`.
    pub set: Option<u32>,
    /// `offset`.
    pub offset: Option<u32>,
    /// `align`.
    pub align: Option<u32>,
    /// `xfb_buffer`.
    pub xfb_buffer: Option<u32>,
    /// `xfb_stride`.
    pub xfb_stride: Option<u32>,
    /// `xfb_offset`.
    pub xfb_offset: Option<u32>,
    /// `stream`.
    pub stream: Option<u32>,
    /// `row_major` or `column_major`.
    pub matrix: Option<MatrixLayout>,
    /// `shared`, `packed`, `std140`, `std430`, `scalar`.
    pub packing: Option<Packing>,
    /// Format of an image.
    pub format: Option<ImageFormat>,
    /// `constant_id`.
    pub constant_id: Option<u32>,
    /// `input_attachment_index`.
    pub input_attachment: Option<u32>,
    /// `push_constant`.
    pub push_constant: bool,
    /// `buffer_reference`: the block is a type.
    pub buffer_reference: bool,
    /// `buffer_reference_align`.
    pub buffer_reference_align: Option<u32>,
    /// `noncoherent` framebuffer fetch.
    pub noncoherent: bool,
}

/// All qualifiers of a variable, member, parameter or result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Qualifiers {
    /// Storage.
    pub storage: Storage,
    /// Precision, defaults filled in.
    pub precision: PrecisionHint,
    /// Interpolation, if given.
    pub interpolation: Option<Interpolation>,
    /// `centroid` or `sample`.
    pub sampling: Option<Sampling>,
    /// `patch`.
    pub patch: bool,
    /// `invariant`.
    pub invariant: bool,
    /// `precise`.
    pub precise: bool,
    /// `const` (on a parameter, also seen in [`Storage`]).
    pub constant: bool,
    /// Memory qualifiers.
    pub memory: Memory,
    /// `layout(...)`.
    pub layout: Layout,
    /// `subroutine uniform`: the subroutine type, a function without a body.
    pub subroutine: Option<FuncId>,
}

/// Precision of a variable; the IR's enumeration with a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrecisionHint(pub Precision);

impl Default for PrecisionHint {
    fn default() -> Self {
        PrecisionHint(Precision::None)
    }
}

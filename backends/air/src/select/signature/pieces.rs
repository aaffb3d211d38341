//! Parts of a signature: inputs, outputs, resources, and the outputs of mesh functions.

use crate::functions::TextureKind;
use crate::module::{TypeId, Value};
use crate::select::plan::builtin_args::BuiltinArg;
use crate::select::types::{Class, MemId};
use airfoil_ir::{Scalar, Slot};

/// Where the value of an input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InputSource {
    /// An argument that holds the value.
    Argument(u32),
    /// An argument that holds an interpolant.
    Interpolant { argument: u32, perspective: bool },
    /// A built-in argument.
    BuiltinArg(BuiltinArg),
}

/// An input: some components of a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputPiece {
    pub(crate) slot: Slot,
    pub(crate) component: u8,
    pub(crate) comps: u8,
    pub(crate) class: Class,
    pub(crate) bits: u8,
    pub(crate) source: InputSource,
}

/// An output: some components of a location, or all clip distances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputPiece {
    pub(crate) slot: Slot,
    pub(crate) dual_source: u8,
    pub(crate) component: u8,
    /// Components; elements of the array of clip distances.
    pub(crate) comps: u8,
    pub(crate) class: Class,
    pub(crate) bits: u8,
    pub(crate) ty: TypeId,
    /// The array of clip distances.
    pub(crate) clip: bool,
}

/// A member of an argument buffer, which holds the pointers or handles of a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Argument of the buffer.
    pub(crate) argument: u32,
    /// Field of the struct.
    pub(crate) field: u32,
    /// Elements; `None` if the length of the array is unknown.
    pub(crate) count: Option<u32>,
    /// Fields from one element to the next.
    pub(crate) step: u32,
}

/// Where the function finds a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ResourceSource {
    /// Consecutive arguments, one per element.
    Arguments { first: u32, count: u32 },
    /// A member of an argument buffer.
    Member(Member),
}

/// Where the function finds a sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SamplerSource {
    /// Bound by the caller.
    Resource(ResourceSource),
    /// A constant of the module.
    Constant(Value),
}

/// Pointees of a block that consists of one run-time array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    /// Bytes between pointees.
    pub(crate) stride: u32,
    /// Each pointee is in a struct with its padding.
    pub(crate) padded: bool,
}

/// The memory that an access may overlap with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Alias {
    /// Any.
    Any,
    /// Only the memory of this buffer argument. Of an array of buffers it is the first argument.
    Argument(u32),
    /// Any but that of the arguments of the case above.
    OtherBuffers,
}

/// Layout of the memory that a pointer to a block addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockLayout {
    /// Memory of one pointee.
    pub(crate) mem: MemId,
    /// The block is one run-time array.
    pub(crate) elements: Option<Elements>,
    /// Address space.
    pub(crate) space: u32,
    /// The memory that accesses may overlap with.
    pub(crate) alias: Alias,
}

/// A buffer argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferArg {
    pub(crate) source: ResourceSource,
    pub(crate) layout: BlockLayout,
    /// Slot of the first element's size in the buffer of sizes; an array of unknown length has none.
    pub(crate) size_slot: Option<u32>,
}

/// The argument of the push constants or of the default uniform block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstantBuffer {
    pub(crate) argument: u32,
    pub(crate) layout: BlockLayout,
}

/// How a function uses a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum TextureAccess {
    Sample,
    Read,
    Write,
    ReadWrite,
}

impl TextureAccess {
    /// The word in the metadata.
    pub(crate) fn key(self) -> &'static str {
        match self {
            TextureAccess::Sample => "air.sample",
            TextureAccess::Read => "air.read",
            TextureAccess::Write => "air.write",
            TextureAccess::ReadWrite => "air.read_write",
        }
    }

    /// The word in Metal's name of the type.
    pub(crate) fn word(self) -> &'static str {
        self.key().trim_start_matches("air.")
    }

    /// The operand of texture functions.
    pub(crate) fn operand(self) -> i32 {
        self as i32
    }

    pub(crate) fn writes(self) -> bool {
        matches!(self, TextureAccess::Write | TextureAccess::ReadWrite)
    }
}

/// A texture argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureArg {
    pub(crate) kind: &'static TextureKind,
    pub(crate) source: ResourceSource,
    pub(crate) access: TextureAccess,
    /// Component type.
    pub(crate) component: Scalar,
}

/// The kind of output that a mesh function writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MeshPart {
    Position,
    PointSize,
    /// Array of clip distances.
    Clip,
    /// A value per vertex: its index.
    VertexData(u32),
    /// A value per primitive: its index.
    PrimitiveData(u32),
    PrimitiveId,
    Layer,
    Viewport,
    Culled,
    /// Vertex indices of a primitive, and their count.
    Indices(u32),
}

/// An output of a mesh function: some components of a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshPiece {
    pub(crate) slot: Slot,
    pub(crate) component: u8,
    pub(crate) comps: u8,
    pub(crate) class: Class,
    pub(crate) bits: u8,
    pub(crate) part: MeshPart,
}

impl MeshPiece {
    /// Bits of the components among those from `component` on that belong to this output, counted from its first.
    pub(crate) fn covered(&self, slot: Slot, component: u8, mask: u32) -> u32 {
        if slot != self.slot {
            return 0;
        }
        let at = (mask & 15) << component >> self.component;
        at & ((1 << self.comps) - 1)
    }
}

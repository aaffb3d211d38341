//! Facts about the declarations so far that the typed tree does not keep.

use crate::hir::{FuncId, Layout, MatrixLayout, Packing, VarId};
use crate::source::Span;
use airfoil_ir::{Interpolation, Sampling};
use rustc_hash::{FxHashMap, FxHashSet};

/// Defaults of `layout(...) uniform;` or `layout(...) buffer;`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockDefaults {
    /// Matrices.
    pub(crate) matrix: Option<MatrixLayout>,
    /// Packing.
    pub(crate) packing: Option<Packing>,
}

/// A location that is in use, as the key of its components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LocationKey {
    /// 0 inputs, 1 outputs, 2 per-patch inputs, 3 per-patch outputs, 4 uniforms.
    pub(crate) space: u8,
    /// Location.
    pub(crate) location: u32,
    /// Blend source.
    pub(crate) index: u32,
}

/// State of the declarations half of the checker.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Whether the limits of GLSL ES 1.00 appendix A apply.
    pub(crate) es100_limits: bool,
    /// Values of specialization constants.
    pub(crate) spec: Vec<(u32, u64)>,
    /// Specialization constants that stay open.
    pub(crate) open: Vec<u32>,
    /// Depth and number of all members of each structure in the type table.
    pub(crate) structs: Vec<(u32, u32)>,
    /// The innermost of these is a structure.
    pub(crate) in_struct: bool,
    /// Depth of structures and blocks around the member that is declared.
    pub(crate) nesting: u32,
    /// Defaults of uniform blocks.
    pub(crate) uniform: BlockDefaults,
    /// Defaults of buffer blocks.
    pub(crate) buffer: BlockDefaults,
    /// Components that are taken of locations.
    pub(crate) locations: FxHashMap<LocationKey, Taken>,
    /// Next offset of atomic counters, by binding.
    pub(crate) counter_offsets: FxHashMap<u32, u32>,
    /// Ranges of atomic counters, by binding.
    pub(crate) counters: FxHashMap<u32, Vec<(u32, u32)>>,
    /// Ranges captured by transform feedback, by buffer.
    pub(crate) captures: Vec<Capture>,
    /// Block names by kind of storage (0 in, 1 out, 2 uniform, 3 buffer).
    pub(crate) blocks: FxHashSet<(u8, crate::token::Symbol)>,
    /// Block names.
    pub(crate) block_names: FxHashSet<crate::token::Symbol>,
    /// `gl_PerVertex` redeclarations: input, output.
    pub(crate) per_vertex: [bool; 2],
    /// A member of the output `gl_PerVertex` was redeclared separately.
    pub(crate) per_vertex_member: Option<Span>,
    /// Size that layouts or declarations gave to arrayed inputs (geometry) and outputs (tessellation control).
    pub(crate) vertices: [Option<u32>; 2],
    /// The size that a layout gave.
    pub(crate) declared_vertices: [Option<u32>; 2],
    /// Arrayed inputs and outputs without a size so far.
    pub(crate) unsized_vertices: [Vec<VarId>; 2],
    /// Built-in variables with a new declaration, with the layout it gave.
    pub(crate) redeclared: FxHashMap<VarId, Layout>,
    /// Subroutine types that functions and uniforms may name.
    pub(crate) subroutine_types: FxHashMap<crate::token::Symbol, FuncId>,
    /// Members of the output `gl_PerVertex` that its redeclaration left.
    pub(crate) per_vertex_members: Vec<crate::token::Symbol>,
    /// Ranges of expressions that are initial values of global variables.
    pub(crate) global_exprs: Vec<(u32, u32)>,
    /// Ranges of expressions of function bodies.
    pub(crate) bodies: Vec<(FuncId, u32, u32)>,
    /// A push-constant block was declared.
    pub(crate) push_constant: bool,
}

/// Components of a location that are taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// Mask of components.
    pub(crate) mask: u8,
    /// Numeric kind: 0 float, 1 integer, 2 64-bit.
    pub(crate) kind: u8,
    /// How it is interpolated.
    pub(crate) how: (Interpolation, Sampling),
}

/// A range of bytes captured by transform feedback.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    /// Buffer.
    pub(crate) buffer: u32,
    /// First byte.
    pub(crate) start: u32,
    /// End of the range.
    pub(crate) end: u32,
    /// Alignment: 4, or 8 with doubles.
    pub(crate) align: u32,
    /// Where.
    pub(crate) span: Span,
}

//! Values of outputs, and the vertices, primitives and invocations they belong to.

use airfoil_ir::Scalar;

/// A scalar that a shader wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) bits: u64,
    pub(crate) scalar: Scalar,
    pub(crate) undef: bool,
}

/// Whose output a value is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owner {
    /// An invocation: a vertex, a point of a patch, a fragment.
    Lane(usize),
    /// A vertex of the patch or mesh.
    Vertex(u32),
    /// The whole patch.
    Patch,
    /// A primitive of the mesh.
    Primitive(u32),
}

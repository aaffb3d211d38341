//! Overloads of built-in functions.

use crate::builtin::op::Builtin;
use crate::types::Type;
use smallvec::SmallVec;

/// Direction of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dir {
    /// `in`.
    In,
    /// `out`.
    Out,
    /// `inout`.
    InOut,
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Type.
    pub ty: Type,
    /// Direction.
    pub dir: Dir,
    /// The argument must be a constant expression: texel offsets, component to gather, cluster sizes, scopes.
    pub constant: bool,
    /// Interpolant of `interpolateAt*`: an input or part of one.
    pub interpolant: bool,
    /// Operand of an atomic operation: an l-value in a buffer or in workgroup memory.
    pub memory: bool,
}

impl Param {
    pub(super) const fn new(ty: Type) -> Param {
        Param { ty, dir: Dir::In, constant: false, interpolant: false, memory: false }
    }

    pub(super) const fn constant(ty: Type) -> Param {
        Param { constant: true, ..Param::new(ty) }
    }
}

/// An overload.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// Operation.
    pub builtin: &'static Builtin,
    /// Type of the result.
    pub result: Type,
    /// Parameters.
    pub params: SmallVec<[Param; 6]>,
}

impl Prototype {
    /// Whether the parameters have exactly these types.
    pub(super) fn takes(&self, args: &[Type]) -> bool {
        self.params.len() == args.len() && self.params.iter().zip(args).all(|(p, &t)| p.ty == t)
    }
}

/// Overloads; few functions have more than the inline ones without filter.
pub type Prototypes = SmallVec<[Prototype; 4]>;

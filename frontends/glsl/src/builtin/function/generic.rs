//! Signatures over families of scalar, vector and matrix types (`genFType`, `mat`): one base type, one vector size and
//! one matrix shape vary in a signature, and have the same value throughout it.

use super::prototype::{Dir, Param, Prototype};
use crate::builtin::op::{Builtin, CallPrecision};
use crate::builtin::pure::AluByBase;
use crate::extension::Ext;
use crate::types::{Base, Opaque, OpaqueKind, Type};
use crate::version::{Avail, Language, NEVER};
use airfoil_ir::{AluOp, Dim};

/// A type with the base type and sizes left open.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pattern {
    /// A certain type.
    Fixed(Type),
    /// Vector of the base type and size.
    Vector,
    /// Scalar of the base type.
    Scalar,
    /// Vector of a certain base type and the size.
    VectorOf(Base),
    /// Matrix.
    Matrix,
    /// Matrix with rows and columns exchanged.
    Transposed,
    /// Column of the matrix.
    Column,
    /// Row of the matrix.
    MatrixRow,
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arg {
    pattern: Pattern,
    dir: Dir,
    constant: bool,
    constant_in_gl: bool,
    interpolant: bool,
    memory: bool,
}

const fn arg(pattern: Pattern) -> Arg {
    Arg { pattern, dir: Dir::In, constant: false, constant_in_gl: false, interpolant: false, memory: false }
}

// Parameter types of rows.
pub(super) const VOID: Arg = arg(Pattern::Fixed(Type::Void));
pub(super) const T: Arg = arg(Pattern::Vector);
pub(super) const S: Arg = arg(Pattern::Scalar);
pub(super) const M: Arg = arg(Pattern::Matrix);
pub(super) const TRANSPOSED: Arg = arg(Pattern::Transposed);
pub(super) const COLUMN: Arg = arg(Pattern::Column);
pub(super) const ROW: Arg = arg(Pattern::MatrixRow);
pub(super) const BOOL: Arg = arg(Pattern::Fixed(Type::BOOL));
pub(super) const INT: Arg = arg(Pattern::Fixed(Type::INT));
pub(super) const UINT: Arg = arg(Pattern::Fixed(Type::UINT));
pub(super) const FLOAT: Arg = arg(Pattern::Fixed(Type::FLOAT));
pub(super) const COUNTER: Arg = arg(Pattern::Fixed(Type::Opaque(Opaque {
    kind: OpaqueKind::AtomicCounter,
    sampled: Base::Uint,
    dim: Dim::D2,
    arrayed: false,
    shadow: false,
    external: false,
})));

// Operations of rows.
pub(super) const OPERANDS: CallPrecision = CallPrecision::OPERANDS;
pub(super) const HIGH: CallPrecision = CallPrecision::HIGH;

/// One ALU operation on floats.
pub(super) const fn float(op: AluOp, precision: CallPrecision) -> Builtin {
    Builtin::alu(AluByBase::float(op), precision)
}

/// One ALU operation on signed and one on unsigned integers.
pub(super) const fn integer(signed: AluOp, unsigned: AluOp, precision: CallPrecision) -> Builtin {
    Builtin::alu(AluByBase::integer(signed, unsigned), precision)
}

/// A scalar of a certain type.
pub(super) const fn s(base: Base) -> Arg {
    arg(Pattern::Fixed(Type::scalar(base)))
}

/// A vector of a certain type.
pub(super) const fn v(base: Base, size: u8) -> Arg {
    arg(Pattern::Fixed(Type::vector(base, size)))
}

/// A vector of a certain base type, as long as the others.
pub(super) const fn n(base: Base) -> Arg {
    arg(Pattern::VectorOf(base))
}

/// An `out` parameter.
pub(super) const fn out(arg: Arg) -> Arg {
    Arg { dir: Dir::Out, ..arg }
}

/// A parameter that takes constant expressions only.
pub(super) const fn constant(arg: Arg) -> Arg {
    Arg { constant: true, ..arg }
}

/// A parameter that takes constant expressions only in OpenGL, and any value in Vulkan (SPIR-V 1.5).
pub(super) const fn constant_in_gl(arg: Arg) -> Arg {
    Arg { constant_in_gl: true, ..arg }
}

/// An interpolant.
pub(super) const fn interpolant(arg: Arg) -> Arg {
    Arg { interpolant: true, ..arg }
}

/// A memory operand that is changed.
pub(super) const fn memory(arg: Arg) -> Arg {
    Arg { dir: Dir::InOut, memory: true, ..arg }
}

/// Which sizes there are: of vectors, and of matrices.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sizes {
    /// Nothing varies in size.
    One,
    /// Scalars and vectors.
    Any,
    /// Vectors only.
    Vectors,
    /// Vectors of this size.
    Of(u8),
    /// Matrices.
    Matrices,
    /// Square matrices.
    Square,
}

impl Sizes {
    /// The range of vector sizes, or columns of matrices.
    fn range(self) -> std::ops::RangeInclusive<u8> {
        match self {
            Sizes::One => 1..=1,
            Sizes::Any => 1..=4,
            Sizes::Of(n) => n..=n,
            Sizes::Vectors | Sizes::Matrices | Sizes::Square => 2..=4,
        }
    }

    /// The range of rows for a number of columns.
    fn rows(self, cols: u8) -> std::ops::RangeInclusive<u8> {
        match self {
            Sizes::Matrices => 2..=4,
            Sizes::Square => cols..=cols,
            _ => 0..=0,
        }
    }
}

/// A signature.
#[derive(Debug)]
pub(super) struct Generic {
    pub builtin: Builtin,
    pub result: Arg,
    pub params: &'static [Arg],
    pub bases: &'static [Base],
    pub sizes: Sizes,
    /// Works across a subgroup: other widths than 32 and 64 bit floats need the extended types.
    pub subgroup: bool,
}

/// The bindings of base type and sizes during matching.
#[derive(Clone, Copy, Default)]
struct Binding {
    base: Option<Base>,
    /// Vector size or columns; 0 = not known.
    size: u8,
    /// Rows; 0 = not known.
    rows: u8,
}

/// Binds a size that is still open; false if it is already bound to another value.
fn bind(slot: &mut u8, value: u8) -> bool {
    if *slot == 0 {
        *slot = value;
    }
    *slot == value
}

impl Binding {
    fn bind_base(&mut self, base: Base) -> bool {
        *self.base.get_or_insert(base) == base
    }

    fn unify(&mut self, pattern: Pattern, ty: Type) -> bool {
        match (pattern, ty) {
            (Pattern::Fixed(fixed), _) => fixed == ty,
            (Pattern::Vector, Type::Vector { base, size }) => {
                self.bind_base(base) && bind(&mut self.size, size)
            }
            (Pattern::Scalar, Type::Vector { base, size: 1 }) => self.bind_base(base),
            (Pattern::VectorOf(of), Type::Vector { base, size }) => of == base && bind(&mut self.size, size),
            (Pattern::Matrix, Type::Matrix { base, cols, rows }) => {
                self.bind_base(base) && bind(&mut self.size, cols) && bind(&mut self.rows, rows)
            }
            (Pattern::Transposed, Type::Matrix { base, cols, rows }) => {
                self.bind_base(base) && bind(&mut self.size, rows) && bind(&mut self.rows, cols)
            }
            (Pattern::Column, Type::Vector { base, size }) => {
                self.bind_base(base) && bind(&mut self.rows, size)
            }
            (Pattern::MatrixRow, Type::Vector { base, size }) => {
                self.bind_base(base) && bind(&mut self.size, size)
            }
            _ => false,
        }
    }

    fn apply(self, pattern: Pattern) -> Type {
        let base = self.base.unwrap_or(Base::Float);
        match pattern {
            Pattern::Fixed(ty) => ty,
            Pattern::Vector | Pattern::MatrixRow => Type::vector(base, self.size),
            Pattern::Scalar => Type::scalar(base),
            Pattern::VectorOf(of) => Type::vector(of, self.size),
            Pattern::Matrix => Type::Matrix { base, cols: self.size, rows: self.rows },
            Pattern::Transposed => Type::Matrix { base, cols: self.rows, rows: self.size },
            Pattern::Column => Type::vector(base, self.rows),
        }
    }
}

impl Generic {
    fn has_base(&self, base: Base, lang: &Language) -> bool {
        self.bases.contains(&base)
            && has_base(base, lang)
            && (!self.subgroup || has_subgroup_base(base, lang))
    }

    fn make(&'static self, binding: Binding, lang: &Language) -> Prototype {
        let params = self.params.iter().map(|a| Param {
            ty: binding.apply(a.pattern),
            dir: a.dir,
            constant: a.constant || (a.constant_in_gl && !lang.vulkan),
            interpolant: a.interpolant,
            memory: a.memory,
        });
        Prototype {
            builtin: &self.builtin,
            result: binding.apply(self.result.pattern),
            params: params.collect(),
        }
    }

    /// The overload for these arguments.
    pub(super) fn exact(&'static self, args: &[Type], lang: &Language) -> Option<Prototype> {
        if args.len() != self.params.len() {
            return None;
        }
        let mut binding = Binding::default();
        if !self.params.iter().zip(args).all(|(param, &ty)| binding.unify(param.pattern, ty)) {
            return None;
        }
        if binding.base.is_some_and(|base| !self.has_base(base, lang)) {
            return None;
        }
        let size_fits = binding.size == 0 || self.sizes.range().contains(&binding.size);
        let rows_fit = binding.rows == 0 || self.sizes.rows(binding.size).contains(&binding.rows);
        (size_fits && rows_fit).then(|| self.make(binding, lang))
    }

    /// All overloads.
    pub(super) fn expand(&'static self, lang: &Language, add: &mut dyn FnMut(Prototype)) {
        for &base in self.bases.iter().filter(|&&base| self.has_base(base, lang)) {
            for size in self.sizes.range() {
                for rows in self.sizes.rows(size) {
                    add(self.make(Binding { base: Some(base), size, rows }, lang));
                }
            }
        }
    }
}

const UNSIGNED: Avail =
    Avail::since(130, 300).or(&[Ext::EXT_gpu_shader4, Ext::EXT_shader_explicit_arithmetic_types_int32]);
const DOUBLE: Avail = Avail::since(400, NEVER)
    .or(&[Ext::ARB_gpu_shader_fp64, Ext::EXT_shader_explicit_arithmetic_types_float64]);

/// Whether a base type takes part in arithmetic. Storage-only extensions do not add functions.
fn has_base(base: Base, lang: &Language) -> bool {
    let by = |exts: &[Ext]| lang.extensions.contains_any(exts);
    match base {
        Base::Bool | Base::Int | Base::Float => true,
        Base::Uint => lang.has(&UNSIGNED),
        Base::Double => lang.has(&DOUBLE),
        Base::Half => {
            by(&[Ext::EXT_shader_explicit_arithmetic_types_float16, Ext::AMD_gpu_shader_half_float])
        }
        Base::Int16 | Base::Uint16 => {
            by(&[Ext::EXT_shader_explicit_arithmetic_types_int16, Ext::AMD_gpu_shader_int16])
        }
        Base::Int8 | Base::Uint8 => by(&[Ext::EXT_shader_explicit_arithmetic_types_int8]),
        Base::Int64 | Base::Uint64 => by(&[
            Ext::EXT_shader_explicit_arithmetic_types_int64,
            Ext::ARB_gpu_shader_int64,
            Ext::AMD_gpu_shader_int64,
        ]),
    }
}

/// Whether operations across a subgroup take a base type.
fn has_subgroup_base(base: Base, lang: &Language) -> bool {
    match base {
        Base::Half => lang.ext(Ext::EXT_shader_subgroup_extended_types_float16),
        Base::Int16 | Base::Uint16 => lang.ext(Ext::EXT_shader_subgroup_extended_types_int16),
        Base::Int8 | Base::Uint8 => lang.ext(Ext::EXT_shader_subgroup_extended_types_int8),
        Base::Int64 | Base::Uint64 => lang.ext(Ext::EXT_shader_subgroup_extended_types_int64),
        _ => true,
    }
}

/// `T` of a subgroup's or any other function that takes values of every type.
pub(super) const VALUES: &[Base] = &[
    Base::Float,
    Base::Int,
    Base::Uint,
    Base::Bool,
    Base::Double,
    Base::Half,
    Base::Int64,
    Base::Uint64,
    Base::Int16,
    Base::Uint16,
    Base::Int8,
    Base::Uint8,
];
/// Everything but booleans.
pub(super) const NUMBERS: &[Base] = &[
    Base::Float,
    Base::Int,
    Base::Uint,
    Base::Double,
    Base::Half,
    Base::Int64,
    Base::Uint64,
    Base::Int16,
    Base::Uint16,
    Base::Int8,
    Base::Uint8,
];
/// Integers and booleans.
pub(super) const BITS: &[Base] = &[
    Base::Int,
    Base::Uint,
    Base::Bool,
    Base::Int64,
    Base::Uint64,
    Base::Int16,
    Base::Uint16,
    Base::Int8,
    Base::Uint8,
];
/// Integers.
pub(super) const INTEGERS: &[Base] =
    &[Base::Int, Base::Uint, Base::Int64, Base::Uint64, Base::Int16, Base::Uint16, Base::Int8, Base::Uint8];
/// `int` and `uint`.
pub(super) const INTS: &[Base] = &[Base::Int, Base::Uint];
/// All floats.
pub(super) const FLOATS: &[Base] = &[Base::Float, Base::Double, Base::Half];
/// Floats without `double`.
pub(super) const SINGLES: &[Base] = &[Base::Float, Base::Half];

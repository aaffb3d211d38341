//! Built-in functions whose results depend only on their arguments, built with nothing but a [`Builder`].
//!
//! The lowering of calls and the folding of constant expressions both run [`Pure::build`], so a function of constants has
//! the value that the shader would compute at run time, bit for bit.

use crate::shapes::value_bits;
use crate::types::{Base, Type};
use airfoil_ir::{AluOp, Builder, Columns, InstrId};
use smallvec::{SmallVec, smallvec};

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Arg {
    /// Type.
    pub ty: Type,
    /// The scalar or vector, or the columns of a matrix. Empty for an `out` parameter.
    pub value: Columns,
}

impl Arg {
    /// The scalar or vector.
    pub fn ssa(&self) -> Option<InstrId> {
        if let [v] = self.value[..] { Some(v) } else { None }
    }
}

/// A call: arguments and result type.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Arguments, `out` parameters included.
    pub args: &'a [Arg],
    /// Type of the result.
    pub result: Type,
}

impl<'a> Call<'a> {
    /// Argument `i`, a scalar or vector.
    pub fn ssa(&self, i: usize) -> Option<InstrId> {
        self.args.get(i)?.ssa()
    }

    /// Argument `i`, a matrix: its columns.
    pub fn columns(&self, i: usize) -> Option<&'a [InstrId]> {
        self.args.get(i).map(|a| &a.value[..])
    }

    /// Component type of the first argument.
    pub fn base(&self) -> Option<Base> {
        self.args.first()?.ty.base()
    }

    /// Whether the components of argument `i` are signed integers.
    pub fn is_signed(&self, i: usize) -> bool {
        self.args.get(i).and_then(|a| a.ty.base()).is_some_and(Base::is_signed)
    }
}

/// Results of a call.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The scalar or vector, or the columns of a matrix; empty for `void`.
    pub value: Columns,
    /// Values of the `out` parameters, each with its component type.
    pub outs: SmallVec<[(Base, InstrId); 2]>,
}

impl From<InstrId> for Results {
    fn from(value: InstrId) -> Results {
        Results { value: smallvec![value], outs: SmallVec::new() }
    }
}

impl From<Columns> for Results {
    fn from(value: Columns) -> Results {
        Results { value, outs: SmallVec::new() }
    }
}

/// ALU operations by base type of the first argument: floats, signed and unsigned integers, booleans. `None` where there is
/// no overload.
#[derive(Clone, Copy, Debug)]
pub struct AluByBase {
    float: Option<AluOp>,
    signed: Option<AluOp>,
    unsigned: Option<AluOp>,
    boolean: Option<AluOp>,
    /// The first two operands are exchanged (`a > b` is `b < a`).
    swap: bool,
}

impl AluByBase {
    const NONE: AluByBase =
        AluByBase { float: None, signed: None, unsigned: None, boolean: None, swap: false };

    /// An operation on floats.
    pub const fn float(op: AluOp) -> AluByBase {
        AluByBase { float: Some(op), ..AluByBase::NONE }
    }

    /// Operations on integers.
    pub const fn integer(signed: AluOp, unsigned: AluOp) -> AluByBase {
        AluByBase { signed: Some(signed), unsigned: Some(unsigned), ..AluByBase::NONE }
    }

    /// Operations on floats and signed integers.
    pub const fn signed(float: AluOp, signed: AluOp) -> AluByBase {
        AluByBase { float: Some(float), signed: Some(signed), ..AluByBase::NONE }
    }

    /// Operations on floats and integers.
    pub const fn number(float: AluOp, signed: AluOp, unsigned: AluOp) -> AluByBase {
        AluByBase { float: Some(float), ..AluByBase::integer(signed, unsigned) }
    }

    /// An operation on booleans.
    pub const fn boolean(op: AluOp) -> AluByBase {
        AluByBase { boolean: Some(op), ..AluByBase::NONE }
    }

    /// An operation on booleans in addition.
    pub const fn or_boolean(self, op: AluOp) -> AluByBase {
        AluByBase { boolean: Some(op), ..self }
    }

    /// With the first two operands exchanged.
    pub const fn swapped(self) -> AluByBase {
        AluByBase { swap: true, ..self }
    }

    /// The operation on components of a base type.
    fn of(self, base: Base) -> Option<AluOp> {
        if base.is_float() {
            self.float
        } else if base == Base::Bool {
            self.boolean
        } else if base.is_signed() {
            self.signed
        } else {
            self.unsigned
        }
    }
}

/// Code of a function.
#[derive(Clone, Copy, Debug)]
pub enum Pure {
    /// One ALU operation on the arguments.
    Alu(AluByBase),
    /// Several operations on one scalar or vector.
    Unary(fn(&mut Builder<'_>, InstrId) -> InstrId),
    /// Several operations on two scalars or vectors.
    Binary(fn(&mut Builder<'_>, InstrId, InstrId) -> InstrId),
    /// Several operations on three scalars or vectors.
    Ternary(fn(&mut Builder<'_>, InstrId, InstrId, InstrId) -> InstrId),
    /// Code that depends on types, takes matrices, or has `out` parameters. It returns `None` if the arguments do not fit.
    Call {
        /// Builds the instructions.
        code: fn(&mut Builder<'_>, Call<'_>) -> Option<Results>,
        /// Number of `out` parameters, which are the last ones.
        outs: u8,
    },
}

impl Pure {
    /// Number of `out` parameters, which are the last ones.
    pub fn outs(&self) -> usize {
        if let Pure::Call { outs, .. } = *self { usize::from(outs) } else { 0 }
    }

    /// Builds a call; `None` if the arguments do not fit.
    pub fn build(&self, b: &mut Builder<'_>, call: Call<'_>) -> Option<Results> {
        let arg = |i: usize| call.ssa(i);
        let value = match *self {
            Pure::Alu(ops) => {
                let op = ops.of(call.base()?)?;
                let mut values: SmallVec<[InstrId; 4]> =
                    call.args.iter().map(Arg::ssa).collect::<Option<_>>()?;
                if values.len() != op.num_operands() {
                    return None;
                }
                if ops.swap {
                    values.swap(0, 1);
                }
                b.alu(op, &values)
            }
            Pure::Unary(code) => code(b, arg(0)?),
            Pure::Binary(code) => code(b, arg(0)?, arg(1)?),
            Pure::Ternary(code) => code(b, arg(0)?, arg(1)?, arg(2)?),
            Pure::Call { code, .. } => return code(b, call),
        };
        debug_assert_eq!(call.result.base().map(value_bits), Some(b.ty(value).bits), "width of a result");
        Some(value.into())
    }
}

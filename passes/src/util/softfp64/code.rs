//! Expressions of integers: values with operators, so that arithmetic reads like arithmetic.

use airfoil_ir::{AluOp, Body, Builder, Cursor, InstrId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Neg, Not, Shl, Shr, Sub};

/// Constants of a body: one instruction each, at its start.
#[derive(Debug, Default)]
pub(crate) struct Constants(FxHashMap<(u8, u64), InstrId>);

impl Constants {
    fn get(&mut self, body: &mut Body, bits: u8, value: u64) -> InstrId {
        *self.0.entry((bits, value)).or_insert_with(|| {
            let start = Cursor::BlockStart(body.entry());
            Builder::at(body, start).imm(bits, value)
        })
    }
}

/// Where code is written.
pub(crate) struct Code<'c> {
    builder: RefCell<Builder<'c>>,
    constants: RefCell<&'c mut Constants>,
}

impl<'c> Code<'c> {
    pub(crate) fn new(builder: Builder<'c>, constants: &'c mut Constants) -> Code<'c> {
        Code { builder: RefCell::new(builder), constants: RefCell::new(constants) }
    }

    /// The result of a builder call.
    pub(crate) fn build(&'c self, make: impl FnOnce(&mut Builder<'c>) -> InstrId) -> V<'c> {
        V { code: self, id: make(&mut self.builder.borrow_mut()) }
    }

    /// A constant; it is replicated to the operation's vector size.
    pub(crate) fn imm(&'c self, bits: u8, value: u64) -> V<'c> {
        self.build(|b| self.constants.borrow_mut().get(b.body, bits, value))
    }
}

/// A value.
#[derive(Clone, Copy)]
pub(crate) struct V<'c> {
    code: &'c Code<'c>,
    id: InstrId,
}

/// The right operand of an operator: a value, or an integer converted to the operation's width.
pub(crate) trait Operand<'c> {
    fn value(self, code: &'c Code<'c>, bits: u8) -> V<'c>;
}

impl<'c> Operand<'c> for V<'c> {
    fn value(self, _: &'c Code<'c>, _: u8) -> V<'c> {
        self
    }
}

impl<'c> Operand<'c> for u64 {
    fn value(self, code: &'c Code<'c>, bits: u8) -> V<'c> {
        code.imm(bits, self)
    }
}

macro_rules! operators {
    ($($tr:ident::$method:ident = $op:ident;)+) => { $(
        impl<'c, O: Operand<'c>> $tr<O> for V<'c> {
            type Output = V<'c>;
            fn $method(self, o: O) -> V<'c> {
                self.with(AluOp::$op, o)
            }
        }
    )+ };
}

operators! {
    Add::add = iadd;
    Sub::sub = isub;
    Mul::mul = imul;
    BitAnd::bitand = iand;
    BitOr::bitor = ior;
    BitXor::bitxor = ixor;
}

macro_rules! shifts {
    ($($tr:ident::$method:ident = $op:ident;)+) => { $(
        impl<'c, O: Operand<'c>> $tr<O> for V<'c> {
            type Output = V<'c>;
            fn $method(self, count: O) -> V<'c> {
                self.alu(AluOp::$op, count.value(self.code, 32))
            }
        }
    )+ };
}

shifts! {
    Shl::shl = ishl;
    Shr::shr = ushr;
}

impl<'c> Not for V<'c> {
    type Output = V<'c>;
    fn not(self) -> V<'c> {
        self.code.build(|b| b.inot(self.id))
    }
}

impl<'c> Neg for V<'c> {
    type Output = V<'c>;
    fn neg(self) -> V<'c> {
        self.code.build(|b| b.ineg(self.id))
    }
}

/// Binary operations by name.
macro_rules! methods {
    ($($name:ident = $op:ident;)+) => { $(
        #[doc = concat!("[`AluOp::", stringify!($op), "`]")]
        pub(crate) fn $name(self, o: impl Operand<'c>) -> V<'c> {
            self.with(AluOp::$op, o)
        }
    )+ };
}

impl<'c> V<'c> {
    pub(crate) fn id(self) -> InstrId {
        self.id
    }

    fn alu(self, op: AluOp, o: V<'c>) -> V<'c> {
        self.code.build(|b| b.alu(op, &[self.id, o.id]))
    }

    fn with(self, op: AluOp, o: impl Operand<'c>) -> V<'c> {
        self.alu(op, o.value(self.code, self.bits()))
    }

    methods! {
        umul_high = umul_high;
        umin = umin;
        umax = umax;
        imin = imin;
        imax = imax;
        ieq = ieq;
        ine = ine;
        ilt = ilt;
        ult = ult;
        uge = uge;
    }

    /// Arithmetic shift to the right.
    pub(crate) fn sar(self, count: impl Operand<'c>) -> V<'c> {
        self.alu(AluOp::ishr, count.value(self.code, 32))
    }

    /// A constant as wide as this value.
    pub(crate) fn imm(self, value: u64) -> V<'c> {
        self.code.imm(self.bits(), value)
    }

    /// Where it is written.
    pub(crate) fn code(self) -> &'c Code<'c> {
        self.code
    }

    pub(crate) fn bits(self) -> u8 {
        self.code.builder.borrow().ty(self.id).bits
    }

    /// Components.
    pub(crate) fn comps(self) -> u8 {
        self.code.builder.borrow().ty(self.id).comps
    }

    /// One component.
    pub(crate) fn lane(self, c: usize) -> V<'c> {
        self.code.build(|b| b.channel(self.id, c))
    }

    /// Zero-extended or cut.
    pub(crate) fn to(self, bits: u8) -> V<'c> {
        self.convert(AluOp::u2u, bits)
    }

    /// Sign-extended or cut.
    pub(crate) fn sext(self, bits: u8) -> V<'c> {
        self.convert(AluOp::i2i, bits)
    }

    fn convert(self, op: AluOp, bits: u8) -> V<'c> {
        if self.bits() == bits { self } else { self.code.build(|b| b.convert(op, self.id, bits)) }
    }

    /// A truth as 1 or 0.
    pub(crate) fn bit(self, bits: u8) -> V<'c> {
        self.code.build(|b| b.convert(AluOp::b2i, self.id, bits))
    }

    /// Position of the highest one bit in 32 bits; -1 if there is none.
    pub(crate) fn msb(self) -> V<'c> {
        self.code.build(|b| b.alu(AluOp::ufind_msb, &[self.id]))
    }

    /// `a` where this is true, else `b`.
    pub(crate) fn select(self, a: V<'c>, b: impl Operand<'c>) -> V<'c> {
        let other = b.value(self.code, a.bits());
        self.code.build(|b| b.bcsel(self.id, a.id, other.id))
    }
}

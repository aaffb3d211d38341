//! The columns of the ALU table, apart from the evaluation.

use crate::value::Ty;
use bitflags::bitflags;
use std::fmt;

/// How an operation reads or writes the bits of an operand.
///
/// # Examples
///
/// ```
/// use airfoil_ir::alu::{AluOp, Base};
///
/// let bases = |op: AluOp| op.info().operands.iter().map(|o| o.base).collect::<Vec<_>>();
/// // The shifts to the right differ in the interpretation of the first operand only.
/// assert_eq!(bases(AluOp::ishr), [Base::Int, Base::Uint]);
/// assert_eq!(bases(AluOp::ushr), [Base::Uint, Base::Uint]);
/// // A selection moves values of every width; there are no floats of 8 bits.
/// assert_eq!(bases(AluOp::bcsel), [Base::Bool, Base::Any, Base::Any]);
/// assert!(Base::Any.has_width(8) && !Base::Float.has_width(8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// IEEE 754 number of 16, 32 or 64 bits.
    Float,
    /// Two's complement number.
    Int,
    /// Unsigned number.
    Uint,
    /// Truth value of 1 bit.
    Bool,
    /// Bits that are only moved.
    Any,
}

impl Base {
    /// Whether values of this kind can have `bits` bits per component.
    pub const fn has_width(self, bits: u8) -> bool {
        match self {
            Base::Float => matches!(bits, 16 | 32 | 64),
            Base::Bool => bits == 1,
            Base::Int | Base::Uint | Base::Any => true,
        }
    }
}

/// The shape of an ALU instruction, see [`AluInfo::shape`].
///
/// # Examples
///
/// ```
/// use airfoil_ir::Ty;
/// use airfoil_ir::alu::{AluOp, AluShape};
///
/// // A comparison of halves: the operands are wider than the result.
/// let less = AluOp::flt.info().shape([Ty::new(2, 16), Ty::new(2, 16)], None, None);
/// assert_eq!(less, AluShape { ty: Ty::new(2, 1), bits: 16, comps: 2 });
/// // A scalar operand is spread over the vector.
/// assert_eq!(AluOp::fmul.info().shape([Ty::B32, Ty::new(3, 32)], None, None).ty, Ty::new(3, 32));
/// // The width of the result of a conversion is a property of the instruction.
/// assert_eq!(AluOp::f2f.info().shape([Ty::B32], None, Some(64)).ty, Ty::new(1, 64));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AluShape {
    /// Shape of the result.
    pub ty: Ty,
    /// Width of the operands whose width the row leaves open.
    pub bits: u8,
    /// Components of the operands whose components the row leaves open.
    pub comps: u8,
}

/// Operand or result type of a table row.
///
/// # Examples
///
/// ```
/// use airfoil_ir::AluOp;
///
/// let ldexp = AluOp::fldexp.info();
/// assert_eq!(ldexp.operands.iter().map(ToString::to_string).collect::<Vec<_>>(), ["float", "int32"]);
/// // On half vectors, the exponents are still integers of 32 bits.
/// let shapes: Vec<_> = ldexp.operands.iter().map(|o| o.shape(3, 16).to_string()).collect();
/// assert_eq!(shapes, ["16x3", "32x3"]);
/// assert_eq!(AluOp::pack_half_2x16.info().operands[0].to_string(), "float32[2]");
/// assert_eq!(AluOp::ishl.info().operands[1].to_string(), "count");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AluType {
    /// How the bits are read.
    pub base: Base,
    /// Bits per component; 0 = all unsized operands of the row share one width.
    pub bits: u8,
    /// Components; 0 = as many as the result has (the operation works per component).
    pub comps: u8,
    /// Whether it is a shift amount, an offset or a number of bits, which source languages give in any integer width.
    pub count: bool,
}

impl AluType {
    /// Shape of this operand when unsized operands have `bits` bits and the result `comps` components.
    pub const fn shape(self, comps: u8, bits: u8) -> Ty {
        Ty {
            comps: if self.comps == 0 { comps } else { self.comps },
            bits: if self.bits == 0 { bits } else { self.bits },
        }
    }
}

impl fmt::Display for AluType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.count {
            return f.write_str("count");
        }
        let name = match self.base {
            Base::Float => "float",
            Base::Int => "int",
            Base::Uint => "uint",
            Base::Bool => "bool",
            Base::Any => "any",
        };
        f.write_str(name)?;
        if self.bits != 0 && self.base != Base::Bool {
            write!(f, "{}", self.bits)?;
        }
        if self.comps != 0 {
            write!(f, "[{}]", self.comps)?;
        }
        Ok(())
    }
}

bitflags! {
    /// Algebraic and scheduling properties of an operation.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::alu::{ALU_OPS, AluOp, AluProps};
    ///
    /// let has = |op: AluOp, props| op.info().props.contains(props);
    /// assert!(has(AluOp::fmul, AluProps::COMMUTATIVE) && !has(AluOp::fsub, AluProps::COMMUTATIVE));
    /// // `ffma` commutes in its factors but is not associative.
    /// assert!(has(AluOp::ffma, AluProps::COMMUTATIVE) && !has(AluOp::ffma, AluProps::ASSOCIATIVE));
    /// // These keep the bits of NaN, which arithmetic may change.
    /// let signs = ALU_OPS.iter().copied().filter(|&op| has(op, AluProps::SIGN_ONLY));
    /// assert_eq!(signs.collect::<Vec<_>>(), [AluOp::fneg, AluOp::fabs]);
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AluProps: u8 {
        /// The first two operands can be swapped.
        const COMMUTATIVE = 1;
        /// `op(op(a, b), c) == op(a, op(b, c))`, for floats only where `exact` is not set.
        const ASSOCIATIVE = 2;
        /// The result has a width of its own, given by the instruction (conversions).
        const SIZED = 4;
        /// Reads the other three invocations of the quad: must not move into divergent control flow.
        const QUAD = 8;
        /// `op(op(a)) == op(a)` for unary operations.
        const IDEMPOTENT = 16;
        /// The result is rounded once, in the rounding mode of the shader.
        const ROUNDED = 32;
        /// Changes only the sign bit of a float: keeps denormals and the bits of NaN.
        const SIGN_ONLY = 64;
    }
}

bitflags! {
    /// Flags of an ALU instruction.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{AluFlags, Body, Builder, Shader, Stage, SystemValue, text};
    ///
    /// // Two equal instructions become one: it must be exact, but may be imprecise only if both may.
    /// let first = AluFlags::EXACT | AluFlags::NSW;
    /// assert_eq!(first.join(AluFlags::RELAXED | AluFlags::NSW), AluFlags::EXACT | AluFlags::NSW);
    ///
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// let id = b.load_system_value(SystemValue::vertex_id);
    /// b.flags = AluFlags::NUW | AluFlags::NSW;
    /// let twice = b.iadd(id, id);
    /// let printed = text::print_instr(&Shader::new("main", Stage::Vertex), &body, twice);
    /// assert_eq!(printed, "32x1 %1 = iadd.nsw.nuw %0, %0");
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct AluFlags: u8 {
        /// The result must be exact, bit for bit: no rewriting that changes rounding,
        /// NaN or the sign of zero. From GLSL `precise`/`invariant`, SPIR-V `NoContraction`. Written `!`.
        const EXACT = 1;
        /// Signed overflow does not happen. Written `.nsw`.
        const NSW = 2;
        /// Unsigned overflow does not happen. Written `.nuw`.
        const NUW = 4;
        /// Medium precision is enough: the operation may be computed with the range and precision of 16 bits. A hint that
        /// nothing has to follow; without it the precision is full. From GLSL `lowp` and `mediump`, SPIR-V
        /// `RelaxedPrecision`. Written `.relaxed`.
        const RELAXED = 8;
    }
}

impl AluFlags {
    /// Names in the text form of those that are written with a dot.
    pub(crate) const WORDS: [(AluFlags, &str); 3] =
        [(AluFlags::NSW, "nsw"), (AluFlags::NUW, "nuw"), (AluFlags::RELAXED, "relaxed")];

    /// The flags of one instruction that replaces two with these flags: the requirements of both, and the permissions
    /// that both have.
    #[must_use]
    pub fn join(self, other: AluFlags) -> AluFlags {
        (self & other) | ((self | other) & AluFlags::EXACT)
    }
}

/// A row of the ALU table.
///
/// # Examples
///
/// ```
/// use airfoil_ir::Ty;
/// use airfoil_ir::alu::{AluInfo, AluOp};
///
/// let info: &AluInfo = AluOp::from_name("ffma").unwrap().info();
/// let (scalar, pair, triple) = (Ty::B32, Ty::new(2, 32), Ty::new(3, 32));
/// // A scalar fits vectors, but vectors of different sizes do not fit each other.
/// assert_eq!(info.mismatch(&[triple, scalar, triple]), None);
/// assert_eq!(info.mismatch(&[triple, scalar, pair]), Some(2));
/// // A dot product reads all components for its only one.
/// let dot = AluOp::fdot3.info();
/// assert!(info.is_per_component() && !dot.is_per_component());
/// assert_eq!((info.operand_comps(0, 1), dot.operand_comps(0, 1)), (1, 3));
/// ```
#[derive(Debug)]
pub struct AluInfo {
    /// Name in the text form.
    pub name: &'static str,
    /// Documentation of the row.
    pub doc: &'static str,
    /// Operand names.
    pub operand_names: &'static [&'static str],
    /// Operand types.
    pub operands: &'static [AluType],
    /// Result type.
    pub result: AluType,
    /// Properties.
    pub props: AluProps,
}

impl AluInfo {
    /// Number of operands, 1 to 4.
    pub const fn num_operands(&self) -> usize {
        self.operands.len()
    }

    /// How many components of operand `i` are read when the result has `result_comps`.
    pub const fn operand_comps(&self, i: usize, result_comps: u8) -> u8 {
        let c = self.operands[i].comps;
        if c == 0 { result_comps } else { c }
    }

    /// The shape of an instruction on operands of the given shapes. `comps` and `result_bits` take precedence over the
    /// operands where the row leaves the components or the width of the result open.
    #[inline]
    pub fn shape(
        &self,
        operands: impl IntoIterator<Item = Ty>,
        comps: Option<u8>,
        result_bits: Option<u8>,
    ) -> AluShape {
        let (mut bits, mut widest) = (0, 1);
        for (ty, o) in operands.into_iter().zip(self.operands) {
            if o.bits == 0 && bits == 0 {
                bits = ty.bits;
            }
            if o.comps == 0 {
                widest = widest.max(ty.comps);
            }
        }
        let comps = comps.unwrap_or(widest);
        let result = self.result.shape(comps, result_bits.unwrap_or(bits));
        AluShape { ty: result, bits, comps }
    }

    /// The first operand whose shape does not fit the row or the operands before it. A scalar fits vectors, as the builder
    /// spreads it.
    pub fn mismatch(&self, operands: &[Ty]) -> Option<usize> {
        let (mut bits, mut comps) = (0, 1);
        operands.iter().zip(self.operands).position(|(ty, o)| {
            let fits_bits = if o.bits != 0 {
                o.bits == ty.bits
            } else {
                let first = std::mem::replace(&mut bits, ty.bits);
                o.base.has_width(ty.bits) && (first == 0 || first == ty.bits)
            };
            let fits_comps = if o.comps != 0 {
                o.comps == ty.comps
            } else {
                let first = comps;
                comps = comps.max(ty.comps);
                first == 1 || ty.comps == 1 || first == ty.comps
            };
            !(fits_bits && fits_comps)
        })
    }

    /// Whether the operation works on each component alone.
    pub fn is_per_component(&self) -> bool {
        self.result.comps == 0 && self.operands.iter().all(|o| o.comps == 0)
    }
}

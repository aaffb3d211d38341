//! Instructions: one table.

use crate::target::{Programs, Target};

/// The form of the operands of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An address register and a scalar.
    Address,
    /// A destination and this many vectors.
    Vector(u8),
    /// A destination and this many scalars.
    Scalar(u8),
    /// A destination, a vector and an extended swizzle.
    Swizzle,
    /// A destination, a vector of coordinates, a unit and a target.
    Sample,
    /// A vector.
    Kill,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// Its name.
    pub name: &'static str,
    /// Its operands.
    pub form: Form,
    /// The programs that have it.
    pub programs: Programs,
}

macro_rules! ops {
    ($( $(#[doc = $doc:literal])+ $op:ident = $name:literal $form:ident $(($count:literal))?, $programs:ident; )+) => {
        /// An instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Op { $( $(#[doc = $doc])+ $op, )+ }

        impl Op {
            /// All instructions.
            pub const ALL: &'static [Op] = &[$( Op::$op, )+];

            /// Its row.
            pub const fn info(self) -> OpInfo {
                match self {
                    $( Op::$op => OpInfo {
                        name: $name,
                        form: Form::$form $(($count))?,
                        programs: Programs::$programs,
                    }, )+
                }
            }
        }
    };
}

ops! {
    /// Absolute value.
    Abs = "ABS" Vector(1), Both;
    /// Sum.
    Add = "ADD" Vector(2), Both;
    /// Address register: the floor of a scalar.
    Arl = "ARL" Address, Vertex;
    /// The second operand where the first is negative, else the third.
    Cmp = "CMP" Vector(3), Fragment;
    /// Cosine.
    Cos = "COS" Scalar(1), Fragment;
    /// Dot product of three components.
    Dp3 = "DP3" Vector(2), Both;
    /// Dot product of four components.
    Dp4 = "DP4" Vector(2), Both;
    /// Dot product of three components, plus the fourth of the second operand.
    Dph = "DPH" Vector(2), Both;
    /// Distance vector.
    Dst = "DST" Vector(2), Both;
    /// Power of two.
    Ex2 = "EX2" Scalar(1), Both;
    /// Power of two in parts.
    Exp = "EXP" Scalar(1), Vertex;
    /// Floor.
    Flr = "FLR" Vector(1), Both;
    /// Fraction.
    Frc = "FRC" Vector(1), Both;
    /// Discards the fragment if a component is negative.
    Kil = "KIL" Kill, Fragment;
    /// Logarithm to base two.
    Lg2 = "LG2" Scalar(1), Both;
    /// Light coefficients.
    Lit = "LIT" Vector(1), Both;
    /// Logarithm to base two in parts.
    Log = "LOG" Scalar(1), Vertex;
    /// Linear interpolation.
    Lrp = "LRP" Vector(3), Fragment;
    /// Product plus the third operand.
    Mad = "MAD" Vector(3), Both;
    /// Maximum.
    Max = "MAX" Vector(2), Both;
    /// Minimum.
    Min = "MIN" Vector(2), Both;
    /// Copy.
    Mov = "MOV" Vector(1), Both;
    /// Product.
    Mul = "MUL" Vector(2), Both;
    /// Power.
    Pow = "POW" Scalar(2), Both;
    /// Reciprocal.
    Rcp = "RCP" Scalar(1), Both;
    /// Reciprocal of the square root of the absolute value.
    Rsq = "RSQ" Scalar(1), Both;
    /// Cosine and sine.
    Scs = "SCS" Scalar(1), Fragment;
    /// 1.0 where the first operand is not less than the second, else 0.0.
    Sge = "SGE" Vector(2), Both;
    /// Sine.
    Sin = "SIN" Scalar(1), Fragment;
    /// 1.0 where the first operand is less than the second, else 0.0.
    Slt = "SLT" Vector(2), Both;
    /// Difference.
    Sub = "SUB" Vector(2), Both;
    /// Extended swizzle.
    Swz = "SWZ" Swizzle, Both;
    /// Texture lookup.
    Tex = "TEX" Sample, Fragment;
    /// Texture lookup with a bias.
    Txb = "TXB" Sample, Fragment;
    /// Texture lookup with projected coordinates.
    Txp = "TXP" Sample, Fragment;
    /// Cross product.
    Xpd = "XPD" Vector(2), Both;
}

/// The end of the name of an instruction whose result is clamped.
const SATURATE: &str = "_SAT";

/// Keywords that are not instructions.
const KEYWORDS: &[(&str, Programs)] = &[
    ("ADDRESS", Programs::Vertex),
    ("ALIAS", Programs::Both),
    ("ATTRIB", Programs::Both),
    ("END", Programs::Both),
    ("OPTION", Programs::Both),
    ("OUTPUT", Programs::Both),
    ("PARAM", Programs::Both),
    ("TEMP", Programs::Both),
    ("fragment", Programs::Fragment),
    ("program", Programs::Both),
    ("result", Programs::Both),
    ("state", Programs::Both),
    ("texture", Programs::Fragment),
    ("vertex", Programs::Vertex),
];

impl Op {
    /// The instruction of a name, and whether the result is clamped to 0 to 1.
    pub fn from_name(name: &str, target: Target) -> Option<(Op, bool)> {
        let (base, saturate) = match name.strip_suffix(SATURATE) {
            Some(base) => (base, true),
            None => (name, false),
        };
        let op = Op::ALL.iter().copied().find(|op| op.info().name == base)?;
        let info = op.info();
        let clamps = target == Target::Fragment && info.form != Form::Kill;
        (info.programs.contains(target) && (clamps || !saturate)).then_some((op, saturate))
    }

    /// Whether it counts as a texture instruction.
    pub fn is_texture(self) -> bool {
        matches!(self.info().form, Form::Sample | Form::Kill)
    }
}

/// Whether a word is reserved: it cannot be the name of a variable.
pub fn is_reserved(word: &str, target: Target) -> bool {
    KEYWORDS.iter().any(|(k, p)| *k == word && p.contains(target)) || Op::from_name(word, target).is_some()
}

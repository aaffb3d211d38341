//! Tables of ALU operations that are one LLVM instruction or one `air.*` function.

use crate::module::{BinOp, FCmp, ICmp};
use crate::select::types::Class;
use airfoil_ir::AluOp;

/// Which `air.fast_*` functions a mode may call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fast {
    /// There is none.
    Never,
    /// In every mode but `Precise`: the result is approximate in any case.
    Approximate,
    /// Only where NaNs and infinities do not count.
    Finite,
}

/// A float function: precise name, fast name, when the fast one may be called.
pub(crate) type FloatFunction = (&'static str, &'static str, Fast);

pub(crate) fn float_function(op: AluOp) -> Option<FloatFunction> {
    use AluOp as O;
    use Fast::{Approximate, Finite, Never};
    Some(match op {
        O::fabs => ("air.fabs", "air.fast_fabs", Finite),
        O::ffloor => ("air.floor", "air.fast_floor", Finite),
        O::fceil => ("air.ceil", "air.fast_ceil", Finite),
        O::ftrunc => ("air.trunc", "air.fast_trunc", Finite),
        O::fround => ("air.round", "air.fast_round", Finite),
        O::fround_even => ("air.rint", "air.fast_rint", Finite),
        O::fsat => ("air.saturate", "air.fast_saturate", Finite),
        O::fsign => ("air.sign", "air.sign", Never),
        O::fsqrt => ("air.sqrt", "air.fast_sqrt", Finite),
        O::frsq => ("air.rsqrt", "air.fast_rsqrt", Approximate),
        O::fexp => ("air.exp", "air.fast_exp", Approximate),
        O::fexp2 => ("air.exp2", "air.fast_exp2", Approximate),
        O::flog => ("air.log", "air.fast_log", Approximate),
        O::flog2 => ("air.log2", "air.fast_log2", Approximate),
        O::fsin => ("air.sin", "air.fast_sin", Approximate),
        O::fcos => ("air.cos", "air.fast_cos", Approximate),
        O::ftan => ("air.tan", "air.fast_tan", Approximate),
        O::fasin => ("air.asin", "air.fast_asin", Approximate),
        O::facos => ("air.acos", "air.fast_acos", Approximate),
        O::fatan => ("air.atan", "air.fast_atan", Approximate),
        O::fatan2 => ("air.atan2", "air.fast_atan2", Approximate),
        O::fsinh => ("air.sinh", "air.fast_sinh", Approximate),
        O::fcosh => ("air.cosh", "air.fast_cosh", Approximate),
        O::ftanh => ("air.tanh", "air.fast_tanh", Approximate),
        O::fasinh => ("air.asinh", "air.fast_asinh", Approximate),
        O::facosh => ("air.acosh", "air.fast_acosh", Approximate),
        O::fatanh => ("air.atanh", "air.fast_atanh", Approximate),
        O::fpow => ("air.pow", "air.fast_pow", Approximate),
        O::fmin => ("air.fmin", "air.fast_fmin", Finite),
        O::fmax => ("air.fmax", "air.fast_fmax", Finite),
        O::fclamp => ("air.clamp", "air.fast_clamp", Finite),
        O::frem => ("air.fmod", "air.fast_fmod", Finite),
        O::ffma => ("air.fma", "air.fma", Never),
        _ => return None,
    })
}

pub(crate) fn int_binary(op: AluOp) -> Option<BinOp> {
    use AluOp as O;
    Some(match op {
        O::iadd => BinOp::Add,
        O::isub => BinOp::Sub,
        O::imul => BinOp::Mul,
        O::iand => BinOp::And,
        O::ior => BinOp::Or,
        O::ixor => BinOp::Xor,
        _ => return None,
    })
}

pub(crate) fn int_compare(op: AluOp) -> Option<ICmp> {
    use AluOp as O;
    Some(match op {
        O::ieq => ICmp::Eq,
        O::ine => ICmp::Ne,
        O::ilt => ICmp::Slt,
        O::ige => ICmp::Sge,
        O::ult => ICmp::Ult,
        O::uge => ICmp::Uge,
        _ => return None,
    })
}

pub(crate) fn float_compare(op: AluOp) -> Option<FCmp> {
    use AluOp as O;
    Some(match op {
        O::feq => FCmp::Oeq,
        O::fneu => FCmp::Une,
        O::flt => FCmp::Olt,
        O::fge => FCmp::Oge,
        O::fequ => FCmp::Ueq,
        O::fneo => FCmp::One,
        O::fltu => FCmp::Ult,
        O::fgeu => FCmp::Uge,
        O::ford => FCmp::Ord,
        O::funord => FCmp::Uno,
        _ => return None,
    })
}

/// Functions of two integers: name, signedness.
pub(crate) fn int_function(op: AluOp) -> Option<(&'static str, bool)> {
    use AluOp as O;
    Some(match op {
        O::imul_high => ("air.mul_hi", true),
        O::umul_high => ("air.mul_hi", false),
        O::iadd_sat => ("air.add_sat", true),
        O::uadd_sat => ("air.add_sat", false),
        O::isub_sat => ("air.sub_sat", true),
        O::usub_sat => ("air.sub_sat", false),
        O::ihadd => ("air.hadd", true),
        O::uhadd => ("air.hadd", false),
        O::irhadd => ("air.rhadd", true),
        O::urhadd => ("air.rhadd", false),
        _ => return None,
    })
}

/// A conversion: from float, from signed; to float, to signed; rounding and saturation words.
pub(crate) struct Conversion {
    pub(crate) from: Kind,
    pub(crate) to: Kind,
    pub(crate) words: &'static str,
}

/// How the bits of a converted number are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Float,
    Signed,
    Unsigned,
}

impl Kind {
    pub(crate) fn letter(self) -> char {
        match self {
            Kind::Float => 'f',
            Kind::Signed => 's',
            Kind::Unsigned => 'u',
        }
    }

    pub(crate) fn class(self) -> Class {
        if self == Kind::Float { Class::Float } else { Class::Int }
    }
}

pub(crate) fn conversion(op: AluOp) -> Option<Conversion> {
    use AluOp as O;
    use Kind::{Float as F, Signed as S, Unsigned as U};
    let (from, to, words) = match op {
        O::f2f => (F, F, ""),
        O::f2f_rtz => (F, F, ".rtz"),
        O::f2f_rtp => (F, F, ".rtp"),
        O::f2f_rtn => (F, F, ".rtn"),
        O::f2i => (F, S, ""),
        O::f2i_rte => (F, S, ".rte"),
        O::f2i_rtp => (F, S, ".rtp"),
        O::f2i_rtn => (F, S, ".rtn"),
        O::f2i_sat => (F, S, ".sat"),
        O::f2i_rte_sat => (F, S, ".rte.sat"),
        O::f2i_rtp_sat => (F, S, ".rtp.sat"),
        O::f2i_rtn_sat => (F, S, ".rtn.sat"),
        O::f2u => (F, U, ""),
        O::f2u_rte => (F, U, ".rte"),
        O::f2u_rtp => (F, U, ".rtp"),
        O::f2u_rtn => (F, U, ".rtn"),
        O::f2u_sat => (F, U, ".sat"),
        O::f2u_rte_sat => (F, U, ".rte.sat"),
        O::f2u_rtp_sat => (F, U, ".rtp.sat"),
        O::f2u_rtn_sat => (F, U, ".rtn.sat"),
        O::i2f => (S, F, ""),
        O::i2f_rtz => (S, F, ".rtz"),
        O::i2f_rtp => (S, F, ".rtp"),
        O::i2f_rtn => (S, F, ".rtn"),
        O::u2f => (U, F, ""),
        O::u2f_rtz => (U, F, ".rtz"),
        O::u2f_rtp => (U, F, ".rtp"),
        O::u2f_rtn => (U, F, ".rtn"),
        O::i2i => (S, S, ""),
        O::u2u => (U, U, ""),
        O::i2i_sat => (S, S, ".sat"),
        O::i2u_sat => (S, U, ".sat"),
        O::u2i_sat => (U, S, ".sat"),
        O::u2u_sat => (U, U, ".sat"),
        _ => return None,
    };
    Some(Conversion { from, to, words })
}

/// Packing functions: name behind `air.pack.` or `air.unpack.`, components.
pub(crate) fn packing(op: AluOp) -> Option<(&'static str, bool, u8)> {
    use AluOp as O;
    Some(match op {
        O::pack_unorm_2x16 => ("air.pack.unorm2x16", true, 2),
        O::pack_snorm_2x16 => ("air.pack.snorm2x16", true, 2),
        O::pack_unorm_4x8 => ("air.pack.unorm4x8", true, 4),
        O::pack_snorm_4x8 => ("air.pack.snorm4x8", true, 4),
        O::unpack_unorm_2x16 => ("air.unpack.unorm2x16", false, 2),
        O::unpack_snorm_2x16 => ("air.unpack.snorm2x16", false, 2),
        O::unpack_unorm_4x8 => ("air.unpack.unorm4x8", false, 4),
        O::unpack_snorm_4x8 => ("air.unpack.snorm4x8", false, 4),
        _ => return None,
    })
}

//! Tables of ALU operations that are one LLVM instruction or one `air.*` function.

use crate::functions::{Air, ConversionMode, NumberKind};
use crate::module::{BinOp, FCmp, ICmp};
use airfoil_ir::{AluOp, RoundingMode};

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
pub(crate) type FloatFunction = (Air, Air, Fast);

pub(crate) fn float_function(op: AluOp) -> Option<FloatFunction> {
    use AluOp as O;
    use Fast::{Approximate, Finite, Never};
    Some(match op {
        O::fabs => (Air::fabs, Air::fast_fabs, Finite),
        O::ffloor => (Air::floor, Air::fast_floor, Finite),
        O::fceil => (Air::ceil, Air::fast_ceil, Finite),
        O::ftrunc => (Air::trunc, Air::fast_trunc, Finite),
        O::fround => (Air::round, Air::fast_round, Finite),
        O::fround_even => (Air::rint, Air::fast_rint, Finite),
        O::fsat => (Air::saturate, Air::fast_saturate, Finite),
        O::fsign => (Air::sign, Air::sign, Never),
        O::fsqrt => (Air::sqrt, Air::fast_sqrt, Finite),
        O::frsq => (Air::rsqrt, Air::fast_rsqrt, Approximate),
        O::fexp => (Air::exp, Air::fast_exp, Approximate),
        O::fexp2 => (Air::exp2, Air::fast_exp2, Approximate),
        O::flog => (Air::log, Air::fast_log, Approximate),
        O::flog2 => (Air::log2, Air::fast_log2, Approximate),
        O::fsin => (Air::sin, Air::fast_sin, Approximate),
        O::fcos => (Air::cos, Air::fast_cos, Approximate),
        O::ftan => (Air::tan, Air::fast_tan, Approximate),
        O::fasin => (Air::asin, Air::fast_asin, Approximate),
        O::facos => (Air::acos, Air::fast_acos, Approximate),
        O::fatan => (Air::atan, Air::fast_atan, Approximate),
        O::fatan2 => (Air::atan2, Air::fast_atan2, Approximate),
        O::fsinh => (Air::sinh, Air::fast_sinh, Approximate),
        O::fcosh => (Air::cosh, Air::fast_cosh, Approximate),
        O::ftanh => (Air::tanh, Air::fast_tanh, Approximate),
        O::fasinh => (Air::asinh, Air::fast_asinh, Approximate),
        O::facosh => (Air::acosh, Air::fast_acosh, Approximate),
        O::fatanh => (Air::atanh, Air::fast_atanh, Approximate),
        O::fpow => (Air::pow, Air::fast_pow, Approximate),
        O::fmin => (Air::fmin, Air::fast_fmin, Finite),
        O::fmax => (Air::fmax, Air::fast_fmax, Finite),
        O::fclamp => (Air::clamp, Air::fast_clamp, Finite),
        O::frem => (Air::fmod, Air::fast_fmod, Finite),
        O::ffma => (Air::fma, Air::fma, Never),
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
pub(crate) fn int_function(op: AluOp) -> Option<(Air, bool)> {
    use AluOp as O;
    Some(match op {
        O::imul_high => (Air::mul_hi, true),
        O::umul_high => (Air::mul_hi, false),
        O::iadd_sat => (Air::add_sat, true),
        O::uadd_sat => (Air::add_sat, false),
        O::isub_sat => (Air::sub_sat, true),
        O::usub_sat => (Air::sub_sat, false),
        O::ihadd => (Air::hadd, true),
        O::uhadd => (Air::hadd, false),
        O::irhadd => (Air::rhadd, true),
        O::urhadd => (Air::rhadd, false),
        _ => return None,
    })
}

/// A conversion between numbers.
pub(crate) struct Conversion {
    pub(crate) from: NumberKind,
    pub(crate) to: NumberKind,
    pub(crate) mode: ConversionMode,
}

pub(crate) fn conversion(op: AluOp) -> Option<Conversion> {
    use AluOp as O;
    use NumberKind::{Float as F, Signed as S, Unsigned as U};
    use RoundingMode::{Rte, Rtn, Rtp, Rtz, Undef};
    let (from, to, rounding, saturate) = match op {
        O::f2f => (F, F, Undef, false),
        O::f2f_rtz => (F, F, Rtz, false),
        O::f2f_rtp => (F, F, Rtp, false),
        O::f2f_rtn => (F, F, Rtn, false),
        O::f2i => (F, S, Undef, false),
        O::f2i_rte => (F, S, Rte, false),
        O::f2i_rtp => (F, S, Rtp, false),
        O::f2i_rtn => (F, S, Rtn, false),
        O::f2i_sat => (F, S, Undef, true),
        O::f2i_rte_sat => (F, S, Rte, true),
        O::f2i_rtp_sat => (F, S, Rtp, true),
        O::f2i_rtn_sat => (F, S, Rtn, true),
        O::f2u => (F, U, Undef, false),
        O::f2u_rte => (F, U, Rte, false),
        O::f2u_rtp => (F, U, Rtp, false),
        O::f2u_rtn => (F, U, Rtn, false),
        O::f2u_sat => (F, U, Undef, true),
        O::f2u_rte_sat => (F, U, Rte, true),
        O::f2u_rtp_sat => (F, U, Rtp, true),
        O::f2u_rtn_sat => (F, U, Rtn, true),
        O::i2f => (S, F, Undef, false),
        O::i2f_rtz => (S, F, Rtz, false),
        O::i2f_rtp => (S, F, Rtp, false),
        O::i2f_rtn => (S, F, Rtn, false),
        O::u2f => (U, F, Undef, false),
        O::u2f_rtz => (U, F, Rtz, false),
        O::u2f_rtp => (U, F, Rtp, false),
        O::u2f_rtn => (U, F, Rtn, false),
        O::i2i => (S, S, Undef, false),
        O::u2u => (U, U, Undef, false),
        O::i2i_sat => (S, S, Undef, true),
        O::i2u_sat => (S, U, Undef, true),
        O::u2i_sat => (U, S, Undef, true),
        O::u2u_sat => (U, U, Undef, true),
        _ => return None,
    };
    Some(Conversion { from, to, mode: ConversionMode { rounding, saturate } })
}

/// Packing functions: function, whether it packs, components.
pub(crate) fn packing(op: AluOp) -> Option<(Air, bool, u8)> {
    use AluOp as O;
    Some(match op {
        O::pack_unorm_2x16 => (Air::pack_unorm2x16, true, 2),
        O::pack_snorm_2x16 => (Air::pack_snorm2x16, true, 2),
        O::pack_unorm_4x8 => (Air::pack_unorm4x8, true, 4),
        O::pack_snorm_4x8 => (Air::pack_snorm4x8, true, 4),
        O::unpack_unorm_2x16 => (Air::unpack_unorm2x16, false, 2),
        O::unpack_snorm_2x16 => (Air::unpack_snorm2x16, false, 2),
        O::unpack_unorm_4x8 => (Air::unpack_unorm4x8, false, 4),
        O::unpack_snorm_4x8 => (Air::unpack_snorm4x8, false, 4),
        _ => return None,
    })
}

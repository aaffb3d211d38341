//! The instruction of each operation on values. The table has no wildcard: an operation that is added must be entered here.
#![deny(clippy::wildcard_enum_match_arm)]

use airfoil_ir::AluOp;
use spirv::{GlslStd450Op, Op};

/// How an operation is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    /// One instruction on the operands in order.
    Plain(Op),
    /// One instruction whose operands, apart from counts of bits, have the type of the result.
    Typed(Op),
    /// An instruction for integers and one for booleans.
    Logic(Op, Op),
    /// One instruction of GLSL.std.450.
    Glsl(GlslStd450Op),
    /// An instruction of GLSL.std.450 on 32-bit integers only.
    Glsl32(GlslStd450Op),
    /// The first or second member of the structure that an instruction returns.
    Half(Op, u32),
    /// A bit cast.
    Cast,
    /// A move of components.
    Move,
    /// Several instructions, in `expand.rs`.
    Expand,
    /// Not available in SPIR-V for shaders.
    Missing,
}

/// The rule of an operation.
pub(crate) fn rule(op: AluOp) -> Rule {
    use AluOp as A;
    use GlslStd450Op as G;
    use Rule::*;
    match op {
        A::mov | A::vec2 | A::vec3 | A::vec4 => Move,
        A::bcsel => Expand,
        A::fadd => Plain(Op::FAdd),
        A::fsub => Plain(Op::FSub),
        A::fmul => Expand,
        A::fdiv => Plain(Op::FDiv),
        A::frem => Plain(Op::FRem),
        A::fmod => Plain(Op::FMod),
        A::ffma => Glsl(G::Fma),
        A::fmad => Expand,
        A::flrp => Glsl(G::FMix),
        A::fneg => Plain(Op::FNegate),
        A::fabs => Glsl(G::FAbs),
        A::fsign => Glsl(G::FSign),
        A::fsat => Expand,
        A::fmin => Glsl(G::NMin),
        A::fmax => Glsl(G::NMax),
        A::fclamp => Glsl(G::NClamp),
        A::frcp => Expand,
        A::fsqrt => Glsl(G::Sqrt),
        A::frsq => Glsl(G::InverseSqrt),
        A::ffloor => Glsl(G::Floor),
        A::fceil => Glsl(G::Ceil),
        A::ftrunc => Glsl(G::Trunc),
        A::fround_even => Glsl(G::RoundEven),
        A::fround => Glsl(G::Round),
        A::ffract => Glsl(G::Fract),
        A::fexp => Glsl(G::Exp),
        A::flog => Glsl(G::Log),
        A::fexp2 => Glsl(G::Exp2),
        A::flog2 => Glsl(G::Log2),
        A::fpow => Glsl(G::Pow),
        A::fsin => Glsl(G::Sin),
        A::fcos => Glsl(G::Cos),
        A::ftan => Glsl(G::Tan),
        A::fasin => Glsl(G::Asin),
        A::facos => Glsl(G::Acos),
        A::fatan => Glsl(G::Atan),
        A::fatan2 => Glsl(G::Atan2),
        A::fsinh => Glsl(G::Sinh),
        A::fcosh => Glsl(G::Cosh),
        A::ftanh => Glsl(G::Tanh),
        A::fasinh => Glsl(G::Asinh),
        A::facosh => Glsl(G::Acosh),
        A::fatanh => Glsl(G::Atanh),
        A::fldexp => Glsl(G::Ldexp),
        A::frexp_sig | A::frexp_exp => Expand,
        A::fquantize2f16 => Plain(Op::QuantizeToF16),
        A::fdot2 | A::fdot3 | A::fdot4 => Plain(Op::Dot),
        A::feq => Plain(Op::FOrdEqual),
        A::fneu => Plain(Op::FUnordNotEqual),
        A::flt => Plain(Op::FOrdLessThan),
        A::fge => Plain(Op::FOrdGreaterThanEqual),
        A::fequ => Plain(Op::FUnordEqual),
        A::fneo => Plain(Op::FOrdNotEqual),
        A::fltu => Plain(Op::FUnordLessThan),
        A::fgeu => Plain(Op::FUnordGreaterThanEqual),
        A::ford | A::funord => Expand,
        A::iadd => Plain(Op::IAdd),
        A::isub => Plain(Op::ISub),
        A::imul => Plain(Op::IMul),
        A::imul_high => Half(Op::SMulExtended, 1),
        A::umul_high => Half(Op::UMulExtended, 1),
        A::idiv => Plain(Op::SDiv),
        A::udiv => Plain(Op::UDiv),
        A::irem => Plain(Op::SRem),
        A::imod => Plain(Op::SMod),
        A::umod => Plain(Op::UMod),
        A::ineg => Plain(Op::SNegate),
        A::iabs => Glsl(G::SAbs),
        A::isign => Glsl(G::SSign),
        A::imin => Glsl(G::SMin),
        A::umin => Glsl(G::UMin),
        A::imax => Glsl(G::SMax),
        A::umax => Glsl(G::UMax),
        A::iadd_sat | A::uadd_sat | A::isub_sat | A::usub_sat => Expand,
        A::uadd_carry => Half(Op::IAddCarry, 1),
        A::usub_borrow => Half(Op::ISubBorrow, 1),
        A::ihadd | A::uhadd | A::irhadd | A::urhadd => Expand,
        A::imul_2x32_64 | A::umul_2x32_64 => Expand,
        A::ieq => Logic(Op::IEqual, Op::LogicalEqual),
        A::ine => Logic(Op::INotEqual, Op::LogicalNotEqual),
        A::ilt => Plain(Op::SLessThan),
        A::ige => Plain(Op::SGreaterThanEqual),
        A::ult => Plain(Op::ULessThan),
        A::uge => Plain(Op::UGreaterThanEqual),
        A::iand => Logic(Op::BitwiseAnd, Op::LogicalAnd),
        A::ior => Logic(Op::BitwiseOr, Op::LogicalOr),
        A::ixor => Logic(Op::BitwiseXor, Op::LogicalNotEqual),
        A::inot => Logic(Op::Not, Op::LogicalNot),
        A::ishl | A::ishr | A::ushr => Expand,
        A::bitfield_reverse => Typed(Op::BitReverse),
        A::bit_count => Plain(Op::BitCount),
        A::ufind_msb => Glsl32(G::FindUMsb),
        A::ifind_msb => Glsl32(G::FindSMsb),
        A::find_lsb => Glsl32(G::FindILsb),
        A::ubitfield_extract => Typed(Op::BitFieldUExtract),
        A::ibitfield_extract => Typed(Op::BitFieldSExtract),
        A::bitfield_insert => Typed(Op::BitFieldInsert),
        A::ball2 | A::ball3 | A::ball4 => Plain(Op::All),
        A::bany2 | A::bany3 | A::bany4 => Plain(Op::Any),
        A::f2f | A::f2f_rtz | A::f2f_rtp | A::f2f_rtn => Expand,
        A::f2i => Plain(Op::ConvertFToS),
        A::f2u => Plain(Op::ConvertFToU),
        A::f2i_rte | A::f2i_rtp | A::f2i_rtn | A::f2u_rte | A::f2u_rtp | A::f2u_rtn => Expand,
        A::f2i_sat | A::f2i_rte_sat | A::f2i_rtp_sat | A::f2i_rtn_sat => Expand,
        A::f2u_sat | A::f2u_rte_sat | A::f2u_rtp_sat | A::f2u_rtn_sat => Expand,
        A::i2f => Plain(Op::ConvertSToF),
        A::u2f => Plain(Op::ConvertUToF),
        A::i2f_rtz | A::i2f_rtp | A::i2f_rtn | A::u2f_rtz | A::u2f_rtp | A::u2f_rtn => Missing,
        A::i2i => Plain(Op::SConvert),
        A::u2u => Plain(Op::UConvert),
        A::i2i_sat | A::i2u_sat | A::u2i_sat | A::u2u_sat => Expand,
        A::b2f | A::b2i => Expand,
        A::pack_64_2x32
        | A::unpack_64_2x32
        | A::pack_64_4x16
        | A::unpack_64_4x16
        | A::pack_32_2x16
        | A::unpack_32_2x16
        | A::pack_32_4x8
        | A::unpack_32_4x8 => Cast,
        A::pack_half_2x16 => Glsl(G::PackHalf2x16),
        A::unpack_half_2x16 => Glsl(G::UnpackHalf2x16),
        A::pack_unorm_2x16 => Glsl(G::PackUnorm2x16),
        A::pack_snorm_2x16 => Glsl(G::PackSnorm2x16),
        A::pack_unorm_4x8 => Glsl(G::PackUnorm4x8),
        A::pack_snorm_4x8 => Glsl(G::PackSnorm4x8),
        A::unpack_unorm_2x16 => Glsl(G::UnpackUnorm2x16),
        A::unpack_snorm_2x16 => Glsl(G::UnpackSnorm2x16),
        A::unpack_unorm_4x8 => Glsl(G::UnpackUnorm4x8),
        A::unpack_snorm_4x8 => Glsl(G::UnpackSnorm4x8),
        A::fddx => Plain(Op::DPdx),
        A::fddy => Plain(Op::DPdy),
        A::fddx_fine => Plain(Op::DPdxFine),
        A::fddy_fine => Plain(Op::DPdyFine),
        A::fddx_coarse => Plain(Op::DPdxCoarse),
        A::fddy_coarse => Plain(Op::DPdyCoarse),
    }
}

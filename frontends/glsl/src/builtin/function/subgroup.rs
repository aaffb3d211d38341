//! Operations across a subgroup: GL_KHR_shader_subgroup_*, and older votes and ballots.

use super::generic::{BITS, BOOL, NUMBERS, T, UINT, VALUES, VOID, constant, constant_in_gl, s, v};
use super::row::{ALL, COMPUTE, Group, across, by, fixed};
use crate::builtin::op::{Barrier, Builtin, CallPrecision, Lowering, MemoryKind as Mk, Reduction as R};
use crate::extension::Ext;
use crate::types::Base;
use crate::version::{Avail, NEVER};
use airfoil_ir::IntrinsicOp as I;

const VOTE: Avail = by(&[Ext::KHR_shader_subgroup_vote]);
const BALLOT: Avail = by(&[Ext::KHR_shader_subgroup_ballot]);
const VOTE_460: Avail = Avail::since(460, NEVER);
const UVEC4: super::generic::Arg = v(Base::Uint, 4);

const BALLOT_OF: Builtin = Builtin::high(Lowering::SubgroupBallot);
const ALL_EQUAL: Builtin = Builtin::high(Lowering::SubgroupAllEqual);
const ROTATE: Builtin = Builtin::high(Lowering::SubgroupRotate);

/// The precision of functions that return values of other invocations: that of the value. Indices of invocations and cluster
/// sizes do not count.
const VALUE: CallPrecision = CallPrecision::Operands(1);

/// A vote, or a function of masks.
const fn query(op: I) -> Builtin {
    Builtin::high(Lowering::Intrinsic(op))
}

/// The value of another invocation.
const fn exchange(op: I) -> Builtin {
    Builtin::new(Lowering::Intrinsic(op), VALUE)
}

const fn combine(op: I, reduction: R) -> Builtin {
    Builtin::new(Lowering::SubgroupReduce(op, reduction), VALUE)
}

const fn barrier(barrier: Barrier) -> Builtin {
    Builtin::high(Lowering::Barrier(barrier))
}

/// Rows for all combining operations: the intrinsic, parameters and names.
macro_rules! reductions {
    ($op:ident, $params:expr; $add:literal $mul:literal $min:literal $max:literal $and:literal $or:literal $xor:literal) => {
        &[
            across($add, combine(I::$op, R::Add), T, $params, NUMBERS),
            across($mul, combine(I::$op, R::Mul), T, $params, NUMBERS),
            across($min, combine(I::$op, R::Min), T, $params, NUMBERS),
            across($max, combine(I::$op, R::Max), T, $params, NUMBERS),
            across($and, combine(I::$op, R::And), T, $params, BITS),
            across($or, combine(I::$op, R::Or), T, $params, BITS),
            across($xor, combine(I::$op, R::Xor), T, $params, BITS),
        ]
    };
}

#[rustfmt::skip]
pub(super) static GROUPS: &[Group] = &[
    Group { avail: by(&[Ext::KHR_shader_subgroup_basic]), stages: ALL, rows: &[
        fixed("subgroupBarrier", barrier(Barrier::Subgroup), VOID, &[]),
        fixed("subgroupMemoryBarrier", barrier(Barrier::SubgroupMemory(Mk::All)), VOID, &[]),
        fixed("subgroupMemoryBarrierBuffer", barrier(Barrier::SubgroupMemory(Mk::Buffer)), VOID, &[]),
        fixed("subgroupMemoryBarrierImage", barrier(Barrier::SubgroupMemory(Mk::Image)), VOID, &[]),
        fixed("subgroupElect", query(I::elect), BOOL, &[]),
    ]},
    Group { avail: by(&[Ext::KHR_shader_subgroup_basic]), stages: COMPUTE, rows: &[
        fixed("subgroupMemoryBarrierShared", barrier(Barrier::SubgroupMemory(Mk::Shared)), VOID, &[]),
    ]},
    Group { avail: VOTE, stages: ALL, rows: &[
        fixed("subgroupAll", query(I::vote_all), BOOL, &[BOOL]),
        fixed("subgroupAny", query(I::vote_any), BOOL, &[BOOL]),
        across("subgroupAllEqual", ALL_EQUAL, BOOL, &[T], VALUES),
    ]},
    Group { avail: BALLOT, stages: ALL, rows: &[
        across("subgroupBroadcast", exchange(I::read_invocation), T, &[T, constant_in_gl(UINT)], VALUES),
        across("subgroupBroadcastFirst", exchange(I::read_first_invocation), T, &[T], VALUES),
        fixed("subgroupBallot", BALLOT_OF, UVEC4, &[BOOL]),
        fixed("subgroupInverseBallot", query(I::inverse_ballot), BOOL, &[UVEC4]),
        fixed("subgroupBallotBitExtract", query(I::ballot_bit_extract), BOOL, &[UVEC4, UINT]),
        fixed("subgroupBallotBitCount", query(I::ballot_bit_count_reduce), UINT, &[UVEC4]),
        fixed("subgroupBallotInclusiveBitCount", query(I::ballot_bit_count_inclusive), UINT, &[UVEC4]),
        fixed("subgroupBallotExclusiveBitCount", query(I::ballot_bit_count_exclusive), UINT, &[UVEC4]),
        fixed("subgroupBallotFindLSB", query(I::ballot_find_lsb), UINT, &[UVEC4]),
        fixed("subgroupBallotFindMSB", query(I::ballot_find_msb), UINT, &[UVEC4]),
    ]},
    Group { avail: by(&[Ext::KHR_shader_subgroup_shuffle]), stages: ALL, rows: &[
        across("subgroupShuffle", exchange(I::shuffle), T, &[T, UINT], VALUES),
        across("subgroupShuffleXor", exchange(I::shuffle_xor), T, &[T, UINT], VALUES),
    ]},
    Group { avail: by(&[Ext::KHR_shader_subgroup_shuffle_relative]), stages: ALL, rows: &[
        across("subgroupShuffleUp", exchange(I::shuffle_up), T, &[T, UINT], VALUES),
        across("subgroupShuffleDown", exchange(I::shuffle_down), T, &[T, UINT], VALUES),
    ]},
    Group { avail: by(&[Ext::KHR_shader_subgroup_rotate]), stages: ALL, rows: &[
        across("subgroupRotate", ROTATE, T, &[T, UINT], VALUES),
        across("subgroupClusteredRotate", ROTATE, T, &[T, UINT, constant(UINT)], VALUES),
    ]},
    Group { avail: by(&[Ext::KHR_shader_subgroup_arithmetic]), stages: ALL, rows: reductions!(reduce, &[T];
        "subgroupAdd" "subgroupMul" "subgroupMin" "subgroupMax" "subgroupAnd" "subgroupOr" "subgroupXor")
    },
    Group { avail: by(&[Ext::KHR_shader_subgroup_arithmetic]), stages: ALL, rows: reductions!(inclusive_scan, &[T];
        "subgroupInclusiveAdd" "subgroupInclusiveMul" "subgroupInclusiveMin" "subgroupInclusiveMax" "subgroupInclusiveAnd"
        "subgroupInclusiveOr" "subgroupInclusiveXor")
    },
    Group { avail: by(&[Ext::KHR_shader_subgroup_arithmetic]), stages: ALL, rows: reductions!(exclusive_scan, &[T];
        "subgroupExclusiveAdd" "subgroupExclusiveMul" "subgroupExclusiveMin" "subgroupExclusiveMax" "subgroupExclusiveAnd"
        "subgroupExclusiveOr" "subgroupExclusiveXor")
    },
    Group { avail: by(&[Ext::KHR_shader_subgroup_clustered]), stages: ALL, rows: reductions!(reduce, &[T, constant(UINT)];
        "subgroupClusteredAdd" "subgroupClusteredMul" "subgroupClusteredMin" "subgroupClusteredMax" "subgroupClusteredAnd"
        "subgroupClusteredOr" "subgroupClusteredXor")
    },
    Group { avail: by(&[Ext::KHR_shader_subgroup_quad]), stages: ALL, rows: &[
        across("subgroupQuadBroadcast", exchange(I::quad_broadcast), T, &[T, constant_in_gl(UINT)], VALUES),
        across("subgroupQuadSwapHorizontal", exchange(I::quad_swap_horizontal), T, &[T], VALUES),
        across("subgroupQuadSwapVertical", exchange(I::quad_swap_vertical), T, &[T], VALUES),
        across("subgroupQuadSwapDiagonal", exchange(I::quad_swap_diagonal), T, &[T], VALUES),
    ]},
    Group { avail: by(&[Ext::EXT_shader_quad_control]), stages: ALL, rows: &[
        fixed("subgroupQuadAll", query(I::quad_vote_all), BOOL, &[BOOL]),
        fixed("subgroupQuadAny", query(I::quad_vote_any), BOOL, &[BOOL]),
    ]},
    Group { avail: VOTE_460, stages: ALL, rows: &[
        fixed("anyInvocation", query(I::vote_any), BOOL, &[BOOL]),
        fixed("allInvocations", query(I::vote_all), BOOL, &[BOOL]),
        fixed("allInvocationsEqual", ALL_EQUAL, BOOL, &[BOOL]),
    ]},
    Group { avail: by(&[Ext::ARB_shader_group_vote]), stages: ALL, rows: &[
        fixed("anyInvocationARB", query(I::vote_any), BOOL, &[BOOL]),
        fixed("allInvocationsARB", query(I::vote_all), BOOL, &[BOOL]),
        fixed("allInvocationsEqualARB", ALL_EQUAL, BOOL, &[BOOL]),
    ]},
    Group { avail: by(&[Ext::EXT_shader_group_vote]), stages: ALL, rows: &[
        fixed("anyInvocationEXT", query(I::vote_any), BOOL, &[BOOL]),
        fixed("allInvocationsEXT", query(I::vote_all), BOOL, &[BOOL]),
        fixed("allInvocationsEqualEXT", ALL_EQUAL, BOOL, &[BOOL]),
    ]},
    Group { avail: by(&[Ext::ARB_shader_ballot]), stages: ALL, rows: &[
        fixed("ballotARB", BALLOT_OF, s(Base::Uint64), &[BOOL]),
        across("readInvocationARB", exchange(I::read_invocation), T, &[T, UINT], &[Base::Float, Base::Int, Base::Uint]),
        across("readFirstInvocationARB", exchange(I::read_first_invocation), T, &[T], &[Base::Float, Base::Int, Base::Uint]),
    ]},
];

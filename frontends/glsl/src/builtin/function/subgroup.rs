//! Operations across a subgroup: GL_KHR_shader_subgroup_*, and older votes and ballots.

use super::generic::{
    BITS, BOOL, NUMBERS, T, UINT, VALUES, VOID, across, constant, constant_in_gl, fixed, s, v,
};
use super::{ALL, COMPUTE, Group, by};
use crate::builtin::op::Builtin::*;
use crate::builtin::op::{MemoryKind as Mk, Reduction as R};
use crate::extension::Ext;
use crate::types::Base;
use crate::version::{Avail, NEVER};

const VOTE: Avail = by(&[Ext::KHR_shader_subgroup_vote]);
const BALLOT: Avail = by(&[Ext::KHR_shader_subgroup_ballot]);
const VOTE_460: Avail = Avail::since(460, NEVER);
const UVEC4: super::generic::Arg = v(Base::Uint, 4);

/// Rows for all operations of one form: names, operation of each, parameters.
macro_rules! reductions {
    ($form:ident, $params:expr; $add:literal $mul:literal $min:literal $max:literal $and:literal $or:literal $xor:literal) => {
        &[
            across($add, $form(R::Add), T, $params, NUMBERS),
            across($mul, $form(R::Mul), T, $params, NUMBERS),
            across($min, $form(R::Min), T, $params, NUMBERS),
            across($max, $form(R::Max), T, $params, NUMBERS),
            across($and, $form(R::And), T, $params, BITS),
            across($or, $form(R::Or), T, $params, BITS),
            across($xor, $form(R::Xor), T, $params, BITS),
        ]
    };
}

#[rustfmt::skip]
pub(super) static GROUPS: &[Group] = &[
    Group { avail: by(&[Ext::KHR_shader_subgroup_basic]), stages: ALL, rows: &[
        fixed("subgroupBarrier", SubgroupBarrier, VOID, &[]),
        fixed("subgroupMemoryBarrier", SubgroupMemoryBarrier(Mk::All), VOID, &[]),
        fixed("subgroupMemoryBarrierBuffer", SubgroupMemoryBarrier(Mk::Buffer), VOID, &[]),
        fixed("subgroupMemoryBarrierImage", SubgroupMemoryBarrier(Mk::Image), VOID, &[]),
        fixed("subgroupElect", SubgroupElect, BOOL, &[]),
    ]},
    Group { avail: by(&[Ext::KHR_shader_subgroup_basic]), stages: COMPUTE, rows: &[
        fixed("subgroupMemoryBarrierShared", SubgroupMemoryBarrier(Mk::Shared), VOID, &[]),
    ]},
    Group { avail: VOTE, stages: ALL, rows: &[
        fixed("subgroupAll", SubgroupAll, BOOL, &[BOOL]),
        fixed("subgroupAny", SubgroupAny, BOOL, &[BOOL]),
        across("subgroupAllEqual", SubgroupAllEqual, BOOL, &[T], VALUES),
    ]},
    Group { avail: BALLOT, stages: ALL, rows: &[
        across("subgroupBroadcast", SubgroupBroadcast, T, &[T, constant_in_gl(UINT)], VALUES),
        across("subgroupBroadcastFirst", SubgroupBroadcastFirst, T, &[T], VALUES),
        fixed("subgroupBallot", SubgroupBallot, UVEC4, &[BOOL]),
        fixed("subgroupInverseBallot", SubgroupInverseBallot, BOOL, &[UVEC4]),
        fixed("subgroupBallotBitExtract", SubgroupBallotBitExtract, BOOL, &[UVEC4, UINT]),
        fixed("subgroupBallotBitCount", SubgroupBallotBitCount, UINT, &[UVEC4]),
        fixed("subgroupBallotInclusiveBitCount", SubgroupBallotInclusiveBitCount, UINT, &[UVEC4]),
        fixed("subgroupBallotExclusiveBitCount", SubgroupBallotExclusiveBitCount, UINT, &[UVEC4]),
        fixed("subgroupBallotFindLSB", SubgroupBallotFindLsb, UINT, &[UVEC4]),
        fixed("subgroupBallotFindMSB", SubgroupBallotFindMsb, UINT, &[UVEC4]),
    ]},
    Group { avail: by(&[Ext::KHR_shader_subgroup_shuffle]), stages: ALL, rows: &[
        across("subgroupShuffle", SubgroupShuffle, T, &[T, UINT], VALUES),
        across("subgroupShuffleXor", SubgroupShuffleXor, T, &[T, UINT], VALUES),
    ]},
    Group { avail: by(&[Ext::KHR_shader_subgroup_shuffle_relative]), stages: ALL, rows: &[
        across("subgroupShuffleUp", SubgroupShuffleUp, T, &[T, UINT], VALUES),
        across("subgroupShuffleDown", SubgroupShuffleDown, T, &[T, UINT], VALUES),
    ]},
    Group { avail: by(&[Ext::KHR_shader_subgroup_rotate]), stages: ALL, rows: &[
        across("subgroupRotate", SubgroupRotate, T, &[T, UINT], VALUES),
        across("subgroupClusteredRotate", SubgroupClusteredRotate, T, &[T, UINT, constant(UINT)], VALUES),
    ]},
    Group { avail: by(&[Ext::KHR_shader_subgroup_arithmetic]), stages: ALL, rows: reductions!(SubgroupReduce, &[T];
        "subgroupAdd" "subgroupMul" "subgroupMin" "subgroupMax" "subgroupAnd" "subgroupOr" "subgroupXor")
    },
    Group { avail: by(&[Ext::KHR_shader_subgroup_arithmetic]), stages: ALL, rows: reductions!(SubgroupInclusive, &[T];
        "subgroupInclusiveAdd" "subgroupInclusiveMul" "subgroupInclusiveMin" "subgroupInclusiveMax" "subgroupInclusiveAnd"
        "subgroupInclusiveOr" "subgroupInclusiveXor")
    },
    Group { avail: by(&[Ext::KHR_shader_subgroup_arithmetic]), stages: ALL, rows: reductions!(SubgroupExclusive, &[T];
        "subgroupExclusiveAdd" "subgroupExclusiveMul" "subgroupExclusiveMin" "subgroupExclusiveMax" "subgroupExclusiveAnd"
        "subgroupExclusiveOr" "subgroupExclusiveXor")
    },
    Group { avail: by(&[Ext::KHR_shader_subgroup_clustered]), stages: ALL, rows: reductions!(SubgroupClustered, &[T, constant(UINT)];
        "subgroupClusteredAdd" "subgroupClusteredMul" "subgroupClusteredMin" "subgroupClusteredMax" "subgroupClusteredAnd"
        "subgroupClusteredOr" "subgroupClusteredXor")
    },
    Group { avail: by(&[Ext::KHR_shader_subgroup_quad]), stages: ALL, rows: &[
        across("subgroupQuadBroadcast", SubgroupQuadBroadcast, T, &[T, constant_in_gl(UINT)], VALUES),
        across("subgroupQuadSwapHorizontal", SubgroupQuadSwapHorizontal, T, &[T], VALUES),
        across("subgroupQuadSwapVertical", SubgroupQuadSwapVertical, T, &[T], VALUES),
        across("subgroupQuadSwapDiagonal", SubgroupQuadSwapDiagonal, T, &[T], VALUES),
    ]},
    Group { avail: by(&[Ext::EXT_shader_quad_control]), stages: ALL, rows: &[
        fixed("subgroupQuadAll", SubgroupQuadAll, BOOL, &[BOOL]),
        fixed("subgroupQuadAny", SubgroupQuadAny, BOOL, &[BOOL]),
    ]},
    Group { avail: VOTE_460, stages: ALL, rows: &[
        fixed("anyInvocation", SubgroupAny, BOOL, &[BOOL]),
        fixed("allInvocations", SubgroupAll, BOOL, &[BOOL]),
        fixed("allInvocationsEqual", SubgroupAllEqual, BOOL, &[BOOL]),
    ]},
    Group { avail: by(&[Ext::ARB_shader_group_vote]), stages: ALL, rows: &[
        fixed("anyInvocationARB", SubgroupAny, BOOL, &[BOOL]),
        fixed("allInvocationsARB", SubgroupAll, BOOL, &[BOOL]),
        fixed("allInvocationsEqualARB", SubgroupAllEqual, BOOL, &[BOOL]),
    ]},
    Group { avail: by(&[Ext::EXT_shader_group_vote]), stages: ALL, rows: &[
        fixed("anyInvocationEXT", SubgroupAny, BOOL, &[BOOL]),
        fixed("allInvocationsEXT", SubgroupAll, BOOL, &[BOOL]),
        fixed("allInvocationsEqualEXT", SubgroupAllEqual, BOOL, &[BOOL]),
    ]},
    Group { avail: by(&[Ext::ARB_shader_ballot]), stages: ALL, rows: &[
        fixed("ballotARB", SubgroupBallot, s(Base::Uint64), &[BOOL]),
        across("readInvocationARB", SubgroupBroadcast, T, &[T, UINT], &[Base::Float, Base::Int, Base::Uint]),
        across("readFirstInvocationARB", SubgroupBroadcastFirst, T, &[T], &[Base::Float, Base::Int, Base::Uint]),
    ]},
];

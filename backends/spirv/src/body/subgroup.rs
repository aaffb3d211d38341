//! Subgroups and quads.

use super::{Code, Want};
use crate::classes::reduce_class;
use crate::errors::*;
use crate::module::Class;
use airfoil_ir::{InstrId, Intrinsic, IntrinsicOp, ReduceOp};
use smallvec::SmallVec;
use spirv::{Capability, GroupOperation, Op};

/// The scope of the subgroup.
const SUBGROUP: u32 = 3;

impl Code<'_, '_, '_> {
    pub(super) fn subgroup(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        use Capability as C;
        use IntrinsicOp as I;
        let own = Want::Exactly(self.class(id));
        let boolean = Want::Exactly(Class::Bool);
        let unsigned = Want::Exactly(Class::Uint);
        let group = |operation: GroupOperation| Some(operation as u32);
        // The instruction, its capability, a literal before the operands, and the classes of the operands.
        let (op, capability, literal, wants): (Op, C, Option<u32>, &[Want]) = match i.op {
            I::vote_any => (Op::GroupNonUniformAny, C::GroupNonUniformVote, None, &[boolean]),
            I::vote_all => (Op::GroupNonUniformAll, C::GroupNonUniformVote, None, &[boolean]),
            I::vote_ieq => (Op::GroupNonUniformAllEqual, C::GroupNonUniformVote, None, &[Want::Integer]),
            I::vote_feq => {
                (Op::GroupNonUniformAllEqual, C::GroupNonUniformVote, None, &[Want::Exactly(Class::Float)])
            }
            I::elect => (Op::GroupNonUniformElect, C::GroupNonUniform, None, &[]),
            I::ballot => (Op::GroupNonUniformBallot, C::GroupNonUniformBallot, None, &[boolean]),
            I::inverse_ballot => {
                (Op::GroupNonUniformInverseBallot, C::GroupNonUniformBallot, None, &[unsigned])
            }
            I::ballot_bit_extract => {
                (Op::GroupNonUniformBallotBitExtract, C::GroupNonUniformBallot, None, &[unsigned, unsigned])
            }
            I::ballot_bit_count_reduce => (
                Op::GroupNonUniformBallotBitCount,
                C::GroupNonUniformBallot,
                group(GroupOperation::Reduce),
                &[unsigned],
            ),
            I::ballot_bit_count_inclusive => (
                Op::GroupNonUniformBallotBitCount,
                C::GroupNonUniformBallot,
                group(GroupOperation::InclusiveScan),
                &[unsigned],
            ),
            I::ballot_bit_count_exclusive => (
                Op::GroupNonUniformBallotBitCount,
                C::GroupNonUniformBallot,
                group(GroupOperation::ExclusiveScan),
                &[unsigned],
            ),
            I::ballot_find_lsb => {
                (Op::GroupNonUniformBallotFindLSB, C::GroupNonUniformBallot, None, &[unsigned])
            }
            I::ballot_find_msb => {
                (Op::GroupNonUniformBallotFindMSB, C::GroupNonUniformBallot, None, &[unsigned])
            }
            I::read_first_invocation => {
                (Op::GroupNonUniformBroadcastFirst, C::GroupNonUniformBallot, None, &[own])
            }
            I::read_invocation => {
                // The index had to be constant before SPIR-V 1.5.
                if self.w.m.target().has(5) || self.literal(i.src(1)).is_some() {
                    (Op::GroupNonUniformBroadcast, C::GroupNonUniformBallot, None, &[own, unsigned])
                } else {
                    (Op::GroupNonUniformShuffle, C::GroupNonUniformShuffle, None, &[own, unsigned])
                }
            }
            I::shuffle => (Op::GroupNonUniformShuffle, C::GroupNonUniformShuffle, None, &[own, unsigned]),
            I::shuffle_xor => {
                (Op::GroupNonUniformShuffleXor, C::GroupNonUniformShuffle, None, &[own, unsigned])
            }
            I::shuffle_up => {
                (Op::GroupNonUniformShuffleUp, C::GroupNonUniformShuffleRelative, None, &[own, unsigned])
            }
            I::shuffle_down => {
                (Op::GroupNonUniformShuffleDown, C::GroupNonUniformShuffleRelative, None, &[own, unsigned])
            }
            I::quad_broadcast => {
                (Op::GroupNonUniformQuadBroadcast, C::GroupNonUniformQuad, None, &[own, unsigned])
            }
            I::quad_swap_horizontal | I::quad_swap_vertical | I::quad_swap_diagonal => {
                (Op::GroupNonUniformQuadSwap, C::GroupNonUniformQuad, None, &[own])
            }
            I::reduce | I::inclusive_scan | I::exclusive_scan => return self.reduction(id, i),
            I::quad_vote_any | I::quad_vote_all => return self.quad_vote(id, i),
            op => return fail(OPERATION, format!("`{}` is not supported in SPIR-V", op.name())),
        };
        self.w.m.require(C::GroupNonUniform)?;
        self.w.m.require(capability)?;
        let mut words: SmallVec<[u32; 6]> = SmallVec::new();
        words.push(self.w.m.uint(SUBGROUP)?);
        words.extend(literal);
        for (&value, &want) in i.srcs().iter().zip(wants) {
            words.push(self.value(value, want)?);
        }
        let direction = match i.op {
            I::quad_swap_horizontal => Some(0),
            I::quad_swap_vertical => Some(1),
            I::quad_swap_diagonal => Some(2),
            _ => None,
        };
        if let Some(direction) = direction {
            words.push(self.w.m.uint(direction)?);
        }
        let t = self.result_type(id)?;
        let v = self.op(op, t, &words);
        self.define(id, v);
        Ok(())
    }

    fn reduction(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        let booleans = self.ty(id).bits == 1;
        let op = match i.reduce_op() {
            ReduceOp::Iadd => Op::GroupNonUniformIAdd,
            ReduceOp::Fadd => Op::GroupNonUniformFAdd,
            ReduceOp::Imul => Op::GroupNonUniformIMul,
            ReduceOp::Fmul => Op::GroupNonUniformFMul,
            ReduceOp::Imin => Op::GroupNonUniformSMin,
            ReduceOp::Umin => Op::GroupNonUniformUMin,
            ReduceOp::Fmin => Op::GroupNonUniformFMin,
            ReduceOp::Imax => Op::GroupNonUniformSMax,
            ReduceOp::Umax => Op::GroupNonUniformUMax,
            ReduceOp::Fmax => Op::GroupNonUniformFMax,
            ReduceOp::Iand if booleans => Op::GroupNonUniformLogicalAnd,
            ReduceOp::Ior if booleans => Op::GroupNonUniformLogicalOr,
            ReduceOp::Ixor if booleans => Op::GroupNonUniformLogicalXor,
            ReduceOp::Iand => Op::GroupNonUniformBitwiseAnd,
            ReduceOp::Ior => Op::GroupNonUniformBitwiseOr,
            ReduceOp::Ixor => Op::GroupNonUniformBitwiseXor,
        };
        self.w.m.require(Capability::GroupNonUniform)?;
        let cluster = if i.op == IntrinsicOp::reduce { i.cluster() } else { 0 };
        let operation = match i.op {
            IntrinsicOp::inclusive_scan => GroupOperation::InclusiveScan,
            IntrinsicOp::exclusive_scan => GroupOperation::ExclusiveScan,
            _ if cluster != 0 => GroupOperation::ClusteredReduce,
            _ => GroupOperation::Reduce,
        };
        self.w.m.require(match operation {
            GroupOperation::ClusteredReduce => Capability::GroupNonUniformClustered,
            _ => Capability::GroupNonUniformArithmetic,
        })?;
        let value = self.value(i.src(0), Want::Exactly(reduce_class(i.reduce_op())))?;
        let mut words: SmallVec<[u32; 4]> = SmallVec::new();
        words.extend([self.w.m.uint(SUBGROUP)?, operation as u32, value]);
        if cluster != 0 {
            words.push(self.w.m.uint(cluster)?);
        }
        let t = self.result_type(id)?;
        let v = self.op(op, t, &words);
        self.define(id, v);
        Ok(())
    }

    fn quad_vote(&mut self, id: InstrId, i: &Intrinsic) -> Res<()> {
        self.w.m.require(Capability::QuadControlKHR)?;
        let value = self.value(i.src(0), Want::Exactly(Class::Bool))?;
        let t = self.result_type(id)?;
        let op = if i.op == IntrinsicOp::quad_vote_all {
            Op::GroupNonUniformQuadAllKHR
        } else {
            Op::GroupNonUniformQuadAnyKHR
        };
        let v = self.op(op, t, &[value]);
        self.define(id, v);
        Ok(())
    }
}

//! Subgroups and quads.

use crate::error::*;
use crate::state::FunctionTranslator;
use airfoil_ir::*;
use spirv::{GroupOperation, Op};

/// Value of the scope Subgroup.
const SUBGROUP: u32 = 3;

/// Combining operation of a reduction or scan.
fn reduce_of(op: Op) -> Option<ReduceOp> {
    Some(match op {
        Op::GroupNonUniformIAdd => ReduceOp::Iadd,
        Op::GroupNonUniformFAdd => ReduceOp::Fadd,
        Op::GroupNonUniformIMul => ReduceOp::Imul,
        Op::GroupNonUniformFMul => ReduceOp::Fmul,
        Op::GroupNonUniformSMin => ReduceOp::Imin,
        Op::GroupNonUniformUMin => ReduceOp::Umin,
        Op::GroupNonUniformFMin => ReduceOp::Fmin,
        Op::GroupNonUniformSMax => ReduceOp::Imax,
        Op::GroupNonUniformUMax => ReduceOp::Umax,
        Op::GroupNonUniformFMax => ReduceOp::Fmax,
        Op::GroupNonUniformBitwiseAnd | Op::GroupNonUniformLogicalAnd => ReduceOp::Iand,
        Op::GroupNonUniformBitwiseOr | Op::GroupNonUniformLogicalOr => ReduceOp::Ior,
        Op::GroupNonUniformBitwiseXor | Op::GroupNonUniformLogicalXor => ReduceOp::Ixor,
        _ => return None,
    })
}

impl FunctionTranslator<'_, '_> {
    /// Whether an operation is handled by [`FunctionTranslator::subgroup_op`].
    pub fn is_subgroup_op(&self, op: Op) -> bool {
        (Op::GroupNonUniformElect as u32..=Op::GroupNonUniformQuadSwap as u32).contains(&(op as u32))
            || matches!(
                op,
                Op::SubgroupBallotKHR
                    | Op::SubgroupFirstInvocationKHR
                    | Op::SubgroupAllKHR
                    | Op::SubgroupAnyKHR
                    | Op::SubgroupAllEqualKHR
                    | Op::SubgroupReadInvocationKHR
                    | Op::GroupNonUniformQuadAllKHR
                    | Op::GroupNonUniformQuadAnyKHR
            )
    }

    pub fn subgroup_op(&mut self, op: Op) -> Res<()> {
        use IntrinsicOp as I;
        let has_scope =
            (Op::GroupNonUniformElect as u32..=Op::GroupNonUniformQuadSwap as u32).contains(&(op as u32));
        if has_scope && self.r.const_u32(self.inst.word(3)?) != Some(SUBGROUP) {
            bail!(UNSUPPORTED, "{} is supported for the subgroup only", self.inst.name());
        }
        let first = if has_scope { 4 } else { 3 };
        if let Some(reduce) = reduce_of(op) {
            return self.reduce(reduce);
        }
        let uvec4 = Ty::new(4, 32);
        let value = match op {
            Op::GroupNonUniformElect => self.b.intrinsic(I::elect, Ty::BOOL, &[]),
            Op::GroupNonUniformAll
            | Op::GroupNonUniformAny
            | Op::SubgroupAllKHR
            | Op::SubgroupAnyKHR
            | Op::GroupNonUniformQuadAllKHR
            | Op::GroupNonUniformQuadAnyKHR => {
                let intrinsic = match op {
                    Op::GroupNonUniformAll | Op::SubgroupAllKHR => I::vote_all,
                    Op::GroupNonUniformAny | Op::SubgroupAnyKHR => I::vote_any,
                    Op::GroupNonUniformQuadAllKHR => I::quad_vote_all,
                    _ => I::quad_vote_any,
                };
                let c = self.ssa_of(self.inst.word(first)?, Ty::BOOL)?;
                self.b.intrinsic(intrinsic, Ty::BOOL, &[c])
            }
            Op::GroupNonUniformAllEqual | Op::SubgroupAllEqualKHR => {
                let (ty, value) = self.value(self.inst.word(first)?)?;
                let v = self.ssa_from(value, ty)?;
                let op = if self.r.scalar(ty)?.is_float() { I::vote_feq } else { I::vote_ieq };
                self.b.intrinsic(op, Ty::BOOL, &[v])
            }
            Op::GroupNonUniformBallot | Op::SubgroupBallotKHR => {
                let c = self.ssa_of(self.inst.word(first)?, Ty::BOOL)?;
                self.b.intrinsic(I::ballot, uvec4, &[c])
            }
            Op::GroupNonUniformInverseBallot => {
                let m = self.ssa_of(self.inst.word(first)?, uvec4)?;
                self.b.intrinsic(I::inverse_ballot, Ty::BOOL, &[m])
            }
            Op::GroupNonUniformBallotBitExtract => {
                let m = self.ssa_of(self.inst.word(first)?, uvec4)?;
                let i = self.int32(self.inst.word(first + 1)?)?;
                self.b.intrinsic(I::ballot_bit_extract, Ty::BOOL, &[m, i])
            }
            Op::GroupNonUniformBallotBitCount => {
                let intrinsic = match GroupOperation::from_u32(self.inst.word(first)?) {
                    Some(GroupOperation::Reduce) => I::ballot_bit_count_reduce,
                    Some(GroupOperation::InclusiveScan) => I::ballot_bit_count_inclusive,
                    Some(GroupOperation::ExclusiveScan) => I::ballot_bit_count_exclusive,
                    _ => return fail(UNSUPPORTED, "this group operation is not supported"),
                };
                let m = self.ssa_of(self.inst.word(first + 1)?, uvec4)?;
                self.b.intrinsic(intrinsic, Ty::B32, &[m])
            }
            Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => {
                let m = self.ssa_of(self.inst.word(first)?, uvec4)?;
                let low = op == Op::GroupNonUniformBallotFindLSB;
                let op = if low { I::ballot_find_lsb } else { I::ballot_find_msb };
                self.b.intrinsic(op, Ty::B32, &[m])
            }
            Op::GroupNonUniformBroadcastFirst | Op::SubgroupFirstInvocationKHR => {
                let v = self.ssa(self.inst.word(first)?)?;
                self.b.intrinsic(I::read_first_invocation, self.b.ty(v), &[v])
            }
            Op::GroupNonUniformBroadcast
            | Op::SubgroupReadInvocationKHR
            | Op::GroupNonUniformShuffle
            | Op::GroupNonUniformShuffleXor
            | Op::GroupNonUniformShuffleUp
            | Op::GroupNonUniformShuffleDown
            | Op::GroupNonUniformQuadBroadcast => {
                let intrinsic = match op {
                    Op::GroupNonUniformShuffle => I::shuffle,
                    Op::GroupNonUniformShuffleXor => I::shuffle_xor,
                    Op::GroupNonUniformShuffleUp => I::shuffle_up,
                    Op::GroupNonUniformShuffleDown => I::shuffle_down,
                    Op::GroupNonUniformQuadBroadcast => I::quad_broadcast,
                    _ => I::read_invocation,
                };
                let v = self.ssa(self.inst.word(first)?)?;
                let i = self.int32(self.inst.word(first + 1)?)?;
                self.b.intrinsic(intrinsic, self.b.ty(v), &[v, i])
            }
            Op::GroupNonUniformQuadSwap => {
                let v = self.ssa(self.inst.word(first)?)?;
                let intrinsic = match self.r.const_u32(self.inst.word(first + 1)?) {
                    Some(0) => I::quad_swap_horizontal,
                    Some(1) => I::quad_swap_vertical,
                    Some(2) => I::quad_swap_diagonal,
                    _ => return fail(TYPE, "the direction must be a constant below 3"),
                };
                self.b.intrinsic(intrinsic, self.b.ty(v), &[v])
            }
            _ => bail!(UNSUPPORTED, "{} is not supported", self.inst.name()),
        };
        self.set_ssa(value)
    }

    fn reduce(&mut self, reduce: ReduceOp) -> Res<()> {
        let operation = self.inst.word(4)?;
        let v = self.ssa(self.inst.word(5)?)?;
        let (op, cluster) = match GroupOperation::from_u32(operation) {
            Some(GroupOperation::Reduce) => (IntrinsicOp::reduce, 0),
            Some(GroupOperation::InclusiveScan) => (IntrinsicOp::inclusive_scan, 0),
            Some(GroupOperation::ExclusiveScan) => (IntrinsicOp::exclusive_scan, 0),
            Some(GroupOperation::ClusteredReduce) => {
                let size = self.r.const_u32(self.inst.word(6)?);
                match size.filter(|&s| s.is_power_of_two() && s <= 128) {
                    Some(s) => (IntrinsicOp::reduce, s),
                    None => return fail(UNSUPPORTED, "this cluster size is not supported"),
                }
            }
            _ => bail!(UNSUPPORTED, "group operation {operation} is not supported"),
        };
        let mut i = Intrinsic::new(op, &[v]).with(Index::Reduce, reduce);
        if op == IntrinsicOp::reduce {
            i.set(Index::Cluster, cluster);
        }
        let ty = self.b.ty(v);
        let v = self.b.insert_intrinsic(i, ty);
        self.set_ssa(v)
    }
}

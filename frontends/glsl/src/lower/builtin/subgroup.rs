//! Subgroups and quads: votes, ballots, shuffles, reductions.

use super::{Lowerer, Res, arg, operand};
use crate::builtin::op::Reduction;
use crate::builtin::reinterpret;
use crate::hir::ExprId;
use crate::lower::{MALFORMED, UNSUPPORTED, Value, error, fail};
use crate::types::{Base, Type};
use airfoil_ir::{Index, InstrId, Intrinsic, IntrinsicOp, ReduceOp, SystemValue, Ty};

/// The combining operation on a base type; `None` if there is none.
fn reduce_of(op: Reduction, base: Base) -> Option<ReduceOp> {
    use ReduceOp as R;
    let number = |float, signed, unsigned| {
        if base == Base::Bool {
            None
        } else if base.is_float() {
            Some(float)
        } else if base.is_signed() {
            Some(signed)
        } else {
            Some(unsigned)
        }
    };
    let bits = |op| (!base.is_float()).then_some(op);
    match op {
        Reduction::Add => number(R::Fadd, R::Iadd, R::Iadd),
        Reduction::Mul => number(R::Fmul, R::Imul, R::Imul),
        Reduction::Min => number(R::Fmin, R::Imin, R::Umin),
        Reduction::Max => number(R::Fmax, R::Imax, R::Umax),
        Reduction::And => bits(R::Iand),
        Reduction::Or => bits(R::Ior),
        Reduction::Xor => bits(R::Ixor),
    }
}

impl Lowerer<'_, '_> {
    /// One intrinsic whose operands are the arguments.
    pub(super) fn intrinsic(&mut self, op: IntrinsicOp, args: &[ExprId]) -> Res<Value> {
        let values = self.ssas(args)?;
        let result = match op.info().result.and_then(|r| r.fixed()) {
            Some(fixed) => fixed,
            None => self.b.ty(operand(&values, 0)?),
        };
        Ok(Value::Ssa(self.b.intrinsic(op, result, &values)))
    }

    /// A ballot; those of ARB_shader_ballot have 64 bits.
    pub(super) fn ballot(&mut self, args: &[ExprId], ty: Type) -> Res<Value> {
        let v = self.ssa(arg(args, 0)?)?;
        let v = self.b.intrinsic(IntrinsicOp::ballot, Ty::new(4, 32), &[v]);
        if ty != Type::scalar(Base::Uint64) {
            return Ok(Value::Ssa(v));
        }
        let low = self.b.swizzle(v, &[0, 1]);
        let v = reinterpret(&mut self.b, low, Ty::new(1, 64));
        v.map(Value::Ssa).ok_or_else(|| error(MALFORMED, "a 64-bit ballot has two words"))
    }

    /// Whether a value is the same in all invocations, with the equality of its base type.
    pub(super) fn all_equal(&mut self, args: &[ExprId]) -> Res<Value> {
        let is_float = self.m.unit[arg(args, 0)?].ty.base().is_some_and(Base::is_float);
        self.intrinsic(if is_float { IntrinsicOp::vote_feq } else { IntrinsicOp::vote_ieq }, args)
    }

    /// Reductions and scans; a cluster size follows the value.
    pub(super) fn subgroup_reduce(
        &mut self,
        op: IntrinsicOp,
        reduction: Reduction,
        args: &[ExprId],
    ) -> Res<Value> {
        let value = arg(args, 0)?;
        let base = self.m.unit[value].ty.base();
        let Some(reduce) = base.and_then(|base| reduce_of(reduction, base)) else {
            return fail(MALFORMED, format!("{reduction:?} is not a reduction of this type"));
        };
        let v = self.ssa(value)?;
        let mut i = Intrinsic::new(op, &[v]).with(Index::Reduce, reduce);
        if args.len() > 1 {
            let size = self.cluster(args, 1)?;
            i.set(Index::Cluster, size);
        }
        let ty = self.b.ty(v);
        Ok(Value::Ssa(self.b.insert_intrinsic(i, ty)))
    }

    /// The constant size of a cluster.
    fn cluster(&mut self, args: &[ExprId], i: usize) -> Res<u32> {
        let size = self.const_arg(args, i, "the size of the cluster")?;
        if !size.is_power_of_two() || size > 128 {
            return fail(UNSUPPORTED, format!("a cluster of {size} invocations is not supported"));
        }
        Ok(size)
    }

    /// `subgroupRotate`: the value `delta` invocations above, within the subgroup or cluster
    /// (GL_KHR_shader_subgroup_rotate).
    pub(super) fn subgroup_rotate(&mut self, args: &[ExprId]) -> Res<Value> {
        let (v, delta) = (self.ssa(arg(args, 0)?)?, self.ssa(arg(args, 1)?)?);
        let one = self.b.imm_u32(1);
        let size = match args.len() {
            2 => self.b.load_system_value(SystemValue::subgroup_size),
            _ => {
                let size = self.cluster(args, 2)?;
                self.b.imm_u32(size)
            }
        };
        let mask = self.b.isub(size, one);
        let own = self.b.load_system_value(SystemValue::subgroup_invocation);
        let place = self.b.iadd(own, delta);
        let within = self.b.iand(place, mask);
        let outside = self.b.inot(mask);
        let cluster = self.b.iand(own, outside);
        let from = self.b.ior(cluster, within);
        Ok(Value::Ssa(self.shuffle(v, from)))
    }

    fn shuffle(&mut self, v: InstrId, from: InstrId) -> InstrId {
        let ty: Ty = self.b.ty(v);
        self.b.intrinsic(IntrinsicOp::shuffle, ty, &[v, from])
    }
}

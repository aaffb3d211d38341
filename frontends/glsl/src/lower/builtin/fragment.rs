//! Derivatives and interpolation.

use super::{Lowerer, Res, arg};
use crate::builtin::op::{Derivative, DerivativePrecision, InterpolateAt};
use crate::hir::{ExprId, ExprKind};
use crate::lower::{MALFORMED, Value, fail, shape_of};
use crate::types::Type;
use airfoil_ir::{AluOp, DerefKind, InstrId, IntrinsicOp, Modes, Ty, Type as IrType};

impl Lowerer<'_, '_> {
    pub(super) fn derivative(
        &mut self,
        id: ExprId,
        which: Derivative,
        precision: DerivativePrecision,
        args: &[ExprId],
    ) -> Res<Value> {
        let v = self.ssa(arg(args, 0)?)?;
        let (x, y) = match precision {
            DerivativePrecision::Any => (AluOp::fddx, AluOp::fddy),
            DerivativePrecision::Fine => (AluOp::fddx_fine, AluOp::fddy_fine),
            DerivativePrecision::Coarse => (AluOp::fddx_coarse, AluOp::fddy_coarse),
        };
        Ok(Value::Ssa(self.hinted(id, |l| match which {
            Derivative::X => l.b.alu(x, &[v]),
            Derivative::Y => l.b.alu(y, &[v]),
            Derivative::Width => {
                let (x, y) = (l.b.alu(x, &[v]), l.b.alu(y, &[v]));
                let (x, y) = (l.b.fabs(x), l.b.fabs(y));
                l.b.fadd(x, y)
            }
        })))
    }

    /// `interpolateAt*`: the whole vector is interpolated, components are chosen afterwards.
    pub(super) fn interpolate(&mut self, at: InterpolateAt, args: &[ExprId], ty: Type) -> Res<Value> {
        let mut interpolant = arg(args, 0)?;
        let mut swizzle = None;
        if let ExprKind::Swizzle(of, lanes) = self.m.unit[interpolant].kind {
            (interpolant, swizzle) = (of, Some(lanes));
        }
        let Some(mut shape) = shape_of(self.m.unit[interpolant].ty) else {
            return fail(MALFORMED, "only scalars and vectors can be interpolated");
        };
        let place = self.place(interpolant)?;
        let mut deref = self.deref(&place)?;
        let mut component = None;
        if let Some((parent, index, ty)) = self.vector_behind(deref) {
            (deref, shape, component) = (parent, ty, Some(index));
        }
        if self.b.pointee(deref).is_none_or(|(_, modes)| modes != Modes::IN) {
            return fail(MALFORMED, "only inputs can be interpolated");
        }
        let mut v = match at {
            InterpolateAt::Sample => {
                let sample = self.ssa(arg(args, 1)?)?;
                self.b.intrinsic(IntrinsicOp::interp_deref_at_sample, shape, &[deref, sample])
            }
            InterpolateAt::Offset => {
                let mut offset = self.ssa(arg(args, 1)?)?;
                if self.b.ty(offset).bits != 32 {
                    offset = self.b.convert(AluOp::f2f, offset, 32);
                }
                self.b.intrinsic(IntrinsicOp::interp_deref_at_offset, shape, &[deref, offset])
            }
            InterpolateAt::Centroid => {
                self.b.intrinsic(IntrinsicOp::interp_deref_at_centroid, shape, &[deref])
            }
        };
        if let Some(index) = component {
            v = self.b.vector_extract_dynamic(v, index);
        }
        if let Some(lanes) = swizzle {
            v = self.b.swizzle(v, lanes.as_slice());
        }
        if shape_of(ty) != Some(self.b.ty(v)) {
            return fail(MALFORMED, "an interpolated value has another type than its input");
        }
        Ok(Value::Ssa(v))
    }

    /// The vector, index and shape of the vector, if a deref names a component of a vector.
    fn vector_behind(&self, deref: InstrId) -> Option<(InstrId, InstrId, Ty)> {
        let DerefKind::Array { parent, index } = self.b.body[deref].as_deref()?.kind else { return None };
        let (ty, _) = self.b.pointee(parent)?;
        match self.m.shader.types[ty] {
            IrType::Vector { scalar, comps } => Some((parent, index, Ty::new(comps, scalar.bits()))),
            _ => None,
        }
    }
}

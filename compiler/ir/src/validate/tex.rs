//! Texture instructions: which sources, of which shape.

use super::intrinsic::size_comps;
use super::{FunctionChecker, Rule};
use crate::enums::Scalar;
use crate::ids::InstrId;
use crate::tex::{Tex, TexOp, TexSrc};
use crate::types::Type;
use crate::value::Ty;

/// Whether an operation needs (`Some(true)`), may have (`None`) or must not have (`Some(false)`) a source.
fn needs(op: TexOp, role: TexSrc) -> Option<bool> {
    use TexOp as Op;
    let samples = matches!(op, Op::Tex | Op::Txb | Op::Txl | Op::Txd | Op::Lod | Op::Tg4);
    match role {
        TexSrc::Texture => Some(true),
        TexSrc::Sampler => Some(samples),
        TexSrc::Coord => Some(samples || op.is_fetch()),
        TexSrc::Projector => optional(matches!(op, Op::Tex | Op::Txb | Op::Txl | Op::Txd)),
        // Depends on `shadow`: a rule of its own.
        TexSrc::Comparator => None,
        TexSrc::Offset => optional(op != Op::Lod && !(op.is_query())),
        TexSrc::Bias => Some(op == Op::Txb),
        TexSrc::Lod if op == Op::Txl => Some(true),
        TexSrc::Lod => optional(matches!(op, Op::Txf | Op::Txs)),
        TexSrc::MinLod => optional(matches!(op, Op::Tex | Op::Txb | Op::Txd)),
        TexSrc::MsIndex => Some(op == Op::TxfMs),
        TexSrc::Ddx | TexSrc::Ddy => Some(op == Op::Txd),
    }
}

fn optional(allowed: bool) -> Option<bool> {
    if allowed { None } else { Some(false) }
}

impl FunctionChecker<'_> {
    pub(super) fn check_tex(&mut self, id: InstrId, tex: &Tex, ty: Ty) {
        let ordered = tex.srcs.windows(2).all(|w| w[0].0 < w[1].0);
        self.expect(ordered, Rule::TexSources, id, "each role at most once, in order");
        for &role in TexSrc::ALL {
            let there = tex.src(role).is_some();
            let fits = needs(tex.op, role).is_none_or(|need| need == there);
            let word = if there { "may not have" } else { "needs" };
            self.expect(
                fits,
                Rule::TexRoles,
                id,
                format_args!("{} {word} the source {}", tex.op.name(), role.name()),
            );
        }
        let compares =
            tex.shadow && matches!(tex.op, TexOp::Tex | TexOp::Txb | TexOp::Txl | TexOp::Txd | TexOp::Tg4);
        let comparator = tex.src(TexSrc::Comparator).is_some() == compares;
        self.expect(comparator, Rule::TexComparator, id, "a comparator comes with comparisons only");
        for &(role, v) in &tex.srcs {
            let operand = self.ty(v);
            let fits = operand.is_none() || self.tex_operand_fits(tex, role, v, operand);
            self.expect(fits, Rule::TexOperand, id, format_args!("{} does not fit ({operand})", role.name()));
        }
        let comps = match tex.op {
            TexOp::Txs => size_comps(tex.dim, tex.arrayed),
            TexOp::Lod => 2,
            TexOp::QueryLevels | TexOp::Samples => 1,
            TexOp::Tg4 => 4,
            _ if compares => 1,
            _ => 4,
        };
        let (comps, bits) = if tex.residency { (1, 32) } else { (comps, tex.dest_type.bits()) };
        let result = ty == Ty::new(comps, bits)
            && !matches!(tex.dest_type, Scalar::Any | Scalar::Bool)
            && !(tex.residency && tex.op.is_query());
        self.expect(result, Rule::TexResult, id, format_args!("the result has {comps} x {}", tex.dest_type));
        let gather =
            tex.component < 4 && (tex.op == TexOp::Tg4 || (tex.component == 0 && tex.offsets.is_none()));
        self.expect(gather, Rule::TexGather, id, "component or offsets make no sense here");
    }

    fn tex_operand_fits(&self, tex: &Tex, role: TexSrc, v: InstrId, ty: Ty) -> bool {
        let plain = tex.dim.coord_comps();
        let number = matches!(ty.bits, 16 | 32);
        match role {
            // That they are derefs is checked with the derefs.
            TexSrc::Texture | TexSrc::Sampler => {
                match self.body[v].as_deref().and_then(|d| self.type_of(d.ty)) {
                    None => self.body[v].as_deref().is_none(),
                    Some(Type::Image(i)) if role == TexSrc::Texture => {
                        i.dim == tex.dim && i.arrayed == tex.arrayed
                    }
                    Some(Type::Image(i)) => i.combined,
                    Some(other) => role == TexSrc::Sampler && *other == Type::Sampler,
                }
            }
            // The level does not depend on the layer.
            TexSrc::Coord if tex.op == TexOp::Lod => {
                number && (ty.comps == plain || ty.comps == tex.coord_comps())
            }
            TexSrc::Coord => number && ty.comps == tex.coord_comps(),
            TexSrc::Offset => ty == Ty::new(plain, 32),
            TexSrc::Ddx | TexSrc::Ddy => number && ty.comps == plain,
            _ => number && ty.comps == 1,
        }
    }
}

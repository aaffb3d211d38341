//! Lowers conversions to those that AIR has: LLVM instructions or `air.convert.*`.
//!
//! Requires form `slots` and produces form `target`. Preserves control flow. Conversions between integers and
//! floats, and all with an explicit rounding mode or saturation, become AIR functions (`convert_air`); plain
//! changes of the width of an integer or float are LLVM instructions and stay ALU operations, as do
//! conversions of booleans, which are selects. `convert_alu_types`, which accepts any types, becomes one of
//! these.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! 32x1 %2 = u2f %1
//! store_output %2, %0 io=0 mask=x
//! =>
//! form target
//! 32x1 %0 = const 0
//! %1 = load_vertex_id
//! 32x1 %2 = convert_air %1 src_type=uint32 dest_type=float32
//! store_output %2, %0 io=0 mask=x
//! ```

use crate::util::conversions::{Conversion, alu_of_conversion, scalar_of};
use crate::util::rewrite::rewrite_where;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::alu::Base;
use airfoil_ir::{
    Alu, AluOp, Body, Builder, Diagnostic, Form, Index, InstrId, InstrKind, Intrinsic, IntrinsicOp,
    RoundingMode, Shader, Src,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerConversions;

static INFO: PassInfo = PassInfo::new(
    "lower_conversions",
    "lowers conversions to those of LLVM and AIR",
    include_str!("lower_conversions.rs"),
)
.takes(&[Form::Slots, Form::Target])
.leaves(Form::Target);

impl Pass for LowerConversions {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let form = Changes::INFO.when(shader.form != Form::Target);
        shader.form = Form::Target;
        let mut unsupported = None;
        let lowered = rewrite_where(shader, is_conversion, |b, id| match b.body[id].kind {
            InstrKind::Alu(alu) => lower_alu(b.body, id, alu),
            InstrKind::Intrinsic(i) if i.op == IntrinsicOp::convert_alu_types => {
                let is_lowered = lower_any(b.body, id, i);
                if !is_lowered {
                    unsupported.get_or_insert((i.src_type(), i.dest_type()));
                }
                is_lowered
            }
            _ => false,
        });
        if let Some((from, to)) = unsupported {
            let message = format!("conversion from {from} to {to} is not supported");
            return Err(Diagnostic::error("E0830", message));
        }
        Ok(form | lowered)
    }
}

fn is_conversion(kind: &InstrKind) -> bool {
    match kind {
        InstrKind::Alu(alu) => Conversion::of(alu.op).is_some_and(|c| !is_native(c)),
        InstrKind::Intrinsic(i) => i.op == IntrinsicOp::convert_alu_types,
        _ => false,
    }
}

/// Whether LLVM has an instruction for the conversion.
fn is_native(c: &Conversion) -> bool {
    let plain = c.rounding == RoundingMode::Undef && !c.saturate;
    plain && (c.from == Base::Bool || (c.from == Base::Float) == (c.to == Base::Float))
}

fn lower_alu(body: &mut Body, id: InstrId, alu: Alu) -> bool {
    let Some(conversion) = Conversion::of(alu.op).filter(|c| !is_native(c)) else { return false };
    let src = alu.src(0);
    let (ty, from) = (body[id].ty, body[src.value].ty);
    let lanes = ty.comps as usize;
    let value = if from.comps == ty.comps && src.swizzle.is_identity(lanes) {
        src.value
    } else {
        let swizzle: smallvec::SmallVec<[u8; 4]> = (0..lanes).map(|l| src.swizzle.get(l) as u8).collect();
        Builder::before(body, id).swizzle(src.value, &swizzle)
    };
    let convert = Intrinsic::new(IntrinsicOp::convert_air, &[value])
        .with(Index::SrcType, scalar_of(conversion.from, from.bits))
        .with(Index::DestType, scalar_of(conversion.to, ty.bits))
        .with(Index::Rounding, conversion.rounding)
        .with(Index::Saturate, conversion.saturate);
    body.set_kind(id, InstrKind::Intrinsic(convert));
    true
}

/// Lowers `convert_alu_types`; returns false if the conversion is not supported.
fn lower_any(body: &mut Body, id: InstrId, i: Intrinsic) -> bool {
    let (from, to) = (i.src_type(), i.dest_type());
    let same =
        from == to || (from.bits() == to.bits() && !from.is_float() && !to.is_float() && !i.saturate());
    let op = if same {
        AluOp::mov
    } else {
        let Some(op) = alu_of_conversion(from, to, i.rounding(), i.saturate()) else { return false };
        op
    };
    let alu = Alu::new(op, body[id].ty.comps, &[Src::from(i.src(0))]);
    body.set_kind(id, InstrKind::Alu(alu));
    lower_alu(body, id, alu);
    true
}

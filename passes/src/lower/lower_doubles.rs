//! Lowers arithmetic on 64-bit floats to integer arithmetic.
//!
//! Metal does not have `double`, but has 64-bit integers with high multiplication, shifts and counts of
//! leading zeros. Results are those of IEEE 754, rounded to nearest, with denormals, infinities and signed
//! zeros, regardless of fast math; NaNs lose their payload. The code is inlined, without branches or calls: a
//! backend takes one function, and vectors are computed at once. `softfp64` implements the arithmetic and
//! lists its sources.
//!
//! Accepts any form. Preserves control flow. Lowers all operations that the source languages have for
//! doubles: arithmetic, roots, rounding, comparisons, `ldexp` and `frexp`, conversions to and from all types
//! (including `convert_alu_types` and `convert_air`). Composed operations (`fmod`, `flrp`, `frsq`, dot
//! products, ...) round each of their steps, as specified by the table of operations. Other operations stay
//! and are rejected by backends: GLSL (4.60 section 8) does not have exponential or trigonometric functions
//! of doubles, and Metal does not have derivatives and group operations of 64-bit values.
//!
//! Shaders without doubles are walked once.
//!
//! Source: the idea is NIR's (`nir_lower_doubles`).
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x2 %1 = load_input %0 io=0 dest_type=float32
//! 64x1 %2 = pack_64_2x32 %1
//! 64x1 %3 = fneg %2
//! 32x2 %4 = unpack_64_2x32 %3
//! store_output %4, %0 io=0 mask=xy
//! =>
//! 64x1 %5 = const 0x8000000000000000
//! 32x1 %0 = const 0
//! 32x2 %1 = load_input %0 io=0 dest_type=float32
//! 64x1 %2 = pack_64_2x32 %1
//! 64x1 %6 = ixor %2, %5
//! 64x1 %3 = mov %6
//! 32x2 %4 = unpack_64_2x32 %3
//! store_output %4, %0 io=0 mask=xy
//! ```

use crate::util::conversions::{Conversion, alu_of_conversion};
use crate::util::rewrite::each_where;
use crate::util::softfp64::code::{Code, Constants, V};
use crate::util::softfp64::compare::Relation;
use crate::util::softfp64::format::{Format, ONE, SIGN, magnitude, or_nan};
use crate::util::softfp64::integral::{To, integral};
use crate::util::softfp64::{add, compare, convert, div, fma, mul, rem, scale, sqrt};
use crate::{Changes, Context, Pass, PassInfo, each_body};
use airfoil_ir::alu::{AluProps, Base, Rounding};
use airfoil_ir::{
    Alu, AluOp, Body, Builder, Diagnostic, Instr, InstrId, InstrKind, IntrinsicOp, RoundingMode, Shader, Src,
    Swizzle,
};
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerDoubles;

static INFO: PassInfo = PassInfo::new(
    "lower_doubles",
    "lowers arithmetic on 64-bit floats to integer arithmetic",
    include_str!("lower_doubles.rs"),
)
.nan_bits()
.reads(Changes::ALL.difference(Changes::UNUSED).difference(Changes::INFO));

impl Pass for LowerDoubles {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        Ok(each_body(shader, lower))
    }
}

fn lower(body: &mut Body) -> Changes {
    let mut constants = Constants::default();
    let mut progress = Changes::NONE;
    let matches = |body: &Body, instr: &Instr| double_operation(body, instr).is_some();
    each_where(body, matches, |body, id| {
        if let Some(alu) = double_operation(body, &body[id]) {
            progress |= Changes::INSTRUCTIONS.when(lower_alu(body, id, &alu, &mut constants));
        }
    });
    progress
}

/// An operation that reads or produces 64-bit floats; conversions by their actual types.
fn double_operation(body: &Body, instr: &Instr) -> Option<Alu> {
    match &instr.kind {
        InstrKind::Alu(alu) => {
            let info = alu.op.info();
            let wide = |value: InstrId| body[value].ty.bits == 64;
            let float = info.result.base == Base::Float;
            let result = float && instr.ty.bits == 64;
            // Without a width of its own the result has that of the operands.
            let as_operands = float && info.result.bits == 0 && !info.props.contains(AluProps::SIZED);
            let operand = !as_operands
                && alu
                    .srcs()
                    .zip(info.operands)
                    .any(|(s, o)| o.base == Base::Float && o.bits == 0 && wide(s.value));
            (result || operand).then_some(*alu)
        }
        InstrKind::Intrinsic(i)
            if matches!(i.op, IntrinsicOp::convert_alu_types | IntrinsicOp::convert_air) =>
        {
            let (from, to) = (i.src_type(), i.dest_type());
            let double = |s: airfoil_ir::Scalar| s.is_float() && s.bits() == 64;
            if !double(from) && !double(to) {
                return None;
            }
            let op = match from == to {
                true => AluOp::mov,
                false => alu_of_conversion(from, to, i.rounding(), i.saturate())?,
            };
            Some(Alu::new(op, instr.ty.comps, &[Src::from(i.src(0))]))
        }
        _ => None,
    }
}

/// Replaces the instruction by a move of the integer result; false if it is not supported.
fn lower_alu(body: &mut Body, id: InstrId, alu: &Alu, constants: &mut Constants) -> bool {
    let before = body.prev(id);
    let Some(result) = write(body, id, alu, constants) else {
        // The operands alone are of no use.
        while let Some(added) = body.prev(id).filter(|&p| Some(p) != before) {
            body.remove(added);
        }
        return false;
    };
    body.set_kind(id, InstrKind::Alu(Alu::new(AluOp::mov, body[id].ty.comps, &[result])));
    true
}

/// Emits the computation before the operation.
fn write(body: &mut Body, id: InstrId, alu: &Alu, constants: &mut Constants) -> Option<Src> {
    let ty = body[id].ty;
    let info = alu.op.info();
    let bits = body[alu.src(0).value].ty.bits;
    let code = Code::new(Builder::before(body, id), constants);
    let operands: SmallVec<[V<'_>; 4]> = alu
        .srcs()
        .enumerate()
        .map(|(i, src)| {
            let lanes: SmallVec<[u8; 4]> =
                (0..info.operand_comps(i, ty.comps)).map(|l| src.swizzle.get(l as usize) as u8).collect();
            code.build(|b| b.swizzle(src.value, &lanes))
        })
        .collect();
    let result = match Conversion::of(alu.op) {
        Some(c) => converted(c, operands[0], bits, ty.bits),
        None => computed(alu.op, &operands),
    }?;
    let swizzle =
        if result.comps() == ty.comps { Swizzle::IDENTITY } else { Swizzle::splat(0, usize::from(ty.comps)) };
    Some(Src { value: result.id(), swizzle })
}

/// Rounding of a mode other than the default.
fn rounding(mode: RoundingMode, default: Rounding) -> Rounding {
    match mode {
        RoundingMode::Undef => default,
        RoundingMode::Rte => Rounding::Rte,
        RoundingMode::Rtz => Rounding::Rtz,
        RoundingMode::Rtp => Rounding::Rtp,
        RoundingMode::Rtn => Rounding::Rtn,
    }
}

fn converted<'c>(c: &Conversion, a: V<'c>, from: u8, to: u8) -> Option<V<'c>> {
    let nearest = rounding(c.rounding, Rounding::Rte);
    Some(match (c.from, c.to) {
        (Base::Float, Base::Float) if from == to => or_nan(magnitude(a), a),
        (Base::Float, Base::Float) if from == 64 => convert::narrow(a, Format::of(to)?, nearest),
        (Base::Float, Base::Float) => convert::widen(a, Format::of(from)?),
        // Saturating or not: the table has one rule for out-of-range values.
        (Base::Float, _) => convert::to_int(a, c.to == Base::Int, to, rounding(c.rounding, Rounding::Rtz)),
        (Base::Bool, Base::Float) => convert::from_bool(a),
        (_, Base::Float) => convert::from_int(a, c.from == Base::Int, nearest),
        _ => return None,
    })
}

fn computed<'c>(op: AluOp, operands: &[V<'c>]) -> Option<V<'c>> {
    use AluOp as O;
    match *operands {
        [a] => unary(op, a),
        [a, b] => binary(op, a, b),
        [a, b, c] => Some(match op {
            O::ffma => fma::fma(a, b, c),
            O::fmad => add::add(mul::mul(a, b), c),
            O::flrp => add::add(mul::mul(a, add::sub(a.imm(ONE), c)), mul::mul(b, c)),
            O::fclamp => compare::min(compare::max(a, b), c),
            _ => return None,
        }),
        _ => None,
    }
}

fn unary(op: AluOp, a: V<'_>) -> Option<V<'_>> {
    use AluOp as O;
    Some(match op {
        O::mov => a,
        O::fneg => a ^ SIGN,
        O::fabs => magnitude(a),
        O::fsign => compare::sign(a),
        O::fsat => compare::saturate(a),
        O::frcp => div::reciprocal_of(a),
        O::fsqrt => sqrt::sqrt(a),
        O::frsq => div::reciprocal_of(sqrt::sqrt(a)),
        O::ffloor => integral(To::Floor, a),
        O::fceil => integral(To::Ceil, a),
        O::ftrunc => integral(To::Zero, a),
        O::fround_even => integral(To::NearestEven, a),
        O::fround => integral(To::NearestAway, a),
        O::ffract => add::sub(a, integral(To::Floor, a)),
        O::frexp_sig => scale::frexp_significand(a),
        O::frexp_exp => scale::frexp_exponent(a),
        _ => return None,
    })
}

fn binary<'c>(op: AluOp, a: V<'c>, b: V<'c>) -> Option<V<'c>> {
    use AluOp as O;
    use Relation::{Any, Equal, GreaterOrEqual, Less, NotEqual};
    let (relation, unordered) = match op {
        O::fadd => return Some(add::add(a, b)),
        O::fsub => return Some(add::sub(a, b)),
        O::fmul => return Some(mul::mul(a, b)),
        O::fdiv => return Some(div::div(a, b)),
        O::frem => return Some(rem::rem(a, b)),
        O::fmod => return Some(add::sub(a, mul::mul(b, integral(To::Floor, div::div(a, b))))),
        O::fmin => return Some(compare::min(a, b)),
        O::fmax => return Some(compare::max(a, b)),
        O::fldexp => return Some(scale::ldexp(a, b)),
        O::fdot2 | O::fdot3 | O::fdot4 => return Some(dot(a, b)),
        O::feq => (Equal, false),
        O::fequ => (Equal, true),
        O::fneo => (NotEqual, false),
        O::fneu => (NotEqual, true),
        O::flt => (Less, false),
        O::fltu => (Less, true),
        O::fge => (GreaterOrEqual, false),
        O::fgeu => (GreaterOrEqual, true),
        O::ford => (Any, false),
        O::funord => (Any, true),
        _ => return None,
    };
    Some(compare::compare(relation, unordered, a, b))
}

/// The sum of the products, from the first component on.
fn dot<'c>(a: V<'c>, b: V<'c>) -> V<'c> {
    let products = mul::mul(a, b);
    let lanes = usize::from(products.comps());
    (1..lanes).fold(products.lane(0), |sum, c| add::add(sum, products.lane(c)))
}

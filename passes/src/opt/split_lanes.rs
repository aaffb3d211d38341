//! Computes only the lanes of vector operations that do not simplify.
//!
//! Accepts any form. Preserves control flow. Rules of `algebraic` match all lanes of an operation at once; here a lane whose
//! constant operand makes it a constant or a copy is left out of the operation, and so is a lane that equals another one. The
//! operation keeps the lanes that remain, and a vector replaces it. The identities are those of zero, one and all ones;
//! those that change special values of floats apply neither to exact operations nor where the shader preserves such values.
//!
//! Source: the scalar code that NIR's `nir_lower_alu_to_scalar` produces, followed by `nir_opt_algebraic` and
//! `nir_opt_cse`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x2 %1 = const 0.5, 0
//! 32x2 %2 = load_input %0 io=0 dest_type=float32
//! %3 = fmul %2, %1
//! store_output %3, %0 io=0 mask=xy
//! =>
//! 32x1 %0 = const 0
//! 32x2 %1 = const 0.5, 0
//! 32x2 %2 = load_input %0 io=0 dest_type=float32
//! 32x1 %3 = fmul %2.x, %1.x
//! 32x1 %4 = const 0
//! %5 = vec2 %3, %4
//! store_output %5, %0 io=0 mask=xy
//! ```

use crate::opt::copy_prop;
use crate::{Changes, Context, Pass, PassInfo, each_body};
use airfoil_ir::alu::{AluFlags, f64_to_bits};
use airfoil_ir::{
    Alu, AluOp, Body, Builder, Diagnostic, Instr, InstrId, InstrKind, Shader, Src, Swizzle, Ty, bit_mask,
};
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct SplitLanes;

static INFO: PassInfo = PassInfo::new(
    "split_lanes",
    "computes only the lanes that do not simplify",
    include_str!("split_lanes.rs"),
)
.reads(Changes::CODE)
.rounds()
.nan_bits();

impl Pass for SplitLanes {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let preserved = shader.info.preserve_float_special;
        Ok(each_body(shader, |body| Changes::VALUES.when(split_all(body, preserved))))
    }
}

fn split_all(body: &mut Body, preserved: u8) -> bool {
    let mut progress = false;
    let mut block = Some(body.entry());
    while let Some(b) = block {
        let mut next = body.first_instr(b);
        while let Some(id) = next {
            next = body.next(id);
            progress |= body[id].ty.comps > 1 && split(body, id, preserved);
        }
        block = body.next_block(b);
    }
    progress
}

/// A component of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part {
    value: InstrId,
    comp: usize,
}

/// The value of a lane.
#[derive(Clone, Copy, PartialEq)]
enum Lane {
    Constant(u64),
    Copy(Part),
    /// Equal to an earlier lane.
    Same(usize),
    Computed,
}

fn split(body: &mut Body, id: InstrId, preserved: u8) -> bool {
    let ty = body[id].ty;
    let Some(alu) = body[id].as_alu().copied() else { return false };
    let info = alu.op.info();
    if !info.is_per_component() || alu.op == AluOp::mov || !may_split(body, &alu, ty.comps as usize) {
        return false;
    }
    let special = !alu.flags.contains(AluFlags::EXACT) && preserved & ty.bits == 0;
    let mut parts: SmallVec<[SmallVec<[Part; 4]>; 4]> = SmallVec::new();
    let mut lanes: SmallVec<[Lane; 4]> = SmallVec::new();
    for lane in 0..ty.comps as usize {
        let operands: SmallVec<[Part; 4]> =
            alu.srcs().map(|src| part(body, src.value, src.swizzle.get(lane))).collect();
        let same = (0..lane).find(|&l| lanes[l] == Lane::Computed && parts[l] == operands);
        lanes.push(same.map_or_else(|| simple(body, &alu, ty, &operands, special), Lane::Same));
        parts.push(operands);
    }
    let computed: SmallVec<[usize; 4]> = (0..lanes.len()).filter(|&l| lanes[l] == Lane::Computed).collect();
    if computed.len() == lanes.len() {
        return false;
    }
    let mut b = Builder::before(body, id);
    let mut narrow = None;
    if let count @ 1.. = computed.len() {
        let operand = |src: Src| {
            let swizzle = computed.iter().enumerate();
            let swizzle = swizzle.fold(Swizzle::IDENTITY, |s, (to, &from)| s.with(to, src.swizzle.get(from)));
            Src { value: src.value, swizzle }
        };
        let srcs: SmallVec<[Src; 4]> = alu.srcs().map(operand).collect();
        let mut new = Alu::new(alu.op, count as u8, &srcs);
        new.flags = alu.flags;
        narrow = Some(b.insert(Instr::new(InstrKind::Alu(new), Ty::new(count as u8, ty.bits))));
    }
    let mut srcs: SmallVec<[Src; 4]> = SmallVec::new();
    for (lane, &kind) in lanes.iter().enumerate() {
        let src = match kind {
            Lane::Constant(bits) => Src { value: b.imm(ty.bits, bits), swizzle: Swizzle::scalar(0) },
            Lane::Copy(part) => Src { value: part.value, swizzle: Swizzle::scalar(part.comp) },
            Lane::Same(_) | Lane::Computed => {
                let from = if let Lane::Same(first) = kind { first } else { lane };
                let at = computed.iter().position(|&l| l == from).unwrap_or(0);
                // Only computed lanes are equal to others, so there is an operation.
                Src { value: narrow.unwrap_or(id), swizzle: Swizzle::scalar(at) }
            }
        };
        srcs.push(src);
    }
    let op = [AluOp::vec2, AluOp::vec3, AluOp::vec4][lanes.len() - 2];
    body.set_kind(id, InstrKind::Alu(Alu::new(op, ty.comps, &srcs)));
    true
}

/// Whether lanes can simplify to different results; most operations end here. Constants that are the same in all
/// lanes are left to the rules.
fn may_split(body: &Body, alu: &Alu, lanes: usize) -> bool {
    let differs = |src: Src| match &body[src.value].kind {
        InstrKind::Const(constant) => {
            let value = |lane: usize| constant[src.swizzle.get(lane)];
            (1..lanes).any(|lane| value(lane) != value(0))
        }
        InstrKind::Alu(vector) if copy_prop::is_vec(vector.op) => {
            let values = vector.values();
            let known = |&v: &InstrId| body[v].as_const().is_some();
            values.iter().any(known) || (1..values.len()).any(|i| values[..i].contains(&values[i]))
        }
        _ => false,
    };
    let repeats = |lane: usize| {
        let same = |first: usize| alu.srcs().all(|s| s.swizzle.get(first) == s.swizzle.get(lane));
        (0..lane).any(same)
    };
    // Lanes that read one value in order all differ.
    let in_order = alu.srcs().any(|s| s.swizzle.is_identity(lanes));
    let equal = alu.op == AluOp::bcsel && alu.src(1).value == alu.src(2).value;
    equal || alu.srcs().any(differs) || (!in_order && (1..lanes).any(repeats))
}

/// A component, seen through vectors and moves.
fn part(body: &Body, value: InstrId, comp: usize) -> Part {
    match body[value].as_alu() {
        Some(alu) if alu.op == AluOp::mov => {
            let src = alu.src(0);
            Part { value: src.value, comp: src.swizzle.get(comp) }
        }
        Some(alu) if copy_prop::is_vec(alu.op) => {
            let src = alu.src(comp);
            Part { value: src.value, comp: src.swizzle.get(0) }
        }
        _ => Part { value, comp },
    }
}

/// The constant or copy that a lane becomes; `special` permits to change special values of floats.
fn simple(body: &Body, alu: &Alu, ty: Ty, operands: &[Part], special: bool) -> Lane {
    let known = |i: usize| body[operands[i].value].as_const().map(|lanes| lanes[operands[i].comp]);
    let info = alu.op.info();
    if (0..operands.len()).all(|i| known(i).is_some()) {
        let mut values = [[0; 4]; 4];
        for (i, value) in values.iter_mut().enumerate().take(operands.len()) {
            value[0] = known(i).unwrap_or(0);
        }
        let bits = (0..operands.len()).find(|&i| info.operands[i].bits == 0);
        let bits = bits.map_or(0, |i| u32::from(body[operands[i].value].ty.bits));
        return alu
            .op
            .eval(bits, Ty::new(1, ty.bits), &values[..operands.len()])
            .map_or(Lane::Computed, |v| Lane::Constant(v[0]));
    }
    let float = |value: f64| f64_to_bits(value, u32::from(ty.bits));
    let is = |i: usize, value: u64| known(i) == Some(value);
    let is_zero = |i: usize| is(i, float(0.0)) || is(i, float(-0.0));
    // The other operand of an operation on two.
    let either = |accepts: &dyn Fn(usize) -> bool| {
        if accepts(1) { Some(operands[0]) } else { accepts(0).then(|| operands[1]) }
    };
    let ones = bit_mask(u32::from(ty.bits));
    let copy = match alu.op {
        AluOp::fmul if special && (is_zero(0) || is_zero(1)) => return Lane::Constant(float(0.0)),
        AluOp::fmul => either(&|i| is(i, float(1.0))),
        AluOp::fadd => either(&|i| is(i, float(-0.0)) || special && is_zero(i)),
        AluOp::fsub if is(1, float(0.0)) || special && is_zero(1) => Some(operands[0]),
        AluOp::ffma if special && (is_zero(0) || is_zero(1)) => Some(operands[2]),
        AluOp::imul | AluOp::iand if is(0, 0) || is(1, 0) => return Lane::Constant(0),
        AluOp::imul => either(&|i| is(i, 1)),
        AluOp::iand => either(&|i| is(i, ones)),
        AluOp::iadd | AluOp::ior | AluOp::ixor => either(&|i| is(i, 0)),
        AluOp::isub | AluOp::ishl | AluOp::ishr | AluOp::ushr if is(1, 0) => Some(operands[0]),
        AluOp::bcsel if operands[1] == operands[2] => Some(operands[1]),
        AluOp::bcsel => known(0).map(|cond| operands[if cond & 1 != 0 { 1 } else { 2 }]),
        _ => None,
    };
    copy.map_or(Lane::Computed, Lane::Copy)
}

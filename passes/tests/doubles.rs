//! `lower_doubles` agrees with the host's 64-bit floats: every operation of the table that the pass lowers, on all
//! combinations of corner cases and on many random numbers. `AIRFOIL_COUNT` shows how many instructions each takes.

use airfoil_ir::alu::{ALU_OPS, AluInfo, AluProps, Base, f64_from_bits};
use airfoil_ir::generate::{Choices, Seed};
use airfoil_ir::{AluOp, InstrId, InstrKind, Lanes, Shader, Swizzle, Ty, text};
use airfoil_passes::{Manager, Pipeline};
use rustc_hash::FxHashMap;

/// Operations on 64-bit floats that are not lowered: the source languages have none of them for doubles.
const LEFT: &[AluOp] = {
    use AluOp::*;
    &[
        fexp,
        flog,
        fexp2,
        flog2,
        fpow,
        fsin,
        fcos,
        ftan,
        fasin,
        facos,
        fatan,
        fatan2,
        fsinh,
        fcosh,
        ftanh,
        fasinh,
        facosh,
        fatanh,
        fddx,
        fddy,
        fddx_fine,
        fddy_fine,
        fddx_coarse,
        fddy_coarse,
    ]
};

/// One operation on operands of one width.
#[derive(Clone, Copy, Debug)]
struct Case {
    op: AluOp,
    /// Width of the operands whose width is not fixed.
    bits: u8,
    /// Shape of the result.
    ty: Ty,
}

impl Case {
    fn new(op: AluOp, bits: u8, out: u8) -> Case {
        let result = op.info().result;
        let out = if result.bits != 0 { result.bits } else { out };
        Case { op, bits, ty: Ty::new(if result.comps != 0 { result.comps } else { 4 }, out) }
    }

    fn operand(&self, i: usize) -> (Base, Ty) {
        let o = self.op.info().operands[i];
        let bits = if o.bits != 0 { o.bits } else { self.bits };
        (o.base, Ty::new(self.op.info().operand_comps(i, self.ty.comps), bits))
    }
}

/// Every operation that reads or returns 64-bit floats, in every shape.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &op in ALU_OPS {
        let info: &AluInfo = op.info();
        let from = info.operands[0].base;
        let float = |o: &airfoil_ir::alu::AluType| o.base == Base::Float && o.bits == 0;
        if !info.props.contains(AluProps::SIZED) {
            if info.operands.iter().any(float) || float(&info.result) {
                cases.push(Case::new(op, 64, 64));
            }
            continue;
        }
        if from == Base::Float {
            let outs: &[u8] = if info.result.base == Base::Float { &[16, 32, 64] } else { &[8, 16, 32, 64] };
            cases.extend(outs.iter().map(|&out| Case::new(op, 64, out)));
        }
        if info.result.base == Base::Float {
            let ins: &[u8] = match from {
                Base::Float => &[16, 32],
                Base::Bool => &[1],
                _ => &[8, 16, 32, 64],
            };
            cases.extend(ins.iter().map(|&bits| Case::new(op, bits, 64)));
        }
    }
    cases
}

/// The operation on undefined values, which stand for the operands.
fn shader(case: &Case) -> Shader {
    let n = case.op.num_operands();
    let mut code = String::new();
    for i in 0..n {
        code += &format!("{} %{i} = undef\n", case.operand(i).1);
    }
    let operands: Vec<String> = (0..n).map(|i| format!("%{i}")).collect();
    code += &format!("{} %{n} = {} {}\n", case.ty, case.op.name(), operands.join(", "));
    let text = format!("foil 1\nshader compute \"t\" {{\n  form slots\n  fn main {{\nb0:\n{code}  }}\n}}\n");
    text::parse(&text).unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
}

/// An integer operation.
struct Step {
    op: AluOp,
    /// Width of the operands whose width is not fixed.
    bits: u32,
    ty: Ty,
    /// Values by index.
    operands: Vec<(usize, Swizzle)>,
}

/// A lowered operation, ready to be evaluated.
struct Lowered {
    steps: Vec<Step>,
    values: Vec<Lanes>,
    inputs: Vec<usize>,
}

impl Lowered {
    /// Lowers a case; `None` if the operation stays.
    fn new(case: &Case) -> Option<Lowered> {
        let mut shader = shader(case);
        let pipeline = Pipeline::parse("lower_doubles").expect("a pipeline");
        let changes = Manager::default().run(&pipeline, &mut shader).expect("lowers");
        assert_eq!(changes.is_progress(), !LEFT.contains(&case.op), "{case:?}");
        let body = shader.functions.values().next().map(|f| &f.body).expect("a body");
        if body.all_instrs().any(|id| body[id].as_alu().is_some_and(|a| a.op == case.op)) {
            return None;
        }
        let (mut number, mut values) = (FxHashMap::<InstrId, usize>::default(), Vec::new());
        let (mut steps, mut inputs) = (Vec::new(), Vec::new());
        // Inputs and constants first, then the computed values, in order.
        for id in body.all_instrs() {
            let lanes = match &body[id].kind {
                InstrKind::Const(lanes) => *lanes,
                InstrKind::Undef => {
                    inputs.push(values.len());
                    [0; 4]
                }
                _ => continue,
            };
            number.insert(id, values.len());
            values.push(lanes);
        }
        let first = values.len();
        for id in body.all_instrs() {
            let Some(alu) = body[id].as_alu() else { continue };
            let operands = alu.srcs().map(|s| (number[&s.value], s.swizzle)).collect();
            let info = alu.op.info();
            let open = alu.srcs().zip(info.operands).find(|(_, o)| o.bits == 0);
            let bits = open.map_or(0, |(s, _)| body[s.value].ty.bits);
            let double = |t: &airfoil_ir::alu::AluType, w: u8| t.base == Base::Float && w == 64;
            assert!(!double(&info.result, body[id].ty.bits), "{}", alu.op.name());
            assert!(!info.operands.iter().any(|o| double(o, bits)), "{}", alu.op.name());
            steps.push(Step { op: alu.op, bits: u32::from(bits), ty: body[id].ty, operands });
            number.insert(id, first + steps.len() - 1);
        }
        values.resize(first + steps.len(), [0; 4]);
        Some(Lowered { steps, values, inputs })
    }

    fn eval(&mut self, operands: &[Lanes]) -> Lanes {
        for (&i, o) in self.inputs.iter().zip(operands) {
            self.values[i] = *o;
        }
        let first = self.values.len() - self.steps.len();
        for (k, step) in self.steps.iter().enumerate() {
            let mut lanes = [[0; 4]; 4];
            for (l, &(value, swizzle)) in lanes.iter_mut().zip(&step.operands) {
                *l = std::array::from_fn(|i| self.values[value][swizzle.get(i)]);
            }
            self.values[first + k] =
                step.op.eval(step.bits, step.ty, &lanes[..step.operands.len()]).expect("no quad operation");
        }
        self.values[self.values.len() - 1]
    }
}

/// 64 random bits.
fn word(seed: &mut Seed) -> u64 {
    u64::from(seed.below(u32::MAX)) << 32 | u64::from(seed.below(u32::MAX))
}

/// Numbers of a type: corner cases by index, then random ones.
fn number(base: Base, bits: u8, seed: &mut Seed, corner: Option<usize>) -> u64 {
    let mask = airfoil_ir::bit_mask(u32::from(bits));
    let raw = word(seed);
    if base != Base::Float {
        const INTS: [u64; 6] = [0, 1, u64::MAX, 1 << 63, (1 << 53) + 1, (1 << 54) + 6];
        let random = if bits == 32 && base == Base::Int && raw & 1 == 1 {
            // Exponents: most others are far out.
            (seed.below(4400) as u64).wrapping_sub(2200)
        } else {
            raw >> seed.below(64)
        };
        return match corner {
            Some(c) if c < INTS.len() => INTS[c],
            Some(c) if c < 12 => 1 << (bits - 1).min(c as u8 * 7),
            _ => random,
        } & mask;
    }
    // Fraction and exponent bits.
    let (fraction, exponents) = match bits {
        16 => (10, 31u64),
        32 => (23, 255),
        _ => (52, 2047),
    };
    let bias = exponents / 2;
    let ones = (1u64 << fraction) - 1;
    if let Some(c) = corner {
        const EXPONENTS: i64 = 16;
        let e = [
            0,
            1,
            2,
            bias - 60.min(bias - 1),
            bias - 2,
            bias - 1,
            bias,
            bias + 1,
            bias + 10,
            bias + fraction - 1,
            bias + fraction,
            bias + fraction + 1,
            bias + 63.min(bias),
            exponents - 2,
            exponents - 1,
            exponents,
        ][c % EXPONENTS as usize];
        let f = [0, 1, ones, ones & !1, 1 << (fraction - 1), (1 << (fraction - 1)) + 1][c / 16 % 6];
        return (e.min(exponents) << fraction) | f;
    }
    let sign = (raw & 1) << (bits - 1);
    let exponent = match raw >> 1 & 3 {
        0 => u64::from(seed.below(exponents as u32 + 1)),
        1 => (bias + u64::from(seed.below(140))).saturating_sub(70).min(exponents),
        2 => (bias + u64::from(seed.below(8)) - 4).min(exponents),
        _ if raw & 8 == 0 => u64::from(seed.below(4)),
        _ => exponents - u64::from(seed.below(4)),
    };
    let random = word(seed) & ones;
    let f = match raw >> 4 & 7 {
        // Few bits at one end or at both, so that ties and long carries happen.
        0 => random & (ones << seed.below(fraction as u32)),
        1 => random | (ones >> seed.below(fraction as u32)),
        2 => (1 << seed.below(fraction as u32)) | (random & 1),
        3 => random & (ones >> seed.below(fraction as u32)),
        _ => random,
    };
    sign | exponent << fraction | (f & ones)
}

/// How many corner cases there are.
const CORNERS: usize = 96;

/// Compares one operation with the table's on four numbers at a time.
fn compare(case: &Case, quads: u64) -> Result<usize, String> {
    let Some(mut lowered) = Lowered::new(case) else {
        return if LEFT.contains(&case.op) { Ok(0) } else { Err(format!("{case:?} is not lowered")) };
    };
    if LEFT.contains(&case.op) {
        return Err(format!("{case:?} is lowered"));
    }
    let mut seed = Seed(case.op as u64 * 1000 + u64::from(case.bits) * 10 + u64::from(case.ty.bits));
    let n = case.op.num_operands();
    // All pairs of corners with all signs, unless there are three operands.
    let corners: usize = if n == 1 { 2 * CORNERS / 4 } else { CORNERS * CORNERS };
    for k in 0..corners as u64 + quads {
        let operands: Vec<Lanes> = (0..n)
            .map(|i| {
                let (base, ty) = case.operand(i);
                std::array::from_fn(|lane| {
                    let corner = ((k as usize) < corners).then(|| match (n, i) {
                        (1, _) => (k as usize * 4 + lane) % CORNERS,
                        (_, 0) => k as usize % CORNERS,
                        (_, 1) => k as usize / CORNERS,
                        _ => seed.below(CORNERS as u32) as usize,
                    });
                    let x = number(base, ty.bits, &mut seed, corner);
                    // The four lanes have the signs.
                    let negative = match (n, i) {
                        (1, _) => k as usize * 4 + lane >= CORNERS,
                        _ => lane >> i.min(1) & 1 == 1,
                    };
                    let flip = corner.is_some() && base == Base::Float && negative;
                    x ^ (u64::from(flip) << (ty.bits - 1))
                })
            })
            .collect();
        let expected = case.op.eval(u32::from(case.bits), case.ty, &operands).expect("a value");
        let found = lowered.eval(&operands);
        let float = case.op.info().result.base == Base::Float;
        for c in 0..usize::from(case.ty.comps) {
            let bits = u32::from(case.ty.bits);
            let nan = |x| float && f64_from_bits(x, bits).is_nan();
            if expected[c] != found[c] && !(nan(expected[c]) && nan(found[c])) {
                let lanes: Vec<String> = operands.iter().map(|o| format!("{o:#x?}")).collect();
                return Err(format!(
                    "{} {}->{} of {}: lane {c} is {:#x}, expected {:#x}",
                    case.op.name(),
                    case.bits,
                    case.ty,
                    lanes.join(", ").replace('\n', ""),
                    found[c],
                    expected[c]
                ));
            }
        }
    }
    if std::env::var_os("AIRFOIL_COUNT").is_some() {
        show(&format!("{:14} {:2} -> {}: {}", case.op.name(), case.bits, case.ty, lowered.steps.len()));
    }
    Ok((corners + quads as usize) * usize::from(case.ty.comps))
}

/// Prints the sizes (`AIRFOIL_COUNT`).
#[allow(clippy::print_stderr)]
fn show(text: &str) {
    eprintln!("{text}");
}

fn run(quads: u64, least: usize, wanted: impl Fn(&Case) -> bool) {
    let results: Vec<_> = cases().iter().filter(|c| wanted(c)).map(|c| compare(c, quads)).collect();
    let failures: Vec<&String> = results.iter().filter_map(|r| r.as_ref().err()).collect();
    assert!(failures.is_empty(), "{} failures\n{failures:#?}", failures.len());
    let compared: usize = results.iter().flatten().sum();
    assert!(compared >= least, "only {compared} numbers were compared");
}

fn is_conversion(c: &Case) -> bool {
    c.op.info().props.contains(AluProps::SIZED)
}

#[test]
fn conversions_agree_with_the_host() {
    run(1000, 100_000, is_conversion);
}

#[test]
fn operations_on_one_number_agree_with_the_host() {
    run(5000, 100_000, |c| !is_conversion(c) && c.op.num_operands() == 1);
}

#[test]
fn operations_on_several_numbers_agree_with_the_host() {
    run(5000, 100_000, |c| !is_conversion(c) && c.op.num_operands() > 1);
}

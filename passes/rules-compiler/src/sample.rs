//! Tests of rules by evaluation: all values of one operand, or corner values in all combinations and random ones.

use crate::eval::{Evaluator, is_per_lane};
use crate::syntax::{Condition, Expr, Rule};
use crate::table::{Fact, Flags};
use crate::types::{Lanes as Count, Types};
use crate::widths::Assignment;
use airfoil_ir::alu::{Base, f64_from_bits, f64_to_bits};
use airfoil_ir::{Lanes, bit_mask};

/// The extent of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tested {
    /// Values for which the condition of the rule held.
    pub compared: u64,
    /// All values of all operands were tried.
    pub exhaustive: bool,
}

/// Tests a rule with `samples` values of its operands.
///
/// # Errors
/// A counterexample.
pub fn test(rule: &Rule, types: &Types, widths: &Assignment, samples: u64) -> Result<Tested, String> {
    let mut sampler = Sampler::new(rule, types, widths);
    if let Some(values) = sampler.few_values() {
        for value in 0..values {
            sampler.inputs.iter_mut().for_each(|lanes| {
                for (l, lane) in lanes.iter_mut().enumerate() {
                    *lane = (value * u64::from(sampler.lanes) + l as u64) & (values * 4 - 1);
                }
            });
            sampler.mask_inputs();
            sampler.compare()?;
        }
        return Ok(Tested { compared: sampler.compared, exhaustive: true });
    }
    sampler.corners(samples)?;
    let most = samples.saturating_mul(40);
    let mut tried = 0;
    while sampler.compared < samples && tried < most {
        sampler.random();
        sampler.compare()?;
        tried += u64::from(sampler.lanes);
    }
    Ok(Tested { compared: sampler.compared, exhaustive: false })
}

struct Sampler<'a> {
    rule: &'a Rule,
    types: &'a Types,
    widths: &'a Assignment,
    lanes: u8,
    inputs: Vec<Lanes>,
    bits: Vec<u32>,
    floats: Vec<bool>,
    /// Corner values of each operand.
    corners: Vec<Vec<u64>>,
    result: Option<u32>,
    tolerance: f64,
    compared: u64,
    state: u64,
    left: Evaluator<'a>,
    right: Evaluator<'a>,
    scratch: Evaluator<'a>,
}

impl<'a> Sampler<'a> {
    fn new(rule: &'a Rule, types: &'a Types, widths: &'a Assignment) -> Sampler<'a> {
        let lanes = if is_per_lane(rule, types) { 4 } else { 1 };
        let bits: Vec<u32> = types.vars.iter().map(|&c| u32::from(widths.bits(types, c))).collect();
        let floats: Vec<bool> = types.vars.iter().map(|&c| types.is_float(c)).collect();
        let float_result = match &rule.lhs {
            Expr::Op { op, .. } => op.info().result.base == Base::Float || types.is_float(types.lhs.class),
            _ => false,
        };
        let result_bits = u32::from(widths.bits(types, types.lhs.class));
        let epsilon = match result_bits {
            16 => 2f64.powi(-10),
            32 => 2f64.powi(-23),
            _ => 2f64.powi(-52),
        };
        Sampler {
            rule,
            types,
            widths,
            lanes,
            inputs: vec![[0; 4]; rule.vars.len()],
            corners: bits.iter().zip(&floats).map(|(&bits, &float)| corner_values(bits, float)).collect(),
            floats,
            bits,
            result: float_result.then_some(result_bits),
            tolerance: epsilon * 4.0 * f64::from(size(&rule.lhs) + size(&rule.rhs)),
            compared: 0,
            state: 0x9e37_79b9_7f4a_7c15,
            left: Evaluator::new(types, widths, lanes),
            right: Evaluator::new(types, widths, lanes),
            scratch: Evaluator::new(types, widths, lanes),
        }
    }

    /// Number of evaluations that cover all values, if these are few.
    fn few_values(&self) -> Option<u64> {
        let one = self.inputs.len() == 1 && self.lanes == 4 && self.bits[0] <= 16;
        one.then(|| (1u64 << self.bits[0]).div_ceil(4))
    }

    fn mask_inputs(&mut self) {
        for (lanes, &bits) in self.inputs.iter_mut().zip(&self.bits) {
            lanes.iter_mut().for_each(|l| *l &= bit_mask(bits));
        }
    }

    fn next(&mut self) -> u64 {
        // xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled").
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// All combinations of corner values of two operands, with the others at random.
    fn corners(&mut self, samples: u64) -> Result<(), String> {
        let lists = self.corners.clone();
        for first in 0..lists.len() {
            for second in first..lists.len() {
                for &x in &lists[first] {
                    for chunk in lists[second].chunks(self.lanes as usize) {
                        if self.compared > samples {
                            return Ok(());
                        }
                        self.random();
                        for l in 0..4 {
                            self.inputs[second][l] = chunk[l.min(chunk.len() - 1)];
                            if first != second {
                                self.inputs[first][l] = x;
                            }
                        }
                        self.compare()?;
                        if first == second {
                            break;
                        }
                    }
                }
                if first == second {
                    for chunk in lists[first].clone().chunks(self.lanes as usize) {
                        self.random();
                        for l in 0..4 {
                            self.inputs[first][l] = chunk[l.min(chunk.len() - 1)];
                        }
                        self.compare()?;
                    }
                }
            }
        }
        Ok(())
    }

    fn random(&mut self) {
        for i in 0..self.inputs.len() {
            let (bits, float) = (self.bits[i], self.floats[i]);
            for l in 0..4 {
                let (kind, raw) = (self.next() >> 60, self.next());
                let value = match (float, kind) {
                    // Ordinary numbers, of magnitudes around 1.
                    (true, 0..=9) => {
                        let x = (raw >> 11) as f64 / (1u64 << 53) as f64;
                        let scale = 2f64.powi((self.next() % 13) as i32 - 6);
                        f64_to_bits(if raw & 1 == 0 { x * scale } else { -x * scale }, bits)
                    }
                    (true, 10 | 11) => f64_to_bits((raw % 33) as f64 - 16.0, bits),
                    (false, 0..=3) => (raw % 67).wrapping_sub(2),
                    (false, 4 | 5) => 1 << (raw % u64::from(bits)),
                    (false, 6 | 7) => bit_mask((raw % u64::from(bits)) as u32 + 1),
                    (_, 12) => {
                        let corners = &self.corners[i];
                        corners[raw as usize % corners.len()]
                    }
                    _ => raw,
                };
                self.inputs[i][l] = value & bit_mask(bits);
            }
        }
    }

    #[allow(clippy::needless_range_loop, reason = "the lane is an index into several arrays")]
    fn compare(&mut self) -> Result<(), String> {
        let missing = || "an operation cannot be evaluated".to_string();
        let root = match &self.rule.lhs {
            Expr::Op { op, .. } if op.info().result.comps > 1 => op.info().result.comps,
            _ => self.lanes,
        };
        self.left.reset();
        self.right.reset();
        let Some(l) = self.left.eval(&self.rule.lhs, &self.types.lhs, root, &self.inputs) else {
            return Err(missing());
        };
        let mut holds = [true; 4];
        self.conditions(&mut holds).ok_or_else(missing)?;
        let Some(r) = self.right.eval(&self.rule.rhs, &self.types.rhs, root, &self.inputs) else {
            return Err(missing());
        };
        let groups = if self.lanes == 4 { 4 } else { 1 };
        for lane in 0..groups {
            let flags = self.rule.flags;
            if !holds[lane]
                || (flags.intersects(Flags::NNAN) && self.left.nan[lane])
                || (flags.intersects(Flags::NINF) && self.left.infinite[lane])
            {
                continue;
            }
            if flags.intersects(Flags::ROUND) && (self.left.special[lane] || self.right.special[lane]) {
                continue;
            }
            self.compared += 1;
            let lanes = if groups == 4 { lane..lane + 1 } else { 0..root as usize };
            for at in lanes {
                if !self.equal(l[at], r[at], lane) {
                    return Err(self.counterexample(lane, l[at], r[at]));
                }
            }
        }
        Ok(())
    }

    fn conditions(&mut self, holds: &mut [bool; 4]) -> Option<()> {
        let mut typed = self.types.conditions.iter();
        for condition in &self.rule.conditions {
            match condition {
                Condition::Widths(..) => {}
                Condition::Expr(e) => {
                    let value = self.scratch.eval(e, typed.next()?, self.lanes, &self.inputs)?;
                    holds.iter_mut().zip(value).for_each(|(h, v)| *h &= v & 1 != 0);
                }
                Condition::Fact(fact, var) => {
                    let count = match self.types.lanes[*var] {
                        Count::Root => self.lanes,
                        Count::Fixed(n) => n,
                    };
                    for l in 0..count as usize {
                        let raw = self.inputs[*var][l];
                        let x = f64_from_bits(raw, self.bits[*var].max(16));
                        let is = match fact {
                            Fact::NonNegative => x.is_sign_positive() && !x.is_nan(),
                            Fact::Unit => x.is_sign_positive() && x <= 1.0,
                            Fact::Integral => x.trunc() == x,
                            Fact::Number => !x.is_nan(),
                            Fact::Variable | Fact::Single => true,
                        };
                        holds[if self.lanes == 4 { l } else { 0 }] &= is;
                    }
                }
            }
        }
        Some(())
    }

    fn equal(&self, l: u64, r: u64, lane: usize) -> bool {
        let Some(bits) = self.result else { return l == r };
        let (x, y) = (f64_from_bits(l, bits), f64_from_bits(r, bits));
        if l == r || (x.is_nan() && y.is_nan()) {
            return true;
        }
        if self.rule.flags.intersects(Flags::NSZ) && x == 0.0 && y == 0.0 {
            return true;
        }
        if !self.rule.flags.intersects(Flags::ROUND) {
            return false;
        }
        let magnitude = self.left.magnitude[lane].max(self.right.magnitude[lane]).max(1.0);
        (x - y).abs() <= self.tolerance * magnitude
    }

    fn counterexample(&self, lane: usize, l: u64, r: u64) -> String {
        let show = |raw: u64, bits: u32, float: bool| {
            if float { format!("{:?} ({raw:#x})", f64_from_bits(raw, bits)) } else { format!("{raw:#x}") }
        };
        let inputs: Vec<String> = (0..self.inputs.len())
            .map(|i| {
                let value = match self.types.lanes[i] {
                    Count::Fixed(n) if self.lanes == 1 => {
                        let all = self.inputs[i][..n as usize].iter();
                        all.map(|&v| show(v, self.bits[i], self.floats[i])).collect::<Vec<_>>().join(", ")
                    }
                    _ => show(self.inputs[i][lane], self.bits[i], self.floats[i]),
                };
                format!("{} = {value}", self.rule.vars[i].name)
            })
            .collect();
        let bits = self.result.unwrap_or(0);
        format!(
            "{} (widths {}): the pattern is {}, the replacement {}",
            inputs.join(", "),
            self.widths.text(self.types),
            show(l, bits, self.result.is_some()),
            show(r, bits, self.result.is_some())
        )
    }
}

/// Number of operations, functions that magnify errors counted often.
fn size(expr: &Expr) -> u32 {
    match expr {
        Expr::Op { op, args, .. } => {
            let own = match op.name() {
                "fexp" | "fexp2" | "fpow" | "fsin" | "fcos" | "ftan" | "fsinh" | "fcosh" => 128,
                "fmod" | "frem" | "flog" | "flog2" | "fdiv" | "frcp" | "frsq" => 8,
                _ => 1,
            };
            own + args.iter().map(size).sum::<u32>()
        }
        _ => 0,
    }
}

/// Values at the limits of a width.
fn corner_values(bits: u32, float: bool) -> Vec<u64> {
    let mask = bit_mask(bits);
    if !float || !matches!(bits, 16 | 32 | 64) {
        let sign = 1u64 << (bits - 1);
        let mut values =
            vec![0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 0xffff, 0x1_0000];
        values.extend([
            sign,
            sign - 1,
            sign + 1,
            mask,
            mask - 1,
            mask / 3,
            mask / 3 * 2,
            sign >> 1,
            mask ^ 0xff,
        ]);
        values.iter_mut().for_each(|v| *v &= mask);
        values.sort_unstable();
        values.dedup();
        return values;
    }
    let numbers = [
        0.0,
        0.25,
        0.5,
        0.75,
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        4.0,
        10.0,
        100.0,
        255.0,
        256.0,
        1024.0,
        65504.0,
        65536.0,
        0.1,
        1e-3,
        1e-7,
        6.0e-8,
        6.2e-5,
        1.17e-38,
        1e-40,
        3.4e38,
        2_147_483_648.0,
        4_294_967_296.0,
        16_777_217.0,
        f64::INFINITY,
    ];
    let mut values: Vec<u64> = numbers
        .iter()
        .flat_map(|&x| [f64_to_bits(x, bits), f64_to_bits(-x, bits)])
        .chain([f64_to_bits(f64::NAN, bits), f64_to_bits(-f64::NAN, bits)])
        .collect();
    let one = f64_to_bits(1.0, bits);
    values.extend([one + 1, one - 1, 1, mask ^ (1 << (bits - 1))]);
    values.sort_unstable();
    values.dedup();
    values
}

/// Values of the variables for which the conditions of a rule hold; `None` if none were found.
pub fn example(rule: &Rule, types: &Types, widths: &Assignment) -> Option<Vec<Lanes>> {
    let mut sampler = Sampler::new(rule, types, widths);
    for _ in 0..20_000 {
        sampler.random();
        let mut holds = [true; 4];
        sampler.conditions(&mut holds)?;
        if holds[0] {
            // The first lane, and all lanes of vectors.
            let first = |(i, v): (usize, &Lanes)| match types.lanes[i] {
                Count::Root => [v[0], 0, 0, 0],
                Count::Fixed(_) => *v,
            };
            return Some(sampler.inputs.iter().enumerate().map(first).collect());
        }
    }
    None
}

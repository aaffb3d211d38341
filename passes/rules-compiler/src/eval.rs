//! Evaluation of rules with the ALU table.

use crate::syntax::{Expr, Rule};
use crate::types::{Typed, Types};
use crate::widths::Assignment;
use airfoil_ir::alu::{Base, f64_from_bits, f64_to_bits};
use airfoil_ir::{Lanes, Ty, bit_mask};

/// Values of variables, and the evaluation of expressions over them.
#[derive(Debug)]
pub struct Evaluator<'a> {
    /// The widths of the rule.
    pub types: &'a Types,
    /// Their values.
    pub widths: &'a Assignment,
    /// Lanes of the root.
    pub lanes: u8,
    /// Largest magnitude of a float that was computed, per lane of the root.
    pub magnitude: [f64; 4],
    /// Per lane of the root whether a float was subnormal, infinite or NaN.
    pub special: [bool; 4],
    /// Per lane of the root whether a float was infinite.
    pub infinite: [bool; 4],
    /// Per lane of the root whether a float was NaN.
    pub nan: [bool; 4],
}

impl<'a> Evaluator<'a> {
    /// An evaluator of expressions whose root has `lanes` lanes.
    pub fn new(types: &'a Types, widths: &'a Assignment, lanes: u8) -> Evaluator<'a> {
        Evaluator {
            types,
            widths,
            lanes,
            magnitude: [0.0; 4],
            special: [false; 4],
            infinite: [false; 4],
            nan: [false; 4],
        }
    }

    /// Forgets the floats seen so far.
    pub fn reset(&mut self) {
        (self.magnitude, self.special) = ([0.0; 4], [false; 4]);
        (self.infinite, self.nan) = ([false; 4], [false; 4]);
    }

    /// The value of an expression of `lanes` lanes; `None` if it cannot be evaluated.
    pub fn eval(&mut self, expr: &Expr, typed: &Typed, lanes: u8, vars: &[Lanes]) -> Option<Lanes> {
        let bits = |class| u32::from(self.widths.bits(self.types, class));
        Some(match expr {
            Expr::Var(var, _) => {
                let value = vars[*var];
                let fixed = matches!(self.types.lanes[*var], crate::types::Lanes::Fixed(1));
                if fixed && lanes > 1 { [value[0]; 4] } else { value }
            }
            Expr::Comp(var, component) => [vars[*var][*component as usize]; 4],
            Expr::Int(value) => [*value as u64 & bit_mask(bits(typed.class)); 4],
            Expr::Float(value) => [f64_to_bits(*value, bits(typed.class)); 4],
            Expr::Width(name) => {
                let value = u64::from(self.widths.bits(self.types, self.types.names[*name]));
                [value & bit_mask(bits(typed.class)); 4]
            }
            Expr::Op { op, args, .. } => {
                let info = op.info();
                let mut values = [[0; 4]; 4];
                for (i, (arg, typed)) in args.iter().zip(&typed.args).enumerate() {
                    let comps = info.operands[i].comps;
                    let wanted = if comps == 0 { lanes } else { comps };
                    values[i] = self.eval(arg, typed, wanted, vars)?;
                    self.note(info.operands[i].base, typed.class, wanted, &values[i]);
                }
                let comps = if info.result.comps == 0 { lanes } else { info.result.comps };
                let ty = Ty::new(comps, self.widths.bits(self.types, typed.class));
                let operands = u32::from(self.widths.bits(self.types, typed.operands));
                let mut out = op.eval(operands, ty, &values[..args.len()])?;
                if info.result.comps == 1 {
                    out = [out[0]; 4];
                }
                self.note(info.result.base, typed.class, comps, &out);
                if args.len() > 1
                    && matches!(op.name(), "ffma" | "fmad" | "flrp" | "fdot2" | "fdot3" | "fdot4")
                {
                    self.note_products(&values[..args.len()], operands);
                }
                out
            }
        })
    }

    /// Notes products of operands: sums of products are computed without noting each.
    fn note_products(&mut self, values: &[Lanes], bits: u32) {
        if !matches!(bits, 16 | 32 | 64) {
            return;
        }
        for lane in 0..4 {
            let mut magnitudes: Vec<f64> = values
                .iter()
                .map(|v| {
                    if self.lanes == 4 {
                        f64_from_bits(v[lane], bits).abs()
                    } else {
                        v.iter().map(|&x| f64_from_bits(x, bits).abs()).fold(0.0, f64::max)
                    }
                })
                .filter(|x| x.is_finite())
                .collect();
            magnitudes.sort_by(f64::total_cmp);
            let product: f64 = magnitudes.iter().rev().take(2).product();
            self.magnitude[lane] = self.magnitude[lane].max(product);
        }
    }

    /// Records the magnitude of floats.
    fn note(&mut self, base: Base, class: usize, lanes: u8, values: &Lanes) {
        if base != Base::Float {
            return;
        }
        let bits = u32::from(self.widths.bits(self.types, class));
        let least = match bits {
            16 => 2f64.powi(-14),
            32 => f64::from(f32::MIN_POSITIVE),
            _ => f64::MIN_POSITIVE,
        };
        for (lane, &raw) in values.iter().enumerate().take(lanes as usize) {
            let value = f64_from_bits(raw, bits);
            // Lanes of vectors of another size belong to the only lane of the root.
            let lane = if lanes == self.lanes { lane } else { 0 };
            self.nan[lane] |= value.is_nan();
            self.infinite[lane] |= value.is_infinite();
            self.special[lane] |= !value.is_finite() || (value != 0.0 && value.abs() < least);
            self.magnitude[lane] = self.magnitude[lane].max(value.abs());
        }
    }
}

/// Whether the root of a rule can have any number of lanes at once.
pub fn is_per_lane(rule: &Rule, types: &Types) -> bool {
    fn only_lanes(expr: &Expr) -> bool {
        match expr {
            Expr::Op { op, args, .. } => op.info().is_per_component() && args.iter().all(only_lanes),
            Expr::Comp(..) => false,
            _ => true,
        }
    }
    only_lanes(&rule.lhs)
        && only_lanes(&rule.rhs)
        && types.lanes.iter().all(|l| *l == crate::types::Lanes::Root)
}

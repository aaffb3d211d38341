//! The results of a shader on several seeds, to compare other shaders with.

use airfoil_interp::{Difference, Fault, FaultKind, FloatMode, Options, Outcome, Tolerance, execute};
use airfoil_ir::{Shader, Slot};
use std::fmt;

/// How often and how long shaders are executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Executions; each has inputs of its own, corner values among them.
    pub seeds: u64,
    /// Most instructions of one execution of the shader as it was; a shader made of it may take ten times as many.
    pub max_steps: u64,
}

impl Default for Runs {
    fn default() -> Runs {
        Runs { seeds: 5, max_steps: 300_000 }
    }
}

impl Runs {
    /// The executions. Groups of invocations show what crosses invocations; single ones have no races, which would leave
    /// results open. Undefined values have other bits each time.
    fn options(&self) -> impl Iterator<Item = Options> + '_ {
        const LANES: [u32; 5] = [4, 4, 1, 4, 1];
        const UNDEF: [u64; 5] = [0, u64::MAX, 7, 1, 0];
        (0..self.seeds).map(|seed| {
            let n = (seed % 5) as usize;
            let (lanes, undef) = (LANES[n], UNDEF[n]);
            Options { seed, lanes, undef, max_steps: self.max_steps, ..Options::default() }
        })
    }
}

/// Choices about floats that the specifications leave to a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    /// Results that are not exact may be rounded differently, and floats are assumed to be finite where their width is not
    /// preserved ([`preserve_float_special`](airfoil_ir::StageInfo::preserve_float_special)).
    pub rounds: bool,
    /// NaNs that operations compute may have other signs and payloads.
    pub nan_bits: bool,
}

/// The results of a shader.
#[derive(Clone, Debug)]
pub struct Baseline {
    runs: Vec<(Options, Outcome)>,
    faults: Vec<Fault>,
}

/// A difference in what two shaders compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The first difference in words.
    pub difference: String,
    /// The seed of the inputs.
    pub seed: u64,
    /// How many invocations were executed in lock step.
    pub lanes: u32,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (seed {}, {} invocations)", self.difference, self.seed, self.lanes)
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// All that could be executed agrees.
    Agrees,
    /// The other shader computes something else.
    Differs(Mismatch),
    /// The other shader cannot be executed, for this reason.
    NotExecuted(String),
}

impl Baseline {
    /// Executes a valid shader.
    pub fn of(shader: &Shader, runs: &Runs) -> Baseline {
        Baseline::in_mode(shader, runs, FloatMode::default())
    }

    fn in_mode(shader: &Shader, runs: &Runs, floats: FloatMode) -> Baseline {
        let mut baseline = Baseline { runs: Vec::new(), faults: Vec::new() };
        for options in runs.options() {
            let options = Options { floats, ..options };
            match execute(shader, &options) {
                Ok(outcome) => baseline.runs.push((options, outcome)),
                Err(fault) if fault.kind == FaultKind::Unsupported => {
                    // The next seed would say the same.
                    baseline.faults.push(fault);
                    break;
                }
                Err(fault) => baseline.faults.push(fault),
            }
        }
        baseline
    }

    /// Executes a valid shader for comparisons with shaders that make other choices. Values that depend on these choices
    /// are not compared.
    pub fn loose(shader: &Shader, runs: &Runs, choices: Choices, tolerance: Tolerance) -> Baseline {
        let finite = if choices.rounds { !shader.info.preserve_float_special & (16 | 32 | 64) } else { 0 };
        let mut baseline = Baseline::in_mode(shader, runs, FloatMode { finite, ..FloatMode::default() });
        baseline.runs.retain_mut(|(options, outcome)| {
            options.floats.perturb = choices.rounds;
            // A payload of zeros is as likely as one that looks like no other value.
            let nans: &[_] = match choices.nan_bits {
                true => &[(Some(false), false), (Some(true), false), (None, true)],
                false => &[(None, false)],
            };
            let stable = nans.iter().all(|&(perturbed, canonical)| {
                (options.floats.perturb_nan, options.floats.canonical_nan) = (perturbed, canonical);
                execute(shader, options).is_ok_and(|moved| outcome.forget_unstable(&moved, tolerance))
            });
            options.floats = FloatMode::default();
            stable
        });
        baseline
    }

    /// Forgets the outputs at some slots, so that they are not compared.
    pub fn forget_outputs(&mut self, slots: &[Slot]) {
        self.runs.iter_mut().for_each(|(_, outcome)| outcome.forget_outputs(slots));
    }

    /// How many executions there are to compare with.
    pub fn executed(&self) -> usize {
        self.runs.len()
    }

    /// How many executions ended early, and for which kind of reason.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// How many values are compared.
    pub fn values(&self) -> usize {
        self.runs.iter().map(|(_, outcome)| outcome.num_compared()).sum()
    }

    /// Why nothing is compared, if that is so.
    pub fn nothing(&self) -> Option<String> {
        if self.values() > 0 {
            return None;
        }
        Some(self.faults.first().map_or_else(|| "it has no defined result".into(), |f| f.message.clone()))
    }

    /// Whether a shader made of this one does the same. What was undefined may be anything.
    pub fn compare(&self, shader: &Shader, tolerance: Tolerance) -> Compared {
        for (options, outcome) in &self.runs {
            // Lowering makes more instructions of one.
            let options = Options { max_steps: options.max_steps.saturating_mul(10), ..options.clone() };
            let difference = match execute(shader, &options) {
                Ok(after) => match outcome.difference(&after, tolerance) {
                    Some(Difference { name, before, after }) => format!("{name} was {before}, is {after}"),
                    None => continue,
                },
                Err(fault) if fault.kind == FaultKind::Unsupported => {
                    return Compared::NotExecuted(fault.message);
                }
                Err(fault) => fault.message,
            };
            return Compared::Differs(Mismatch { difference, seed: options.seed, lanes: options.lanes });
        }
        Compared::Agrees
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_ir::text;

    /// The divisor is a part of a NaN: only a payload of zeros changes the remainder.
    #[test]
    fn values_that_change_with_any_nan_are_not_compared() {
        let source = r#"foil 1
shader vertex "main" {
  form slots
  out int rest location=0
  fn main {
    32x1 %0 = const 0
    16x1 %1 = const 0x7e3f
    64x1 %2 = f2f_rtz %1
    16x4 %3 = unpack_64_4x16 %2
    16x1 %4 = const 5
    16x1 %5 = irem %4, %3.z
    32x1 %6 = i2i %5
    store_output %6, %0 io=0 mask=x src_type=int32
  }
}"#;
        let shader = text::parse(source).unwrap();
        let runs = Runs::default();
        assert!(Baseline::of(&shader, &runs).values() > 0);
        let choices = Choices { rounds: false, nan_bits: true };
        assert_eq!(Baseline::loose(&shader, &runs, choices, Tolerance::default()).values(), 0);
    }
}

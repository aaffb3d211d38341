//! Looks on while a pipeline runs.

use crate::{Baseline, Choices, Compared, Mismatch, Runs};
use airfoil_interp::Tolerance;
use airfoil_ir::{AluFlags, Diagnostic, InstrKind, Shader, alu::Base};
use airfoil_passes::manager::Applied;
use airfoil_passes::{PassStep, Results};

/// Executes a shader before a pipeline and after each pass of it that changed something.
///
/// ```
/// use airfoil_check::{Runs, Watch};
/// use airfoil_passes::{Manager, Pipeline};
/// # let mut shader = airfoil_ir::Shader::new("main", airfoil_ir::Stage::Vertex);
/// let mut watch = Watch::new(&shader, &Runs::default());
/// let mut manager = Manager::default().observer(|applied, shader| watch.applied(applied, shader));
/// let pipeline = Pipeline::parse("copy_prop, dce").unwrap();
/// assert!(manager.run(&pipeline, &mut shader).is_ok());
/// drop(manager);
/// assert_eq!(watch.mismatch(), None);
/// ```
#[derive(Debug)]
pub struct Watch {
    runs: Runs,
    baseline: Baseline,
    /// The shader before the next pass, for passes that round results differently or change the bits of NaNs.
    previous: Shader,
    /// No float of the shader may be rounded otherwise.
    all_exact: bool,
    not_executed: Option<String>,
    compared: u64,
    trace: Vec<PassStep>,
    mismatch: Option<(String, Mismatch)>,
}

/// Code of the diagnostic that stops the pipeline.
pub(crate) const DIFFERS: &str = "E0816";

impl Watch {
    /// Executes a valid shader, as it is before the pipeline.
    pub fn new(shader: &Shader, runs: &Runs) -> Watch {
        let baseline = Baseline::of(shader, runs);
        Watch {
            runs: runs.clone(),
            not_executed: baseline.nothing(),
            baseline,
            previous: shader.clone(),
            all_exact: is_exact(shader),
            compared: 0,
            trace: Vec::new(),
            mismatch: None,
        }
    }

    /// What to tell the manager's observer.
    ///
    /// # Errors
    /// The pass changed the results of the shader.
    pub fn applied(&mut self, applied: Applied<'_>, shader: &Shader) -> Result<(), Diagnostic> {
        let result = self.judge(applied, shader);
        self.previous.clone_from(shader);
        result
    }

    fn judge(&mut self, applied: Applied<'_>, shader: &Shader) -> Result<(), Diagnostic> {
        self.trace.push(applied.step.clone());
        if let Results::Outputs(slots) = applied.info.results {
            self.baseline.forget_outputs(slots);
        }
        if self.baseline.values() == 0 || applied.info.results == Results::All {
            // Nothing is compared. Perhaps it can be executed now.
            self.baseline = Baseline::of(shader, &self.runs);
            return Ok(());
        }
        let rounds = applied.info.rounds && !self.all_exact;
        let tolerance = if rounds { Tolerance::default() } else { Tolerance::EXACT };
        let choices = Choices { rounds, nan_bits: applied.info.nan_bits };
        if choices.rounds || choices.nan_bits {
            // The changes of earlier passes have been compared.
            self.baseline = Baseline::loose(&self.previous, &self.runs, choices, tolerance);
        }
        match self.baseline.compare(shader, tolerance) {
            Compared::Agrees => {
                self.compared += 1;
                if rounds || applied.info.nan_bits || applied.info.results != Results::Stay {
                    // The next pass is judged by what this one left, so that differences do not add up and what
                    // it was meant to change is compared again.
                    self.baseline = Baseline::of(shader, &self.runs);
                }
                Ok(())
            }
            Compared::NotExecuted(reason) => {
                self.not_executed.get_or_insert(format!("after pass `{}`: {reason}", applied.info.name));
                Ok(())
            }
            Compared::Differs(mismatch) => {
                let message =
                    format!("pass `{}` changes the results of the shader: {mismatch}", applied.step.text());
                self.mismatch = Some((applied.step.text().to_string(), mismatch));
                Err(Diagnostic::error(DIFFERS, message))
            }
        }
    }

    /// The passes that changed the shader, in order.
    pub fn trace(&self) -> &[PassStep] {
        &self.trace
    }

    /// How many comparisons agreed.
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// The difference that stopped the pipeline.
    pub fn mismatch(&self) -> Option<&Mismatch> {
        self.mismatch.as_ref().map(|(_, mismatch)| mismatch)
    }

    /// A warning about what could not be executed, and so was not compared.
    pub fn warning(&self) -> Option<Diagnostic> {
        let reason = self.not_executed.as_ref()?;
        let (message, help) = match self.compared {
            0 => ("the passes are not checked by executing the shader", "only its form can be validated"),
            _ => ("some passes are not checked by executing the shader", "the others are"),
        };
        Some(Diagnostic::warning("E0817", format!("{message}: {reason}")).help(help))
    }
}

/// Whether no float of a shader may be rounded otherwise.
fn is_exact(shader: &Shader) -> bool {
    let bodies = shader.functions.values().map(|f| &f.body);
    bodies.flat_map(|body| body.all_instrs().map(move |id| &body[id])).all(|instr| match &instr.kind {
        InstrKind::Alu(alu) => {
            alu.flags.contains(AluFlags::EXACT) || alu.op.info().result.base != Base::Float
        }
        _ => true,
    })
}

//! Observes the passes over the shaders of a program.

use crate::draw::{Draws, Verdict};
use crate::watch::DIFFERS;
use crate::{Runs, Watch};
use airfoil_ir::{Diagnostic, Shader};
use airfoil_passes::PassStep;
use airfoil_passes::manager::Applied;

/// Executes the shaders of a program before a pipeline and after each pass of it that changed something: each shader alone,
/// and draws of the whole program after passes with [`Results::All`](airfoil_passes::Results::All).
///
/// ```
/// use airfoil_check::{ProgramWatch, Runs};
/// use airfoil_passes::{Manager, Pipeline};
/// # let mut shaders = [airfoil_ir::Shader::new("main", airfoil_ir::Stage::Vertex)];
/// let mut watch = ProgramWatch::new(&shaders, &Runs::default());
/// let mut manager = Manager::default().observer(|applied, shader| watch.applied(applied, shader));
/// let pipeline = Pipeline::parse("copy_prop, dce").unwrap();
/// assert!(manager.run_program(&pipeline, &mut shaders).is_ok());
/// drop(manager);
/// assert!(!watch.differs());
/// ```
#[derive(Debug)]
pub struct ProgramWatch {
    watches: Vec<Watch>,
    draws: Draws,
    /// Number of draws that agreed.
    drawn: u64,
    fault: Option<(PassStep, usize, u64)>,
}

/// Whether the shaders of a program compute the same after a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All results that were compared agree.
    Same,
    /// The results differ.
    Differs,
    /// Nothing could be executed.
    NotRun,
}

impl Outcome {
    /// The word for it in tables.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Same => "same",
            Outcome::Differs => "differs",
            Outcome::NotRun => "not_run",
        }
    }
}

impl ProgramWatch {
    /// Executes valid shaders, as they are before the pipeline.
    pub fn new(shaders: &[Shader], runs: &Runs) -> ProgramWatch {
        let watches = shaders.iter().map(|shader| Watch::new(shader, runs)).collect();
        ProgramWatch { watches, draws: Draws::new(shaders, runs), drawn: 0, fault: None }
    }

    /// The observer of the manager.
    ///
    /// # Errors
    /// The pass changed the results of the shader or of the program.
    pub fn applied(&mut self, applied: Applied<'_>, shader: &Shader) -> Result<(), Diagnostic> {
        // The manager finishes the other shaders of a step.
        if self.fault.is_some() {
            return Ok(());
        }
        let result = self.judge(applied, shader);
        if result.is_err() {
            self.fault = Some((applied.step.clone(), applied.shader, applied.number));
        }
        result
    }

    fn judge(&mut self, applied: Applied<'_>, shader: &Shader) -> Result<(), Diagnostic> {
        if let Some(watch) = self.watches.get_mut(applied.shader) {
            watch.applied(applied, shader)?;
        }
        match self.draws.applied(applied, shader) {
            Verdict::Agrees(n) => self.drawn += n,
            Verdict::Differs(difference) => {
                let pass = applied.step.text();
                let message = format!("pass `{pass}` changes the results of the draw: {difference}");
                return Err(Diagnostic::error(DIFFERS, message));
            }
        }
        Ok(())
    }

    /// Whether a difference stopped the pipeline.
    pub fn differs(&self) -> bool {
        self.fault.is_some()
    }

    /// The first pass that made a difference, the index of its shader, and the number of passes that had been applied.
    pub(crate) fn fault(&self) -> Option<&(PassStep, usize, u64)> {
        self.fault.as_ref()
    }

    /// The result after a pipeline that succeeded, or that a difference stopped.
    pub fn outcome(&self) -> Outcome {
        match self.compared() {
            _ if self.differs() => Outcome::Differs,
            0 if self.warnings().next().is_some() => Outcome::NotRun,
            _ => Outcome::Same,
        }
    }

    /// The passes that changed a shader, in order.
    pub fn trace(&self, shader: usize) -> &[PassStep] {
        self.watches.get(shader).map_or(&[], Watch::trace)
    }

    /// Number of comparisons that agreed.
    pub fn compared(&self) -> u64 {
        self.watches.iter().map(Watch::compared).sum::<u64>() + self.drawn
    }

    /// A warning for each shader that could not be executed.
    pub fn warnings(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        self.watches.iter().filter_map(Watch::warning)
    }
}

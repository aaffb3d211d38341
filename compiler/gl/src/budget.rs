//! Budgets: bounds of the time and size of a compile, and its cancellation.

use airfoil::debug;
use airfoil::ir::{Diagnostic, Shader, Stop};
use airfoil::passes::manager::Manager;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bounds of a compile, a link or a variant. Time and cancellation are checked while sources are read, checked, linked and lowered, after every
/// pass that changes a shader, and before and after instruction selection, which runs to its end; instructions and memory are
/// measured after passes. The default has no bounds.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The time at which the compile stops.
    pub deadline: Option<Instant>,
    /// Most instructions of a shader.
    pub instructions: Option<usize>,
    /// Most bytes of the code of a shader, see [`Shader::memory`].
    pub memory: Option<usize>,
    /// Stops the compile once it is true.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// A budget of this much time from now on.
    pub fn within(time: Duration) -> Budget {
        Budget { deadline: Instant::now().checked_add(time), ..Budget::default() }
    }

    /// Fails if a bound is exceeded; for steps between passes.
    ///
    /// # Errors
    /// The bound.
    pub fn check(&self, instructions: usize) -> Result<(), Diagnostic> {
        let why = if self.cancel.as_ref().is_some_and(|c| c.load(Ordering::Relaxed)) {
            "the compile was cancelled".to_owned()
        } else if self.deadline.is_some_and(|end| Instant::now() >= end) {
            "the compile exceeded its time".to_owned()
        } else if let Some(most) = self.instructions.filter(|&most| instructions > most) {
            format!("expected at most {most} instructions, found {instructions}")
        } else {
            return Ok(());
        };
        Err(Diagnostic::error("E0950", why))
    }

    /// Fails if a shader exceeds a bound, or the time.
    ///
    /// # Errors
    /// The bound.
    pub fn check_shader(&self, shader: &Shader) -> Result<(), Diagnostic> {
        self.check(shader.num_instrs())?;
        let Some(most) = self.memory else { return Ok(()) };
        let bytes = shader.memory();
        match bytes > most {
            true => {
                let message = format!("expected at most {most} bytes of code, found {bytes}");
                Err(Diagnostic::error("E0950", message))
            }
            false => Ok(()),
        }
    }

    /// Stops front ends at the bounds of time and at the switch.
    pub fn stop(&self) -> Stop {
        if self.deadline.is_none() && self.cancel.is_none() {
            return Stop::default();
        }
        let budget = self.clone();
        Stop::when(move || budget.check(0))
    }

    /// A manager that stops at the bounds.
    pub fn manager(&self) -> Manager<'_> {
        match self {
            Budget { deadline: None, instructions: None, memory: None, cancel: None } => debug::manager(),
            _ => debug::manager().observer(|_, shader: &Shader| self.check_shader(shader)),
        }
    }
}

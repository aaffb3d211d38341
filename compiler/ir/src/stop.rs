//! Stopping work from outside: cancellation and deadlines.

use crate::Diagnostic;
use std::fmt;
use std::sync::Arc;

/// Asks from time to time whether work has to stop. The default never stops. Comparisons of options ignore it: work
/// that is not stopped has the same result.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Diagnostic, Stop};
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use std::sync::Arc;
///
/// let cancelled = Arc::new(AtomicBool::new(false));
/// let flag = Arc::clone(&cancelled);
/// let stop = Stop::when(move || match flag.load(Ordering::Relaxed) {
///     true => Err(Diagnostic::error("E0950", "cancelled")),
///     false => Ok(()),
/// });
/// assert!(!stop.is_over());
/// cancelled.store(true, Ordering::Relaxed);
/// assert_eq!(stop.check().unwrap_err().message, "cancelled");
/// // Options that differ only in when they stop are equal.
/// assert_eq!(stop, Stop::default());
/// ```
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> Result<(), Diagnostic> + Send + Sync>>);

impl Stop {
    /// Stops when the function fails. It is called often, and once it has failed it has to fail again.
    pub fn when(check: impl Fn() -> Result<(), Diagnostic> + Send + Sync + 'static) -> Stop {
        Stop(Some(Arc::new(check)))
    }

    /// Fails if the work has to stop.
    ///
    /// # Errors
    /// Why it has to stop.
    pub fn check(&self) -> Result<(), Box<Diagnostic>> {
        match &self.0 {
            Some(check) => check().map_err(Box::new),
            None => Ok(()),
        }
    }

    /// Whether the work has to stop.
    pub fn is_over(&self) -> bool {
        self.0.is_some() && self.check().is_err()
    }
}

impl PartialEq for Stop {
    fn eq(&self, _: &Stop) -> bool {
        true
    }
}

impl Eq for Stop {}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Stop(..)" } else { "Stop" })
    }
}

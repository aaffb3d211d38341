//! The frame of every entry point: panics become results, and deep recursion has a stack.

use crate::memory::Callbacks;
use crate::types::AfResult;
use airfoil::ir::Diagnostic;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

/// Stack that the compiler may take, in bytes. Deeper recursion starts threads of its own.
const STACK: usize = 8 << 20;

/// Stack that is left on threads that compile themselves.
const ENOUGH: usize = 2 << 20;

/// The result of a function that is written with `?`.
pub(crate) type Done = Result<(), AfResult>;

/// Runs a function; panics are reported to the log and become a result.
pub(crate) fn call(callbacks: Callbacks, work: impl FnOnce() -> Done) -> AfResult {
    // A panic leaves nothing half done: handles do not change, and results are written last.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => AfResult::AF_SUCCESS,
        Ok(Err(result)) => result,
        Err(panic) => {
            let message = format!("bug of the library: {}", message(&*panic));
            // The callback is foreign code, which cannot unwind.
            callbacks.error(&message);
            // Dropping it may panic again.
            std::mem::forget(panic);
            AfResult::AF_ERROR_INTERNAL
        }
    }
}

/// Runs a function that only reads, whose result is another one than [`AfResult`]; `default` is that of a panic.
pub(crate) fn read<T>(default: T, work: impl FnOnce() -> Option<T>) -> T {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Some(value)) => value,
        Ok(None) => default,
        Err(panic) => {
            std::mem::forget(panic);
            default
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic")
}

/// Runs the compiler where it has a stack: on this thread if enough is left of it, else on a new one.
pub(crate) fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, AfResult> {
    if stacker::remaining_stack().is_some_and(|left| left >= ENOUGH) {
        return Ok(work());
    }
    thread::scope(|scope| {
        let thread =
            thread::Builder::new().name("airfoil".into()).stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|_| AfResult::AF_ERROR_OUT_OF_MEMORY)?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// The result for diagnostics of a failed compile.
pub(crate) fn result_of<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> AfResult {
    let mut result = AfResult::AF_ERROR_COMPILE;
    for d in diagnostics {
        match d.code {
            "E0950" => return AfResult::AF_ERROR_BUDGET,
            "E0110" => result = AfResult::AF_ERROR_DAMAGED,
            "E0111" | "E0953" => result = AfResult::AF_ERROR_VERSION,
            _ => {}
        }
    }
    result
}

/// Whether a bound of the budget was exceeded.
pub(crate) fn exceeds(diagnostics: &[Diagnostic]) -> bool {
    result_of(diagnostics) == AfResult::AF_ERROR_BUDGET
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_results() {
        assert_eq!(call(Callbacks::NONE, || panic!("planted")), AfResult::AF_ERROR_INTERNAL);
        assert_eq!(call(Callbacks::NONE, || with_stack(|| panic!("planted"))?), AfResult::AF_ERROR_INTERNAL);
        assert_eq!(read(3, || panic!("planted")), 3);
    }

    #[test]
    fn small_stacks_are_replaced() {
        let run = || {
            let caller = thread::current().id();
            (with_stack(|| thread::current().id()).ok() == Some(caller), caller)
        };
        let on =
            |stack: usize| thread::Builder::new().stack_size(stack).spawn(run).unwrap().join().unwrap().0;
        assert!(!on(128 << 10));
        assert!(on(16 << 20));
    }
}

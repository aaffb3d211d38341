//! The frame of all work: other Python threads run meanwhile, panics become exceptions, and deep recursion has a stack.

use crate::diagnostic::{InternalError, refused};
use airfoil::Diagnostic;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

/// Stack of threads that work for callers with less than [`ENOUGH`].
const STACK: usize = 8 << 20;

/// Stack that is left on threads that do the work themselves.
const ENOUGH: usize = 2 << 20;

/// Runs `work` without the lock of the interpreter.
///
/// # Errors
/// `airfoil.Error` with the diagnostics of the work; `airfoil.InternalError` if it panicked.
pub fn call<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Vec<Diagnostic>> + Send,
) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(InternalError::new_err)?.map_err(|list| refused(py, list))
}

/// Runs `work` where it has a stack; the message of its panic.
fn caught<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    // A panic leaves nothing half changed: shaders are replaced by their changed copies last.
    catch_unwind(AssertUnwindSafe(|| with_stack(work)))
        .unwrap_or_else(|panic| Err(format!("bug of Airfoil: {}", message(&*panic))))
}

fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    if stacker::remaining_stack().is_some_and(|left| left >= ENOUGH) {
        return Ok(work());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("airfoil".into()).stack_size(STACK);
        let thread = thread.spawn_scoped(scope, work).map_err(|e| format!("cannot start a thread: {e}"))?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic")
}

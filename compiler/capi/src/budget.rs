//! Budgets and cancellation.

use crate::call::call;
use crate::handle::{Handle, Head, create, get, release, retain};
use crate::input::write;
use crate::memory::Callbacks;
use crate::sized::{self, Versioned};
use crate::types::AfResult;
use airfoil_gl::Budget;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A switch that stops compiles.
#[derive(Debug)]
pub struct AfCancel {
    head: Head,
    on: Arc<AtomicBool>,
}

impl Handle for AfCancel {
    fn head(&self) -> &Head {
        &self.head
    }
}

/// Bounds of one call. A call that exceeds one fails with AF_ERROR_BUDGET.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AfBudget {
    /// sizeof(AfBudget).
    pub size: u32,
    /// Most instructions of a shader; 0: any number.
    pub instructions: u32,
    /// Nanoseconds from the start of the call; 0: any time.
    pub nanoseconds: u64,
    /// Stops the call when it is set; NULL: nothing does.
    pub cancel: *const AfCancel,
    /// Most bytes of the code of a shader; 0: any number.
    pub memory: u64,
}

// SAFETY: `repr(C)`, with integers and pointers.
unsafe impl Versioned for AfBudget {
    const FIRST: usize = std::mem::offset_of!(AfBudget, memory);
}

/// The budget of a call.
///
/// # Safety
/// The pointer is NULL or of a structure that begins with its size, with a switch that lives.
pub(crate) unsafe fn budget(from: *const AfBudget) -> Result<Budget, AfResult> {
    if from.is_null() {
        return Ok(Budget::default());
    }
    // SAFETY: the caller's contract.
    let AfBudget { instructions, nanoseconds, cancel, memory, .. } = unsafe { sized::read(from) }?;
    let mut budget = Budget::default();
    if nanoseconds != 0 {
        budget.deadline = Instant::now().checked_add(Duration::from_nanos(nanoseconds));
    }
    budget.instructions = (instructions != 0).then_some(instructions as usize);
    budget.memory = (memory != 0).then_some(usize::try_from(memory).unwrap_or(usize::MAX));
    if !cancel.is_null() {
        // SAFETY: the caller's contract.
        budget.cancel = Some(unsafe { get(cancel) }?.on.clone());
    }
    Ok(budget)
}

/// Creates a switch that is not set.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_cancel_create(cancel: *mut *mut AfCancel) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller passes a pointer to write to, or NULL.
        unsafe { write(cancel, std::ptr::null_mut()) }?;
        let made = create(AfCancel { head: Head::new(Callbacks::NONE), on: Arc::default() })?;
        // SAFETY: as above.
        unsafe { write(cancel, made) }
    })
}

/// Stops all calls that have the switch in their budget, on any thread, and those that follow.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_cancel_set(cancel: *const AfCancel) -> AfResult {
    call(Callbacks::NONE, || {
        // SAFETY: the caller has a count, or passes NULL.
        unsafe { get(cancel) }?.on.store(true, Ordering::Relaxed);
        Ok(())
    })
}

/// Adds 1 to the count of a switch and returns the switch.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_cancel_retain(cancel: *mut AfCancel) -> *mut AfCancel {
    // SAFETY: the caller has a count.
    unsafe { retain(cancel) }
}

/// Subtracts 1 from the count of a switch.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_cancel_release(cancel: *mut AfCancel) {
    let _ = call(Callbacks::NONE, || {
        // SAFETY: the caller has a count.
        unsafe { release(cancel) };
        Ok(())
    });
}

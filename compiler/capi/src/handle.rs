//! Counted handles.

use crate::memory::Callbacks;
use crate::types::AfResult;
use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The first member of every handle.
#[derive(Debug)]
pub(crate) struct Head {
    count: AtomicUsize,
    pub callbacks: Callbacks,
}

impl Head {
    pub fn new(callbacks: Callbacks) -> Head {
        Head { count: AtomicUsize::new(1), callbacks }
    }
}

/// The target of a handle. It is shared by threads and never changes.
pub(crate) trait Handle: Send + Sync {
    fn head(&self) -> &Head;
}

/// Moves a value to memory of its callbacks, with a count of 1.
pub(crate) fn create<T: Handle>(value: T) -> Result<*mut T, AfResult> {
    let memory = value.head().callbacks.allocate(Layout::new::<T>())?.cast::<T>();
    // SAFETY: the memory is new and has the layout of the value.
    unsafe { memory.write(value) };
    Ok(memory.as_ptr())
}

/// The value of a handle.
///
/// # Safety
/// The pointer is NULL or of a handle whose count is not 0 for as long as the result is used.
pub(crate) unsafe fn get<'h, T: Handle>(handle: *const T) -> Result<&'h T, AfResult> {
    // SAFETY: the caller's contract.
    unsafe { handle.as_ref() }.ok_or(AfResult::AF_ERROR_INVALID_ARGUMENT)
}

/// Adds 1 to the count.
///
/// # Safety
/// The pointer is NULL or of a handle whose count is not 0.
pub(crate) unsafe fn retain<T: Handle>(handle: *mut T) -> *mut T {
    // SAFETY: the caller's contract.
    if let Some(value) = unsafe { handle.as_ref() } {
        // Whoever adds has a count itself, so that nothing needs to be ordered.
        value.head().count.fetch_add(1, Ordering::Relaxed);
    }
    handle
}

/// Subtracts 1 from the count, and ends the handle at 0.
///
/// # Safety
/// The pointer is NULL or of a handle whose count is not 0; this thread owns one count.
pub(crate) unsafe fn release<T: Handle>(handle: *mut T) {
    let Some(memory) = NonNull::new(handle) else { return };
    // SAFETY: the caller's contract.
    let head = unsafe { memory.as_ref() }.head();
    let callbacks = head.callbacks;
    // The last one to release sees everything that other threads did with the handle before they released it.
    if head.count.fetch_sub(1, Ordering::AcqRel) == 1 {
        // SAFETY: nobody else has a count, and `create` wrote the value to this memory.
        unsafe {
            memory.drop_in_place();
            callbacks.deallocate(memory.cast(), Layout::new::<T>());
        }
    }
}

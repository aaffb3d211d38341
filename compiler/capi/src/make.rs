//! Calls on a handle that make another one.

use crate::call::call;
use crate::handle::{Handle, get};
use crate::input::write;
use crate::types::AfResult;
use std::ptr::null_mut;

/// Runs a call on a handle and writes the handle that it makes; NULL if it fails.
///
/// # Safety
/// `from` is as for [`get`], `to` as for [`write`].
pub(crate) unsafe fn make<H: Handle, T>(
    from: *const H,
    to: *mut *mut T,
    work: impl FnOnce(&H) -> Result<*mut T, AfResult>,
) -> AfResult {
    // SAFETY: the caller's contract.
    let from = match unsafe { get(from) } {
        Ok(from) => from,
        Err(result) => {
            // SAFETY: the caller's contract. A pointer that cannot be written changes nothing: the call fails in any case.
            let _ = unsafe { write(to, null_mut()) };
            return result;
        }
    };
    call(from.head().callbacks, || {
        // SAFETY: the caller's contract.
        unsafe { write(to, null_mut()) }?;
        let made = work(from)?;
        // SAFETY: the caller's contract.
        unsafe { write(to, made) }
    })
}

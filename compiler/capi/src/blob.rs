//! Blobs: bytes or text that a function returns.

use crate::call::{Done, call, read};
use crate::handle::{Handle, Head, create, get, release, retain};
use crate::input::write;
use crate::memory::{Bytes, Callbacks};
use crate::types::{AfBytes, AfResult};

/// Bytes or text, with a NUL after them.
#[derive(Debug)]
pub struct AfBlob {
    head: Head,
    bytes: Bytes,
}

impl Handle for AfBlob {
    fn head(&self) -> &Head {
        &self.head
    }
}

/// A blob with a copy of these bytes.
pub(crate) fn blob(bytes: &[u8], callbacks: Callbacks) -> Result<*mut AfBlob, AfResult> {
    create(AfBlob { head: Head::new(callbacks), bytes: Bytes::new(bytes, callbacks)? })
}

/// Gives an error to the log, and to the caller if it asks for it.
///
/// # Safety
/// The pointer is NULL or can be written.
pub(crate) unsafe fn give_error(to: *mut *mut AfBlob, message: &str, callbacks: Callbacks) -> Done {
    callbacks.error(message);
    if to.is_null() {
        return Ok(());
    }
    let made = blob(message.as_bytes(), callbacks)?;
    // SAFETY: the caller's contract.
    unsafe { write(to, made) }
}

/// The bytes of a blob, which live as long as the blob. A NUL follows them, so that text can be used as it is.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_blob_bytes(blob: *const AfBlob) -> AfBytes {
    // SAFETY: the caller has a count, or passes NULL.
    read(AfBytes::of(b""), || Some(AfBytes::of(unsafe { get(blob) }.ok()?.bytes.get())))
}

/// Adds 1 to the count of a blob and returns the blob.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_blob_retain(blob: *mut AfBlob) -> *mut AfBlob {
    // SAFETY: the caller has a count.
    unsafe { retain(blob) }
}

/// Subtracts 1 from the count of a blob.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_blob_release(blob: *mut AfBlob) {
    let _ = call(Callbacks::NONE, || {
        // SAFETY: the caller has a count.
        unsafe { release(blob) };
        Ok(())
    });
}

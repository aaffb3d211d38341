//! Arguments that are pointers.

use crate::types::AfResult;
use std::ffi::{CStr, c_char};

const INVALID: AfResult = AfResult::AF_ERROR_INVALID_ARGUMENT;

/// The elements of an array.
///
/// # Safety
/// The pointer has `count` elements, unless the count is 0, for as long as the result is used.
pub(crate) unsafe fn array<'a, T>(data: *const T, count: usize) -> Result<&'a [T], AfResult> {
    if count == 0 {
        return Ok(&[]);
    }
    if data.is_null()
        || !data.is_aligned()
        || count.checked_mul(size_of::<T>()).is_none_or(|n| n > isize::MAX as usize)
    {
        return Err(INVALID);
    }
    // SAFETY: the caller's contract; it is not NULL, aligned, and no larger than the address space.
    Ok(unsafe { std::slice::from_raw_parts(data, count) })
}

/// A text that ends in a NUL; NULL is `None`.
///
/// # Safety
/// The pointer is NULL or of a text that ends in a NUL, for as long as the result is used.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Result<Option<&'a str>, AfResult> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's contract.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(Some).map_err(|_| INVALID)
}

/// A text of a length, or one that ends in a NUL if the length is negative.
///
/// # Safety
/// As [`array`] or [`text`].
pub(crate) unsafe fn text_of<'a>(data: *const c_char, length: i32) -> Result<&'a [u8], AfResult> {
    match usize::try_from(length) {
        // SAFETY: the caller's contract.
        Ok(length) => unsafe { array(data.cast(), length) },
        Err(_) if data.is_null() => Err(INVALID),
        // SAFETY: the caller's contract.
        Err(_) => Ok(unsafe { CStr::from_ptr(data) }.to_bytes()),
    }
}

/// Writes a result.
///
/// # Safety
/// The pointer is NULL or can be written.
pub(crate) unsafe fn write<T>(to: *mut T, value: T) -> Result<(), AfResult> {
    if to.is_null() || !to.is_aligned() {
        return Err(INVALID);
    }
    // SAFETY: the caller's contract; it is neither NULL nor misaligned.
    unsafe { to.write(value) };
    Ok(())
}

//! Structures that begin with their size, so that older and newer headers agree.

use crate::types::AfResult;
use std::mem::MaybeUninit;

/// A structure that begins with its size as `u32`.
///
/// # Safety
/// It is `repr(C)`, its first member is the size, all bits zero are a value, and so are any bits that a C program writes to it:
/// it has integers, pointers and optional functions only.
pub(crate) unsafe trait Versioned: Copy {
    /// Size in the first version of the interface: the offset of the first member that was added since.
    const FIRST: usize;
}

/// Reads a structure. Members that its header lacks are zero; those that this library lacks have to be.
///
/// # Safety
/// The pointer is NULL or of a structure that has the size in its first member.
pub(crate) unsafe fn read<T: Versioned>(from: *const T) -> Result<T, AfResult> {
    // SAFETY: the caller's contract.
    let size = unsafe { size(from) }?;
    let bytes = from.cast::<u8>();
    for n in size_of::<T>()..size {
        // SAFETY: the structure has this size.
        if unsafe { bytes.add(n).read() } != 0 {
            return Err(AfResult::AF_ERROR_INVALID_ARGUMENT);
        }
    }
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: both have so many bytes; any bytes are a value (the trait's contract).
    unsafe {
        value.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes, size.min(size_of::<T>()));
        Ok(value.assume_init())
    }
}

/// Writes a structure, as much of it as the header of the caller has; members that this library lacks become zero. The size stays.
///
/// # Safety
/// As [`read`], and the structure can be written.
pub(crate) unsafe fn write<T: Versioned>(to: *mut T, value: &T) -> Result<(), AfResult> {
    // SAFETY: the caller's contract.
    let size = unsafe { size(to) }?;
    let bytes = to.cast::<u8>();
    let known = size.min(size_of::<T>());
    // SAFETY: the structure has this size, and the value is not in it.
    unsafe {
        let head = size_of::<u32>();
        bytes.add(head).copy_from_nonoverlapping((&raw const *value).cast::<u8>().add(head), known - head);
        bytes.add(known).write_bytes(0, size - known);
    }
    Ok(())
}

/// Most bytes of a structure of any version: larger sizes are mistakes.
const MOST: usize = 4096;

/// The size of a structure.
///
/// # Safety
/// As [`read`].
unsafe fn size<T: Versioned>(from: *const T) -> Result<usize, AfResult> {
    if from.is_null() || !from.is_aligned() {
        return Err(AfResult::AF_ERROR_INVALID_ARGUMENT);
    }
    // SAFETY: the first member is the size.
    let size = unsafe { from.cast::<u32>().read() } as usize;
    match (T::FIRST..=MOST).contains(&size) {
        true => Ok(size),
        false => Err(AfResult::AF_ERROR_INVALID_ARGUMENT),
    }
}

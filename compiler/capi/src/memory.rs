//! Callbacks of the caller: memory and messages.

use crate::types::{AF_SEVERITY_ERROR, AfResult, AfSeverity};
use std::alloc::{Layout, alloc, dealloc};
use std::ffi::{c_char, c_void};
use std::ptr::NonNull;

/// Returns memory of this size and alignment (a power of two), or NULL. It may be called on any thread.
pub type AfAllocateFn =
    Option<unsafe extern "C" fn(user: *mut c_void, size: usize, alignment: usize) -> *mut c_void>;

/// Takes memory back that the allocation callback returned for this size and alignment. It may be called on any thread.
pub type AfDeallocateFn =
    Option<unsafe extern "C" fn(user: *mut c_void, memory: *mut c_void, size: usize, alignment: usize)>;

/// Gets a message, which ends in a NUL. It may be called on any thread, during a call of this library only.
pub type AfLogFn = Option<
    unsafe extern "C" fn(user: *mut c_void, severity: AfSeverity, message: *const c_char, length: usize),
>;

/// The callbacks of a device. Every handle has a copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callbacks {
    pub allocate: AfAllocateFn,
    pub deallocate: AfDeallocateFn,
    pub log: AfLogFn,
    pub user: *mut c_void,
}

// SAFETY: the pointer is only passed to the callbacks, which may be called on any thread by their documentation.
unsafe impl Send for Callbacks {}
// SAFETY: as above.
unsafe impl Sync for Callbacks {}

impl Callbacks {
    /// The process's allocator, and no messages.
    pub const NONE: Callbacks =
        Callbacks { allocate: None, deallocate: None, log: None, user: std::ptr::null_mut() };

    /// Memory for a layout of at least one byte.
    pub fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AfResult> {
        let memory = match self.allocate {
            // SAFETY: the caller supplied the function together with its pointer.
            Some(allocate) => unsafe { allocate(self.user, layout.size(), layout.align()) }.cast(),
            // SAFETY: the layout has at least one byte.
            None => unsafe { alloc(layout) },
        };
        NonNull::new(memory).ok_or(AfResult::AF_ERROR_OUT_OF_MEMORY)
    }

    /// Takes memory back.
    ///
    /// # Safety
    /// [`allocate`](Callbacks::allocate) of the same callbacks returned it for this layout.
    pub unsafe fn deallocate(&self, memory: NonNull<u8>, layout: Layout) {
        match self.deallocate {
            // SAFETY: the caller supplied the function together with its pointer, and its partner returned the memory.
            Some(free) => unsafe { free(self.user, memory.as_ptr().cast(), layout.size(), layout.align()) },
            // SAFETY: `alloc` returned it for this layout: a device has both callbacks or neither.
            None => unsafe { dealloc(memory.as_ptr(), layout) },
        }
    }

    /// Reports an error.
    pub fn error(&self, message: &str) {
        if let Some(log) = self.log {
            let mut text: Vec<u8> = message.bytes().collect();
            text.push(0);
            // SAFETY: the caller supplied the function together with its pointer; the text ends in a NUL.
            unsafe { log(self.user, AF_SEVERITY_ERROR, text.as_ptr().cast(), text.len() - 1) };
        }
    }
}

/// Bytes in memory of the callbacks.
#[derive(Debug)]
pub(crate) struct Bytes {
    data: NonNull<u8>,
    length: usize,
    callbacks: Callbacks,
}

// SAFETY: the bytes are owned and never change.
unsafe impl Send for Bytes {}
// SAFETY: as above.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// The layout of this many bytes and a NUL after them. Words of SPIR-V and headers of libraries are aligned.
    fn layout(length: usize) -> Result<Layout, AfResult> {
        let size = length.checked_add(1).ok_or(AfResult::AF_ERROR_OUT_OF_MEMORY)?;
        Layout::from_size_align(size, 16).map_err(|_| AfResult::AF_ERROR_OUT_OF_MEMORY)
    }

    /// A copy of these bytes.
    pub fn new(bytes: &[u8], callbacks: Callbacks) -> Result<Bytes, AfResult> {
        let data = callbacks.allocate(Bytes::layout(bytes.len())?)?;
        // SAFETY: the memory has a byte more than `bytes` and is new, so that the two do not overlap.
        unsafe {
            data.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            data.as_ptr().add(bytes.len()).write(0);
        }
        Ok(Bytes { data, length: bytes.len(), callbacks })
    }

    /// The bytes.
    pub fn get(&self) -> &[u8] {
        // SAFETY: the memory has this length, is initialised and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr(), self.length) }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        if let Ok(layout) = Bytes::layout(self.length) {
            // SAFETY: `new` allocated it with these callbacks and this layout.
            unsafe { self.callbacks.deallocate(self.data, layout) }
        }
    }
}

//! Nesting and the stack: a shader that nests deeper than any thread has room for is compiled on a thread of its own.
//!
//! A library does not choose the stack of its caller; threads with 128 KiB exist. All work first runs with a limit of
//! [`SHALLOW`] levels, for which that is enough. Whatever exceeds it stops with [`TooDeep`] and is repeated in full on a thread
//! that has room for the limits of the language front end. Few shaders nest so deep, and no others pay.
//!
//! Without optimization frames are several times as large, and all work is done on such a thread.

use crate::syntax::MAX_DEPTH;
use std::thread;

/// Levels of a tree that every thread has room for.
pub const SHALLOW: u32 = if cfg!(unoptimized) { 0 } else { 16 };

/// Levels of macro arguments, and of expressions in directives, that every thread has room for.
pub const SHALLOW_MACROS: u32 = 8;

/// Stack that one level of a tree may take in any walk, in bytes.
const BYTES_PER_LEVEL: usize = if cfg!(unoptimized) { 64 << 10 } else { 16 << 10 };

/// Levels that the code of inlined functions may take on any thread besides [`SHALLOW`].
const INLINED: u32 = 8;

/// Levels of a tree that the thread on which [`run`] works over a tree of this height has room for.
pub const fn levels(height: u32) -> u32 {
    // Half of the stack that a thread of its own has in addition to the tree.
    let spare = (1 << 20) / BYTES_PER_LEVEL as u32 / 2;
    if height <= SHALLOW { SHALLOW + INLINED } else { height + spare }
}

/// The message if the thread cannot be started.
pub const NO_STACK: &str =
    "the shader nests so deep that it needs a thread of its own, and the system gives none";

/// The shader nests deeper than the thread has room for.
#[derive(Clone, Copy, Debug)]
pub struct TooDeep;

/// Runs `work` over a tree of this height on a thread that has room for `room` levels, or on another one if the tree is higher;
/// `None` if that thread cannot be started.
pub fn run<T: Send>(height: u32, room: u32, work: impl FnOnce() -> T + Send) -> Option<T> {
    // WebAssembly has no threads; its hosts guard the stack and end the call.
    if height <= room || cfg!(target_family = "wasm") {
        return Some(work());
    }
    let stack = (1 << 20) + height as usize * BYTES_PER_LEVEL;
    thread::scope(|scope| {
        let thread =
            thread::Builder::new().name("deep shader".into()).stack_size(stack).spawn_scoped(scope, work);
        match thread.ok()?.join() {
            Ok(result) => Some(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Runs `work` with the levels that every thread has room for, and if it fails with [`TooDeep`], with [`MAX_DEPTH`] levels on
/// another thread; `None` if that thread cannot be started.
pub fn retry<T: Send>(work: impl Fn(u32) -> Result<T, TooDeep> + Sync) -> Option<T> {
    if SHALLOW > 0
        && let Ok(result) = work(SHALLOW)
    {
        return Some(result);
    }
    run(MAX_DEPTH, 0, || work(MAX_DEPTH).ok())?
}

#[cfg(test)]
mod tests {
    use super::{SHALLOW, TooDeep, retry, run};

    fn depth(n: u32) -> u32 {
        let mut page = [0u8; 4096];
        page[n as usize % 4096] = 1;
        if n == 0 { 0 } else { depth(std::hint::black_box(n - 1)) + u32::from(page[n as usize % 4096]) }
    }

    #[test]
    fn deep_recursion_has_room() {
        assert_eq!(run(10_000, SHALLOW, || depth(10_000)), Some(10_000));
        assert_eq!(run(1, SHALLOW, || depth(1)), Some(1));
    }

    #[test]
    fn work_is_repeated_where_it_has_room() {
        let caller = std::thread::current().id();
        let work = |needed: u32| {
            move |levels: u32| if needed <= levels { Ok(std::thread::current().id()) } else { Err(TooDeep) }
        };
        assert_eq!(retry(work(SHALLOW)) == Some(caller), SHALLOW > 0);
        assert_ne!(retry(work(SHALLOW + 1)), Some(caller));
    }
}

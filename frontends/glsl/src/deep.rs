//! Runs work that recurses over a deep tree on a thread with a sufficient stack.

use crate::syntax::MAX_DEPTH;
use std::thread;

/// Stack that one level of a tree may take in any walk, in bytes.
const BYTES_PER_LEVEL: usize = 16 << 10;

/// The message if the thread cannot be started.
pub const NO_STACK: &str =
    "the shader nests so deep that it needs a thread of its own, and the system gives none";

/// Runs `work`, on a thread of its own if a tree of this height requires it; `None` if that thread cannot be started.
pub fn run<T: Send>(height: u32, work: impl FnOnce() -> T + Send) -> Option<T> {
    // The parser recurses so far itself; whoever calls this library has a stack for that.
    if height <= MAX_DEPTH {
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

#[cfg(test)]
mod tests {
    use super::run;

    fn depth(n: u32) -> u32 {
        let mut page = [0u8; 4096];
        page[n as usize % 4096] = 1;
        if n == 0 { 0 } else { depth(std::hint::black_box(n - 1)) + u32::from(page[n as usize % 4096]) }
    }

    #[test]
    fn deep_recursion_has_room() {
        assert_eq!(run(10_000, || depth(10_000)), Some(10_000));
        assert_eq!(run(1, || depth(1)), Some(1));
    }
}

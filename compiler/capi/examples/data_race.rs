//! A data race, on purpose: `.ci/thread-sanitizer` runs this program first, and does not go on unless the race is found. The counter
//! with a lock shows that locks of the standard library are understood. Do not run it for anything else.
//!
//! Threads that run one after the other may leave no trace of a race, so that they wait for each other first.

use std::cell::UnsafeCell;
use std::sync::{Barrier, Mutex};
use std::thread;

/// A number that claims to be shared safely, which is wrong.
struct Unguarded(UnsafeCell<u32>);

// SAFETY: none, this is the race.
unsafe impl Sync for Unguarded {}

static UNGUARDED: Unguarded = Unguarded(UnsafeCell::new(0));
static GUARDED: Mutex<u32> = Mutex::new(0);

fn count_without_lock() {
    // SAFETY: none, threads write the number at once.
    unsafe { *UNGUARDED.0.get() += 1 };
}

fn count_with_lock() {
    *GUARDED.lock().unwrap_or_else(|e| e.into_inner()) += 1;
}

fn main() {
    let both = Barrier::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..100 {
                    count_with_lock();
                    both.wait();
                    count_without_lock();
                }
            });
        }
    });
}

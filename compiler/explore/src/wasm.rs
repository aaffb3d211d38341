//! The functions that the page calls: a request is written to a buffer, and the answer is read from another.
//!
//! `request(length)` gives the address of a buffer for the request; `call()` answers it and gives the length of the answer at
//! `answer()`, the bytes of [`Answer::to_bytes`](crate::Answer::to_bytes). After a panic the answer is the message.

// Exported names are an unsafe attribute, as they might collide with others; none of the code is unsafe.
#![allow(unsafe_code)]

use crate::Session;
use std::cell::RefCell;
use std::time::Duration;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Milliseconds since the page was loaded.
    safe fn now() -> f64;
}

fn clock() -> Duration {
    Duration::from_secs_f64(now() / 1e3)
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(Session::new(clock));
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The address of a buffer of this length, which the page fills.
#[unsafe(no_mangle)]
pub extern "C" fn request(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// Answers the request in the buffer; returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn call() -> usize {
    std::panic::set_hook(Box::new(|panic| {
        let _ = ANSWER
            .try_with(|answer| answer.try_borrow_mut().map(|mut a| *a = panic.to_string().into_bytes()));
    }));
    let request = REQUEST.take();
    let request = String::from_utf8_lossy(&request);
    let answer = SESSION.with_borrow_mut(|session| session.call(&request));
    ANSWER.with_borrow_mut(|out| {
        *out = answer.to_bytes();
        out.len()
    })
}

/// The address of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// The length of the last answer: that of the message after a panic.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    ANSWER.with_borrow(Vec::len)
}

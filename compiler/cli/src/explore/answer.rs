//! The process that answers the requests of a page for a command with own passes, which the page's module does not have.
//!
//! A request is a line of JSON on standard input. An answer is its length as `u32` in little-endian order, and the bytes of
//! [`Answer::to_bytes`]. The process ends with its input, after a panic, and after a request that takes too long; the last
//! answer is `{"trap": MESSAGE}` then.

use crate::batch::STACK;
use airfoil::passes::registry::Registry;
use airfoil_explore::{Answer, Session};
use serde_json::json;
use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::mpsc;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

/// Time that a request may take, as on the page.
const LIMIT: Duration = Duration::from_secs(20);

fn clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// Answers requests until the input ends.
pub fn run(registry: &Registry) -> ExitCode {
    let (ask, requests) = mpsc::channel::<String>();
    let (reply, answers) = mpsc::channel::<Answer>();
    let registry = Arc::new(registry.clone());
    let session = move || {
        let mut session = Session::with_registry(clock, registry);
        for request in requests {
            let answer = panic::catch_unwind(AssertUnwindSafe(|| session.call(&request)));
            let panicked = |_| trap("the compiler panicked; its message is on the terminal");
            let _ = reply.send(answer.unwrap_or_else(panicked));
        }
    };
    if thread::Builder::new().stack_size(STACK).spawn(session).is_err() {
        return ExitCode::FAILURE;
    }
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let _ = ask.send(line);
        let late = |_| trap(&format!("no answer within {} s", LIMIT.as_secs()));
        let answer = answers.recv_timeout(LIMIT).unwrap_or_else(late);
        if write(&answer).is_err() || answer.json.get("trap").is_some() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn trap(message: &str) -> Answer {
    json!({ "trap": message }).into()
}

fn write(answer: &Answer) -> io::Result<()> {
    let bytes = answer.to_bytes();
    let mut out = io::stdout().lock();
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    out.write_all(&bytes)?;
    out.flush()
}

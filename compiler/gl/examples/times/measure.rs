//! Measured times and memory. `tests/tools/driver_times.py` copies this file into an older tree, too.

use std::error::Error;
use std::time::{Duration, Instant};

/// A result with any error.
pub type Res<T> = Result<T, Box<dyn Error>>;

/// The least time of a step that is repeated for half a second.
pub fn least<T>(mut step: impl FnMut() -> Res<T>) -> Res<f64> {
    let (mut least, start) = (Duration::MAX, Instant::now());
    while start.elapsed() < Duration::from_millis(500) {
        let begin = Instant::now();
        let result = step()?;
        least = least.min(begin.elapsed());
        drop(result);
    }
    Ok(least.as_secs_f64() * 1e6)
}

/// Resident memory in KiB (Linux).
pub fn resident() -> Res<f64> {
    let text = std::fs::read_to_string("/proc/self/statm")?;
    let pages: f64 = text.split(' ').nth(1).ok_or("no pages")?.parse()?;
    Ok(pages * 4.0)
}

//! The suites that the runner knows, a file each.

pub mod accept;
pub mod execute;

//! The reasons why a command ends early.

/// The reason why a command ends early.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong: the error, and advice.
    Usage(String, String),
    /// Errors that are already rendered; the exit status is 1 for inputs, 2 for wrong usage.
    Reported(u8, String),
}

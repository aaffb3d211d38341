//! The reasons why an execution ends early.

use crate::report::Verdict;
use airfoil_interp::Fault;

/// Why a case does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It requires an unavailable feature.
    Skip(String),
    /// It is not as expected, or a shader was rejected.
    Fail(String),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fail(fault.to_string())
    }
}

impl From<airfoil_vulkan::Error> for Stop {
    fn from(error: airfoil_vulkan::Error) -> Stop {
        match error {
            airfoil_vulkan::Error::Unsupported(_) => Stop::Skip(error.to_string()),
            airfoil_vulkan::Error::Failed(_) => Stop::Fail(error.to_string()),
        }
    }
}

impl From<Stop> for Verdict {
    fn from(stop: Stop) -> Verdict {
        match stop {
            Stop::Skip(reason) => Verdict::Skipped(reason),
            Stop::Fail(reason) => Verdict::Failed(reason),
        }
    }
}

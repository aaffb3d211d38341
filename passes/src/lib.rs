//! Passes over the IR of Airfoil. One file a pass, found by its name.
//!
//! * [`Pass`], [`PassInfo`]: what a pass is and declares.
//! * [`registry`]: all passes by name.

mod pass;
pub mod registry;

// One module a pass.
pub mod dce;

pub use pass::{Context, OptionInfo, OptionValue, Pass, PassInfo, PassOptions, Progress, each_body};

//! Passes over the IR of Airfoil. One file a pass, found by its name.
//!
//! * [`Pass`], [`PassInfo`]: what a pass is and declares.

mod pass;

pub use pass::{Context, OptionInfo, OptionValue, Pass, PassInfo, PassOptions, Progress, each_body};

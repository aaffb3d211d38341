//! Passes over the IR of Airfoil. One file per pass, found by its name.
//!
//! * [`Pass`], [`PassInfo`]: passes and their declared properties.
//! * [`registry`]: all passes by name.
//! * [`Pipeline`]: orders of passes as text; [`presets`]: those that have a name.
//! * [`manager::Manager`]: runs them.

mod changes;
mod entry;
mod function_pass;
pub mod manager;
mod pass;
mod pipeline;
pub mod presets;
pub mod registry;
pub mod rules;

// The passes, by purpose.
pub mod gl;
pub mod lower;
pub mod opt;
pub mod stages;
pub mod vars;

pub mod util;

pub use changes::{Changes, Constructs};
pub use function_pass::FunctionPass;
pub use manager::{Context, Manager};
pub use pass::{
    OptionInfo, OptionValue, Pass, PassInfo, PassOptions, ProgramPass, ProgramSteps, Results, each_body,
    plan_each_body, try_each_body,
};
pub use pipeline::{GroupStep, LoopStep, OnStep, PassStep, Pipeline, ProgramStep, Step};

/// Runs the code of the page.
#[cfg(doctest)]
#[doc = include_str!("../../docs/porting.md")]
struct Porting;

//! Checks passes by running shaders: the results of a shader must not change.
//!
//! * [`Runs`], [`Baseline`]: executions of a shader on several seeds, and whether another shader does the same.
//! * [`Watch`], [`ProgramWatch`]: observe a pipeline and stop it at the pass that changes the result of a shader, or of a
//!   draw with all shaders of a program (`--check-each`).
//! * [`find()`], [`bisect()`]: the first application of a pass that changes the result, breaks the shader or panics, as
//!   a test of that pass alone, and the shortest list of passes that shows it (`airfoil bisect`).
//!   Passes with [`Results::All`](airfoil_passes::Results::All) are judged by whole draws of the program.
//! * [`generate`]: random programs in GLSL, whose results the specification determines.
//! * [`reduce()`]: a smaller shader that has the same fault (`airfoil reduce`); [`reduce_lines()`]: a smaller source.
//!
//! Integers, and floats that no pass with [`rounds`](airfoil_passes::PassInfo::rounds) has touched, are compared bit
//! for bit; after passes with [`nan_bits`](airfoil_passes::PassInfo::nan_bits), values that depend on the bits of a NaN are not.

mod baseline;
mod bisect;
mod draw;
mod find;
pub mod generate;
mod program_watch;
mod reduce;
mod watch;

pub use baseline::{Baseline, Choices, Compared, Mismatch, Runs};
pub use bisect::{Bisected, bisect, bisect_program};
pub use find::{Found, Kind, find, find_in_program};
pub use program_watch::{Outcome, ProgramWatch};
pub use reduce::{Limits, Reduced, State, reduce, reduce_lines};
pub use watch::Watch;

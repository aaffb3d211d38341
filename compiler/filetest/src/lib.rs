//! Tests that are text files: commands, and the output that they must print.
//!
//! ```text
//! ; RUN: airfoil compile %s --to ll -o -
//! ; CHECK: define {{.*}} @main
//! ; CHECK: [[sum:%v[0-9]+]] = add i32 %a, %b
//! ; CHECK-NEXT: store i32 [[sum]]
//! foil 1
//! shader ...
//! ```
//!
//! Directives are comments of the file: after `;` in `.foil`, `.spvasm` and `.ll` files, after `//` in GLSL, after `#` in `.vp` and `.fp`
//! files.
//!
//! | Directive | Meaning |
//! |---|---|
//! | `RUN: COMMAND` | Runs a command, several of them in order. `\|` pipes one into the next, `2>&1` adds the error stream to the output, a leading `not` requires failure, a trailing `\` continues the command on the next `RUN` line |
//! | `RUN[LL]: COMMAND` | The same; the lines of the output are checked by `LL:`, `LL-NEXT:` and so on |
//! | `CHECK: PATTERN` | A line after the previous match contains the pattern |
//! | `CHECK-NEXT:`, `CHECK-SAME:` | The next line; the rest of the same line |
//! | `CHECK-NOT:` | No line between the matches before and after it contains the pattern |
//! | `CHECK-LABEL:` | Divides the output; the checks between two labels see only the lines between them |
//! | `CHECK-COUNT-N:` | N matches one after the other |
//! | `EXPECT` | What follows is the whole output. Shaders are compared as shaders: names of values and blocks do not matter |
//! | `EXPECT ERROR E0504 WORDS` | The last command fails with this code; the words, if any, are part of its messages |
//! | `--- NAME` | Starts a part of the file that becomes a file of its own |
//!
//! In a pattern, `{{REGEX}}` matches a regular expression, `[[NAME:REGEX]]` stores its match and `[[NAME]]` matches
//! the stored text. Everything else is literal, except that runs of blanks are equal to one blank.
//!
//! Commands run in an empty folder, where the file is copied first, without an expected output. `%s` is the name of the copy, or the names of all parts;
//! it is added to a first command that does not use it. `%S` is the folder of the test file, `%corpus` the folder that
//! `AIRFOIL_CORPUS` names. A test is skipped if a tool or the corpus is not available.

mod check;
mod command;
mod diff;
mod execute;
mod files;
#[cfg(feature = "harness")]
pub mod harness;
mod parse;
mod pattern;
mod run;

pub use diff::{Style, difference};
pub use execute::{Finished, Missing, Processes, Runner};
pub use files::{ENDINGS, find};
pub use parse::{Expectation, Part, Test};
pub use run::{Options, Outcome, missing, run_all, run_file, split_shaders};

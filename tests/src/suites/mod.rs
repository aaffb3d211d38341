//! The suites of the runner, one file each.

pub mod accept;
pub mod airfoil_build;
pub mod amber;
pub mod build;
pub mod cts_build;
pub mod cts_run;
pub mod drive;
pub mod execute;
pub mod expected;
pub mod glsl;
pub mod glslang;
pub mod piglit_parser;
pub mod piglit_run;
pub mod run;
pub mod spirv;
pub mod variants;

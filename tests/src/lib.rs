//! Code shared by the conformance runner, the benches and the corpus tests.

pub mod amber;
pub mod cli;
pub mod corpus;
pub mod cts;
pub mod engine;
pub mod gl;
pub mod glsl_files;
pub mod piglit;
pub mod report;
pub mod suites;
pub mod workers;

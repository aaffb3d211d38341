//! What the conformance runner, the benches and the corpus tests share.

pub mod corpus;
pub mod report;
pub mod suites;
pub mod workers;

//! As much of OpenGL as suites of others need around programs: linked programs with uniforms set by name, attributes by name.

pub mod attributes;
pub mod drawing;
pub mod program;
pub mod state;
pub mod types;
pub mod uniforms;

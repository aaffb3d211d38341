//! Random programs in GLSL for differential tests: whatever executes one has to find the same results.
//!
//! The specification determines the results of a program: integer operations are defined for all operands, and floats are
//! multiples of 1/64 below 64, with which no rounding occurs ([`body`](self)). At the end one operation that rounds is applied
//! to each of four floats. Programs are in GLSL 4.50 for Vulkan or OpenGL; they have no inputs but the index of the invocation.

mod body;
mod interface;
mod results;
mod stages;

use airfoil_ir::Stage;

pub use results::{GROUPS, Results, Scene, buffers, difference, interpret, of_buffers, of_target, words};

/// Pixels of a row of the target.
pub const COLUMNS: u32 = 16;

/// Invocations of the stage under test: one per pixel, or per element of the buffers. Patches have three vertices, so that
/// programs with tessellation leave the last pixel as it is.
pub const INVOCATIONS: u32 = 64;

/// Stages that a program can test.
pub const STAGES: [Stage; 6] =
    [Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Geometry, Stage::Fragment, Stage::Compute];

/// The interface that executes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// GLSL for Vulkan (GL_KHR_vulkan_glsl).
    Vulkan,
    /// GLSL for OpenGL.
    OpenGl,
}

/// A random program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The stage that has the random code; the others only pass values on, but for a random fragment shader, whose vertex shader
    /// is random, too.
    pub stage: Stage,
    /// The stages of the program, in pipeline order.
    pub sources: Vec<(Stage, String)>,
}

/// A random program that tests a stage. Equal seeds give equal programs.
///
/// A compute shader writes storage buffers 0 to 2 of set 0 (`ivec4`, `vec4`, `vec4`), an element per invocation. The others draw
/// to three attachments of these types with [`COLUMNS`] columns: invocation `n` writes the pixel of column `n % 16` and row
/// `n / 16`. Draws have [`INVOCATIONS`] vertices: points, or patches of three vertices if the program has tessellation, but
/// three vertices of a triangle if it tests the fragment stage.
///
/// The first attachment or buffer is exact, and so is the second, but for the sign of zeros; the third has a square root, a
/// quotient, a power of two and a sine.
pub fn program(dialect: Dialect, stage: Stage, seed: u64) -> Generated {
    Generated { stage, sources: stages::sources(dialect, stage, seed) }
}

/// A random vertex shader and a random fragment shader for OpenGL with many declarations, to compare how they are linked; equal seeds
/// give equal programs. Some contradict each other and must not link.
pub fn interfaces(seed: u64) -> Vec<(Stage, String)> {
    interface::sources(seed)
}

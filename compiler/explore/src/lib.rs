//! The Airfoil Explorer: a shader, the passes over it and all that they make of it, in a browser.
//!
//! A page (`web/`) shows source, pipeline, IR, AIR, SPIR-V, graphs and the image of a shader. All of Airfoil runs in the page, as
//! WebAssembly in a worker: [`Session`] answers its requests, which are JSON. `tools/explorer` builds the page, `airfoil explore`
//! serves it; `docs/explorer.md` describes it.
//!
//! * `session.rs`: the requests; `source.rs` reads sources, `steps.rs` runs pipelines and keeps the shader after every pass,
//!   `air.rs` has outputs.
//! * `world.rs`, `image.rs`: inputs, uniforms and textures of a fragment shader, its image, the trace of a pixel.
//! * [`diff`]: differences between the texts of two states of a shader. [`graph`]: graphs of the IR; `airfoil graph` prints them.
//! * `wasm.rs`: the functions that the page calls.

mod air;
pub mod diff;
pub mod graph;
mod image;
mod session;
mod source;
mod steps;
#[cfg(target_family = "wasm")]
mod wasm;
mod world;

pub use session::{Answer, Session};

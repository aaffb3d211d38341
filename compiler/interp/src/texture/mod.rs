//! Textures and images in memory: formats, wrapping, filters, levels, cubes.
//!
//! Nothing here knows of shaders; `data/texture.rs` takes operands apart and asks here. Engines that execute something
//! else than the IR ask here as well.
//!
//! * `format.rs`: the table of formats. `image.rs`: texels in levels and layers, and views of them. `sampler.rs`: state.
//! * `wrap.rs`, `cube.rs`, `filter.rs`: one level. `sample.rs`: level of detail, gathers, queries.

pub(crate) mod cube;
pub(crate) mod filter;
pub mod format;
mod image;
mod sample;
pub(crate) mod sampler;
mod texel;
pub(crate) mod wrap;

#[cfg(test)]
mod tests;

pub use format::{Color, Encoding, Format, FormatInfo};
pub use image::{Image, Viewed};
pub use sample::{Level, Request, gather, query_lod, sample};
pub use sampler::{Channel, Compare, Filter, Mip, Sampler, View, Wrap};
pub use texel::{raw, size_of, zero};

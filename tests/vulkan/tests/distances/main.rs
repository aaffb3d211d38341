//! Clip and cull distances: a driver that has them draws original pipelines, and those that `lower_distances` rewrites.
//!
//! Samples with a distance that is nearly zero are left out and counted, since clipping and interpolation round differently
//! there. Without a Vulkan driver the tests are skipped, with a message.

mod cells;
mod draws;
mod golden;
mod scene;

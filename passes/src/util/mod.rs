//! Utilities shared by passes; they are not passes themselves.

pub(crate) mod colors;
pub(crate) mod conversions;
pub mod dependence;
pub mod deref_path;
pub(crate) mod distance_enables;
pub(crate) mod distances;
pub mod driver_values;
pub(crate) mod evaluate;
pub(crate) mod guard;
pub(crate) mod loops;
pub mod memory;
pub(crate) mod output_locals;
pub(crate) mod outputs;
pub(crate) mod phis;
pub(crate) mod repair_ssa;
pub(crate) mod retarget;
pub mod rewrite;
pub(crate) mod softfp64;
pub mod speculate;
pub(crate) mod textures;
pub mod vertex_formats;

//! Apple AIR backend of Airfoil.
#![deny(missing_docs)]

pub mod metallib;
pub mod target;

pub mod bitcode;
pub mod compile;
pub mod functions;
pub mod inspect;
pub mod library;
pub mod lint;
pub mod ll;
pub mod lowerings;
pub mod module;
pub mod plan;
pub mod previous;
pub mod rules;
pub mod select;
pub mod validate;

/// The producer that modules name.
pub(crate) const PRODUCER: &str = concat!("Airfoil ", env!("CARGO_PKG_VERSION"));

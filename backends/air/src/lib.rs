//! Apple AIR backend of Airfoil.
#![deny(missing_docs)]

pub mod target;

//! Apple AIR backend of Airfoil.
#![deny(missing_docs)]

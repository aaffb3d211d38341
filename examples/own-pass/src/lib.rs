//! The pass `add_zero` for Airfoil.

pub mod add_zero;

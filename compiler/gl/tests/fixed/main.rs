//! Generated shaders of the fixed functions: their keys, and their execution against a computation in doubles from the state.

mod backend;
mod fragment;
mod keys;
mod machine;
mod objects;
mod reference;
mod state;
mod vertex;

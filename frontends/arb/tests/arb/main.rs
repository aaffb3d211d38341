//! Tests of the front end: programs are executed before and after optimisation, and violated rules are reported.

mod backend;
mod errors;
mod execute;
mod layout;
mod manual;
mod mutations;
mod reference;
mod results;
mod state;
mod support;
mod textures;

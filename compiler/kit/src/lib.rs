//! The kit for a Mac: libraries with expected results, and the judge of the results that a runner recorded.
//!
//! Apple's software runs only on Apple's systems. `airfoil kit -o DIR` writes cases on any system: a `.metallib`, its inputs, and the
//! contents that the interpreter of the IR computes. `check.swift` (or `examples/metal-check`) loads and runs each on a
//! Mac and records the results, without judging. `airfoil kit report DIR` compares.
//!
//! * [`recipe`]: cases as they are written down, in `levels/`, one module per step of the ladder. [`make`]: compiles a recipe and computes its results.
//! * [`schema`]: the format of `case.json`. [`metal`]: raw values of Metal's enumerations.
//! * [`judge`]: reads results, whatever they contain, and compares. [`report`]: `report.json` and `report.md`.
//! * `engine.rs`: the same cases on the AIR engine of this host, with the bindings of `case.json`. With one of the
//!   features `llvm14` and `llvm19`.

pub mod bind;
pub mod compare;
pub mod constructs;
pub mod draw;
pub mod edit;
#[cfg(any(feature = "llvm14", feature = "llvm19"))]
pub mod engine;
pub mod judge;
pub mod kit;
pub mod levels;
pub mod make;
pub mod mesh;
pub mod metal;
pub mod recipe;
pub mod report;
pub mod schema;

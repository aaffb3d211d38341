//! Defects that were found by review, each with the number that the review gave it. Each test failed before its fix.

mod language;
mod spirv_nesting;

//! Defects that were found by review, each with the number that the review gave it. Each test failed before its fix.

mod apart;
mod compute;
mod glsl_link;
mod glsl_nesting;
mod interfaces;
mod language;
mod spirv;
mod spirv_nesting;
mod table;
mod undefined;

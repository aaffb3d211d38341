//! The native module of the Python package `airfoil`. `docs/python.md` is the guide for its users; this is for its authors.
//!
//! * `call.rs`: the frame of all work: panics become exceptions, other threads run meanwhile.
//! * `diagnostic.rs`: diagnostics and exceptions. `names.rs`: names of stages, levels and targets.
//! * `read.rs`, `shader.rs`, `passes.rs`, `compile.rs`: the functions and classes, in the order of a compile.
//! * `inspect.rs`: functions, blocks and instructions, handles into a shader (`source.rs`). `builder.rs`, `code.rs`: edits of it.
//!   `python_pass.rs`: passes in Python. `check.rs`: passes checked by execution.
//! * `execute.rs`: execution; `resources.rs`, `number.rs`: the inputs of executions.
//!
//! The package around it is in `python/airfoil`; `_native.pyi` has the types of all that is here.

mod builder;
mod call;
mod check;
mod code;
mod compile;
mod diagnostic;
mod execute;
mod inspect;
mod names;
mod number;
mod passes;
mod python_pass;
mod read;
mod resources;
mod shader;
mod source;

/// The native part of the package `airfoil`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::builder::Builder;
    #[pymodule_export]
    use crate::check::{Fault, bisect, check};
    #[pymodule_export]
    use crate::code::Code;
    #[pymodule_export]
    use crate::compile::{Function, Library, compile, compile_spirv};
    #[pymodule_export]
    use crate::diagnostic::{DiagnosticWarning, Error, InternalError, PyDiagnostic};
    #[pymodule_export]
    use crate::execute::{_dispatch, _render};
    #[pymodule_export]
    use crate::inspect::{Block, Instruction, ShaderFunction};
    #[pymodule_export]
    use crate::passes::{expand, passes, presets, profile_shaders, run_shaders};
    #[pymodule_export]
    use crate::python_pass::_register_pass;
    #[pymodule_export]
    use crate::read::{link_glsl, parse, read_glsl, read_spirv};
    #[pymodule_export]
    use crate::shader::{_restore, PyShader};
}

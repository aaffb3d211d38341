//! SPIR-V backend: writes shaders in form `variables` as a module.
//!
//! Words are written directly, each section of the module into a list of its own:
//!
//! * `module.rs`: sections, ids, types and constants, each declared once; `requirements.rs`: capabilities and extensions.
//! * `target.rs`: the environment and the version of SPIR-V.
//! * `entry.rs`: entry points and execution modes; `interface.rs`, `built_ins.rs`: variables and their decorations;
//!   `types.rs`: the types of the IR.
//! * `classes.rs`: whether each untyped value is a float, a signed or an unsigned integer.
//! * `body/`: the code of a function. `control_flow.rs` follows the tree of the IR, which gives merge blocks and continue
//!   targets; `alu_table.rs` maps operations to instructions.
//!
//! `reflection.rs` lists the resources that a caller binds. Calls, early returns and copies of parts of arrays are
//! lowered by passes first (`prepare.rs`).

mod body;
mod built_ins;
mod classes;
mod entry;
mod errors;
mod interface;
mod module;
mod options;
mod prepare;
mod reflection;
mod requirements;
mod target;
mod types;
mod words;

use airfoil_ir::{Diagnostic, Shader, Stage};
use airfoil_passes::gl::lower_xfb::Captures;

pub use options::Options;
pub use reflection::{InterfaceValue, Reflection, Resource, ResourceKind, SpecConstant};
pub use target::{Environment, Target};

/// Writes a shader in form `variables` as a module with one entry point.
///
/// # Errors
/// The construct that the target cannot express.
pub fn write(shader: &Shader, options: &Options) -> Result<Vec<u32>, Vec<Diagnostic>> {
    write_module(std::slice::from_ref(shader), options)
}

/// Writes shaders in form `variables` as one module with an entry point for each.
///
/// # Errors
/// The construct of each shader that the target cannot express.
pub fn write_module(shaders: &[Shader], options: &Options) -> Result<Vec<u32>, Vec<Diagnostic>> {
    let mut module = module::Module::new(options);
    let explicit = shaders.iter().flat_map(|s| s.vars.values()).filter_map(|var| var.binding);
    module.next_binding = explicit.max().map_or(0, |most| most.saturating_add(1));
    // OpenGL has the memory model of GLSL only; there, coherent accesses make their variables coherent.
    if options.target.is_vulkan() && shaders.iter().any(|s| s.info.vulkan_memory_model) {
        module.vulkan_memory_model = true;
        module.require(spirv::Capability::VulkanMemoryModel).map_err(|e| vec![*e])?;
    }
    let mut faults = Vec::new();
    let last = shaders.iter().map(|s| s.stage).filter(|&stage| stage < Stage::Fragment).max();
    for shader in shaders {
        module.captures = match last == Some(shader.stage) {
            true => options.captures.clone(),
            false => Captures::default(),
        };
        let written = prepare::prepare(shader)
            .and_then(|prepared| entry::write_shader(&mut module, prepared.as_ref()).map_err(|e| vec![*e]));
        if let Err(list) = written {
            faults.extend(list);
        }
    }
    if faults.is_empty() { module.finish().map_err(|e| vec![*e]) } else { Err(faults) }
}

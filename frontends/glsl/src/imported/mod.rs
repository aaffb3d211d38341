//! Shaders that another front end has read, to be linked with this linker: SPIR-V modules in OpenGL (ARB_gl_spirv), and assembly
//! programs.
//!
//! [`import`] describes the inputs, outputs and resources of a [`Shader`] as the declarations of a [`Unit`], so that locations,
//! bindings, limits, reflection, transform feedback and pipelines are those of GLSL. After linking, the shader gets the locations
//! that were assigned, and the uniforms outside blocks become members of the default uniform block.
//!
//! Variables match by location and binding, never by name (ARB_gl_spirv, section 7.4.spv). Names are reported if the module has
//! them.

mod blocks;
mod declare;
mod opaque;
mod place;
mod types;

use crate::hir::{Function, Imported, Unit};
use crate::ids::FuncId;
use crate::source::Span;
use crate::types::Type;
use crate::version::{Profile, Version};
use airfoil_ir::{self as ir, DerefKind, Diagnostic, Modes, Shader, Stage};
use declare::{Declared, Importer};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The declarations of a shader that the IR does not have.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    /// Locations of uniforms outside blocks.
    pub uniform_locations: Vec<(ir::VarId, u32)>,
    /// Atomic counters: `uint` or arrays of it, with their binding, and their offset in bytes.
    pub counters: Vec<ir::VarId>,
    /// Outputs that transform feedback captures.
    pub feedback: Vec<(ir::VarId, Feedback)>,
    /// The shader links with stages in GLSL, too. Its inputs and outputs between stages are built-in variables of the compatibility
    /// profile. Without it, all stages of a program are imported (OpenGL 4.6 section 7.3).
    pub mixes: bool,
}

/// How transform feedback captures an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// Index of the buffer.
    pub buffer: u32,
    /// Bytes of a vertex in the buffer, if they are declared.
    pub stride: Option<u32>,
    /// Bytes from the start of the vertex.
    pub offset: u32,
    /// Element and member of an array of blocks; `None` for the whole variable.
    pub part: Option<(u32, u32)>,
}

/// Describes a shader for the linker.
///
/// # Errors
/// Everything in it that OpenGL does not have.
pub fn import(shader: Shader, declared: &Declarations) -> Result<Unit, Vec<Diagnostic>> {
    let used = used_variables(&shader);
    let mut unit = empty_unit(&shader);
    let mut importer = Importer::new(&shader, declared, &mut unit);
    importer.all();
    let Declared { vars, captures, layouts, faults } = importer.declared;
    if !faults.is_empty() {
        return Err(faults);
    }
    let globals = vars.iter().filter(|(_, var)| used.contains(var)).map(|&(id, _)| id).collect();
    let name = unit.names.intern("main");
    unit.functions.push(Function {
        name,
        result: Type::Void,
        precision: Default::default(),
        precise: false,
        params: Vec::new(),
        body: Some(Default::default()),
        span: Span::default(),
        is_subroutine_type: false,
        subroutine_types: Vec::new(),
        subroutine_index: None,
        calls: Vec::new(),
        globals,
    });
    unit.main = Some(FuncId(0));
    let counters = declared.counters.iter().copied().collect();
    unit.imported =
        Some(Arc::new(Imported { shader, vars, counters, captures, layouts, mixes: declared.mixes }));
    Ok(unit)
}

/// The variables that code refers to.
fn used_variables(shader: &Shader) -> FxHashSet<ir::VarId> {
    let mut used = FxHashSet::default();
    for body in shader.functions.values().map(|f| &f.body) {
        for id in body.all_instrs() {
            if let Some(DerefKind::Var(var)) = body[id].as_deref().map(|d| d.kind) {
                used.insert(var);
            }
        }
    }
    // Initial values of outputs are written without code.
    let initial = shader.vars.iter().filter(|(_, v)| v.mode == Modes::OUT && v.initializer.is_some());
    used.extend(initial.map(|(id, _)| id));
    used
}

/// A unit with the properties of the stage alone.
fn empty_unit(shader: &Shader) -> Unit {
    let info = &shader.info;
    let mut unit = Unit::new(shader.stage, Version { number: 460, profile: Profile::Core });
    let layout = &mut unit.layout;
    match shader.stage {
        Stage::Compute => layout.local_size = info.workgroup_size.unwrap_or([1; 3]).map(Some),
        Stage::TessControl => layout.vertices = Some(info.patch_vertices_out),
        Stage::TessEval => {
            layout.input_primitive = Some(info.input_primitive);
            layout.spacing = Some(info.spacing);
            layout.clockwise = Some(info.clockwise);
            layout.point_mode = info.point_mode;
        }
        Stage::Geometry => {
            layout.input_primitive = Some(info.input_primitive);
            layout.output_primitive = Some(info.output_primitive);
            layout.max_vertices = Some(info.max_vertices);
            layout.invocations = Some(info.invocations).filter(|&n| n > 1);
        }
        Stage::Fragment => {
            layout.early_fragment_tests = info.early_fragment_tests;
            layout.post_depth_coverage = info.post_depth_coverage;
            layout.origin_upper_left = info.origin_upper_left;
            layout.pixel_center_integer = info.pixel_center_integer;
            layout.depth = Some(info.depth_layout);
        }
        Stage::Vertex | Stage::Task | Stage::Mesh => {}
    }
    unit
}

//! Instruction selection: a shader of the IR to an AIR module with one entry point.
//!
//! Takes a shader in form `target` (or `slots`, as far as everything in it can be selected): one function, no calls, inputs,
//! outputs and buffers by slot and offset. Locals may still be variables. In order:
//!
//! 1. `plan`: facts about the code (`usage`), and Metal indices of the resources (`bindings`) by the rule of [`BindingMap`];
//! 2. `signature`: arguments, outputs and their metadata;
//! 3. `body`: the code, in one walk without clean-up afterwards;
//! 4. `metadata`: metadata of the module.
//!
//! Each step uses only the ones before it.
//!
//! Debug information (`debug`) is generated during selection, if requested.
//!
//! Operations that Metal cannot express are rejected with a diagnostic, never emitted as something else.
//!
//! Deliberate differences from the output of Apple's compiler: no TBAA (optional), alias scopes only where they can
//! matter, no attributes newer than LLVM 5 (`noundef` and so on), varyings are always named `user(locnN)`, built-in
//! arguments come last, inputs that are not used are left out instead of being marked.

mod body;
mod debug;
pub mod errors;
mod metadata;
mod options;
mod plan;
mod reflection;
mod sampler_state;
mod signature;
mod types;

pub use options::{ArgumentBuffers, BindingMap, DebugOptions, FastMathMode, Options, ResourceIndices};
pub use reflection::{
    Argument, ArgumentKind, Constant, ConstantSampler, FunctionStage, InterfaceRole, InterfaceValue,
    MeshSize, Partition, Patch, PatchDomain, RecordSlot, Records, Reflection, Topology,
};
pub use sampler_state::{
    Lod, SamplerAddress, SamplerBorder, SamplerCompare, SamplerFilter, SamplerMip, SamplerState,
};

use crate::bitcode;
use crate::ll;
use crate::metallib::{DataType, FunctionKind, Tessellation};
use crate::module::{Linkage, Module, TypeId, UnnamedAddr};
use airfoil_ir::{Diagnostic, Form, Loc, Name, Shader, Stage};
use body::FunctionEmitter;
use body::state::State;
use debug::locations::Locations;
use errors::Errors;
use plan::bindings;
use plan::usage::{Features, Usage};
use signature::function_constants::FunctionConstants;
use signature::{Signature, SignatureBuilder};
use types::{Layouts, ValueTypes};

/// The container's entry for the function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Name of the function.
    pub name: String,
    /// Kind of function.
    pub kind: FunctionKind,
    /// Vertex attributes: name, index, type.
    pub vertex_attributes: Vec<(Name, u16, DataType)>,
    /// Type of the output that selects the layer.
    pub layer: Option<DataType>,
    /// Patch of a post-tessellation vertex function.
    pub tessellation: Option<Tessellation>,
    /// Function constants: name, type, index.
    pub constants: Vec<(Name, DataType, u16)>,
    /// Line and path of the source, if debug information was requested.
    pub debug: Option<(u32, String)>,
}

/// A selected shader.
#[derive(Debug)]
pub struct Selected {
    /// The module.
    pub module: Module,
    /// Arguments and interface.
    pub reflection: Reflection,
    /// Entry of the container.
    pub entry: Entry,
}

/// Selects instructions for a shader.
pub fn select(shader: &Shader, options: &Options) -> Result<Selected, Vec<Diagnostic>> {
    let mut errors = Errors::default();
    let (kind, stage) = match shader.stage {
        Stage::Vertex => (FunctionKind::Vertex, FunctionStage::Vertex),
        Stage::TessEval => {
            if PatchDomain::of(shader).is_none() || shader.info.point_mode {
                let message = "Metal tessellates triangles and quads into triangles only";
                return Err(vec![Diagnostic::error(errors::STAGE, message)]);
            }
            (FunctionKind::Vertex, FunctionStage::Vertex)
        }
        Stage::Fragment => (FunctionKind::Fragment, FunctionStage::Fragment),
        Stage::Compute if shader.info.visible => (FunctionKind::Visible, FunctionStage::Visible),
        Stage::Compute => (FunctionKind::Kernel, FunctionStage::Kernel),
        Stage::Task => (FunctionKind::Object, FunctionStage::Object),
        Stage::Mesh => (FunctionKind::Mesh, FunctionStage::Mesh),
        other => {
            return Err(vec![
                Diagnostic::error(errors::STAGE, format!("{other} shaders cannot be selected for Metal"))
                    .help("passes such as tess_control_to_kernel make kernels of stages that Metal lacks"),
            ]);
        }
    };
    let body = match shader.entry_body() {
        Some(body) if shader.form != Form::Variables => body,
        Some(_) => {
            return Err(vec![
                Diagnostic::error(errors::NOT_SELECTABLE, "the shader is still in form `variables`")
                    .help("run lower_io and its relatives first"),
            ]);
        }
        None => {
            return Err(vec![Diagnostic::error(errors::NOT_SELECTABLE, "the shader has no entry function")]);
        }
    };
    let usage = Usage::new(shader, body);
    let bound = bindings::bind(
        shader,
        &options.bindings,
        usage.has(Features::BUFFER_SIZES),
        usage.has(Features::UNIFORMS),
        &mut errors,
    );
    // Without indices the number of arguments is not bounded.
    if !errors.list.is_empty() {
        return Err(errors.list);
    }
    let mut module = Module::new(&*shader.name, options.target.triple());
    let (mut layouts, mut values) = (Layouts::default(), ValueTypes::default());
    let mut sig = SignatureBuilder {
        m: &mut module,
        shader,
        body,
        options,
        usage: &usage,
        layouts: &mut layouts,
        values: &mut values,
        errors: &mut errors,
        out: Signature::new(),
        needs_sample: false,
    }
    .run(&bound);
    let mut constants = FunctionConstants::new(&mut module, shader, &usage, options, &mut errors);
    let function =
        module.define(&shader.name, sig.ret.unwrap_or(TypeId::VOID), &sig.params, Linkage::External);
    let attrs = metadata::attributes(&mut module, shader, options, &usage, &sig);
    if let Some(f) = module.function_mut(function) {
        (f.unnamed_addr, f.attrs) = (UnnamedAddr::Local, attrs);
    }
    let locations = options.debug.as_ref().map(|o| Locations::new(&mut module, shader, o, function));
    let debug = locations.as_ref().map(|l| (l.line(), l.path().to_owned()));
    let emitter = FunctionEmitter {
        b: module.build(function),
        shader,
        body,
        options,
        usage: &usage,
        sig: &sig,
        constants: &constants,
        errors: &mut errors,
        layouts: &mut layouts,
        values: &mut values,
        locations,
        loc: Loc::NONE,
        state: State::new(body),
    };
    emitter.run();
    if !errors.list.is_empty() {
        return Err(errors.list);
    }
    metadata::metadata(&mut module, shader, options, function, &sig);
    constants.metadata(&mut module);
    for &state in &sig.sampler_states {
        let node = [module.md_str("air.sampler_state"), module.md_value(state)];
        let node = module.md_node(&node);
        module.add_named_md("air.sampler_states", node);
    }
    let mut reflection = std::mem::take(&mut sig.reflection);
    reflection.stage = stage;
    reflection.entry = shader.name.to_string();
    reflection.workgroup_size = match shader.stage {
        Stage::Vertex | Stage::TessEval | Stage::Fragment => None,
        _ if shader.info.visible => None,
        _ => shader.info.fixed_workgroup_size(),
    };
    let patch = (shader.stage == Stage::TessEval).then(|| Patch::of(shader)).flatten();
    reflection.patch = patch;
    reflection.constants = std::mem::take(&mut constants.reflection);
    reflection.threadgroup_memory = shader.info.shared_size;
    let entry = Entry {
        name: shader.name.to_string(),
        kind,
        vertex_attributes: std::mem::take(&mut sig.vertex_attributes),
        layer: sig.layer,
        tessellation: match patch.map(|p| p.domain) {
            Some(PatchDomain::Quad) => Tessellation::quad(0),
            Some(PatchDomain::Triangle) => Tessellation::triangle(0),
            None => None,
        },
        constants: constants.entries,
        debug,
    };
    Ok(Selected { module, reflection, entry })
}

impl Selected {
    /// The module as text.
    pub fn to_ll(&self) -> String {
        ll::print(&self.module)
    }

    /// The module as bitcode, without wrapper.
    pub fn to_bitcode(&self) -> Vec<u8> {
        bitcode::write(&self.module)
    }
}

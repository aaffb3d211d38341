//! Instruction selection: a shader of the IR to an AIR module with one entry point.
//!
//! Takes a shader in form `target` (or `slots`, as far as everything in it can be selected): one function, no calls, inputs,
//! outputs and buffers by slot and offset. Locals may still be variables. In order:
//!
//! 1. `scan`: what the code uses, and how each untyped value is better held;
//! 2. `bindings`: Metal indices of the resources, by the rule of [`BindingMap`];
//! 3. `interface`: arguments, outputs and their metadata;
//! 4. `func` and its siblings: the body, one walk in order, no clean-up behind it;
//! 5. module-level metadata.
//!
//! Debug information (`debug`) is made along the way, if it is asked for.
//!
//! What Metal cannot express is refused with a worded diagnostic, never emitted as something else.
//!
//! Deliberate differences to what Apple's compiler writes: no alias scopes and TBAA (optional), no attributes younger than
//! LLVM 5 (`noundef` and so on), varyings are always named `user(locnN)`, built-in arguments come last, inputs that are not used are
//! left out instead of being marked.

mod body;
mod debug;
pub mod errors;
mod metadata;
mod options;
mod plan;
mod reflection;
mod signature;
mod types;

pub use options::{ArgumentBuffers, BindingMap, DebugOptions, FastMathMode, Options, ResourceIndices};
pub use reflection::{
    Argument, ArgumentKind, Constant, ConstantSampler, InterfaceValue, MeshSize, Patch, RecordSlot, Records,
    Reflection,
};
pub use signature::samplers::{
    Lod, SamplerAddress, SamplerBorder, SamplerCompare, SamplerFilter, SamplerMip, SamplerState,
};
pub use signature::texture_kind::Object;

use crate::bitcode;
use crate::ll;
use crate::metallib::{
    self, DataType, DebugLocation, FunctionConstant, FunctionEntry, FunctionKind, LibraryHeader, SourceFile,
    Sources, Tessellation, VertexAttribute,
};
use crate::module::{Linkage, Module, UnnamedAddr};
use airfoil_ir::{Diagnostic, Shader, Stage};
use body::{Emit, Parts};
use debug::Places;
use errors::Errors;
use plan::bindings;
use plan::usage::{Effects, Scan};
use signature::function_constants::FunctionConstants;
use signature::{Interface, Maker};
use types::{Layouts, ValueTypes};

/// What the container says about the function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Name of the function.
    pub name: String,
    /// Kind of function.
    pub kind: FunctionKind,
    /// Vertex attributes: name, index, type.
    pub vertex_attributes: Vec<(String, u16, DataType)>,
    /// Type of the output that selects the layer.
    pub layer: Option<DataType>,
    /// Patch of a post-tessellation vertex function.
    pub tessellation: Option<Tessellation>,
    /// Function constants: name, type, index.
    pub constants: Vec<(String, DataType, u16)>,
    /// Line and path of the source, if debug information was asked for.
    pub debug: Option<(u32, String)>,
}

/// A selected shader.
#[derive(Debug)]
pub struct Selected {
    /// The module.
    pub module: Module,
    /// What the caller binds.
    pub reflection: Reflection,
    /// What the container needs.
    pub entry: Entry,
}

/// Selects instructions for a shader.
pub fn select(shader: &Shader, options: &Options) -> Result<Selected, Vec<Diagnostic>> {
    let mut errors = Errors::default();
    let (kind, stage) = match shader.stage {
        Stage::Vertex => (FunctionKind::Vertex, "vertex"),
        Stage::TessEval => {
            if metadata::patch_domain(shader).is_none() || shader.info.point_mode {
                let message = "Metal tessellates triangles and quads into triangles only";
                return Err(vec![Diagnostic::error(errors::STAGE, message)]);
            }
            (FunctionKind::Vertex, "vertex")
        }
        Stage::Fragment => (FunctionKind::Fragment, "fragment"),
        Stage::Compute if shader.info.visible => (FunctionKind::Visible, "visible"),
        Stage::Compute => (FunctionKind::Kernel, "kernel"),
        Stage::Task => (FunctionKind::Object, "object"),
        Stage::Mesh => (FunctionKind::Mesh, "mesh"),
        other => {
            return Err(vec![
                Diagnostic::error(errors::STAGE, format!("{other} shaders cannot be selected for Metal"))
                    .help("passes such as tess_control_to_kernel make kernels of stages that Metal lacks"),
            ]);
        }
    };
    let body = match shader.entry_body() {
        Some(body) if shader.form != airfoil_ir::Form::Variables => body,
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
    let scan = Scan::new(shader, body);
    let bound = bindings::bind(
        shader,
        &options.bindings,
        scan.has(Effects::BUFFER_SIZES),
        scan.has(Effects::UNIFORMS),
        &mut errors,
    );
    // Without indices the number of arguments is not bounded.
    if !errors.list.is_empty() {
        return Err(errors.list);
    }
    let mut module = Module::new(&shader.name, &options.target.triple());
    let (mut layouts, mut values) = (Layouts::default(), ValueTypes::default());
    let mut face = Maker {
        m: &mut module,
        shader,
        body,
        options,
        scan: &scan,
        layouts: &mut layouts,
        values: &mut values,
        errors: &mut errors,
        out: Interface::new(),
        needs_sample: false,
    }
    .run(&bound);
    let mut constants = FunctionConstants::new(&mut module, shader, &scan, options, &mut errors);
    let function = module.define(&shader.name, face.ret, &face.params, Linkage::External);
    let attrs = metadata::attributes(&mut module, shader, options, &scan, &face);
    if let Some(f) = module.function_mut(function) {
        (f.unnamed_addr, f.attrs) = (UnnamedAddr::Local, attrs);
    }
    let places = options.debug.as_ref().map(|o| Places::new(&mut module, shader, o, function));
    let debug = places.as_ref().map(|p| (p.line(), p.path().to_owned()));
    let parts = Parts {
        shader,
        body,
        options,
        scan: &scan,
        face: &face,
        constants: &constants,
        errors: &mut errors,
        layouts: &mut layouts,
        values: &mut values,
        places,
    };
    Emit::new(&mut module, function, parts).run();
    if !errors.list.is_empty() {
        return Err(errors.list);
    }
    metadata::metadata(&mut module, shader, options, function, &face);
    constants.metadata(&mut module);
    for &state in &face.sampler_states {
        let node = [module.md_str("air.sampler_state"), module.md_value(state)];
        let node = module.md_node(&node);
        module.add_named_md("air.sampler_states", node);
    }
    let mut reflection = std::mem::take(&mut face.reflection);
    reflection.stage = stage;
    reflection.entry = shader.name.to_string();
    reflection.workgroup_size = match shader.stage {
        Stage::Vertex | Stage::TessEval | Stage::Fragment => [0; 3],
        _ if shader.info.visible => [0; 3],
        _ => shader.info.workgroup_size,
    };
    let patch = (shader.stage == Stage::TessEval).then(|| Patch::of(shader)).flatten();
    reflection.patch = patch;
    reflection.constants = std::mem::take(&mut constants.reflection);
    reflection.threadgroup_memory = shader.info.shared_size;
    let entry = Entry {
        name: shader.name.to_string(),
        kind,
        vertex_attributes: std::mem::take(&mut face.vertex_attributes),
        layer: face.layer,
        tessellation: match patch.map(|p| p.domain) {
            Some("quad") => Tessellation::quad(0),
            Some(_) => Tessellation::triangle(0),
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

    /// A library with this function alone.
    pub fn to_metallib(&self, options: &Options) -> Result<Vec<u8>, Vec<Diagnostic>> {
        library(std::slice::from_ref(self), options)
    }

    fn library_entry<'s>(&'s self, options: &Options, air: &'s [u8]) -> FunctionEntry<'s> {
        let mut entry = FunctionEntry::new(&self.entry.name, self.entry.kind, &options.target, air);
        entry.layer = self.entry.layer;
        entry.debug = self.entry.debug.as_ref().map(|(line, path)| DebugLocation { line: *line, path });
        entry.tessellation = self.entry.tessellation;
        let constants = self.entry.constants.iter();
        entry.constants = constants
            .map(|(name, data_type, index)| FunctionConstant {
                name,
                data_type: *data_type,
                index: *index,
                active: true,
            })
            .collect();
        entry.vertex_attributes = self
            .entry
            .vertex_attributes
            .iter()
            .map(|(name, index, data_type)| VertexAttribute {
                name,
                index: *index,
                usage: 0,
                active: true,
                data_type: *data_type,
            })
            .collect();
        entry
    }
}

/// A library of several functions, such as the stages of a program. Their names must differ.
pub fn library(functions: &[Selected], options: &Options) -> Result<Vec<u8>, Vec<Diagnostic>> {
    library_with_sources(functions, options, &[])
}

/// The same with the sources for debuggers, in one archive.
///
/// # Errors
/// Two functions of one name, or a path of a source that an archive has no room for.
pub fn library_with_sources(
    functions: &[Selected],
    options: &Options,
    files: &[SourceFile],
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let modules: Vec<Vec<u8>> = functions.iter().map(|f| bitcode::write_wrapped(&f.module)).collect();
    let mut entries: Vec<FunctionEntry<'_>> =
        functions.iter().zip(&modules).map(|(f, air)| f.library_entry(options, air)).collect();
    let directory = options.debug.as_ref().map_or("", |debug| &debug.directory);
    let sources = (!files.is_empty()).then(|| Sources::of(directory, files.to_vec()));
    if sources.is_some() {
        entries.iter_mut().for_each(|entry| entry.archive = Some(0));
    }
    metallib::write_with_sources(&LibraryHeader::for_target(&options.target), &entries, sources.as_ref())
        .map_err(|e| vec![Diagnostic::error(errors::NOT_SELECTABLE, e.to_string())])
}

/// Compiles a shader to `.ll` text.
pub fn compile_to_ll(shader: &Shader, options: &Options) -> Result<String, Vec<Diagnostic>> {
    Ok(select(shader, options)?.to_ll())
}

/// Compiles a shader to bitcode.
pub fn compile_to_bitcode(shader: &Shader, options: &Options) -> Result<Vec<u8>, Vec<Diagnostic>> {
    Ok(select(shader, options)?.to_bitcode())
}

/// Compiles a shader to a `.metallib` with its reflection.
pub fn compile_to_metallib(
    shader: &Shader,
    options: &Options,
) -> Result<(Vec<u8>, Reflection), Vec<Diagnostic>> {
    let selected = select(shader, options)?;
    let bytes = selected.to_metallib(options)?;
    Ok((bytes, selected.reflection))
}

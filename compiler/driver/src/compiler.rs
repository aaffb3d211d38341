//! Compiling in one call, or in two for variants of a program.

use crate::debug::{self, Key};
use crate::steps::{read_foil, read_glsl_keys, read_spirv_key, spirv_sources};
use crate::transform_feedback::{captures, spirv_captures};
use crate::{CompileOptions, Errors, Function, Output, PipelineState, ReadOptions, TransformFeedback};
use airfoil_air::compile::{emit, lower};
use airfoil_air::library::library_with_sources;
use airfoil_air::lowerings::Captures;
use airfoil_air::metallib::SourceFile;
use airfoil_air::plan::{PlanOptions, compile_plan, metal_plan, optimize_plan};
use airfoil_glsl::link::Reflection as ProgramReflection;
use airfoil_glsl::{ProgramOptions, Source};
use airfoil_ir::{Diagnostic, Shader};
use airfoil_passes::Pipeline;
use std::borrow::Cow;
use std::sync::Arc;

/// Compiles shaders with the same options. It can be shared by threads.
#[derive(Debug)]
pub struct Compiler {
    options: CompileOptions,
}

/// Facts about the source that its shaders do not hold.
#[derive(Clone, Debug)]
struct Origin {
    /// Whether the source's API has the first vertex of a primitive provoke.
    first_provokes: bool,
    /// The captures that the source declares. An error matters only if they are requested.
    captures: Result<Captures, Vec<Diagnostic>>,
    /// Sources to embed.
    files: Vec<SourceFile>,
    program: Option<Arc<ProgramReflection>>,
    warnings: Vec<Diagnostic>,
    /// Keys of the shaders for `AIRFOIL_DEBUG`.
    keys: Vec<Key>,
}

impl Default for Origin {
    fn default() -> Origin {
        Origin {
            first_provokes: true,
            captures: Ok(Captures::default()),
            files: Vec::new(),
            program: None,
            warnings: Vec::new(),
            keys: Vec::new(),
        }
    }
}

/// Optimised shaders, from which a [`Compiler`] compiles [variants](Compiler::variant).
#[derive(Clone, Debug)]
pub struct Prepared {
    shaders: Vec<Shader>,
    origin: Origin,
}

impl Prepared {
    /// The optimised shaders, in order of the pipeline.
    pub fn shaders(&self) -> &[Shader] {
        &self.shaders
    }

    /// The reflection of a GLSL program.
    pub fn program(&self) -> Option<&ProgramReflection> {
        self.origin.program.as_deref()
    }
}

/// Shaders that were optimised step by step.
impl From<Vec<Shader>> for Prepared {
    fn from(shaders: Vec<Shader>) -> Prepared {
        Prepared { shaders, origin: Origin::default() }
    }
}

impl Compiler {
    /// A compiler with these options, or with the default options for a [`Target`](crate::Target).
    pub fn new(options: impl Into<CompileOptions>) -> Compiler {
        Compiler { options: options.into() }
    }

    /// The options.
    pub fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// Compiles one entry point of a SPIR-V module.
    ///
    /// # Errors
    /// Everything that is wrong with the module or unsupported on the target.
    pub fn compile_spirv(&self, words: &[u32]) -> Result<Output, Errors> {
        let declared = self.options.state.transform_feedback == TransformFeedback::Declared;
        let (mut shader, origin) = self.open_spirv(words, declared)?;
        self.all_at_once(std::slice::from_mut(&mut shader), &origin)
    }

    /// Compiles the stages of a GLSL program to one library.
    ///
    /// # Errors
    /// Everything that is wrong with the sources or the program, or unsupported on the target.
    pub fn compile_glsl(&self, sources: &[Source<'_>], options: &ProgramOptions) -> Result<Output, Errors> {
        let (mut shaders, origin) = self.open_glsl(sources, options)?;
        self.all_at_once(&mut shaders, &origin)
    }

    /// Compiles a shader in the text form of the IR.
    ///
    /// # Errors
    /// Everything that is wrong with the text or unsupported on the target.
    pub fn compile_foil(&self, text: &str) -> Result<Output, Errors> {
        self.compile(&mut [read_foil(text)?])
    }

    /// Compiles the [valid](crate::steps::validate) shaders of a pipeline, in order of its stages, or a single one.
    /// Afterwards they are in the form that the backend takes.
    ///
    /// # Errors
    /// Constructs that are unsupported on the target.
    pub fn compile(&self, shaders: &mut [Shader]) -> Result<Output, Errors> {
        self.all_at_once(shaders, &Origin::default())
    }

    /// Reads and optimises one entry point of a SPIR-V module, for [variants](Compiler::variant).
    ///
    /// # Errors
    /// Everything that is wrong with the module or unsupported on the target.
    pub fn prepare_spirv(&self, words: &[u32]) -> Result<Prepared, Errors> {
        let (shader, origin) = self.open_spirv(words, true)?;
        self.prepare(vec![shader], origin)
    }

    /// Links and optimises a GLSL program, for [variants](Compiler::variant).
    ///
    /// # Errors
    /// Everything that is wrong with the sources or the program, or unsupported on the target.
    pub fn prepare_glsl(&self, sources: &[Source<'_>], options: &ProgramOptions) -> Result<Prepared, Errors> {
        let (shaders, origin) = self.open_glsl(sources, options)?;
        self.prepare(shaders, origin)
    }

    /// Makes a library of prepared shaders for a state of the pipeline, which replaces that of the options. It takes a
    /// fraction of the time of a whole compile.
    ///
    /// # Errors
    /// Constructs that are unsupported on the target.
    pub fn variant(&self, prepared: &Prepared, state: &PipelineState) -> Result<Output, Errors> {
        let options = self.plan_options(state, &prepared.origin)?;
        let mut shaders = prepared.shaders.clone();
        let plan = metal_plan(&shaders, &options);
        let stages: Vec<_> = shaders.iter().map(|s| s.stage).collect();
        self.finish(&stages, &mut shaders, &plan, &options, &prepared.origin)
    }

    fn open_spirv(&self, words: &[u32], declared: bool) -> Result<(Shader, Origin), Errors> {
        let read = &self.options.read;
        let files = if self.options.embed_sources { spirv_sources(words) } else { Vec::new() };
        let captures = if declared { spirv_captures(words, read) } else { Ok(Captures::default()) };
        let captures = captures.map_err(Errors::into_vec);
        // Debug information describes the variables of the source.
        let keep_locals = read.keep_locals || self.options.air.debug.is_some();
        let read = ReadOptions { keep_locals, ..read.clone() };
        let (shader, keys) = read_spirv_key(words, &read)?;
        Ok((shader, Origin { captures, files, keys, ..Origin::default() }))
    }

    fn open_glsl(
        &self,
        sources: &[Source<'_>],
        options: &ProgramOptions,
    ) -> Result<(Vec<Shader>, Origin), Errors> {
        // As for SPIR-V.
        let mut options = Cow::Borrowed(options);
        if self.options.air.debug.is_some() {
            options.to_mut().link.keep_locals = true;
        }
        let (program, keys) = read_glsl_keys(sources, &options)?;
        let file = |s: &Source<'_>| SourceFile { path: s.name.to_owned(), text: s.text.as_bytes().to_vec() };
        let embedded = sources.iter().filter(|_| self.options.embed_sources);
        let origin = Origin {
            first_provokes: options.vulkan,
            captures: captures(&program.reflection.transform_feedback).map_err(Errors::into_vec),
            files: embedded.map(file).collect(),
            program: Some(Arc::new(program.reflection)),
            warnings: program.warnings,
            keys,
        };
        Ok((program.shaders, origin))
    }

    fn plan_options(&self, state: &PipelineState, origin: &Origin) -> Result<PlanOptions, Errors> {
        let declared = match state.transform_feedback {
            TransformFeedback::Declared => origin.captures.clone()?,
            _ => Captures::default(),
        };
        let CompileOptions { level, clip_planes, .. } = self.options;
        Ok(state.plan_options(level, declared, origin.first_provokes, clip_planes))
    }

    /// Debug information requires the names, which passes drop otherwise.
    fn keep_names(&self, shaders: &mut [Shader]) {
        if self.options.air.debug.is_some() {
            shaders.iter_mut().for_each(Shader::keep_names);
        }
    }

    fn prepare(&self, mut shaders: Vec<Shader>, origin: Origin) -> Result<Prepared, Errors> {
        self.keep_names(&mut shaders);
        let options = self.plan_options(&PipelineState::default(), &origin)?;
        let plan = optimize_plan(&shaders, &options);
        debug::plan("optimization", &origin.keys, &plan);
        let mut manager = debug::manager();
        let _ = debug::timed("optimize", &origin.keys, || manager.run_program(&plan, &mut shaders))?;
        debug::slowest(&origin.keys, &manager);
        Ok(Prepared { shaders, origin })
    }

    fn all_at_once(&self, shaders: &mut [Shader], origin: &Origin) -> Result<Output, Errors> {
        self.keep_names(shaders);
        let options = self.plan_options(&self.options.state, origin)?;
        let plan = compile_plan(shaders, &options);
        let stages: Vec<_> = shaders.iter().map(|s| s.stage).collect();
        self.finish(&stages, shaders, &plan, &options, origin)
    }

    /// Runs the last plan, and writes the library.
    fn finish(
        &self,
        stages: &[airfoil_ir::Stage],
        shaders: &mut [Shader],
        plan: &Pipeline,
        options: &PlanOptions,
        origin: &Origin,
    ) -> Result<Output, Errors> {
        let keys = &origin.keys;
        debug::plan("a library", keys, plan);
        let mut manager = debug::manager();
        let layouts = debug::timed("lower", keys, || lower(shaders, plan, options, &mut manager))?;
        debug::slowest(keys, &manager);
        let mut selected = debug::timed("select", keys, || emit(shaders, layouts, &self.options.air))?;
        debug::selected(keys, shaders, &mut selected);
        self.output(stages, selected, origin)
    }

    fn output(
        &self,
        stages: &[airfoil_ir::Stage],
        selected: Vec<airfoil_air::select::Selected>,
        origin: &Origin,
    ) -> Result<Output, Errors> {
        let metallib = library_with_sources(&selected, &self.options.air, &origin.files)?;
        let function = |(&stage, s): (_, airfoil_air::select::Selected)| Function {
            name: s.reflection.entry.clone(),
            stage,
            reflection: s.reflection,
        };
        Ok(Output {
            metallib,
            functions: stages.iter().zip(selected).map(function).collect(),
            program: origin.program.clone(),
            warnings: origin.warnings.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_ir::Stage;

    const SOURCES: [Source<'_>; 2] = [
        Source {
            name: "a.vert",
            stage: Stage::Vertex,
            text: "attribute vec4 p; void main() { gl_Position = p; }",
        },
        Source { name: "a.frag", stage: Stage::Fragment, text: "void main() { gl_FragColor = vec4(1.0); }" },
    ];

    #[test]
    fn sources_are_embedded_on_request() {
        use airfoil_air::metallib;
        let file = |s: &Source<'_>| SourceFile { path: s.name.to_owned(), text: s.text.as_bytes().to_vec() };
        for embed in [false, true] {
            let compiler = Compiler::new(CompileOptions::default().embed_sources(embed));
            let output = compiler.compile_glsl(&SOURCES, &ProgramOptions::default()).unwrap();
            let library = metallib::read(&output.metallib).unwrap();
            let found = metallib::read_sources(&output.metallib, &library).unwrap();
            let expected = embed.then(|| SOURCES.each_ref().map(file).to_vec());
            assert_eq!(found.map(|s| s.archives[0].files.clone()), expected);
            assert!(library.functions.iter().all(|f| f.source_offset.is_some() == embed));
        }
    }

    #[test]
    fn a_variant_has_the_bytes_of_a_whole_compile() {
        let state = PipelineState::default().flip_y(true).half_z(true);
        for state in [PipelineState::default(), state] {
            let whole = Compiler::new(CompileOptions::default().state(state.clone()));
            let whole = whole.compile_glsl(&SOURCES, &ProgramOptions::default()).unwrap();
            let compiler = Compiler::new(CompileOptions::default());
            let prepared = compiler.prepare_glsl(&SOURCES, &ProgramOptions::default()).unwrap();
            let variant = compiler.variant(&prepared, &state).unwrap();
            assert_eq!(variant.metallib, whole.metallib);
            let stages: Vec<Stage> = variant.functions.iter().map(|f| f.stage).collect();
            assert_eq!(stages, [Stage::Vertex, Stage::Fragment]);
            assert_eq!(variant.function(Stage::Vertex).unwrap().name, "vertex_main");
            assert!(variant.program.is_some());
        }
    }
}

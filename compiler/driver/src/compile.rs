//! The way from a shader to a library, whole and in steps.

use crate::distances::{ClipPlanes, lower_distances};
use crate::transform_feedback::spirv_captures;
use airfoil_air::lowerings::Captures;
use airfoil_air::metallib::SourceFile;
use airfoil_air::select::{self, Selected};
use airfoil_air::stages;
use airfoil_ir::{Diagnostic, Form, Shader};
use airfoil_passes::Pipeline;
use airfoil_passes::manager::Manager;
use std::borrow::Cow;

/// How much to optimise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OptLevel {
    /// Only what the target needs.
    O0,
    /// The same with one sweep of clean-ups.
    O1,
    /// Clean-ups repeat until nothing changes.
    #[default]
    O2,
}

impl OptLevel {
    /// The pipeline that brings a shader of a form to where the backend takes it.
    pub fn pipeline(self, form: Form) -> &'static str {
        match (self, form) {
            (OptLevel::O0, Form::Variables) => "O0",
            (OptLevel::O1, Form::Variables) => "O1",
            (OptLevel::O2, Form::Variables) => "O2",
            // The first parts of the presets have been run; what is left of them works on both later forms.
            (OptLevel::O0, _) => "textures, lower_subgroups, lower_doubles, target",
            (OptLevel::O1, _) => "textures, lower_subgroups, locals, lower_doubles, values, target",
            (OptLevel::O2, _) => "restaged",
        }
    }
}

/// Which vertex of a primitive provokes: its flat values, layer, viewport and `gl_PrimitiveID` are those of the primitive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Provoking {
    /// As the API of the source has it: the last for OpenGL, the first for Vulkan and the text form.
    #[default]
    OfSource,
    /// The first (`GL_FIRST_VERTEX_CONVENTION`, Vulkan).
    First,
    /// The last (`GL_LAST_VERTEX_CONVENTION`).
    Last,
}

impl Provoking {
    /// Whether it is the first; `of_source` says so of the source's API.
    pub fn is_first(self, of_source: bool) -> bool {
        match self {
            Provoking::OfSource => of_source,
            Provoking::First => true,
            Provoking::Last => false,
        }
    }
}

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// How SPIR-V is read: entry point, stage, specialization constants.
    pub read: airfoil_spirv_in::Options,
    /// How much is optimised.
    pub level: OptLevel,
    /// What is compiled for, and where resources go.
    pub air: select::Options,
    /// Which vertex of a primitive of a geometry shader provokes; this goes before what `air` says.
    pub provoking: Provoking,
    /// User clip planes.
    pub clip_planes: ClipPlanes,
    /// Libraries carry the sources, for debuggers: those of GLSL, and what a SPIR-V module has of its own.
    pub embed_sources: bool,
    /// Vertex shaders write what the linker of GLSL or the decorations of SPIR-V say transform feedback captures; this goes before what
    /// `air` says.
    pub transform_feedback: bool,
}

/// What compiling gives.
#[derive(Clone, Debug)]
pub struct Output {
    /// The library: what `newLibraryWithData:` takes.
    pub metallib: Vec<u8>,
    /// Where each resource is bound, what the stage takes and gives.
    pub reflection: select::Reflection,
}

/// Compiles many shaders with the same options. It can be shared by threads.
#[derive(Debug)]
pub struct Compiler {
    options: CompileOptions,
    pipelines: Pipelines,
}

impl Compiler {
    /// A compiler with these options.
    pub fn new(options: CompileOptions) -> Compiler {
        let pipelines = Pipelines::new(options.level);
        Compiler { options, pipelines }
    }

    /// The options.
    pub fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// Compiles one entry point of a SPIR-V module.
    ///
    /// # Errors
    /// All that is wrong with the module, or cannot be expressed on the target.
    pub fn compile_spirv(&self, words: &[u32]) -> Result<Output, Vec<Diagnostic>> {
        let files = if self.options.embed_sources { spirv_sources(words) } else { Vec::new() };
        let captures = self.options.transform_feedback;
        let captures = captures.then(|| spirv_captures(words, &self.options.read)).transpose()?;
        self.compile_with(&mut read_spirv(words, &self.options.read)?, &files, captures)
    }

    /// Compiles a shader in the text form of the IR.
    ///
    /// # Errors
    /// All that is wrong with the text, or cannot be expressed on the target.
    pub fn compile_foil(&self, text: &str) -> Result<Output, Vec<Diagnostic>> {
        self.compile(&mut read_foil(text)?)
    }

    /// Compiles a shader; afterwards it is in the form that the backend took. It has to be [valid](validate).
    ///
    /// # Errors
    /// What cannot be expressed on the target.
    pub fn compile(&self, shader: &mut Shader) -> Result<Output, Vec<Diagnostic>> {
        self.compile_with(shader, &[], None)
    }

    /// Runs the passes of the level. Debug information wants the names that they else leave behind.
    pub(crate) fn optimise(&self, shader: &mut Shader) -> Result<(), Vec<Diagnostic>> {
        if self.options.air.debug.is_some() {
            shader.keep_names();
        }
        Manager::default().run(self.pipelines.for_form(shader.form), shader).map(drop)
    }

    fn compile_with(
        &self,
        shader: &mut Shader,
        files: &[SourceFile],
        captures: Option<Captures>,
    ) -> Result<Output, Vec<Diagnostic>> {
        lower_distances(std::slice::from_mut(shader), self.options.clip_planes)?;
        self.optimise(shader)?;
        let mut air = self.air(true);
        if let Some(captures) = captures {
            air.to_mut().lowerings.captures = captures;
        }
        let stages = select_stages(std::slice::from_ref(shader), self.options.level, &air)?;
        library(stages, &air, files)
    }

    /// The options of the backend; `first_provokes` is so in the source's API.
    pub(crate) fn air(&self, first_provokes: bool) -> Cow<'_, select::Options> {
        let first_provokes = self.options.provoking.is_first(first_provokes);
        let mut air = Cow::Borrowed(&self.options.air);
        if air.stages.first_provokes != first_provokes {
            air.to_mut().stages.first_provokes = first_provokes;
        }
        air
    }
}

/// The pipelines of a level, ready to run.
#[derive(Debug)]
pub struct Pipelines {
    variables: Pipeline,
    lowered: Pipeline,
}

impl Pipelines {
    /// Those of a level.
    pub fn new(level: OptLevel) -> Pipelines {
        // Tests parse them all.
        let parse = |form| Pipeline::parse(level.pipeline(form)).expect("presets parse");
        Pipelines { variables: parse(Form::Variables), lowered: parse(Form::Slots) }
    }

    /// The one for shaders of a form.
    pub fn for_form(&self, form: Form) -> &Pipeline {
        if form == Form::Variables { &self.variables } else { &self.lowered }
    }
}

/// Reads one entry point of a SPIR-V module, given as words of either byte order.
///
/// # Errors
/// What is wrong or not supported, with the place in the module.
pub fn read_spirv(words: &[u32], options: &airfoil_spirv_in::Options) -> Result<Shader, Vec<Diagnostic>> {
    airfoil_spirv_in::read(words, options)
}

/// Reads the text form of the IR, and [validates](validate) it: texts are written by hand.
///
/// # Errors
/// What is wrong, with line and column, or which rules of the IR are broken.
pub fn read_foil(text: &str) -> Result<Shader, Vec<Diagnostic>> {
    let shader = airfoil_ir::text::parse(text)?;
    validate(&shader)?;
    Ok(shader)
}

/// Checks all that the IR promises. Passes and the backend rely on it.
///
/// # Errors
/// The rules that are broken, with the instructions that break them.
pub fn validate(shader: &Shader) -> Result<(), Vec<Diagnostic>> {
    let violations = airfoil_ir::validate::validate(shader);
    match violations.is_empty() {
        true => Ok(()),
        false => Err(violations.iter().map(|v| Diagnostic::error("E0400", v.to_string())).collect()),
    }
}

/// Optimises a [valid](validate) shader and brings it into the form that the backend takes.
///
/// # Errors
/// What cannot be expressed on the target.
pub fn optimize(shader: &mut Shader, level: OptLevel) -> Result<(), Vec<Diagnostic>> {
    Manager::default().run(Pipelines::new(level).for_form(shader.form), shader).map(drop)
}

/// Selects instructions for the [optimised](optimize) shaders of a pipeline, or for one that comes alone. What the options
/// [choose](airfoil_air::lowerings) and stages that Metal lacks are [lowered](airfoil_air::stages) first, which leaves the shaders themselves as they are; what that adds is optimised as
/// `level` says.
///
/// # Errors
/// What cannot be expressed on the target.
pub fn select_stages(
    shaders: &[Shader],
    level: OptLevel,
    options: &select::Options,
) -> Result<Vec<Selected>, Vec<Diagnostic>> {
    let chosen = &options.lowerings;
    if !chosen.concerns(shaders) && !stages::concerns(shaders, &options.stages) {
        return select_all(shaders, options);
    }
    let mut shaders = shaders.to_vec();
    let changed = chosen.apply(&mut shaders, &options.stages)?;
    let captured: Vec<_> = (0..shaders.len()).map(|n| chosen.records(&shaders, n)).collect();
    let layouts = stages::lower(&mut shaders, &options.stages)?;
    let pipelines = Pipelines::new(level);
    for ((shader, layouts), changed) in shaders.iter_mut().zip(&layouts).zip(changed) {
        if changed || !layouts.is_empty() {
            Manager::default().run(pipelines.for_form(shader.form), shader).map(drop)?;
        }
    }
    let mut selected = select_all(&shaders, options)?;
    for ((stage, layouts), captured) in selected.iter_mut().zip(layouts).zip(captured) {
        stage.reflection.records = layouts.into_iter().map(Into::into).chain(captured).collect();
    }
    Ok(selected)
}

/// Selects instructions for every shader; all that is wrong is told.
fn select_all(shaders: &[Shader], options: &select::Options) -> Result<Vec<Selected>, Vec<Diagnostic>> {
    let mut selected = Vec::with_capacity(shaders.len());
    let mut faults = Vec::new();
    for shader in shaders {
        match select::select(shader, options) {
            Ok(stage) => selected.push(stage),
            Err(list) => faults.extend(list),
        }
    }
    if faults.is_empty() { Ok(selected) } else { Err(faults) }
}

/// The sources that a SPIR-V module carries.
pub fn spirv_sources(words: &[u32]) -> Vec<SourceFile> {
    let named = |(path, text): (String, String)| SourceFile {
        // A debugger needs a name for it.
        path: if path.is_empty() { "source".to_owned() } else { path },
        text: text.into_bytes(),
    };
    airfoil_spirv_in::sources(words).into_iter().map(named).collect()
}

/// A library with the reflection of its first function.
fn library(
    selected: Vec<Selected>,
    options: &select::Options,
    files: &[SourceFile],
) -> Result<Output, Vec<Diagnostic>> {
    let metallib = airfoil_air::library::library_with_sources(&selected, options, files)?;
    let reflection = selected.into_iter().next().map(|s| s.reflection).unwrap_or_default();
    Ok(Output { metallib, reflection })
}

/// Makes a library of an [optimised](optimize) shader.
///
/// # Errors
/// What cannot be expressed on the target.
pub fn to_metallib(shader: &Shader, options: &select::Options) -> Result<Output, Vec<Diagnostic>> {
    library(select_stages(std::slice::from_ref(shader), OptLevel::O0, options)?, options, &[])
}

/// Compiles one entry point of a SPIR-V module. For many modules a [`Compiler`] is quicker.
///
/// # Errors
/// All that is wrong with the module, or cannot be expressed on the target.
pub fn compile_spirv(words: &[u32], options: &CompileOptions) -> Result<Output, Vec<Diagnostic>> {
    Compiler::new(options.clone()).compile_spirv(words)
}

/// Compiles a shader in the text form of the IR.
///
/// # Errors
/// All that is wrong with the text, or cannot be expressed on the target.
pub fn compile_foil(text: &str, options: &CompileOptions) -> Result<Output, Vec<Diagnostic>> {
    Compiler::new(options.clone()).compile_foil(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_parse_and_fit_their_forms() {
        for level in [OptLevel::O0, OptLevel::O1, OptLevel::O2] {
            let pipelines = Pipelines::new(level);
            for form in [Form::Variables, Form::Slots, Form::Target] {
                let mut shader = Shader::new("empty", airfoil_ir::Stage::Compute);
                shader.form = form;
                let pipeline = pipelines.for_form(form);
                assert!(!pipeline.steps().is_empty());
                assert!(Manager::default().run(pipeline, &mut shader).is_ok(), "{level:?}, {form}");
            }
        }
    }
}

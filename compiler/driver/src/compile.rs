//! A compile as a whole and in steps.

use crate::transform_feedback::spirv_captures;
use airfoil_air::compile::{emit, lower};
use airfoil_air::library::library_with_sources;
use airfoil_air::lowerings::Captures;
use airfoil_air::metallib::SourceFile;
use airfoil_air::plan::{self, PlanOptions, compile_plan, metal_plan};
use airfoil_air::select::{self, Selected};
use airfoil_ir::{Diagnostic, Shader};
use airfoil_passes::gl::lower_distances::LowerDistances;
use airfoil_passes::manager::Manager;
use airfoil_passes::presets::OptLevel;

/// The user clip planes of OpenGL's compatibility profile: state of the pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClipPlanes {
    /// Mask of the planes that are enabled (`GL_CLIP_PLANE0` is bit 0). Without any, `gl_ClipVertex` has no effect.
    pub enabled: u32,
    /// Binding of a uniform block with the planes, for shaders that do not have `gl_ClipPlane` themselves.
    pub binding: Option<u32>,
}

impl From<ClipPlanes> for LowerDistances {
    fn from(planes: ClipPlanes) -> LowerDistances {
        let pass = LowerDistances { planes: planes.enabled, ..LowerDistances::default() };
        LowerDistances { binding: planes.binding.unwrap_or(pass.binding), ..pass }
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
}

impl Compiler {
    /// A compiler with these options.
    pub fn new(options: CompileOptions) -> Compiler {
        Compiler { options }
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

    fn compile_with(
        &self,
        shader: &mut Shader,
        files: &[SourceFile],
        captures: Option<Captures>,
    ) -> Result<Output, Vec<Diagnostic>> {
        let air = self.air(true, captures);
        output(self.stages(std::slice::from_mut(shader), &air)?, &air, files)
    }

    /// The functions of the shaders of a program.
    pub(crate) fn stages(
        &self,
        shaders: &mut [Shader],
        air: &select::Options,
    ) -> Result<Vec<Selected>, Vec<Diagnostic>> {
        if air.debug.is_some() {
            // Debug information requires the names, which passes drop otherwise.
            shaders.iter_mut().for_each(Shader::keep_names);
        }
        let options = PlanOptions {
            distances: self.options.clip_planes.into(),
            ..PlanOptions::new(self.options.level, air)
        };
        let plan = compile_plan(shaders, &options);
        let layouts = lower(shaders, &plan, &options, &mut Manager::default())?;
        emit(shaders, layouts, air)
    }

    /// The options of the backend; `first_provokes` is the convention of the source's API.
    pub(crate) fn air(&self, first_provokes: bool, captures: Option<Captures>) -> select::Options {
        let mut air = self.options.air.clone();
        air.stages.first_provokes = self.options.provoking.is_first(first_provokes);
        if let Some(captures) = captures {
            air.lowerings.captures = captures;
        }
        air
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

/// Optimises a [valid](validate) shader and brings it into the form that the AIR backend takes.
///
/// # Errors
/// Constructs that the target cannot express.
pub fn optimize(shader: &mut Shader, level: OptLevel) -> Result<(), Vec<Diagnostic>> {
    Manager::default().run(plan::pipeline(level, shader.form), shader).map(drop)
}

/// Selects instructions for the [optimised](optimize) shaders of a pipeline, or for a single one. Lowerings that the
/// options [choose](airfoil_air::lowerings) and stages that Metal lacks are lowered first, in a copy of the shaders; the
/// code which that adds is optimised as `level` specifies.
///
/// # Errors
/// Constructs that the target cannot express.
pub fn select_stages(
    shaders: &[Shader],
    level: OptLevel,
    options: &select::Options,
) -> Result<Vec<Selected>, Vec<Diagnostic>> {
    let plan_options = PlanOptions::new(level, options);
    let mut shaders = shaders.to_vec();
    let plan = metal_plan(&shaders, &plan_options);
    let layouts = lower(&mut shaders, &plan, &plan_options, &mut Manager::default())?;
    emit(&shaders, layouts, options)
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
fn output(
    selected: Vec<Selected>,
    options: &select::Options,
    files: &[SourceFile],
) -> Result<Output, Vec<Diagnostic>> {
    let metallib = library_with_sources(&selected, options, files)?;
    let reflection = selected.into_iter().next().map(|s| s.reflection).unwrap_or_default();
    Ok(Output { metallib, reflection })
}

/// Makes a library of an [optimised](optimize) shader.
///
/// # Errors
/// What cannot be expressed on the target.
pub fn to_metallib(shader: &Shader, options: &select::Options) -> Result<Output, Vec<Diagnostic>> {
    output(select_stages(std::slice::from_ref(shader), OptLevel::O0, options)?, options, &[])
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

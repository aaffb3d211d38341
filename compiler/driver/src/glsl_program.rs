//! GLSL programs: sources of several stages to libraries.

use crate::transform_feedback::captures;
use crate::{Compiler, Diagnostic, Output};
use airfoil_air::metallib::SourceFile;
use airfoil_air::select::Reflection;
use airfoil_glsl::limits::Limits;
use airfoil_glsl::{Program, ProgramOptions, Source};
use std::sync::LazyLock;

/// A program for Metal.
#[derive(Debug)]
pub struct ProgramOutput {
    /// The library: one function a stage, named after it ([`airfoil_glsl::entry_name`]).
    pub metallib: Vec<u8>,
    /// Where each resource is bound, by stage in order of the pipeline.
    pub stages: Vec<Reflection>,
    /// What `glGetActiveUniform` and the program-interface queries answer.
    pub program: airfoil_glsl::link::Reflection,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Compiles and links GLSL to shaders of the IR.
///
/// # Errors
/// All that is wrong with the sources, or with the program, or what the IR cannot express.
pub fn read_glsl(sources: &[Source<'_>], options: &ProgramOptions) -> Result<Program, Vec<Diagnostic>> {
    airfoil_glsl::build(sources, options)
}

/// Limits of programs on Metal: what all its stages have, where the minima of OpenGL are lower (every stage of an
/// application may use buffers and images; workgroups have up to 1024 invocations).
pub fn metal_limits(minima: Limits) -> Limits {
    /// What Metal offers, 0 where it says nothing. Programs ask for limits often, and this compares many names.
    static LEAST: LazyLock<Limits> = LazyLock::new(|| {
        Limits::GL.map(|name, _| {
            let offers = METAL.iter().filter(|(part, _)| name.contains(part)).map(|(_, least)| *least);
            offers.max().unwrap_or(0)
        })
    });
    minima.at_least(&LEAST)
}

/// Parts of names of limits, and what Metal offers (Metal feature set tables: 31 buffers, 128 textures, 16 samplers a
/// function, 1024 threads a group, 32 KiB of its memory).
const METAL: &[(&str, u32)] = &[
    ("_ATOMIC_COUNTER_BUFFERS", 8),
    ("_ATOMIC_COUNTERS", 1024),
    ("_ATOMIC_COUNTER_BUFFER_BINDINGS", 8),
    ("_SHADER_STORAGE_BLOCKS", 16),
    ("_SHADER_STORAGE_BUFFER_BINDINGS", 16),
    ("GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES", 64),
    ("_IMAGE_UNIFORMS", 16),
    ("GL_MAX_IMAGE_UNITS", 32),
    ("_TEXTURE_IMAGE_UNITS", 16),
    ("GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS", 96),
    ("GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS", 1024),
    ("GL_MAX_COMPUTE_WORK_GROUP_SIZE", 1024),
    ("GL_MAX_VERTEX_ATTRIBS", 31),
];

impl Compiler {
    /// Compiles the stages of a GLSL program to one library.
    ///
    /// # Errors
    /// All that is wrong with the sources or the program, or cannot be expressed on the target.
    pub fn compile_glsl(
        &self,
        sources: &[Source<'_>],
        options: &ProgramOptions,
    ) -> Result<ProgramOutput, Vec<Diagnostic>> {
        let mut program = read_glsl(sources, options)?;
        let captured =
            self.options().transform_feedback.then(|| captures(&program.reflection.transform_feedback));
        let air = self.air(options.vulkan, captured.transpose().map_err(|fault| vec![fault])?);
        let selected = self.stages(&mut program.shaders, &air)?;
        let file = |s: &Source<'_>| SourceFile { path: s.name.to_owned(), text: s.text.as_bytes().to_vec() };
        let embedded = sources.iter().filter(|_| self.options().embed_sources);
        let files: Vec<SourceFile> = embedded.map(file).collect();
        let metallib = airfoil_air::library::library_with_sources(&selected, &air, &files)?;
        let stages = selected.into_iter().map(|s| s.reflection).collect();
        Ok(ProgramOutput { metallib, stages, program: program.reflection, warnings: program.warnings })
    }
}

impl From<ProgramOutput> for Output {
    /// The library with the reflection of its first stage.
    fn from(program: ProgramOutput) -> Output {
        let reflection = program.stages.into_iter().next().unwrap_or_default();
        Output { metallib: program.metallib, reflection }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_embedded_if_that_is_wanted() {
        use airfoil_air::metallib;
        use airfoil_ir::Stage;
        let vertex = "attribute vec4 p; void main() { gl_Position = p; }";
        let fragment = "void main() { gl_FragColor = vec4(1.0); }";
        let sources = [
            Source { name: "a.vert", stage: Stage::Vertex, text: vertex },
            Source { name: "a.frag", stage: Stage::Fragment, text: fragment },
        ];
        let file = |s: &Source<'_>| SourceFile { path: s.name.to_owned(), text: s.text.as_bytes().to_vec() };
        for embed_sources in [false, true] {
            let options = crate::CompileOptions { embed_sources, ..Default::default() };
            let output = Compiler::new(options).compile_glsl(&sources, &ProgramOptions::default()).unwrap();
            let library = metallib::read(&output.metallib).unwrap();
            let found = metallib::read_sources(&output.metallib, &library).unwrap();
            let expected = embed_sources.then(|| sources.each_ref().map(file).to_vec());
            assert_eq!(found.map(|s| s.archives[0].files.clone()), expected);
            assert!(library.functions.iter().all(|f| f.source_offset.is_some() == embed_sources));
        }
    }

    #[test]
    fn metal_raises_limits_and_lowers_none() {
        for minima in [Limits::GL, Limits::ES] {
            let limits = metal_limits(minima.clone());
            let compared = limits.named().zip(minima.named());
            assert!(compared.into_iter().all(|((_, value), (_, least))| value >= least));
            assert_eq!(limits.max_vertex_attribs, 31);
            assert_eq!(limits.max_compute_work_group_invocations, 1024);
            assert_eq!((limits.max_vertex_image_uniforms, limits.max_vertex_shader_storage_blocks), (16, 16));
            assert_eq!(limits.max_vertex_uniform_blocks, minima.max_vertex_uniform_blocks);
        }
    }
}

//! Program pipelines: separable programs that are used together (OpenGL 4.6 sections 7.4 and 11.1.3.11).

use crate::budget::Budget;
use crate::device::Device;
use crate::link::units;
use crate::link_options::LinkOptions;
use crate::log::Log;
use crate::program::Program;
use crate::shader::ShaderObject;
use airfoil::debug::{self, Key};
use airfoil::glsl::{self, PipelinePart};
use std::sync::Arc;

impl Device {
    /// Joins [separable](LinkOptions::separable) programs, each with the stages that are used of it (the bits of `glUseProgramStages`;
    /// `u32::MAX` for all), to a program for draws with this pipeline. It validates as `glValidateProgramPipeline` does without the state of
    /// a draw. Variables of two programs match by location if they have one, and otherwise by name. An input that nothing writes is
    /// zero.
    ///
    /// Functions of the pipeline are those to draw with: the ones of each program alone do not know what they meet. The
    /// [reflection](Program::reflection) has no resources: uniforms, blocks and their values are those of each program. Their Metal
    /// indices are in [`Program::arguments`] of the pipeline.
    ///
    /// # Errors
    /// A program that is not separable, stages that do not make a pipeline, and in OpenGL ES interfaces that do not match; errors of
    /// the link of all stages together, or an exceeded bound.
    pub fn pipeline(&self, programs: &[(&Program, u32)], budget: &Budget) -> Result<Arc<Program>, Log> {
        let of_programs = programs.iter().map(|(program, _)| program.linkable_objects(budget));
        let of_programs = of_programs.collect::<Result<Vec<Vec<ShaderObject>>, Log>>()?;
        let mut objects: Vec<&ShaderObject> = Vec::new();
        let mut parts = Vec::with_capacity(programs.len());
        for (&(program, stages), own) in programs.iter().zip(&of_programs) {
            let own: Vec<&ShaderObject> = own.iter().collect();
            let units = units(&own, objects.len())?;
            let options = self.link_options(&units, program.link_options(), budget);
            parts.push(PipelinePart { units, options, stages });
            objects.extend(own);
        }
        let options = LinkOptions { separable: true, ..LinkOptions::default() };
        let link = |keys: &[Key]| debug::timed("join", keys, || glsl::link_pipeline(parts));
        Ok(Arc::new(self.new_program(&objects, None, &options, link, budget)?))
    }
}

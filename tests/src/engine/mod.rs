//! Engines that execute shaders for the suites that compare results.
//!
//! Suites create the resources and compare; an [`Engine`] dispatches and draws. Resources, state and targets are those
//! of the interpreter: plain data that any engine can take.

pub mod columns;
pub mod driver;
pub mod levels;
pub mod outputs;
pub mod stop;

use crate::gl::program::For;
use airfoil::Shader;
use airfoil_interp::pipeline::{Draw, Pipeline, Stages, State, Target};
use airfoil_interp::{Config, Fault, Program, Resources, System};
use clap::ValueEnum;
use std::path::PathBuf;

/// The kinds of engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineKind {
    /// The interpreter.
    #[default]
    Interp,
    /// AIR, compiled for the host by LLVM (built with the feature `llvm14` or `llvm19`).
    Air,
    /// A Vulkan driver executes SPIR-V: original modules and those that Airfoil writes, besides the interpreter.
    Vulkan,
}

/// Executes shaders.
#[derive(Clone, Debug, Default)]
pub struct Engine {
    /// The kind of engine.
    pub kind: EngineKind,
    /// Folder in which each AIR module that is executed is left as bitcode.
    pub keep: Option<PathBuf>,
    /// Part of the name of the Vulkan device; without it the first device with Vulkan 1.3.
    pub device: Option<String>,
}

impl Engine {
    /// The code of OpenGL programs that the engine executes.
    pub fn code(&self) -> For {
        match self.kind {
            EngineKind::Interp => For::Interpreter,
            EngineKind::Air => For::Metal,
            EngineKind::Vulkan => For::SpirV,
        }
    }

    /// The stages of a program. Of `config` AIR takes the size of subgroups.
    ///
    /// # Errors
    /// The engine cannot execute the shader.
    pub fn prepare<'s>(
        &self,
        shaders: &'s [Shader],
        config: &Config,
    ) -> Result<Vec<Box<dyn Stages + 's>>, Fault> {
        if self.kind == EngineKind::Air {
            return airfoil_cpu::prepare(shaders, &self.air(config, [1; 3]));
        }
        let prepare = |shader| -> Result<Box<dyn Stages + 's>, Fault> {
            Ok(Box::new(Program::new(shader, config.clone())?))
        };
        shaders.iter().map(prepare).collect()
    }

    fn air(&self, config: &Config, workgroup: [u32; 3]) -> airfoil_cpu::Config {
        let (simd_size, keep) = (config.subgroup_size, self.keep.clone());
        airfoil_cpu::Config { simd_size, workgroup, keep, ..airfoil_cpu::Config::default() }
    }

    /// A compute shader; `workgroup` replaces the sizes that it leaves open.
    ///
    /// # Errors
    /// The engine cannot execute the shader.
    pub fn kernel<'s>(
        &self,
        shader: &'s Shader,
        config: &Config,
        workgroup: [u32; 3],
    ) -> Result<Box<dyn Stages + 's>, Fault> {
        if self.kind != EngineKind::Air {
            return Ok(Box::new(Program::with_workgroup(shader, config.clone(), workgroup)?));
        }
        let mut programs = airfoil_cpu::prepare(std::slice::from_ref(shader), &self.air(config, workgroup))?;
        Ok(programs.remove(0))
    }

    /// Executes workgroups.
    ///
    /// # Errors
    /// As a message that names the engine.
    pub fn compute(
        &self,
        shader: &Shader,
        config: &Config,
        resources: &mut Resources,
        groups: [u32; 3],
    ) -> Result<(), String> {
        let mut stages =
            self.prepare(std::slice::from_ref(shader), config).map_err(|fault| self.words(&fault))?;
        stages
            .iter_mut()
            .try_for_each(|program| program.compute(resources, &System::new(), groups))
            .map_err(|fault| self.words(&fault))
    }

    /// Draws with the shaders of a pipeline.
    ///
    /// # Errors
    /// As a message that names the engine.
    pub fn draw(
        &self,
        shaders: &[Shader],
        config: &Config,
        resources: &mut Resources,
        draw: &Draw<'_>,
        state: &State,
        target: &mut Target,
    ) -> Result<(), String> {
        self.prepare(shaders, config)
            .and_then(Pipeline::of)
            .and_then(|mut pipeline| pipeline.draw(resources, draw, state, target))
            .map(drop)
            .map_err(|fault| self.words(&fault))
    }

    fn words(&self, fault: &Fault) -> String {
        match self.kind {
            EngineKind::Interp | EngineKind::Vulkan => format!("execution: {fault}"),
            EngineKind::Air => format!("execution as AIR: {fault}"),
        }
    }
}

//! Scripts are executed: shaders built, resources created and bound, commands executed one after the other.
//!
//! * `build.rs`: code to shaders of the IR; `modules.rs`: to modules for drivers. `store.rs`: buffers and images, and how they are bound.
//! * `draw.rs`: draws and attachments. `compare.rs`: expectations. `outcome.rs`: options and failures.

mod build;
mod compare;
mod draw;
mod modules;
mod outcome;
mod store;

use super::script::{Command, Pipeline, Run, Script};
use crate::engine::Engine;
use crate::engine::outputs::Outputs;
use airfoil::{Shader, Stage};
use airfoil_interp::Config;
use airfoil_vulkan::{Device, Module};
use outcome::{ClearValues, fail, skip};
pub use outcome::{Options, Stop};
use store::Store;

struct Runner<'a> {
    script: &'a Script,
    engine: &'a Engine,
    config: &'a Config,
    store: Store,
    /// Shaders by pipeline.
    shaders: Vec<Vec<Shader>>,
    /// The device that executes, and modules by pipeline.
    driver: Option<(&'static Device, Vec<Vec<Module>>)>,
    clear: Vec<ClearValues>,
}

/// Executes a script; returns the resulting resources.
///
/// # Errors
/// The reason why it was not executed, or the first unexpected result.
pub fn run(script: &Script, engine: &Engine, options: &Options) -> Result<Outputs, Stop> {
    if let Some(name) = script.missing.first() {
        return skip(format!("the file {name} is not there"));
    }
    let mut shaders = Vec::with_capacity(script.pipelines.len());
    for pipeline in &script.pipelines {
        if let Some(what) = &pipeline.unsupported {
            return skip(format!("not modelled: {what}"));
        }
        if pipeline.clamp_indices {
            return skip("the pass graphics-robust-access of SPIRV-Tools is asked for");
        }
        let mut own = Vec::with_capacity(pipeline.shaders.len());
        for attached in &pipeline.shaders {
            own.extend(build::shader(script, attached, options)?);
        }
        shaders.push(own);
    }
    let driver = match options.driver {
        None => None,
        Some(modules) => {
            let device = engine.device().or_else(|e| skip(e.to_string()))?;
            let of = |pipeline| modules::of_pipeline(script, pipeline, device, modules);
            Some((device, script.pipelines.iter().map(of).collect::<Result<_, Stop>>()?))
        }
    };
    let mut store = Store::new(script)?;
    store.resources.clock = options.clock;
    let clear = vec![ClearValues { color: [0.0; 4], depth: 1.0, stencil: 0 }; script.pipelines.len()];
    let mut runner = Runner { script, engine, config: &options.config, store, shaders, driver, clear };
    runner.commands(&script.commands)?;
    Ok(Outputs::of(runner.store.resources))
}

impl<'a> Runner<'a> {
    fn commands(&mut self, commands: &'a [Command]) -> Result<(), Stop> {
        for command in commands {
            match command {
                Command::Run(pipeline, run) => self.run(*pipeline, run)?,
                Command::Repeat(times, commands) => {
                    for _ in 0..*times {
                        self.commands(commands)?;
                    }
                }
                Command::ClearColor(pipeline, color) => self.clear[*pipeline].color = *color,
                Command::ClearDepth(pipeline, depth) => self.clear[*pipeline].depth = *depth,
                Command::ClearStencil(pipeline, stencil) => self.clear[*pipeline].stencil = *stencil,
                Command::Clear(pipeline) => {
                    let values = self.clear[*pipeline];
                    self.store.clear(&self.script.pipelines[*pipeline], &values);
                }
                Command::Copy(from, to) => self.store.copy(*from, *to)?,
                Command::Write(buffer, at, bytes) => self.store.write(*buffer, *at, bytes)?,
                Command::Expect(expect) => {
                    let name = &self.script.buffers[expect.buffer].name;
                    compare::check(self.script, &self.store, expect)
                        .or_else(|m| fail(format!("line {}: {name}: {m}", expect.line)))?;
                }
            }
        }
        Ok(())
    }

    fn run(&mut self, number: usize, run: &Run) -> Result<(), Stop> {
        let pipeline: &Pipeline = &self.script.pipelines[number];
        self.store.bind(pipeline)?;
        match run {
            Run::Compute(groups) => {
                let Some(shader) = self.shaders[number].iter().find(|s| s.stage == Stage::Compute) else {
                    return fail(format!("the pipeline {} has no compute shader", pipeline.name));
                };
                if let Some((device, modules)) = &self.driver {
                    let Some(module) = modules[number].iter().find(|m| m.stage == Stage::Compute) else {
                        return fail("no module of the compute shader");
                    };
                    let done = device.compute(module, &mut self.store.resources, *groups);
                    return done.map_err(Stop::from);
                }
                let subgroup = pipeline.shaders.iter().find_map(|s| s.subgroup_size);
                let subgroup_size = subgroup.unwrap_or(self.config.subgroup_size);
                let config = Config { subgroup_size, ..self.config.clone() };
                self.engine.compute(shader, &config, &mut self.store.resources, *groups).map_err(Stop::Fail)
            }
            draw => self.draw(number, pipeline, draw),
        }
    }
}

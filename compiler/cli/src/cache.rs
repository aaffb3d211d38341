//! `--cache`: outputs of earlier compiles by the contents of their inputs.

use crate::Failure;
use crate::batch::{Log, Refused};
use crate::compile::write_of;
use crate::output::{Sink, words};
use crate::plan::Job;
use crate::report::Console;
use airfoil::Diagnostic;
use airfoil::passes::Pipeline;
use airfoil::passes::manager::Statistics;
use airfoil_cache::{Cache, Key};
use clap::Args;
use std::fmt::{Debug, Write};
use std::path::{Path, PathBuf};

/// The cache of compiles.
#[derive(Args, Debug)]
pub struct CacheArgs {
    /// Keep outputs in this folder, and take them from there when inputs, options and the build of Airfoil are the same again. It is
    /// created if necessary, for this user only
    #[arg(long, value_name = "DIR", help_heading = "Output", conflicts_with_all = [
        "print_plan", "print_before", "print_after", "print_changed", "dump_dir", "validate_each", "check_each",
        "stop_after", "time_passes", "stats",
    ])]
    pub cache: Option<PathBuf>,
    /// Limit of the size of the cache
    #[arg(long, value_name = "MIB", default_value_t = Cache::LIMIT >> 20, requires = "cache", help_heading = "Output",
          value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    pub cache_limit: u64,
}

/// Outputs and statistics of a job.
pub type Made = (Vec<(Sink, Vec<u8>)>, Statistics);

/// A cache of the outputs of jobs with the same options.
#[derive(Debug)]
pub struct JobCache {
    cache: Option<Cache>,
    /// Everything that outputs depend on besides the inputs.
    options: String,
}

impl JobCache {
    /// Opens the cache, if one is requested, for these options and the plan that is given.
    pub fn open(
        args: &CacheArgs,
        options: &[&dyn Debug],
        plan: Option<&Pipeline>,
        console: Console,
    ) -> Result<JobCache, Failure> {
        let plan = plan.map(Pipeline::to_string);
        // A cached compile has no shaders to list.
        let can = !airfoil::debug::is_on() && plan.as_deref().is_none_or(is_built_in);
        let wanted = args.cache.as_ref().filter(|_| can);
        let Some(folder) = wanted else { return Ok(JobCache { cache: None, options: String::new() }) };
        let cache = open_folder(folder, args.cache_limit << 20, console)?;
        // Warnings are stored as they are written.
        Ok(JobCache { cache: Some(cache), options: format!("{console:?} {options:?} {plan:?}") })
    }

    /// Writes the outputs of a job: those of the cache, or else the results of `make`.
    pub fn run(
        &self,
        job: &Job,
        log: &mut Log,
        make: impl FnOnce(&mut Log) -> Result<Made, Refused>,
    ) -> Result<Statistics, Refused> {
        let Some((cache, key)) = self.cache.as_ref().and_then(|cache| Some((cache, self.key(job)?))) else {
            let (products, statistics) = make(log)?;
            return write_of(&products, &job.name(), log).map(|()| statistics);
        };
        if let Some((text, outputs)) = cache.get(&key).and_then(|entry| decode(&entry))
            && outputs.len() == job.outputs.len()
        {
            log.text(&text);
            let sinks = job.outputs.iter().map(|output| output.sink.clone());
            let products: Vec<_> = sinks.zip(outputs).collect();
            return write_of(&products, &job.name(), log).map(|()| Statistics::default());
        }
        let start = log.so_far().len();
        let (products, statistics) = make(log)?;
        let outputs: Vec<&[u8]> = products.iter().map(|p| p.1.as_slice()).collect();
        // Not the outputs of inputs that changed after the key was computed.
        let is_same = self.key(job) == Some(key);
        if let (true, Ok(entry)) = (is_same, airfoil_store::encode(&(&log.so_far()[start..], outputs))) {
            // Without it the next compile takes longer.
            let _ = cache.put(&key, &entry);
        }
        write_of(&products, &job.name(), log).map(|()| statistics)
    }

    /// The key of a job; `None` if an input cannot be read, or only once.
    fn key(&self, job: &Job) -> Option<Key> {
        let mut names = String::new();
        for input in &job.inputs {
            let _ = write!(names, "{} {:?} {:?}, ", input.name(), input.kind, input.stage);
        }
        for output in &job.outputs {
            let _ = write!(names, "{:?} {:?}, ", output.kind, output.stage);
        }
        let read = |path: &PathBuf| std::fs::read(path).ok();
        let files = job.inputs.iter().filter(|input| !input.is_stdin());
        let files: Vec<Vec<u8>> = files.map(|input| read(&input.path)).collect::<Option<_>>()?;
        if files.len() < job.inputs.len() {
            return None;
        }
        let mut parts: Vec<&[u8]> = vec![self.options.as_bytes(), names.as_bytes()];
        parts.extend(files.iter().map(Vec::as_slice));
        Some(Key::of("compile", &parts))
    }
}

/// Opens a folder as a cache of at most `limit` bytes.
///
/// # Errors
/// The folder cannot be used.
pub fn open_folder(folder: &Path, limit: u64, console: Console) -> Result<Cache, Failure> {
    Cache::open(folder, limit).map_err(|e| {
        let fault = Diagnostic::error("E0005", format!("cannot use the cache: {}", reason(&e)));
        Failure::Reported(1, console.render(&[fault], &folder.display().to_string(), None))
    })
}

/// Whether a plan has built-in passes only, whose code is part of the key as that of the build.
pub fn is_built_in(plan: &str) -> bool {
    Pipeline::parse_with(plan, airfoil::air::plan::registry()).is_ok()
}

/// The message of the cache, or else that of the system for the error.
fn reason(error: &std::io::Error) -> String {
    error.get_ref().map_or_else(|| words(error), ToString::to_string)
}

/// Messages and outputs of an entry.
fn decode(entry: &[u8]) -> Option<(String, Vec<Vec<u8>>)> {
    airfoil_store::decode(entry).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil::passes::registry::Entry;
    use airfoil::passes::{Changes, FunctionPass, PassInfo};

    /// The build does not identify the code of a pass of another crate.
    #[test]
    fn plans_with_own_passes_are_not_cached() {
        let mut registry = airfoil::air::plan::registry().clone();
        let own = FunctionPass::new(PassInfo::new("own", "does nothing", ""), |_, _| Ok(Changes::NONE));
        registry.add("Mine", "Passes of a test.", Entry::value(own)).unwrap();
        let text = |plan: &str| Pipeline::parse_with(plan, &registry).unwrap().to_string();
        assert!(is_built_in(&text("O2, loop(cse, dce)")) && is_built_in(""));
        assert!(!is_built_in(&text("O2, loop(own, dce)")));
    }
}

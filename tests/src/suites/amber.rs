//! `amber`: scripts in AmberScript and VkScript are executed, and their expectations compared.

use crate::amber::exec::{self, Stop};
use crate::amber::parse;
use crate::corpus;
use crate::engine::columns;
use crate::engine::levels::{Chance, Levels, at_each};
use crate::engine::{Engine, EngineKind};
use crate::report::Verdict;
use airfoil::OptLevel;
use airfoil_interp::Config;
use std::io;
use std::path::Path;

/// Endings of the files that the suite takes.
pub const ENDINGS: &[&str] = &["amber", "vkscript"];

/// How scripts are executed.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How much shaders are optimised for the target; at O0 they are executed as the front ends make them.
    pub levels: Levels,
    /// The engine that executes scripts.
    pub engine: Engine,
}

/// Runs one script.
pub fn run(path: &Path, options: &Options) -> Verdict {
    let text = match corpus::read_text(path) {
        Ok(text) => text,
        Err(e) => return Verdict::Failed(e.to_string()),
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    // Files are beside the script.
    let load = |name: &str| -> Option<Vec<u8>> { read_beside(folder, name).ok() };
    let script = match parse(&text, &load) {
        Ok(script) => script,
        Err(fault) if fault.message.ends_with("placeholder of a template") => {
            return Verdict::Skipped("a template, not a script".into());
        }
        Err(fault) => return Verdict::Failed(format!("parse: {fault}")),
    };
    if options.engine.kind == EngineKind::Vulkan {
        let run =
            |driver| exec::run(&script, &options.engine, &exec::Options { driver, ..Default::default() });
        return columns::modules(|driver| run(driver).map_or_else(Verdict::from, |_| Verdict::Passed));
    }
    let run = |level: OptLevel, chance: Chance| {
        // The interpreter takes the output of the front ends.
        let level = (level != OptLevel::O0 || options.engine.kind == EngineKind::Air).then_some(level);
        let config = Config { undefined: chance.undefined, ..Config::default() };
        exec::run(
            &script,
            &options.engine,
            &exec::Options { level, driver: None, clock: chance.clock, config },
        )
    };
    let say = |stop: Stop, at: &str| match stop {
        Stop::Fail(reason) => Stop::Fail(format!("{at}{reason}")),
        skip => skip,
    };
    match at_each(options.levels, run, say, Stop::Fail) {
        Ok(()) => Verdict::Passed,
        Err(stop) => stop.into(),
    }
}

/// Reads a file of the folder; names that lead out of it are rejected.
fn read_beside(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    use std::path::Component;
    if Path::new(name).components().any(|c| !matches!(c, Component::Normal(_) | Component::CurDir)) {
        return Err(io::Error::other("outside of the script's folder"));
    }
    std::fs::read(folder.join(name))
}

#[cfg(test)]
#[path = "amber_tests.rs"]
mod tests;

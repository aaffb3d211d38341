//! Suites that execute the programs that they build: the cases of a folder, and the verdict on one.

use super::build::Builder;
use super::{cts_run, piglit_run};
use crate::corpus;
use crate::cts::case::Case as CtsCase;
use crate::cts::{Dialect, parser};
use crate::engine::Engine;
use crate::engine::levels::Levels;
use crate::report::{Answer, Case, Report, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Which suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// `.test` files of VK-GL-CTS.
    Cts,
    /// `.shader_test` files of piglit.
    Piglit,
}

/// The location of the cases and the way to run them.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which suite.
    pub suite: Suite,
    /// The folder, or one file.
    pub folder: PathBuf,
    /// How much is optimised.
    pub levels: Levels,
    /// The engine that executes programs.
    pub engine: Engine,
}

/// All cases.
///
/// # Errors
/// Folders and files that cannot be read.
pub fn cases(options: &Options) -> io::Result<Vec<Case>> {
    match options.suite {
        Suite::Cts => super::glsl::cts_cases(&options.folder),
        Suite::Piglit => {
            let files = corpus::files(&options.folder, &["shader_test"])?;
            files
                .into_iter()
                .map(|file| {
                    let name = corpus::name(&options.folder, &file);
                    let group = piglit_run::group(&file.to_string_lossy(), &corpus::read_text(&file)?);
                    Ok(Case { name, group })
                })
                .collect()
        }
    }
}

fn path(folder: &Path, name: &str) -> PathBuf {
    if name.is_empty() { folder.to_path_buf() } else { folder.join(name) }
}

/// Runs cases, one after another.
pub struct Runner<'a> {
    options: Options,
    builder: &'a dyn Builder,
    /// The `.test` file that was read last: its cases come one after another.
    last: Option<(PathBuf, Vec<CtsCase>)>,
}

impl<'a> Runner<'a> {
    /// A runner; the builder has the verdicts of cases that must be rejected.
    pub fn new(options: Options, builder: &'a dyn Builder) -> Runner<'a> {
        Runner { options, builder, last: None }
    }

    /// Judges a case.
    pub fn run(&mut self, name: &str) -> Answer {
        let answer = match self.options.suite {
            Suite::Cts => self.cts(name),
            Suite::Piglit => self.piglit(name),
        };
        answer.unwrap_or_else(|reason| Answer::plain(Verdict::Failed(reason)))
    }

    fn piglit(&self, name: &str) -> Result<Answer, String> {
        let text = corpus::read_text(&path(&self.options.folder, name)).map_err(|e| e.to_string())?;
        Ok(piglit_run::run(&text, self.builder, self.options.levels, &self.options.engine))
    }

    fn cts(&mut self, name: &str) -> Result<Answer, String> {
        let (file, case) = name.split_once(':').ok_or("the name has no case")?;
        let path = path(&self.options.folder, file);
        if self.last.as_ref().is_none_or(|(last, _)| *last != path) {
            let found = parser::load(&path).map_err(|fault| fault.to_string())?;
            self.last = Some((path.clone(), found.cases));
        }
        let cases = self.last.iter().flat_map(|(_, cases)| cases);
        let case = cases.into_iter().find(|c| c.name == case).ok_or("the file has no such case")?;
        Ok(cts_run::run(case, Dialect::of(&path), self.builder, self.options.levels, &self.options.engine))
    }
}

/// Executed rows of a report of the suite `cts`, and how many of them pass.
///
/// # Errors
/// Files that cannot be read any more.
pub fn rows(options: &Options, report: &Report) -> Result<Option<Rows>, String> {
    if options.suite != Suite::Cts {
        return Ok(None);
    }
    let mut by_file: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    let mut all = Rows::default();
    for (case, answer) in &report.results {
        let Some((file, name)) = case.name.split_once(':') else { continue };
        if !by_file.contains_key(file) {
            let cases = parser::load(&path(&options.folder, file)).map(|f| f.cases).unwrap_or_default();
            by_file.insert(file, cases.iter().map(|c| (c.name.clone(), cts_run::rows(c))).collect());
        }
        let rows = by_file.get(file).and_then(|cases| cases.get(name)).copied().unwrap_or(0);
        match &answer.verdict {
            Verdict::Passed => all.passed += rows,
            Verdict::Skipped(_) => all.skipped += rows,
            Verdict::Crashed(_) => all.failed += rows,
            Verdict::Failed(reason) => {
                let failed = reason.split_once(" of ").and_then(|(n, _)| n.parse().ok()).unwrap_or(rows);
                all.failed += failed.min(rows);
                all.passed += rows - failed.min(rows);
            }
        }
    }
    Ok(Some(all))
}

/// Rows of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// As expected.
    pub passed: usize,
    /// Not as expected.
    pub failed: usize,
    /// Not drawn.
    pub skipped: usize,
}

impl Rows {
    /// For the report.
    pub fn to_json(self) -> Value {
        json!({ "passed": self.passed, "failed": self.failed, "skipped": self.skipped, "percent": self.percent() })
    }

    /// Those that pass among those that are drawn; 100 if there is none.
    pub fn percent(self) -> f64 {
        let drawn = self.passed + self.failed;
        if drawn == 0 { 100.0 } else { 100.0 * self.passed as f64 / drawn as f64 }
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rows { passed, failed, skipped } = self;
        write!(f, "{passed} rows passed, {failed} failed, {skipped} skipped: {:.2}%", self.percent())
    }
}

//! Cases of the suites of GLSL verdicts: the cases of a folder, and the verdict on one.
//!
//! Each is a case of its own for the runner, so that a crash costs one shader: a file, or a case in a `.test` file,
//! named `file.test:group.case`.

use super::build::Builder;
use super::{cts_build, glslang, piglit_parser};
use crate::corpus;
use crate::cts::case::Case as CtsCase;
use crate::cts::{Dialect, parser};
use crate::glsl_files::{self, stage_of};
use crate::report::{Answer, Case, Verdict};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Which suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// Shaders with a header.
    PiglitParser,
    /// Shaders with a list.
    Glslang,
    /// `.test` files.
    CtsBuild,
}

/// The location of the cases and the way to judge them.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which suite.
    pub suite: Suite,
    /// The folder, or one file.
    pub folder: PathBuf,
    /// Whether lists of verdicts for Vulkan count as well.
    pub vulkan: bool,
}

/// All cases.
///
/// # Errors
/// Folders and files that cannot be read.
pub fn cases(options: &Options) -> io::Result<Vec<Case>> {
    match options.suite {
        Suite::PiglitParser => piglit_cases(&options.folder),
        Suite::Glslang => glslang_cases(options),
        Suite::CtsBuild => cts_cases(&options.folder),
    }
}

fn shader_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut endings = glsl_files::ENDINGS.to_vec();
    endings.push("in");
    let files = corpus::files(folder, &endings)?;
    Ok(files.into_iter().filter(|f| stage_of(f).is_some()).collect())
}

fn piglit_cases(folder: &Path) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for file in shader_files(folder)? {
        if let Some(group) = piglit_parser::group(&corpus::read_text(&file)?) {
            cases.push(Case { name: corpus::name(folder, &file), group });
        }
    }
    Ok(cases)
}

fn glslang_cases(options: &Options) -> io::Result<Vec<Case>> {
    let files = shader_files(&options.folder)?;
    let case = |file: PathBuf| {
        let entry = glslang_entry(&file).map_err(io::Error::other)?;
        // Files that are always skipped have no line in the table.
        let group = entry.filter(|e| options.vulkan || !e.vulkan).map_or("", glslang::Entry::group);
        Ok(Case { name: corpus::name(&options.folder, &file), group })
    };
    files.into_iter().map(case).collect()
}

fn glslang_entry(file: &Path) -> Result<Option<glslang::Entry>, String> {
    let list = file.with_file_name(glslang::LIST);
    let text = std::fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let name = file.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    Ok(glslang::list(&text)?.get(name).copied())
}

pub(super) fn cts_cases(folder: &Path) -> io::Result<Vec<Case>> {
    let files = corpus::files(folder, &["test"])?;
    let mut imported = BTreeSet::new();
    let mut by_file = Vec::new();
    for file in files {
        let name = corpus::name(folder, &file);
        let mut cases = Vec::new();
        match parser::load(&file) {
            Ok(found) => {
                imported.extend(found.imports);
                let case = |c: &CtsCase| Case {
                    name: format!("{name}:{}", c.name),
                    group: cts_build::group(c.expect),
                };
                cases.extend(found.cases.iter().map(case));
            }
            // A file that cannot be read is a case that fails.
            Err(_) => cases.push(Case { name: format!("{name}:"), group: "" }),
        }
        by_file.push((file, cases));
    }
    Ok(by_file
        .into_iter()
        .filter(|(file, _)| !imported.contains(file))
        .flat_map(|(_, cases)| cases)
        .collect())
}

/// Judges cases, one after another.
pub struct Judge<'a> {
    options: Options,
    builder: &'a dyn Builder,
    /// The `.test` file that was read last: its cases come one after another.
    last: Option<(PathBuf, Vec<CtsCase>)>,
}

impl<'a> Judge<'a> {
    /// A judge of a compiler.
    pub fn new(options: Options, builder: &'a dyn Builder) -> Judge<'a> {
        Judge { options, builder, last: None }
    }

    /// Judges a case.
    pub fn run(&mut self, name: &str) -> Answer {
        let failed = |reason: String| Answer::plain(Verdict::Failed(reason));
        match self.options.suite {
            Suite::CtsBuild => self.cts(name).unwrap_or_else(failed),
            suite => self.file(suite, name).unwrap_or_else(failed),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        // Joining nothing would add a slash to the name of a file.
        if name.is_empty() { self.options.folder.clone() } else { self.options.folder.join(name) }
    }

    fn file(&self, suite: Suite, name: &str) -> Result<Answer, String> {
        let path = self.path(name);
        let text = corpus::read_text(&path).map_err(|e| e.to_string())?;
        if suite == Suite::PiglitParser {
            return Ok(piglit_parser::run(&path, &text, self.builder));
        }
        let entry = glslang_entry(&path)?;
        Ok(glslang::run(&path, &text, entry, self.options.vulkan, self.builder))
    }

    fn cts(&mut self, name: &str) -> Result<Answer, String> {
        let (file, case) = name.split_once(':').ok_or("the name has no case")?;
        let path = self.path(file);
        if self.last.as_ref().is_none_or(|(last, _)| *last != path) {
            let found = parser::load(&path).map_err(|fault| fault.to_string())?;
            self.last = Some((path.clone(), found.cases));
        }
        let cases = self.last.iter().flat_map(|(_, cases)| cases);
        let case = cases.into_iter().find(|c| c.name == case).ok_or("the file has no such case")?;
        Ok(cts_build::run(case, Dialect::of(&path), self.builder))
    }
}

#[cfg(test)]
#[path = "glsl_tests.rs"]
mod tests;

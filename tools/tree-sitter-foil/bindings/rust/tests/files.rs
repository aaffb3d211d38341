//! The grammar accepts every text of the repository that the compiler's parser accepts.

#![allow(clippy::print_stdout, reason = "the tests report how much they compared")]

mod support;

use airfoil_filetest::{Expectation, Test, find, split_shaders};
use airfoil_ir::text::parse;
use std::fs;
use std::path::{Path, PathBuf};
use support::{error, repository};

/// What was compared, and the differences.
#[derive(Default)]
struct Report {
    shaders: usize,
    faults: Vec<String>,
}

impl Report {
    /// Compares each shader of a text, then the whole text if all of it is shaders.
    fn text(&mut self, path: &Path, text: &str) {
        let shaders = split_shaders(text);
        let mut all = !shaders.is_empty();
        for shader in &shaders {
            if parse(shader).is_err() {
                all = false;
                continue;
            }
            self.shaders += 1;
            self.check(path, shader);
        }
        if all {
            self.check(path, text);
        }
    }

    fn check(&mut self, path: &Path, text: &str) {
        if let Some(error) = error(text) {
            self.faults.push(format!("{}: {error}", path.display()));
        }
    }

    fn finish(self, at_least: usize) {
        assert!(self.faults.is_empty(), "{} texts differ\n{}", self.faults.len(), self.faults.join("\n"));
        assert!(self.shaders >= at_least, "only {} shaders", self.shaders);
        println!("{} shaders", self.shaders);
    }
}

/// The files below a folder with this extension.
fn files(folder: &Path, extension: &str, list: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let skipped = name.starts_with('.') || name == "target" || name == "node_modules";
        if path.is_dir() && !path.is_symlink() && !skipped {
            files(&path, extension, list);
        } else if path.extension().is_some_and(|e| e == extension) {
            list.push(path);
        }
    }
}

#[test]
fn files_of_the_text_form() {
    let mut list = Vec::new();
    files(&repository(), "foil", &mut list);
    let mut report = Report::default();
    for path in list {
        let text = fs::read_to_string(&path).expect("a text file");
        report.text(&path, &text);
    }
    report.finish(1000);
}

/// Inputs and expected outputs of text tests in all languages.
#[test]
fn parts_of_text_tests() {
    let list = find(&[repository().join("tests/filetests")]).expect("the text tests");
    let mut report = Report::default();
    for path in list {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Ok(test) = Test::parse(&path, &text) else { continue };
        for part in &test.parts {
            report.text(&path, &part.text);
        }
        if let Expectation::Output(output) = &test.expected {
            report.text(&path, output);
        }
    }
    report.finish(1500);
}

#[test]
fn examples_of_the_book() {
    let mut list = vec![repository().join("README.md"), repository().join("CONTRIBUTING.md")];
    files(&repository().join("docs"), "md", &mut list);
    let mut report = Report::default();
    for path in list {
        let text = fs::read_to_string(&path).expect("a page");
        for block in text.split("```foil\n").skip(1) {
            let (block, _) = block.split_once("```").expect("the end of the block");
            report.text(&path, block);
        }
    }
    report.finish(2);
}

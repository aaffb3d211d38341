//! Text tests of passes, run in this process with all checks of the manager.

// Each test crate uses its part.
#![allow(dead_code)]

use airfoil_filetest::{Finished, Missing, Runner, Test, split_shaders};
use airfoil_ir::validate::validate;
use airfoil_ir::{Diagnostic, Shader, text};
use airfoil_passes::{Manager, Pipeline, manager};
use std::path::{Path, PathBuf};

/// Runs `airfoil opt` on files of shaders. Other commands are for the tests of `airfoil-cli`.
#[derive(Clone, Copy, Debug)]
pub struct Opt;

impl Runner for Opt {
    fn available(&self, words: &[String]) -> Result<(), Missing> {
        match passes(words) {
            Some(_) => Ok(()),
            None => Err(Missing("only `airfoil opt --passes` runs in this process".to_string())),
        }
    }

    fn run(&self, words: &[String], folder: &Path, _input: &[u8]) -> Finished {
        let mut output = String::new();
        for file in words[2..].iter().filter(|word| word.ends_with(".foil")) {
            let text = std::fs::read_to_string(folder.join(file)).expect("a file of the test");
            let result = shaders(&text).and_then(|mut shaders| {
                optimize(passes(words).unwrap_or_default(), &mut shaders).map(|()| shaders)
            });
            match result {
                Ok(shaders) => output.extend(shaders.iter().map(text::print)),
                Err(faults) => {
                    let errors = faults.iter().map(|fault| format!("{fault}\n")).collect();
                    return Finished { code: Some(1), output: Vec::new(), errors };
                }
            }
        }
        Finished { code: Some(0), output: output.into_bytes(), errors: String::new() }
    }
}

/// The passes of `airfoil opt --passes PASSES`.
pub fn passes(words: &[String]) -> Option<&str> {
    if words.len() < 3 || words[0] != "airfoil" || words[1] != "opt" {
        return None;
    }
    let mut rest = words[2..].iter();
    while let Some(word) = rest.next() {
        if let Some(passes) = word.strip_prefix("--passes=") {
            return Some(passes);
        }
        if word == "--passes" {
            return rest.next().map(String::as_str);
        }
    }
    None
}

/// The shaders of a text.
pub fn shaders(text: &str) -> Result<Vec<Shader>, Vec<Diagnostic>> {
    split_shaders(text).iter().map(|text| text::parse(text)).collect()
}

/// Runs passes on the shaders of a program, as `airfoil opt` does after it has read them.
pub fn optimize(passes: &str, shaders: &mut [Shader]) -> Result<(), Vec<Diagnostic>> {
    let pipeline = Pipeline::parse(passes).map_err(|fault| vec![fault])?;
    for shader in shaders.iter() {
        let violations = validate(shader);
        if !violations.is_empty() {
            return Err(violations.iter().map(|v| Diagnostic::error("E0400", v.to_string())).collect());
        }
    }
    Manager::new(manager::Options::checked()).run_program(&pipeline, shaders).map(drop)
}

/// The folder of text tests of passes.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/filetests/passes")
}

/// The tests below a folder whose path contains `AIRFOIL_FILTER`.
pub fn files() -> Vec<PathBuf> {
    let mut files = airfoil_filetest::find(&[root()]).expect("the folder of the tests");
    if let Ok(filter) = std::env::var("AIRFOIL_FILTER") {
        files.retain(|path| path.to_string_lossy().contains(&filter));
    }
    files
}

/// A test file.
pub fn test(path: &Path) -> Test {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    Test::parse(path, &text).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()))
}

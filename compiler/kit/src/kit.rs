//! Writes a kit to a folder.

use crate::levels;
use crate::make::{Made, make};
use crate::schema::Expect;
use airfoil::air::metallib;
use std::fs;
use std::path::Path;

/// The runner in Swift.
pub const CHECK_SWIFT: &str = include_str!("../check.swift");

/// The introduction for the person who runs the kit.
const README: &str = include_str!("../KIT.md");

/// Makes all cases, in order of the ladder.
///
/// # Errors
/// The recipes that do not compile or cannot be executed.
pub fn cases() -> Result<Vec<Made>, String> {
    let (mut cases, mut failures) = (Vec::new(), Vec::new());
    for (n, recipe) in levels::all().iter().enumerate() {
        match make(recipe, n) {
            Ok(made) => cases.push(made),
            Err(e) => failures.push(e),
        }
    }
    if failures.is_empty() { Ok(cases) } else { Err(failures.join("\n")) }
}

/// The modules of a library as files, for `air-opt`.
fn modules(library: &[u8]) -> Vec<(String, Vec<u8>)> {
    let Ok(library) = metallib::read(library) else { return Vec::new() };
    let bitcode = library.functions.iter().filter_map(|f| f.bitcode().ok());
    bitcode.enumerate().map(|(n, bytes)| (format!("modules/{n}.air"), bytes.to_vec())).collect()
}

/// Writes a kit; returns the number of cases.
///
/// # Errors
/// A recipe that does not compile, a folder that has something else in it, or a file that cannot be written.
pub fn write(folder: &Path) -> Result<usize, String> {
    let cases = cases()?;
    let failed = |path: &Path, e: std::io::Error| format!("cannot write {}: {e}", path.display());
    let root = folder.join("cases");
    // Cases of an older kit do not mix with those of this one.
    if root.exists() {
        fs::remove_dir_all(&root).map_err(|e| failed(&root, e))?;
    }
    for made in &cases {
        let dir = root.join(&made.case.name);
        fs::create_dir_all(&dir).map_err(|e| failed(&dir, e))?;
        let json = serde_json::to_string_pretty(&made.case).map_err(|e| e.to_string())? + "\n";
        let own = [("case.json".to_owned(), json.into_bytes())];
        let modules = match made.case.expect {
            Expect::Ok => modules(&made.files["lib.metallib"]),
            _ => Vec::new(),
        };
        let own = own.iter().chain(&modules).map(|(n, b)| (n, b));
        for (name, bytes) in own.chain(&made.files) {
            let path = dir.join(name);
            let folder = path.parent().unwrap_or(&dir);
            fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
            fs::write(&path, bytes).map_err(|e| failed(&path, e))?;
        }
    }
    for (name, text) in [("check.swift", CHECK_SWIFT), ("README.md", README)] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|e| failed(&path, e))?;
    }
    Ok(cases.len())
}

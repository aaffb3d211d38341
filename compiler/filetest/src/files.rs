//! Which files are tests.

use std::io;
use std::path::{Path, PathBuf};

/// Extensions of test files.
pub const ENDINGS: &[&str] = &[
    "foil", "spvasm", "spvas", "ll", "glsl", "vert", "tesc", "tese", "geom", "frag", "comp", "task", "mesh",
    "vp", "fp",
];

/// The test files below files and folders, sorted by path. A file that is named is a test whatever it is called; in
/// folders, tests have one of [`ENDINGS`]. Folders called `inputs` hold files that tests use.
///
/// # Errors
/// A path that cannot be read, with its name.
pub fn find(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
        if path.metadata().map_err(named)?.is_dir() {
            folder(path, &mut found).map_err(named)?;
        } else {
            found.push(path.clone());
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

fn folder(path: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "inputs") {
                folder(&path, found)?;
            }
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| ENDINGS.contains(&e)) {
            found.push(path);
        }
    }
    Ok(())
}

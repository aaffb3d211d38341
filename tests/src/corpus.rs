//! Locations of test data, and the files of a folder that a suite takes.

use std::path::{Path, PathBuf};

/// The folder of shared test data: `$AIRFOIL_SHARED`, or `../shared` beside the workspace. `None` if it is not
/// there; tests say so and skip.
pub fn shared() -> Option<PathBuf> {
    let folder = match std::env::var_os("AIRFOIL_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
    };
    folder.is_dir().then_some(folder)
}

/// All files below a file or folder whose ending is one of `endings`, sorted by path.
///
/// # Errors
/// The first folder that cannot be read.
pub fn files(root: &Path, endings: &[&str]) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut todo = vec![root.to_path_buf()];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                todo.push(entry?.path());
            }
        } else if path.metadata()?.is_file() && has_ending(&path, endings) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Name of a case: its path below the folder; empty for the folder itself being the one file.
pub fn name(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder).unwrap_or(file).to_string_lossy().into_owned()
}

/// The text of a file. Bytes that are not UTF-8 become replacement characters: shaders have them in comments only, or
/// to test that they are rejected.
///
/// # Errors
/// A file that cannot be read, with its name.
pub fn read_text(file: &Path) -> std::io::Result<String> {
    let named = |e: std::io::Error| std::io::Error::new(e.kind(), format!("{}: {e}", file.display()));
    let text = String::from_utf8(std::fs::read(file).map_err(named)?);
    Ok(text.unwrap_or_else(|odd| String::from_utf8_lossy(odd.as_bytes()).into_owned()))
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| endings.contains(&e))
}

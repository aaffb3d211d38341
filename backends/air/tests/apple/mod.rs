//! Libraries, modules and texts by Apple's compiler. They are test data of others and not part of the project: the
//! folder is `apple-air` of the corpus that `AIRFOIL_CORPUS` names, or of the one beside the workspace. Tests that need it declare
//! that, and are ignored without it.

use std::path::{Path, PathBuf};

/// The folder.
pub fn folder() -> PathBuf {
    airfoil_filetest::harness::corpus().expect("the test declares that it needs the corpus").join("apple-air")
}

/// Name and path of each file with one of these endings, in order.
#[allow(dead_code)] // not all tests read them all
pub fn files(endings: &[&str]) -> Vec<(String, PathBuf)> {
    let folder = folder();
    let entries = std::fs::read_dir(&folder).expect("the folder can be listed");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| endings.iter().any(|&ending| e == ending)));
    paths.sort();
    assert!(!paths.is_empty(), "{} has no files of the kinds {endings:?}", folder.display());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    paths.into_iter().map(|path| (name(&path), path)).collect()
}

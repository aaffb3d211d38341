//! Libraries, modules and texts that Apple's compiler made. They are test data of others and no part of the project: the
//! folder is `apple-air` of the corpus that `AIRFOIL_CORPUS` names, or of the one beside the workspace. Without it, tests say
//! so and pass.

use std::path::{Path, PathBuf};

/// The folder, if it is there.
pub fn folder() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("AIRFOIL_CORPUS").map_or_else(beside, PathBuf::from);
    let folder = corpus.join("apple-air");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no folder {}", folder.display());
    None
}

/// Name and path of each file with one of these endings, in order.
#[allow(dead_code)] // not all tests read them all
pub fn files(endings: &[&str]) -> Vec<(String, PathBuf)> {
    let Some(folder) = folder() else { return Vec::new() };
    let entries = std::fs::read_dir(&folder).expect("the folder can be listed");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| endings.iter().any(|&ending| e == ending)));
    paths.sort();
    assert!(!paths.is_empty(), "{} has no files of the kinds {endings:?}", folder.display());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    paths.into_iter().map(|path| (name(&path), path)).collect()
}

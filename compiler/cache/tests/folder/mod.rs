//! Temporary folders.

use std::path::{Path, PathBuf};

/// A folder that is removed with its contents.
pub struct Temporary(pub PathBuf);

impl Temporary {
    /// The path of a folder that does not exist.
    pub fn new(name: &str) -> Temporary {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Temporary(folder)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

//! Sets `AIRFOIL_BUILD`, a digest of the sources of the compiler: entries of another build are not read.
//!
//! A published crate is built without the other sources; there the version identifies them.

use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut hash = Sha256::new_with_prefix(env!("CARGO_PKG_VERSION"));
    let is_checkout = root.join("compiler/cache/build.rs").is_file();
    let folders = ["backends", "compiler", "frontends", "passes"].map(|name| root.join(name));
    for folder in folders.iter().filter(|_| is_checkout) {
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files = Vec::new();
        sources(folder, &mut files)?;
        files.sort();
        for file in files {
            let text = fs::read(&file)?;
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
    let digest: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
    println!("cargo::rustc-env=AIRFOIL_BUILD={digest}");
    Ok(())
}

/// The sources that code depends on: Rust below `src`, and algebraic rules.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            if !["benches", "examples", "node_modules", "target", "tests", "web"].iter().any(|n| name == *n) {
                sources(&path, files)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs" || e == "rules") {
            files.push(path);
        }
    }
    Ok(())
}

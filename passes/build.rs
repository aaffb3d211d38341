//! Compiles the algebraic rules in `rules/` to the table of the pass `algebraic`.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=rules");
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(root.join("rules"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "rules") {
            files.push(path);
        }
    }
    files.sort();
    let (mut rules, mut list) = (Vec::new(), String::new());
    for path in &files {
        let name = path.file_name().ok_or("a file without a name")?.to_string_lossy();
        rules.extend(airfoil_rules::parse(&format!("passes/rules/{name}"), &std::fs::read_to_string(path)?)?);
        writeln!(list, "    (\"passes/rules/{name}\", include_str!({path:?})),")?;
    }
    let table = airfoil_rules::compile(&rules)?.to_rust();
    let text = format!(
        "/// The files of rules: name and text.\npub static FILES: &[(&str, &str)] = &[\n{list}];\n\
         /// The rules of all files.\n#[allow(unused_imports)]\npub static TABLE: airfoil_rules::table::Table = {table};\n"
    );
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("rules.rs"), text)?;
    Ok(())
}

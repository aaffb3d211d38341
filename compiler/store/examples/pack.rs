//! Writes shaders in text form as binary files into a folder: seeds of the fuzz target `restore`. `pack FOLDER FILE...`

#![allow(clippy::print_stderr)]

use airfoil_ir::text;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".to_owned());
    for (n, path) in arguments.enumerate() {
        // Files of several shaders, and those of tests of errors, are not seeds.
        let Ok(shader) = text::parse(&std::fs::read_to_string(&path)?) else { continue };
        match airfoil_store::store(&[&shader], &[("name", path.as_bytes())]) {
            Ok(bytes) => std::fs::write(Path::new(&folder).join(format!("{n}.foilb")), bytes)?,
            Err(error) => eprintln!("{path}: {}", error.message),
        }
    }
    Ok(())
}

//! Compiles the generated parser.

use std::path::Path;

fn main() {
    let sources = Path::new("src");
    let parser = sources.join("parser.c");
    println!("cargo:rerun-if-changed={}", sources.display());
    cc::Build::new().std("c11").include(sources).warnings(false).file(parser).compile("tree-sitter-foil");
}

//! Every script of the shared corpus is parsed, and its assembly assembles.

#![allow(clippy::print_stderr)]

use airfoil_spirv_asm::{Options, assemble};
use airfoil_tests::amber::{parse, script::Source};
use airfoil_tests::corpus;

#[test]
fn all_scripts_are_parsed_and_assembled() {
    let Some(folder) = corpus::shared().map(|f| f.join("corpus/amber")).filter(|f| f.is_dir()) else {
        eprintln!("skipped: the folder of shared test data is missing");
        return;
    };
    let files = corpus::files(&folder, &["amber", "vkscript"]).unwrap();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for file in &files {
        let name = corpus::name(&folder, file);
        match parse(&corpus::read_text(file).unwrap(), &|_| None) {
            Err(fault) if fault.message.ends_with("placeholder of a template") => {}
            Err(fault) => wrong.push(format!("{name}: {fault}")),
            Ok(script) => {
                assert!(!script.commands.is_empty() && !script.pipelines.is_empty(), "{name}");
                for shader in &script.shaders {
                    let Source::Assembly(text) = &shader.source else { continue };
                    if let Err(faults) = assemble(text, &Options { version: shader.spirv }) {
                        wrong.push(format!("{name}: {}: {}", shader.name, faults[0]));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), files.len(), wrong.join("\n"));
}

//! Every script of the shared corpus is parsed, and its assembly assembles.

use airfoil_filetest::harness;
use airfoil_spirv_asm::{Options, assemble};
use airfoil_tests::amber::{parse, script::Source};
use airfoil_tests::corpus;

fn all_scripts_are_parsed_and_assembled() {
    let folder = harness::corpus().expect("the test declares that it needs the corpus").join("amber");
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

airfoil_filetest::harness! {
    all_scripts_are_parsed_and_assembled needs(Corpus("amber"));
}

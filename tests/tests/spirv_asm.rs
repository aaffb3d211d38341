//! The assembler produces the same words from a text as `spirv-as`.

use airfoil_filetest::harness;
use airfoil_spirv_asm::{Options, assemble};
use airfoil_tests::corpus;

fn modules_are_the_same_as_those_of_spirv_as() {
    let folder = harness::corpus().expect("the test declares that it needs the corpus").join("spirv-asm");
    let mut wrong = Vec::new();
    let files = corpus::files(&folder, &["spvasm"]).unwrap();
    assert!(!files.is_empty());
    for file in &files {
        let text = corpus::read_text(file).unwrap();
        let bytes = std::fs::read(file.with_extension("spv")).unwrap();
        let expected = airfoil_spirv_in::from_bytes(&bytes).unwrap();
        let [_, minor, major, _] = expected[1].to_le_bytes();
        let name = file.file_name().unwrap().display();
        match assemble(&text, &Options { version: Some((major, minor)) }) {
            Err(faults) => wrong.push(format!("{name}: {}", faults[0])),
            Ok(mut words) => {
                // The tool that wrote the module.
                words[2] = expected[2];
                let at = words.iter().zip(&expected).position(|(a, b)| a != b);
                let lengths = [words.len(), expected.len()];
                if let Some(at) =
                    at.or_else(|| (lengths[0] != lengths[1]).then(|| lengths[0].min(lengths[1])))
                {
                    wrong.push(format!("{name}: word {at} differs"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), files.len(), wrong.join("\n"));
}

airfoil_filetest::harness! {
    modules_are_the_same_as_those_of_spirv_as needs(Corpus("spirv-asm"));
}

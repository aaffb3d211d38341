//! Every capability that the reader of SPIR-V accepts is written: a text test in `tests/filetests/spirv-out` expects it, or it is
//! listed here with their replacement.

use std::path::Path;

/// Capabilities of inputs that outputs do not need.
const OTHERS: &[(&str, &str)] = &[
    ("Matrix", "implied by Shader"),
    ("Linkage", "a module with entry points has no imports or exports"),
    ("AtomicStorage", "atomic counters are storage buffers"),
    ("VariablePointers", "a use of a pointer chooses among the variables that it can point to"),
    ("VariablePointersStorageBuffer", "as VariablePointers"),
    (
        "ImageReadWriteLodAMD",
        "levels of storage images are read by none of its instructions: they are an error",
    ),
    ("SubgroupBallotKHR", "GroupNonUniformBallot"),
    ("SubgroupVoteKHR", "GroupNonUniformVote"),
    ("ExpectAssumeKHR", "hints are dropped"),
    ("DotProduct", "products and sums"),
    ("DotProductInputAll", "as DotProduct"),
    ("DotProductInput4x8Bit", "as DotProduct"),
    ("DotProductInput4x8BitPacked", "as DotProduct"),
    ("BitInstructions", "operations on bits belong to Shader"),
];

/// The capabilities that text tests expect.
fn expected() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/spirv-out");
    let mut found = Vec::new();
    for file in airfoil_filetest::find(&[root]).expect("the folder of the tests") {
        let text = std::fs::read_to_string(&file).expect("a test");
        for line in text.lines().filter(|line| line.starts_with([';', '/'])) {
            found.extend(line.split_once(": OpCapability ").map(|(_, name)| name.trim().to_owned()));
        }
    }
    found
}

#[test]
fn every_capability_that_is_read_is_written() {
    let expected = expected();
    let is_other = |name: &str| OTHERS.iter().any(|(other, _)| *other == name);
    let names: Vec<String> = airfoil_spirv_in::CAPABILITIES.iter().map(|c| format!("{c:?}")).collect();
    assert!(names.len() > 100, "{}", names.len());
    let missing: Vec<&String> =
        names.iter().filter(|name| !expected.contains(name) && !is_other(name)).collect();
    assert!(missing.is_empty(), "capabilities without a text test in tests/filetests/spirv-out: {missing:?}");
    for (other, reason) in OTHERS {
        assert!(!expected.iter().any(|name| name == other), "{other} is written after all: {reason}");
    }
}

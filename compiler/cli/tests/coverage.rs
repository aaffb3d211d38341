//! Every operation that selection sees has a text test below `tests/filetests/air`.

use airfoil::ir::TexOp;
use airfoil::ir::alu::ALU_OPS;
use airfoil::ir::intrinsic::INTRINSIC_OPS;
use std::collections::BTreeSet;
use std::path::Path;

/// Intrinsics that a pass lowers before selection.
const LOWERED: &[(&str, &str)] = &[
    ("deref_buffer_array_length", "lower_io"),
    ("load_param", "inline_functions"),
    ("interp_deref_at_centroid", "lower_io"),
    ("interp_deref_at_sample", "lower_io"),
    ("interp_deref_at_offset", "lower_io"),
];

/// The operations of the shaders in the tests.
fn tested() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/air");
    let mut operations = BTreeSet::new();
    for file in airfoil_filetest::find(&[root]).expect("the folder of the tests") {
        let text = std::fs::read_to_string(&file).expect("a test");
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with(';')) {
            let code = line.split_once(" = ").map_or(line, |(_, code)| code);
            operations.extend(code.split_whitespace().next().map(str::to_string));
        }
    }
    operations
}

#[test]
fn every_operation_has_a_text_test() {
    let tested = tested();
    let alu = ALU_OPS.iter().map(|op| op.name());
    let intrinsics = INTRINSIC_OPS.iter().map(|op| op.name());
    let textures = TexOp::ALL.iter().map(|op| op.name());
    let all: Vec<&str> = alu.chain(intrinsics).chain(textures).collect();
    assert!(all.len() > 300, "{}", all.len());
    let lowered = |name: &str| LOWERED.iter().any(|(lowered, _)| *lowered == name);
    let missing: Vec<&str> =
        all.iter().copied().filter(|name| !tested.contains(*name) && !lowered(name)).collect();
    assert!(
        missing.is_empty(),
        "operations without a text test in tests/filetests/air: {}",
        missing.join(", ")
    );
    for (name, pass) in LOWERED {
        assert!(
            all.contains(name) && !tested.contains(*name),
            "`{name}` is not lowered by `{pass}` any more"
        );
    }
}

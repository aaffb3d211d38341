//! Every operation that selection handles has a text test below `tests/filetests/air`, and every group of SPIR-V
//! instructions one in `tests/filetests/spirv`. A test of `airfoil-glsl` covers the groups of built-in functions.

use airfoil::ir::alu::ALU_OPS;
use airfoil::ir::intrinsic::INTRINSIC_OPS;
use airfoil::ir::{Form, IntrinsicOp, TexOp};
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

/// The operations of the shaders in the tests of a folder.
fn tested(folder: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests").join(folder);
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
    let tested = tested("air");
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

#[test]
fn every_operation_of_form_variables_has_a_text_test_in_spirv() {
    let tested = tested("spirv-out");
    let alu = ALU_OPS.iter().map(|op| op.name());
    // Calls are inlined before a shader is written.
    let has_form =
        |op: &&IntrinsicOp| op.forms().contains(Form::Variables.into()) && **op != IntrinsicOp::load_param;
    let intrinsics = INTRINSIC_OPS.iter().filter(has_form).map(|op| op.name());
    let textures = TexOp::ALL.iter().map(|op| op.name());
    let all: Vec<&str> = alu.chain(intrinsics).chain(textures).collect();
    assert!(all.len() > 250, "{}", all.len());
    let missing: Vec<&str> = all.into_iter().filter(|name| !tested.contains(*name)).collect();
    assert!(
        missing.is_empty(),
        "operations without a text test in tests/filetests/spirv-out: {}",
        missing.join(", ")
    );
}

/// The groups of SPIR-V 1.6 section 3.52 that shaders use, by some of their instructions.
const SPIRV_GROUPS: &[(&str, &[&str])] = &[
    ("miscellaneous", &["OpUndef"]),
    ("debug", &["OpName"]),
    ("annotation", &["OpDecorate"]),
    ("extension", &["OpExtInst"]),
    ("mode-setting", &["OpExecutionMode"]),
    ("types", &["OpTypeStruct"]),
    ("constants", &["OpConstantNull"]),
    ("specialization constants", &["OpSpecConstantOp"]),
    ("memory", &["OpCopyMemory"]),
    ("arrays", &["OpArrayLength"]),
    ("addresses", &["OpPtrAccessChain"]),
    ("functions", &["OpFunctionCall"]),
    ("image lookups", &["OpImageSampleImplicitLod"]),
    ("image queries", &["OpImageQuerySizeLod"]),
    ("storage images", &["OpImageWrite"]),
    ("conversions", &["OpConvertFToS"]),
    ("bitcasts", &["OpBitcast"]),
    ("composites", &["OpCompositeInsert"]),
    ("vectors", &["OpVectorShuffle"]),
    ("integer arithmetic", &["OpIAdd"]),
    ("float arithmetic", &["OpFAdd"]),
    ("matrices", &["OpMatrixTimesVector"]),
    ("extended arithmetic", &["OpUMulExtended"]),
    ("bits", &["OpBitFieldInsert"]),
    ("shifts", &["OpShiftLeftLogical"]),
    ("comparisons", &["OpFOrdLessThan"]),
    ("logic", &["OpLogicalAnd"]),
    ("selection", &["OpSelect"]),
    ("derivatives", &["OpDPdx"]),
    ("branches", &["OpBranchConditional"]),
    ("switches", &["OpSwitch"]),
    ("loops", &["OpLoopMerge"]),
    ("phis", &["OpPhi"]),
    ("atomics", &["OpAtomicIAdd"]),
    ("atomics on images", &["OpImageTexelPointer"]),
    ("primitives", &["OpEmitVertex", "OpEmitStreamVertex"]),
    ("barriers", &["OpControlBarrier", "OpMemoryBarrier"]),
    ("subgroup votes", &["OpGroupNonUniformAll"]),
    ("subgroup ballots", &["OpGroupNonUniformBallot"]),
    ("subgroup shuffles", &["OpGroupNonUniformShuffle"]),
    ("subgroup arithmetic", &["OpGroupNonUniformFAdd"]),
    ("quads", &["OpGroupNonUniformQuadSwap"]),
];

#[test]
fn every_group_of_spirv_has_a_text_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/spirv");
    let mut tested = BTreeSet::new();
    for file in airfoil_filetest::find(&[root]).expect("the folder of the tests") {
        let text = std::fs::read_to_string(&file).expect("a test");
        let lines = text.lines().filter(|line| !line.trim().starts_with(';'));
        tested.extend(lines.flat_map(str::split_whitespace).map(str::to_string));
    }
    for (group, instructions) in SPIRV_GROUPS {
        for instruction in *instructions {
            assert!(
                tested.contains(*instruction),
                "{group}: no text test with {instruction} in tests/filetests/spirv"
            );
        }
    }
}

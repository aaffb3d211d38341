//! `docs/operations.md` is generated from the tables; this test fails when it is out of date.
//!
//! `AIRFOIL_BLESS=1 cargo test -p airfoil-ir --test manual` regenerates it.

use airfoil_ir::alu::ALU_OPS;
use airfoil_ir::intrinsic::{Forms, INTRINSIC_OPS, IntrinsicInfo, OperandShape, Stages};
use airfoil_ir::{Modes, Named, Stage, TexOp, TexSrc};
use std::fmt::Write;
use std::path::Path;

fn one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn shape(s: OperandShape) -> String {
    if s.deref {
        return "deref".into();
    }
    if s.same {
        return "same".into();
    }
    let base = format!("{:?}", s.base).to_lowercase();
    let bits = if s.bits > 1 { s.bits.to_string() } else { String::new() };
    let comps = if s.comps > 0 { format!("[{}]", s.comps) } else { String::new() };
    format!("{base}{bits}{comps}")
}

fn intrinsic_signature(info: &IntrinsicInfo) -> String {
    let operands: Vec<String> =
        info.operand_names.iter().zip(info.operands).map(|(n, &s)| format!("{n}: {}", shape(s))).collect();
    let result = info.result.map_or(String::new(), |r| format!(" -> {}", shape(r)));
    format!("{}({}){result}", info.name, operands.join(", "))
}

/// The memory column as in the row: `load ssbo at block + offset`.
fn memory(info: &IntrinsicInfo) -> String {
    let Some(m) = info.memory else { return String::new() };
    let operand = |at: u8| info.operand_names[usize::from(at)];
    let location: Vec<&str> = m.block.into_iter().chain(m.offset).map(operand).collect();
    let mode = match m.modes {
        modes if modes == Modes::all() => "any".into(),
        modes => modes.iter_names().map(|(name, _)| name.to_lowercase()).collect::<Vec<_>>().join(" "),
    };
    let value = m.value.map_or(String::new(), |v| format!(" = {}", operand(v)));
    format!("{} {mode} at {}{value}", m.action.name(), location.join(" + "))
}

/// Forms and stages in which the intrinsic is legal, as far as it is not all of them.
fn legal(info: &IntrinsicInfo) -> String {
    let mut parts = Vec::new();
    if info.forms != Forms::all() {
        parts.extend(info.forms.iter_names().map(|(name, _)| name.to_lowercase()));
    }
    if info.stages == Stages::OUTPUTS {
        parts.push("stages with outputs".into());
    } else if info.stages == Stages::INPUTS {
        parts.push("stages with inputs".into());
    } else if info.stages != Stages::all() {
        let single = Stage::ALL.iter().filter(|&&s| info.stages.contains(s.into()));
        parts.extend(single.map(|s| s.name().into()));
    }
    parts.join(", ")
}

const INTRINSICS: &str = "
## Intrinsics

*Memory* is the action, the kind of memory, the operands that give the location, and the operand that is written. *Only \
in* lists the forms and stages in which the intrinsic is legal. *Varies* is the divergence of the result: `uniform` and \
`divergent` results are so in any case; `operands`, `first` and `all_operands` may differ between invocations if any \
operand, the first operand or all operands do; `memory` is `operands` for memory that is not written while the shader \
runs and `divergent` otherwise; `cluster` is uniform unless the subgroup is divided into clusters.

| intrinsic | indices | properties | memory | only in | varies | meaning |
|---|---|---|---|---|---|---|
";

fn manual() -> String {
    let mut text = String::from(
        "# Operations\n\nMade from the tables in `compiler/ir/src/{alu,intrinsic}/table.rs` and `tex.rs` by \
         `AIRFOIL_BLESS=1 cargo test -p airfoil-ir --test manual`; do not edit.\n",
    );
    text.push_str("\n## ALU\n\n| operation | properties | meaning |\n|---|---|---|\n");
    for op in ALU_OPS {
        let info = op.info();
        let operands: Vec<String> =
            info.operand_names.iter().zip(info.operands).map(|(n, t)| format!("{n}: {t}")).collect();
        let properties: Vec<String> = info.props.iter_names().map(|(n, _)| n.to_lowercase()).collect();
        writeln!(
            text,
            "| `{}({}) -> {}` | {} | {} |",
            info.name,
            operands.join(", "),
            info.result,
            properties.join(", "),
            one_line(info.doc)
        )
        .unwrap();
    }
    text.push_str(INTRINSICS);
    for op in INTRINSIC_OPS {
        let info = op.info();
        let indices: Vec<&str> = info.indices.iter().map(|i| i.name()).collect();
        let flags: Vec<String> = info.flags.iter_names().map(|(n, _)| n.to_lowercase()).collect();
        writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} | {} |",
            intrinsic_signature(info),
            indices.join(", "),
            flags.join(", "),
            memory(info),
            legal(info),
            if info.result.is_some() { info.varies.name() } else { "" },
            one_line(info.doc)
        )
        .unwrap();
    }
    text.push_str("\n## Texture operations\n\n| operation | meaning |\n|---|---|\n");
    for op in TexOp::ALL {
        writeln!(text, "| `{}` | {} |", op.name(), one_line(op.doc())).unwrap();
    }
    text.push_str("\n## Sources of texture operations\n\n| source | meaning |\n|---|---|\n");
    for src in TexSrc::ALL {
        writeln!(text, "| `{}` | {} |", src.name(), one_line(src.doc())).unwrap();
    }
    text
}

#[test]
fn the_manual_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    let text = manual();
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(old == text, "docs/operations.md is out of date: run with AIRFOIL_BLESS=1");
}

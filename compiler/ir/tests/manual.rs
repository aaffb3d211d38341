//! `docs/operations.md` is made from the tables; this test says when it is out of date.
//!
//! `AIRFOIL_BLESS=1 cargo test -p airfoil-ir --test manual` writes it anew.

use airfoil_ir::alu::ALU_OPS;
use airfoil_ir::intrinsic::{INTRINSIC_OPS, IntrinsicInfo, OperandShape};
use airfoil_ir::{TexOp, TexSrc};
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
    text.push_str("\n## Intrinsics\n\n| intrinsic | indices | properties | meaning |\n|---|---|---|---|\n");
    for op in INTRINSIC_OPS {
        let info = op.info();
        let indices: Vec<&str> = info.indices.iter().map(|i| i.name()).collect();
        let flags: Vec<String> = info.flags.iter_names().map(|(n, _)| n.to_lowercase()).collect();
        writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            intrinsic_signature(info),
            indices.join(", "),
            flags.join(", "),
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

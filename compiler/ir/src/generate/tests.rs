//! Generated shaders are valid and cover every operation.

use super::*;
use crate::alu::ALU_OPS;
use crate::intrinsic::INTRINSIC_OPS;
use crate::tex::TexOp;
use rustc_hash::FxHashSet;

#[test]
fn same_choices_same_shader() {
    for seed in 0..20 {
        let options = Options::default();
        let text = crate::text::print(&from_seed(seed, &options));
        assert_eq!(text, crate::text::print(&from_seed(seed, &options)));
    }
}

#[test]
fn shaders_are_valid() {
    for seed in 0..2000 {
        let shader = from_seed(seed, &Options::default());
        let violations = crate::validate::validate(&shader);
        let first = violations.first().map(|v| format!("{v:?}"));
        assert!(violations.is_empty(), "seed {seed}: {first:?}\n{}", crate::text::print(&shader));
    }
}

#[test]
fn any_bytes_make_a_valid_shader() {
    let mut seed = Seed(7);
    for len in 0..200 {
        let bytes: Vec<u8> = (0..len * 5).map(|_| seed.below(256) as u8).collect();
        let shader = shader(&mut Bytes(&bytes), &Options::default());
        assert!(crate::validate::validate(&shader).is_empty());
    }
}

/// Every operation comes up, in every form and stage that has it.
#[test]
fn everything_comes_up() {
    let (mut alu, mut intrinsics, mut tex) =
        (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    let (mut stages, mut others) = (FxHashSet::default(), FxHashSet::default());
    for seed in 0..3000 {
        let shader = from_seed(seed, &Options { instrs: 120, ..Options::default() });
        stages.insert((shader.stage, shader.form));
        for f in shader.functions.values() {
            for id in f.body.all_instrs() {
                let instr = &f.body[id];
                match &instr.kind {
                    InstrKind::Alu(a) => _ = alu.insert(a.op),
                    InstrKind::Intrinsic(i) => _ = intrinsics.insert(i.op),
                    InstrKind::Tex(t) => _ = tex.insert(t.op),
                    InstrKind::Deref(d) => _ = others.insert(std::mem::discriminant(&d.kind)),
                    _ => {}
                }
            }
        }
    }
    assert_eq!(alu.len(), ALU_OPS.len());
    let missing: Vec<_> = INTRINSIC_OPS.iter().filter(|op| !intrinsics.contains(op)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(tex.len(), TexOp::ALL.len());
    assert_eq!(stages.len(), Stage::ALL.len() * Form::ALL.len());
    assert_eq!(others.len(), 6);
}

//! `variants`: one shader in several files (`NAME.o0.spv`, `NAME.opt.spv`, ...) computes the same in all of them.
//!
//! The variant `o0` as it was read is executed on several seeds and gives the expected results; every variant, `o0` included, is
//! compiled at a level and must give the same. Variants are produced by other optimisers, which may round as they like:
//! floats are compared with a tolerance.

use super::accept;
use crate::report::Verdict;
use airfoil::ir::InstrKind;
use airfoil::ir::alu::{AluOp, Base};
use airfoil::{OptLevel, Shader};
use airfoil_check::{Baseline, Compared, Runs};
use airfoil_interp::Tolerance;
use std::path::{Path, PathBuf};

/// The variant that the others are compared with.
const REFERENCE: &str = "o0";

/// The file of the reference of a variant: `a.b.opt.spv` has `a.b.o0.spv`.
fn reference(path: &Path) -> Option<PathBuf> {
    let ending = path.extension()?.to_str()?;
    let name = path.file_stem()?.to_str()?;
    let (shader, _) = name.rsplit_once('.')?;
    Some(path.with_file_name(format!("{shader}.{REFERENCE}.{ending}")))
}

/// Compares a file with its reference.
pub fn run(path: &Path, level: OptLevel) -> Verdict {
    let Some(reference) = reference(path) else {
        return Verdict::Failed("the name has no part that tells the variant".into());
    };
    let read = |path: &Path| accept::read(path, false).map_err(|faults| accept::words(&faults));
    let (ours, theirs) = match (read(path), read(&reference)) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (Err(reason), _) | (_, Err(reason)) => return Verdict::Skipped(format!("read: {reason}")),
    };
    if ours.len() != theirs.len() {
        return Verdict::Failed(format!("{} entry points, {REFERENCE} has {}", ours.len(), theirs.len()));
    }
    let mut nothing = None;
    for (mut shader, reference) in ours.into_iter().zip(theirs) {
        let baseline = Baseline::of(&reference, &Runs::default());
        nothing = nothing.or(baseline.nothing());
        if let Err(reason) = optimise(&mut shader, level) {
            return Verdict::Failed(reason);
        }
        match baseline.compare(&shader, tolerance(&reference)) {
            Compared::Agrees => {}
            Compared::Differs(mismatch) => return Verdict::Failed(mismatch.to_string()),
            Compared::NotExecuted(reason) => nothing = Some(reason),
        }
    }
    nothing.map_or(Verdict::Passed, Verdict::Skipped)
}

/// Floats of 16 bits have 11 bits of precision: one step is a relative difference of 2^-10.
fn tolerance(shader: &Shader) -> Tolerance {
    let bodies = shader.functions.values().map(|f| &f.body);
    let mut instrs = bodies.flat_map(|body| body.all_instrs().map(move |id| &body[id]));
    let half = instrs.any(|instr| match &instr.kind {
        InstrKind::Alu(alu) => {
            let float = alu.op.info().result.base == Base::Float;
            matches!(alu.op, AluOp::unpack_half_2x16 | AluOp::fquantize2f16) || float && instr.ty.bits == 16
        }
        _ => false,
    });
    if half { Tolerance { relative: 2.0 / 1024.0 } } else { Tolerance::default() }
}

fn optimise(shader: &mut Shader, level: OptLevel) -> Result<(), String> {
    airfoil::steps::optimize(shader, level).map_err(|faults| accept::words(&faults))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_that_differ_are_found() {
        let folder = std::env::temp_dir().join(format!("airfoil-{}-variants", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let shader = |value: &str| {
            let text = format!("#version 330\nin vec4 a;\nout vec4 c;\nvoid main() {{ c = a + {value}; }}\n");
            let options = airfoil_glsl::ProgramOptions {
                link: airfoil_glsl::link::LinkOptions { separable: true, ..Default::default() },
                ..Default::default()
            };
            let source = airfoil_glsl::Source { name: "", stage: airfoil::Stage::Fragment, text: &text };
            let program = airfoil_glsl::build(&[source], &options).unwrap();
            airfoil::ir::text::print(&program.shaders[0])
        };
        let write = |name: &str, text: String| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        write("x.o0.foil", shader("1.0"));
        let same = write("x.opt.foil", shader("(0.5 + 0.5)"));
        let other = write("x.os.foil", shader("1.5"));
        let lone = write("y.os.foil", shader("1.0"));
        assert_eq!(run(&same, OptLevel::O2), Verdict::Passed);
        assert!(matches!(run(&other, OptLevel::O2), Verdict::Failed(reason) if reason.starts_with("output")));
        assert!(matches!(run(&lone, OptLevel::O2), Verdict::Skipped(_)));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

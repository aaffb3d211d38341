//! One case by several engines: the interpreter, a Vulkan driver on the original modules, and the driver on the modules that
//! Airfoil writes at O0 and O2.

use super::driver::Modules;
use super::{Engine, EngineKind};
use crate::report::Verdict;
use airfoil::OptLevel;

/// The modules of the columns; `None` is the interpreter. GLSL has no original modules: Airfoil compiles it at O0.
const MODULES: [(&str, Option<Modules>); 4] = [
    ("interpreter", None),
    ("original", Some(Modules::Original)),
    ("O0", Some(Modules::Written(OptLevel::O0))),
    ("O2", Some(Modules::Written(OptLevel::O2))),
];

/// Runs a case by the interpreter, and by a driver on each kind of modules.
pub fn modules(mut run: impl FnMut(Option<Modules>) -> Verdict) -> Verdict {
    judge(&MODULES.map(|(column, modules)| (column, run(modules))))
}

/// Runs a case of GLSL, without original modules. Each column has a level and an engine of its own.
pub fn glsl(engine: &Engine, mut run: impl FnMut(OptLevel, &Engine) -> Verdict) -> Verdict {
    let interpreter = Engine { kind: EngineKind::Interp, ..engine.clone() };
    judge(&[
        ("interpreter", run(OptLevel::O0, &interpreter)),
        ("O0", run(OptLevel::O0, engine)),
        ("O2", run(OptLevel::O2, engine)),
    ])
}

/// The verdict of all columns: the interpreter, and those of the driver. A failure names all columns that fail. A case that
/// the first column of the driver skips is skipped.
fn judge(columns: &[(&str, Verdict)]) -> Verdict {
    if let Some((_, skipped @ Verdict::Skipped(_))) = columns.get(1) {
        return skipped.clone();
    }
    let faults = columns.iter().enumerate().filter_map(|(n, (column, verdict))| match verdict {
        Verdict::Passed => None,
        Verdict::Failed(reason) | Verdict::Crashed(reason) => Some(format!("{column}: {reason}")),
        // The interpreter may lack features of the driver; that does not excuse modules that Airfoil writes.
        Verdict::Skipped(reason) => (n > 0).then(|| format!("{column}: {reason}")),
    });
    let faults: Vec<String> = faults.collect();
    if faults.is_empty() { Verdict::Passed } else { Verdict::Failed(faults.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_name_their_columns() {
        let fail = || Verdict::Failed("no".into());
        let skip = || Verdict::Skipped("off".into());
        let all = |a, b, c| judge(&[("interpreter", a), ("O0", b), ("O2", c)]);
        assert_eq!(all(Verdict::Passed, Verdict::Passed, Verdict::Passed), Verdict::Passed);
        assert_eq!(all(skip(), Verdict::Passed, Verdict::Passed), Verdict::Passed);
        assert_eq!(all(fail(), skip(), fail()), skip());
        assert_eq!(all(fail(), Verdict::Passed, skip()), Verdict::Failed("interpreter: no; O2: off".into()));
    }
}

//! Faults of execution as diagnostics.

use airfoil::{Diagnostic, Place};
use airfoil_interp::{Fault, FaultKind};

/// The diagnostic of a fault: at its source line, if that is known, with the instruction.
pub fn diagnostic(fault: &Fault) -> Diagnostic {
    let (code, advice) = match fault.kind {
        FaultKind::Undefined => ("E0041", advice(&fault.message)),
        FaultKind::Unsupported => ("E0042", advice(&fault.message)),
        FaultKind::Steps => ("E0043", Some("`--max-steps N` allows more")),
    };
    let mut d = Diagnostic::error(code, fault.message.clone());
    if let Some((file, line)) = &fault.line {
        d = d.at(Place::Text { file: file.clone(), line: *line, column: 0 });
    }
    let instruction = fault.instruction.as_ref().map(|i| format!("the instruction is `{i}`"));
    let help: Vec<String> = instruction.into_iter().chain(advice.map(str::to_string)).collect();
    if help.is_empty() { d } else { d.help(help.join("; ")) }
}

/// Advice, by a part of the message.
const ADVICE: &[(&str, &str)] = &[
    ("undefined value", "`--undef zero` gives undefined values bits"),
    ("out of bounds", "`--robust` lets reads give zero and drops writes"),
    ("out of range", "`--robust` lets reads give zero and drops writes"),
    ("no buffer is bound", "give its bytes with `--buffer NAME=...`, or let `--seed N` make them"),
    (
        "nothing is bound",
        "give it with `--texture NAME=FILE.png` or `--image NAME=WxH`, or let `--seed N` make it",
    ),
    ("was not given", "give it with `--builtin NAME=VALUE`"),
];

fn advice(message: &str) -> Option<&'static str> {
    ADVICE.iter().find(|(part, _)| message.contains(part)).map(|(_, advice)| *advice)
}

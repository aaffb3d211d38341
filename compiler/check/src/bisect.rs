//! The pass at fault, alone.

use crate::{Found, Kind, Runs, find, find::find_in_program};
use airfoil_ir::{Diagnostic, Shader, text};
use airfoil_passes::manager::Options;
use airfoil_passes::{Manager, PassStep, Pipeline};

/// What bisection found.
#[derive(Debug)]
pub struct Bisected {
    /// The fault.
    pub kind: Kind,
    /// The same in words.
    pub message: String,
    /// The pass with its options.
    pub pass: String,
    /// How many passes had been applied, with this one.
    pub number: u64,
    /// The pass shows the fault alone on the shader just before it.
    pub alone: bool,
    /// The rule at fault, if the pass applies rules and is not at fault without this one.
    pub rule: Option<&'static str>,
    /// The shader just before that pass; if it shows nothing alone, the shader as it was at first.
    pub shader: Shader,
    /// A short list of passes that shows the fault on the shader as it was at first.
    pub passes: Vec<String>,
}

/// Most pipelines that are tried to find a shorter one.
const MAX_TRIES: usize = 120;

/// Finds the first application of a pass that changes the result or breaks the shader; `None` = there is none.
///
/// # Errors
/// The shader is not valid, or a pass refuses it.
pub fn bisect(
    shader: &Shader,
    pipeline: &Pipeline,
    runs: &Runs,
) -> Result<Option<Bisected>, Vec<Diagnostic>> {
    bisect_program(std::slice::from_ref(shader), pipeline, runs)
}

/// The same for the shaders of a program and a pipeline with passes over all of them.
///
/// # Errors
/// As [`bisect`].
pub fn bisect_program(
    shaders: &[Shader],
    pipeline: &Pipeline,
    runs: &Runs,
) -> Result<Option<Bisected>, Vec<Diagnostic>> {
    let (kind, message, pass, at, number, trace) = match find_in_program(shaders, pipeline, runs) {
        Found::Nothing { .. } => return Ok(None),
        Found::Refused(faults) => return Err(faults),
        Found::Fault { kind, message, pass, shader, number, trace } => {
            (kind, message, pass, shader, number, trace)
        }
    };
    let mut before = shaders.to_vec();
    let options = Options { stop_after: Some(number.saturating_sub(1)), ..Options::default() };
    // It went well up to there before.
    let _ = Manager::new(options).run_program(pipeline, &mut before);
    let before = before.swap_remove(at);
    let alone = find(&before, &Pipeline::of_steps([pass.clone()]), runs).pass().is_some();
    let rule = if alone { guilty_rule(&before, &pass, runs) } else { None };
    let passes = shortest(&shaders[at], &pass, trace, runs);
    let passes = passes.iter().map(|step| step.text().to_owned()).collect();
    let shader = if alone { before } else { shaders[at].clone() };
    Ok(Some(Bisected { kind, message, pass: pass.text().to_owned(), number, alone, rule, shader, passes }))
}

/// The rule without which a pass shows no fault on a shader.
fn guilty_rule(shader: &Shader, pass: &PassStep, runs: &Runs) -> Option<&'static str> {
    let mut manager = Manager::new(Options { statistics: true, ..Options::default() });
    // A pass that panics has counted no rules.
    let run = || manager.run(&Pipeline::of_steps([pass.clone()]), &mut shader.clone()).is_ok();
    let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    if !matches!(ran, Ok(true)) {
        return None;
    }
    manager.statistics().rules().into_iter().map(|(name, _)| name).find(|name| {
        pass.pass().without_rule(name).is_some_and(|without| {
            let pipeline = Pipeline::of_steps([PassStep::new(without)]);
            find(shader, &pipeline, runs).pass().is_none()
        })
    })
}

/// A short list of passes from `trace` that shows a fault of its last one: parts are left out, the larger ones first.
fn shortest(shader: &Shader, pass: &PassStep, mut trace: Vec<PassStep>, runs: &Runs) -> Vec<PassStep> {
    let mut tries = MAX_TRIES;
    let mut shows = |list: &[PassStep]| {
        tries = tries.saturating_sub(1);
        tries > 0 && find(shader, &Pipeline::of_steps(list.iter().cloned()), runs).pass() == Some(pass.text())
    };
    if shows(std::slice::from_ref(pass)) {
        return vec![pass.clone()];
    }
    let mut part = trace.len() / 2;
    while part > 0 {
        let mut end = trace.len() - 1;
        while end > 0 {
            let start = end.saturating_sub(part);
            let mut without = trace.clone();
            without.drain(start..end);
            if shows(&without) {
                trace = without;
            }
            end = start;
        }
        part /= 2;
    }
    trace
}

impl Bisected {
    /// The fault as a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        let code = match self.kind {
            Kind::Mismatch => "E0816",
            Kind::Broken => "E0810",
            Kind::Panic => "E0000",
        };
        let message = format!("{} (the {} pass that was applied)", self.message, ordinal(self.number));
        let help = match self.alone {
            true => format!("these passes show it: --passes '{}'", self.passes.join(", ")),
            false => format!(
                "these passes show it: --passes '{}'; alone `{}` does not",
                self.passes.join(", "),
                self.pass
            ),
        };
        let help = match self.rule {
            Some(rule) => {
                let pass = self.pass.split('{').next().unwrap_or_default();
                format!("{help}; the rule `{rule}` is at fault: `{pass}{{without={rule}}}` is not")
            }
            None => help,
        };
        Diagnostic::error(code, message).help(help)
    }

    /// A test of the pass on the shader just before it, as in `tests/filetests/passes`. The expected output is left
    /// empty, because the current output is wrong.
    pub fn test(&self) -> String {
        let passes = if self.alone { self.pass.clone() } else { self.passes.join(", ") };
        // A comment is one line.
        let why = self.message.lines().next().unwrap_or_default();
        format!("; RUN: airfoil opt --passes '{passes}'\n; {why}\n{}; EXPECT\n", text::print(&self.shader))
    }
}

fn ordinal(n: u64) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn ordinals() {
        let words: Vec<String> = [1, 2, 3, 4, 11, 12, 21, 113].map(super::ordinal).into();
        assert_eq!(words.join(" "), "1st 2nd 3rd 4th 11th 12th 21st 113th");
    }
}

//! Proofs of rules.
//!
//! Rules on integers are proved by the solver at every width. Rules on floats are proved by the solver at 16 bits under the
//! flags of the rule, or over the real numbers if they round differently; and tested by evaluation, with all values of 16
//! bits if there is one operand, and with corner and random values at 32 bits.

use crate::sample;
use crate::smt::{self, Floats};
use crate::syntax::Rule;
use crate::table::Flags;
use crate::types::Types;
use crate::widths::{Assignment, assignments};
use airfoil_ir::bit_mask;
use std::fmt;
use std::io::Write;
use std::process::{Command, Stdio};

/// Changes when proofs mean something else, so that all are done again.
const VERSION: &str = "1";

/// How much to do.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Values of operands at 32 bits.
    pub samples: u64,
    /// Time for one query, in milliseconds.
    pub timeout_ms: u32,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { samples: 10_000_000, timeout_ms: 60_000 }
    }
}

/// The result for a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds; how that is known.
    Proved(String),
    /// It does not; a counterexample.
    Wrong(String),
    /// It could not be decided, because the solver is missing or gave up.
    Open(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Proved(how) => write!(f, "proved: {how}"),
            Verdict::Wrong(example) => write!(f, "WRONG: {example}"),
            Verdict::Open(why) => write!(f, "NOT PROVED: {why}"),
        }
    }
}

/// Whether the solver can be run.
pub fn has_solver() -> bool {
    Command::new("z3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No counterexample was found.
    Unsatisfiable,
    /// A counterexample.
    Satisfiable(String),
    /// The solver gave up, with its message.
    Unknown(String),
}

/// Asks the solver; values of `vars` are shown if there is a counterexample.
///
/// # Errors
/// The solver cannot be run.
pub fn ask(text: &str, vars: &[String]) -> std::io::Result<Answer> {
    let values = if vars.is_empty() { String::new() } else { format!("(get-value ({}))\n", vars.join(" ")) };
    let output = run(&format!("{text}{values}"))?;
    let (first, rest) = output.split_once('\n').unwrap_or((&output, ""));
    Ok(match first.trim() {
        "unsat" => Answer::Unsatisfiable,
        "sat" => Answer::Satisfiable(rest.split_whitespace().collect::<Vec<_>>().join(" ")),
        other => Answer::Unknown(other.into()),
    })
}

/// The output of the solver.
fn run(text: &str) -> std::io::Result<String> {
    let mut child = Command::new("z3")
        .args(["-in", "-smt2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Asks for each value that a constant of the rule probably has, and for all others at once.
fn by_cases(rule: &Rule, types: &Types, widths: &Assignment, query: &smt::Query) -> Option<Answer> {
    for (i, var) in rule.vars.iter().enumerate().filter(|(_, v)| v.constant) {
        let bits = u32::from(widths.bits(types, types.vars[i]));
        let name = format!("v_{}", var.name);
        if bits < 2 || !query.vars.contains(&name) {
            continue;
        }
        let powers = (0..bits).flat_map(|k| [1u64 << k, (1u64 << k).wrapping_neg()]);
        let mut values: Vec<u64> = (0..=64).chain(powers).map(|v| v & bit_mask(bits)).collect();
        values.sort_unstable();
        values.dedup();
        let mut text = query.text.replace("(check-sat)", "");
        for value in &values {
            let case = format!("(push)(assert (= {name} (_ bv{value} {bits})))(check-sat)(pop)\n");
            text.push_str(&case);
        }
        for value in &values {
            text.push_str(&format!("(assert (not (= {name} (_ bv{value} {bits}))))\n"));
        }
        text.push_str("(check-sat)\n");
        let answers = run(&text).ok()?;
        if answers.lines().count() == values.len() + 1 && answers.lines().all(|l| l.trim() == "unsat") {
            return Some(Answer::Unsatisfiable);
        }
    }
    None
}

/// Proves a rule.
pub fn prove(rule: &Rule, effort: &Effort) -> Verdict {
    let types = match Types::of(rule) {
        Ok(types) => types,
        Err(message) => return Verdict::Wrong(message),
    };
    let mut how: Vec<String> = Vec::new();
    let floats = types.has_floats() || rule.flags != Flags::default();
    // The solver: integers at each width, floats at 16 bits.
    let mut solved: Vec<String> = Vec::new();
    let mut unsolved: Vec<String> = Vec::new();
    let float_classes =
        types.classes().into_iter().filter(|&c| types.is_float(c) && types.is_used(c)).count();
    let all = assignments(rule, &types, if float_classes > 1 { &[16, 32] } else { &[16] });
    for widths in &all {
        let Some(query) = smt::query(rule, &types, widths, effort.timeout_ms, false) else {
            unsolved.push("no translation".into());
            continue;
        };
        let mut answer = ask(&query.text, &query.vars);
        if matches!(answer, Ok(Answer::Unknown(_)))
            && query.text.contains("bvshl")
            && let Some(query) = smt::query(rule, &types, widths, effort.timeout_ms, true)
        {
            answer = ask(&query.text, &query.vars);
        }
        if matches!(answer, Ok(Answer::Unknown(_))) {
            answer = by_cases(rule, &types, widths, &query).map_or(answer, Ok);
        }
        match answer {
            Err(_) => return Verdict::Open("z3 is not installed".into()),
            Ok(Answer::Unsatisfiable) => solved.push(widths.text(&types)),
            Ok(Answer::Satisfiable(model)) => {
                // Functions without a theory can be anything for the solver.
                if query.text.contains("(f_f") {
                    unsolved.push("functions".into());
                    continue;
                }
                return Verdict::Wrong(format!("widths {}: {model}", widths.text(&types)));
            }
            Ok(Answer::Unknown(message)) => {
                unsolved.push(format!("{message} at {}", widths.text(&types)));
            }
        }
    }
    if !solved.is_empty() {
        let theory = match (floats, smt::floats_of(rule)) {
            (true, Floats::Real) => "solver, real numbers",
            (true, Floats::Ieee) => "solver, floats of 16 bits",
            (false, _) => "solver",
        };
        how.push(format!("{theory}, widths {}", solved.join(", ")));
    }
    if !unsolved.is_empty() && !floats {
        return Verdict::Open(unsolved.join(", "));
    }
    // Evaluation.
    let samples = if floats { effort.samples } else { effort.samples / 100 };
    let mut compared = 0;
    for bits in if floats { vec![16u8, 32] } else { vec![32] } {
        let some = assignments(rule, &types, &[bits]);
        let count = some.len().max(1) as u64;
        for widths in some {
            let samples = if bits == 16 { samples / 10 } else { samples } / count;
            match sample::test(rule, &types, &widths, samples.max(1000)) {
                Err(example) => return Verdict::Wrong(example),
                Ok(tested) => {
                    compared += tested.compared;
                    if floats && tested.compared > 0 {
                        how.push(match tested.exhaustive {
                            true => format!("all values, widths {}", widths.text(&types)),
                            false => format!("{} values, widths {}", tested.compared, widths.text(&types)),
                        });
                    }
                }
            }
        }
    }
    if compared == 0 {
        return Verdict::Wrong("the condition never holds".into());
    }
    if how.is_empty() {
        return Verdict::Open("no widths".into());
    }
    Verdict::Proved(how.join("; "))
}

/// A number that identifies the text, flags and conditions of a rule: FNV-1a.
pub fn hash(rule: &Rule) -> u64 {
    let text = format!("{VERSION} [{}] {}", rule.flags.text(), rule.text);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Rules proved before, by hash.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    lines: Vec<(u64, String)>,
}

impl Cache {
    /// Reads a cache: lines of hash, name and method.
    pub fn parse(text: &str) -> Cache {
        let lines = text.lines().filter(|l| !l.starts_with('#'));
        let lines = lines.filter_map(|line| {
            let (hash, rest) = line.split_once(' ')?;
            Some((u64::from_str_radix(hash, 16).ok()?, rest.to_string()))
        });
        Cache { lines: lines.collect() }
    }

    /// The name and method of a proved rule.
    pub fn get(&self, rule: &Rule) -> Option<&str> {
        let hash = hash(rule);
        self.lines.iter().find(|(h, _)| *h == hash).map(|(_, text)| text.as_str())
    }

    /// Adds a proved rule.
    pub fn add(&mut self, rule: &Rule, how: &str) {
        self.lines.push((hash(rule), format!("{} {how}", rule.name)));
    }

    /// The text for the rules given, without others.
    pub fn text(&self, rules: &[Rule]) -> String {
        let mut out = String::from(
            "# Proved rules: hash, name, method. Written by `airfoil rules test --bless`; a rule that is not listed is proved by it.\n",
        );
        for rule in rules {
            if let Some(line) = self.get(rule) {
                out.push_str(&format!("{:016x} {line}\n", hash(rule)));
            }
        }
        out
    }
}

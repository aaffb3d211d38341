//! Tests that are files: a command, a shader, the shader that comes out.
//!
//! ```text
//! ; RUN: airfoil opt --passes cse
//! ; What is tested.
//! foil 1
//! shader ...
//! ; EXPECT
//! foil 1
//! shader ...
//! ```
//!
//! `; EXPECT ERROR some words` instead says that the command is refused with a message that has these words.
//! Shaders are compared as shaders: names of values and blocks do not matter. Every check of the manager is on.
//!
//! The example in the header of a pass's file is a test too: two shaders separated by a line `=>`. Lines that
//! are no complete shader are the code of `main`; a first line `form ...` says which form that is (`slots` if
//! there is none).

use crate::{Manager, Pipeline, manager};
use airfoil_ir::{Shader, text};

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The pipeline.
    pub passes: String,
    /// The shader that goes in.
    pub input: String,
    /// What comes out.
    pub expected: Expected,
}

/// What a test expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A shader; empty text if none has been written yet.
    Shader(String),
    /// A message with these words.
    Error(String),
}

/// What is wrong with a test's outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// In words.
    pub message: String,
    /// The text of the shader that came out, if there is one.
    pub actual: Option<String>,
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure { message, actual: None }
    }
}

const RUN: &str = "; RUN:";
const EXPECT: &str = "; EXPECT";

impl Case {
    /// The test of a file's text.
    ///
    /// # Errors
    /// What is missing, in words.
    pub fn parse(file: &str) -> Result<Case, String> {
        let first = file.lines().next().unwrap_or_default();
        let command =
            first.strip_prefix(RUN).ok_or_else(|| format!("the first line must start with `{RUN}`"))?;
        let passes = command
            .trim()
            .strip_prefix("airfoil opt --passes")
            .map(|p| p.trim_start_matches('=').trim().trim_matches(['\'', '"']))
            .ok_or("the command must be `airfoil opt --passes ...`")?;
        let line = file
            .lines()
            .find(|l| l.starts_with(EXPECT))
            .ok_or_else(|| format!("there is no line `{EXPECT}`"))?;
        let (input, rest) = file.split_once(line).unwrap_or((file, ""));
        let expected = match line[EXPECT.len()..].trim().strip_prefix("ERROR") {
            Some(words) => Expected::Error(words.trim().to_string()),
            None => Expected::Shader(rest.trim_start().to_string()),
        };
        Ok(Case { passes: passes.to_string(), input: input.to_string(), expected })
    }

    /// Runs the test.
    ///
    /// # Errors
    /// How the outcome differs from what is expected.
    pub fn run(&self) -> Result<(), Failure> {
        let mut shader = parse(&self.input).map_err(|e| format!("the input does not parse:\n{e}"))?;
        let pipeline = Pipeline::parse(&self.passes).map_err(|e| e.to_string());
        let result = pipeline.and_then(|p| {
            let mut manager = Manager::new(manager::Options::checked());
            manager.run(&p, &mut shader).map_err(|errors| join(&errors))
        });
        match (&self.expected, result) {
            (Expected::Error(words), Err(message)) if message.contains(words.as_str()) => Ok(()),
            (Expected::Error(words), Err(message)) => {
                Err(format!("expected an error with `{words}`, found:\n{message}").into())
            }
            (Expected::Error(words), Ok(_)) => Err(format!("expected an error with `{words}`").into()),
            (Expected::Shader(_), Err(message)) => Err(message.into()),
            (Expected::Shader(expected), Ok(_)) => {
                let actual = text::print(&shader);
                let wrong = match parse(expected) {
                    Err(e) => format!("the expected shader does not parse:\n{e}"),
                    Ok(e) if e.same_as(&shader) => return Ok(()),
                    Ok(e) => difference(&text::print(&e), &actual),
                };
                Err(Failure { message: wrong, actual: Some(actual) })
            }
        }
    }
}

/// The text of a test file with the expected shader replaced.
pub fn bless(file: &str, actual: &str) -> String {
    let at = file.lines().take_while(|l| !l.starts_with(EXPECT)).map(|l| l.len() + 1).sum::<usize>();
    format!("{}{EXPECT}\n{actual}", &file[..at.min(file.len())])
}

fn parse(text: &str) -> Result<Shader, String> {
    text::parse(text).map_err(|errors| join(&errors))
}

fn join(errors: &[airfoil_ir::Diagnostic]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The lines from the first to the last that differ.
fn difference(expected: &str, actual: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let lines = |mark: &str, l: &[&str]| l.iter().map(|l| format!("{mark}{l}\n")).collect::<String>();
    format!(
        "the shader differs (- expected, + found):\n{}{}",
        lines("-", &a[head..a.len() - tail]),
        lines("+", &b[head..b.len() - tail])
    )
}

/// The tests in the header of a pass's file: the pass alone on each example.
///
/// # Errors
/// What is wrong with an example, in words.
pub fn examples(pass: &str, source: &str) -> Result<Vec<Case>, String> {
    let doc: Vec<&str> = source
        .lines()
        .map_while(|l| l.strip_prefix("//!"))
        .map(|l| l.strip_prefix(' ').unwrap_or(l))
        .collect();
    let mut cases = Vec::new();
    let mut rest = doc.as_slice();
    while let Some(start) = rest.iter().position(|l| l.starts_with("```foil-example")) {
        // Options may follow as a comment of the info string: ```foil-example (limit=1)
        let options = rest[start].trim_start_matches("```foil-example").trim().trim_matches(['(', ')']);
        let body = &rest[start + 1..];
        let end = body.iter().position(|l| *l == "```").ok_or("an example has no end")?;
        let arrow = body[..end].iter().position(|l| *l == "=>").ok_or("an example has no line `=>`")?;
        let passes = if options.is_empty() { pass.to_string() } else { format!("{pass}{{{options}}}") };
        cases.push(Case {
            passes,
            input: complete(&body[..arrow]),
            expected: Expected::Shader(complete(&body[arrow + 1..end])),
        });
        rest = &body[end + 1..];
    }
    Ok(cases)
}

/// The shader of an example's side.
fn complete(lines: &[&str]) -> String {
    if lines.first().is_some_and(|l| l.starts_with("foil")) {
        return lines.join("\n");
    }
    let (form, code) = match lines.split_first() {
        Some((first, rest)) if first.starts_with("form ") => (*first, rest),
        _ => ("form slots", lines),
    };
    format!("foil 1\nshader vertex \"example\" {{\n{form}\nfn main {{\n{}\n}}\n}}\n", code.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: &str =
        "; RUN: airfoil opt --passes 'dce'\n; why\nfoil 1\nshader vertex \"t\" {\n}\n; EXPECT\nx\n";

    #[test]
    fn files_are_read_and_blessed() {
        let case = Case::parse(CASE).expect("parses");
        assert_eq!((case.passes.as_str(), &case.expected), ("dce", &Expected::Shader("x\n".into())));
        let blessed = bless(CASE, "y\n");
        assert!(blessed.ends_with("}\n; EXPECT\ny\n"), "{blessed}");
        assert!(Case::parse("foil 1").is_err() && Case::parse("; RUN: airfoil opt --passes dce").is_err());
    }
}

//! Test files.

use crate::check::{Check, Kind};
use crate::command::Commands;
use crate::pattern::Pattern;
use airfoil_ir::diag::codes;
use std::collections::BTreeSet;
use std::path::Path;

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Commands in order.
    pub commands: Vec<Commands>,
    /// The files that the commands see. Each has the line numbers of the test file.
    pub parts: Vec<Part>,
    /// The expected output.
    pub expected: Expectation,
}

/// A file that is visible to commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The expected output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Nothing is expected yet: `--bless` writes the output.
    Missing,
    /// The whole output.
    Output(String),
    /// Failure with this code, and messages that contain the words.
    Error {
        /// Such as `E0504`.
        code: String,
        /// Part of the messages.
        words: String,
    },
    /// Patterns.
    Checks(Vec<(String, Vec<Check>)>),
}

/// The marker of comments in a file with directives.
pub fn leader(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()) {
        Some("foil" | "spvasm" | "spvas" | "ll") => ";",
        Some("vp" | "fp") => "#",
        _ => "//",
    }
}

const EXPECT: &str = "EXPECT";

/// The byte at which the line of `EXPECT` starts, and its text after that word.
pub fn expect_line<'a>(text: &'a str, leader: &str) -> Option<(usize, &'a str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let rest = line.strip_prefix(leader).map(str::trim).and_then(|rest| rest.strip_prefix(EXPECT));
        if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
            return Some((at, rest.trim()));
        }
        at += line.len();
    }
    None
}

impl Test {
    /// Parses a test file.
    ///
    /// # Errors
    /// The first directive that is not valid, or a missing `RUN` line.
    pub fn parse(path: &Path, text: &str) -> Result<Test, String> {
        let leader = leader(path);
        let expect = expect_line(text, leader);
        let (input, rest) = text.split_at(expect.map_or(text.len(), |(at, _)| at));
        let mut commands = Vec::new();
        let mut open: Option<(usize, String, String)> = None;
        for (index, line) in input.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix(leader).map(str::trim) else { continue };
            let Some((prefix, command)) = run_line(comment) else { continue };
            let at = |fault: String| format!("line {}: {fault}", index + 1);
            let (line, prefix, text) = match open.take() {
                Some((line, prefix, text)) => (line, prefix, format!("{text} {command}")),
                None => (index + 1, prefix.to_string(), command.to_string()),
            };
            match text.strip_suffix('\\') {
                Some(text) => open = Some((line, prefix, text.trim_end().to_string())),
                None => commands.push(Commands::parse(&text, &prefix, line).map_err(at)?),
            }
        }
        if let Some((line, ..)) = open {
            return Err(format!("line {line}: the command is continued, but no `RUN` line follows"));
        }
        if commands.is_empty() {
            return Err("the file has no `RUN` line".to_string());
        }
        let checks = checks(input, leader, &commands)?;
        let expected = match expect {
            Some(_) if !checks.is_empty() => {
                return Err("a file has either an `EXPECT` line or `CHECK` lines".to_string());
            }
            Some(_) if commands.iter().any(|c| c.prefix != DEFAULT) => {
                return Err("`EXPECT` is about the output of all commands; `RUN` takes no prefix".to_string());
            }
            Some((_, words)) => expectation(words, rest, leader)?,
            None if checks.is_empty() => Expectation::Missing,
            None => Expectation::Checks(checks),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Test { commands, parts: parts(input, leader, &name)?, expected })
    }
}

/// The prefix of checks, unless `RUN` names another.
const DEFAULT: &str = "CHECK";

fn run_line(comment: &str) -> Option<(&str, &str)> {
    let rest = comment.strip_prefix("RUN")?;
    if let Some(command) = rest.strip_prefix(':') {
        return Some((DEFAULT, command.trim()));
    }
    let (prefix, command) = rest.strip_prefix('[')?.split_once("]:")?;
    Some((prefix, command.trim()))
}

fn expectation(words: &str, rest: &str, leader: &str) -> Result<Expectation, String> {
    let Some(error) = words.strip_prefix("ERROR") else {
        if !words.is_empty() {
            return Err(format!("`EXPECT {words}`: expected nothing or `ERROR CODE WORDS`"));
        }
        let body = rest.split_once('\n').map_or("", |(_, body)| body);
        // The output is in comments, so that other tools can read the file.
        let commented = body.lines().all(|line| line.is_empty() || line.starts_with(leader));
        let plain = |line: &str| {
            let line = line.strip_prefix(leader).unwrap_or(line);
            format!("{}\n", line.strip_prefix(' ').unwrap_or(line))
        };
        let output =
            if commented && leader == "//" { body.lines().map(plain).collect() } else { body.to_string() };
        return Ok(Expectation::Output(output));
    };
    let error = error.trim();
    let (code, words) = error.split_once(' ').unwrap_or((error, ""));
    if !is_code(code) {
        return Err(format!("`EXPECT ERROR {error}`: expected a code such as E0504"));
    }
    if codes::find(code).is_none() {
        return Err(format!("`EXPECT ERROR {error}`: unknown code {code}"));
    }
    Ok(Expectation::Error { code: code.to_string(), words: words.trim().to_string() })
}

/// `E` and four digits.
pub fn is_code(text: &str) -> bool {
    text.len() == 5 && text.starts_with('E') && text[1..].bytes().all(|b| b.is_ascii_digit())
}

/// The checks of each prefix.
fn checks(input: &str, leader: &str, commands: &[Commands]) -> Result<Vec<(String, Vec<Check>)>, String> {
    let prefixes: BTreeSet<&str> = commands.iter().map(|c| c.prefix.as_str()).chain([DEFAULT]).collect();
    let mut checks: Vec<(String, Vec<Check>)> = Vec::new();
    for (index, line) in input.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix(leader).map(str::trim) else { continue };
        let Some((word, pattern)) = comment.split_once(':') else { continue };
        // The longest prefix: `LL` and `LL-OPT` may both be prefixes.
        let prefix = prefixes.iter().rev().find(|prefix| {
            word.strip_prefix(**prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        });
        let Some(prefix) = prefix else { continue };
        if !commands.iter().any(|c| c.prefix == *prefix) {
            return Err(format!("line {}: no `RUN` line has the prefix `{prefix}`", index + 1));
        }
        let kind = Kind::parse(&word[prefix.len()..])
            .ok_or_else(|| format!("line {}: `{word}` is not a directive", index + 1))?;
        let pattern = Pattern::parse(pattern).map_err(|e| format!("line {}: {e}", index + 1))?;
        let check = Check { line: index + 1, text: comment.to_string(), kind, pattern };
        match checks.iter_mut().find(|(p, _)| p == prefix) {
            Some((_, list)) => list.push(check),
            None => checks.push(((*prefix).to_string(), vec![check])),
        }
    }
    if !checks.is_empty()
        && let Some(without) = commands.iter().find(|c| !checks.iter().any(|(prefix, _)| *prefix == c.prefix))
    {
        return Err(format!("line {}: no check has the prefix `{}`", without.line, without.prefix));
    }
    Ok(checks)
}

/// The parts of a file, which is itself the only one if it is not divided.
fn parts(input: &str, leader: &str, name: &str) -> Result<Vec<Part>, String> {
    let mut parts: Vec<Part> = Vec::new();
    for (index, line) in input.split_inclusive('\n').enumerate() {
        let part = line.strip_prefix(leader).and_then(|rest| rest.trim().strip_prefix("---"));
        if let Some(name) = part.map(str::trim).filter(|name| !name.is_empty()) {
            if name.contains(['/', '\\']) || name.starts_with('.') || parts.iter().any(|p| p.name == name) {
                return Err(format!("line {}: `{name}` cannot be the name of a part", index + 1));
            }
            // Empty lines keep the line numbers.
            parts.push(Part { name: name.to_string(), text: "\n".repeat(index + 1) });
        } else if let Some(part) = parts.last_mut() {
            part.text += line;
        }
    }
    if parts.is_empty() {
        parts.push(Part { name: name.to_string(), text: input.to_string() });
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, text: &str) -> Result<Test, String> {
        Test::parse(Path::new(name), text)
    }

    #[test]
    fn an_expected_output_is_not_part_of_the_input() {
        let test =
            parse("t.foil", "; RUN: airfoil opt --passes cse\nfoil 1\n; EXPECT\nfoil 2\n").expect("parses");
        assert_eq!(test.expected, Expectation::Output("foil 2\n".to_string()));
        assert_eq!(test.parts[0].text, "; RUN: airfoil opt --passes cse\nfoil 1\n");
        let glsl = "// RUN: airfoil opt %s -O0\nvoid main() {}\n// EXPECT\n// foil 1\n//\n//   x\n";
        let test = parse("t.frag", glsl).expect("parses");
        assert_eq!(test.expected, Expectation::Output("foil 1\n\n  x\n".to_string()));
    }

    #[test]
    fn errors_have_codes() {
        let error =
            |line: &str| parse("t.foil", &format!("; RUN: airfoil check\n{line}\n")).map(|t| t.expected);
        let expected = |words: &str| Expectation::Error { code: "E0504".into(), words: words.into() };
        assert_eq!(error("; EXPECT ERROR E0504"), Ok(expected("")));
        assert_eq!(error("; EXPECT ERROR E0504 not supported"), Ok(expected("not supported")));
        for bad in [
            "; EXPECT ERROR",
            "; EXPECT ERROR not supported",
            "; EXPECT ERROR E504",
            "; EXPECT ERROR E9999",
            "; EXPECT E0504",
        ] {
            assert!(error(bad).is_err(), "{bad}");
        }
        assert_eq!(error("; EXPECTED"), Ok(Expectation::Missing));
    }

    #[test]
    fn parts_keep_line_numbers() {
        let text = "// RUN: airfoil link %s\n// --- a.vert\nA\n// --- b.frag\nB\nC\n";
        let test = parse("t.glsl", text).expect("parses");
        let part = |name: &str, text: &str| Part { name: name.into(), text: text.into() };
        assert_eq!(test.parts, [part("a.vert", "\n\nA\n"), part("b.frag", "\n\n\n\nB\nC\n")]);
        for bad in ["// --- ../x", "// --- .x", "// --- a\n// --- a"] {
            assert!(parse("t.glsl", &format!("// RUN: a\n{bad}\n")).is_err(), "{bad}");
        }
    }

    #[test]
    fn checks_belong_to_commands() {
        let text = "; RUN: airfoil a\n; RUN[LL]: airfoil b\n; CHECK: x\n; LL-NEXT: y\n; LL: z\n; a: b\n";
        let Expectation::Checks(checks) = parse("t.foil", text).expect("parses").expected else { panic!() };
        assert_eq!(
            checks.iter().map(|(p, c)| (p.as_str(), c.len())).collect::<Vec<_>>(),
            [("CHECK", 1), ("LL", 2)]
        );
        for bad in [
            "foil 1\n",
            "; RUN: a\n; CHECK-FOO: x\n",
            "; RUN: a\n; CHECK:\n",
            "; RUN[LL]: a\n; CHECK: x\n",
            "; RUN[LL]: a\n; RUN: b\n; LL: x\n",
            "; RUN: a \\\n",
            "; RUN: a\n; CHECK: x\n; EXPECT\nx\n",
            "; RUN[LL]: a\n; EXPECT\nx\n",
        ] {
            assert!(parse("t.foil", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn commands_are_continued() {
        let test = parse("t.foil", "; RUN: airfoil opt \\\n; RUN: --passes cse\n").expect("parses");
        assert_eq!(test.commands[0].pipe, [["airfoil", "opt", "--passes", "cse"]]);
        assert_eq!(test.commands.len(), 1);
    }
}

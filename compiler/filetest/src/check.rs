//! `CHECK` lines, with the meaning that LLVM's FileCheck gives them.

use crate::pattern::{Pattern, Variables, squeeze};
use std::fmt::Write as _;

/// A `CHECK` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Line of the test file.
    pub line: usize,
    /// The directive with its pattern, for messages.
    pub text: String,
    /// How the pattern is searched.
    pub kind: Kind,
    /// The pattern.
    pub pattern: Pattern,
}

/// How a pattern is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// From the previous match on.
    Plain,
    /// In the line after the previous match.
    Next,
    /// In the rest of the line of the previous match.
    Same,
    /// Nowhere between the matches before and after it.
    Not,
    /// From the previous label on; divides the output.
    Label,
    /// This often, one after the other.
    Count(usize),
}

impl Kind {
    /// The kind of a directive by the suffix of its prefix: ``, `-NEXT`, ...
    pub fn parse(suffix: &str) -> Option<Kind> {
        Some(match suffix {
            "" => Kind::Plain,
            "-NEXT" => Kind::Next,
            "-SAME" => Kind::Same,
            "-NOT" => Kind::Not,
            "-LABEL" => Kind::Label,
            _ => Kind::Count(suffix.strip_prefix("-COUNT-")?.parse().ok().filter(|n| *n > 0)?),
        })
    }
}

/// Lines of the output shown around a failure.
const SHOWN: usize = 8;

/// A position in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    line: usize,
    byte: usize,
}

/// Checks an output.
///
/// # Errors
/// The check that fails, and the lines where it was searched.
pub fn check(checks: &[Check], output: &str) -> Result<(), String> {
    let lines: Vec<String> = output.lines().map(|line| squeeze(line.trim_end())).collect();
    let mut search = Search { lines: &lines, variables: Variables::new() };
    // Labels first, so that each section is searched in its own lines.
    let mut sections = vec![(At { line: 0, byte: 0 }, &checks[..0])];
    let mut begin = 0;
    for (index, label) in checks.iter().enumerate().filter(|(_, check)| check.kind == Kind::Label) {
        let last = sections.len() - 1;
        sections[last].1 = &checks[begin..index];
        let from = sections[last].0;
        let found = search.forward(label, from, lines.len())?;
        let found = found.ok_or_else(|| search.fails(label, "is not found", from.line))?;
        sections.push((found.end, &checks[..0]));
        begin = index + 1;
    }
    let last = sections.len() - 1;
    sections[last].1 = &checks[begin..];
    for (index, (from, checks)) in sections.iter().enumerate() {
        // A label's own line ends the section before it.
        let end = sections.get(index + 1).map_or(lines.len(), |(next, _)| next.line);
        search.section(checks, *from, end.max(from.line), index > 0)?;
    }
    Ok(())
}

/// A match.
#[derive(Clone, Copy, Debug)]
struct Found {
    start: At,
    end: At,
}

struct Search<'a> {
    lines: &'a [String],
    variables: Variables,
}

impl Search<'_> {
    /// The first match in the lines up to `end`.
    fn forward(&mut self, check: &Check, from: At, end: usize) -> Result<Option<Found>, String> {
        let mut byte = from.byte;
        for line in from.line..end {
            if let Some(found) = self.in_line(check, line, byte, usize::MAX)? {
                return Ok(Some(found));
            }
            byte = 0;
        }
        Ok(None)
    }

    /// The first match between two bytes of a line.
    fn in_line(
        &mut self,
        check: &Check,
        line: usize,
        from: usize,
        to: usize,
    ) -> Result<Option<Found>, String> {
        let Some(text) = self.lines.get(line) else { return Ok(None) };
        let found = check.pattern.find(&text[..to.min(text.len())], from, &mut self.variables);
        let found = found.map_err(|fault| format!("line {}: {}: {fault}", check.line, check.text))?;
        let at = |byte| At { line, byte };
        Ok(found.map(|range| Found { start: at(range.start), end: at(range.end) }))
    }

    fn section(&mut self, checks: &[Check], from: At, end: usize, labelled: bool) -> Result<(), String> {
        let mut at = from;
        let mut matched = labelled;
        let mut absent: Vec<&Check> = Vec::new();
        for check in checks {
            if check.kind == Kind::Not {
                absent.push(check);
                continue;
            }
            let count = if let Kind::Count(count) = check.kind { count } else { 1 };
            for round in 0..count {
                let found = match check.kind {
                    Kind::Next | Kind::Same if !matched => return Err(self.needs_match(check)),
                    Kind::Next if at.line + 1 >= end => None,
                    Kind::Next => self.in_line(check, at.line + 1, 0, usize::MAX)?,
                    Kind::Same => self.in_line(check, at.line, at.byte, usize::MAX)?,
                    _ => self.forward(check, at, end)?,
                };
                let found = found.ok_or_else(|| {
                    let from = if check.kind == Kind::Next { at.line + 1 } else { at.line };
                    let words = match check.kind {
                        Kind::Next => "is not in the next line".to_string(),
                        Kind::Same => "is not in the rest of the line".to_string(),
                        Kind::Count(_) => format!("is found {round} times"),
                        _ => "is not found".to_string(),
                    };
                    self.fails(check, &words, from)
                })?;
                if round == 0 {
                    self.absent(&absent, at, found.start)?;
                    absent.clear();
                }
                at = found.end;
                matched = true;
            }
        }
        self.absent(&absent, at, At { line: end, byte: 0 })
    }

    /// Fails if one of the patterns matches between two positions.
    fn absent(&mut self, checks: &[&Check], from: At, to: At) -> Result<(), String> {
        for check in checks {
            let mut found = self.forward(check, from, to.line)?;
            if found.is_none() {
                let first = if from.line == to.line { from.byte } else { 0 };
                found = self.in_line(check, to.line, first, to.byte)?;
            }
            if let Some(found) = found {
                return Err(self.fails(check, "is found", found.start.line));
            }
        }
        Ok(())
    }

    fn needs_match(&self, check: &Check) -> String {
        format!("line {}: {}: a match must precede it", check.line, check.text)
    }

    fn fails(&self, check: &Check, words: &str, from: usize) -> String {
        let mut out = format!("line {}: {}: {words}\n", check.line, check.text);
        for name in check.pattern.uses() {
            if let Some(value) = self.variables.get(name) {
                let _ = writeln!(out, "  with {name} = {value}");
            }
        }
        let from = from.min(self.lines.len());
        let shown = &self.lines[from..self.lines.len().min(from + SHOWN)];
        let _ = writeln!(out, "  searched from line {} of the output:", from + 1);
        for (index, line) in shown.iter().enumerate() {
            let _ = writeln!(out, "  {:5} | {line}", from + index + 1);
        }
        match self.lines.len() - from - shown.len() {
            0 => out += "        | (end of the output)\n",
            more => {
                let _ = writeln!(out, "        | ... and {more} more lines");
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(checks: &str, output: &str) -> Result<(), String> {
        let parsed: Vec<Check> = checks
            .lines()
            .enumerate()
            .map(|(index, line)| {
                let (kind, pattern) = line.split_once(':').expect("a check");
                let kind = Kind::parse(kind.strip_prefix("CHECK").expect("a check")).expect("a kind");
                let pattern = Pattern::parse(pattern).expect("a pattern");
                Check { line: index + 1, text: line.to_string(), kind, pattern }
            })
            .collect();
        check(&parsed, output)
    }

    fn fails(checks: &str, output: &str, words: &str) {
        let fault = run(checks, output).expect_err(checks);
        assert!(fault.contains(words), "{checks}: {fault}");
    }

    const OUTPUT: &str = "define @f\n  %1 = add  a, b\n  store %1\nend\ndefine @g\n  %2 = mul a, b\nend\n";

    #[test]
    fn plain_checks_are_in_order() {
        assert_eq!(run("CHECK: add\nCHECK: mul", OUTPUT), Ok(()));
        fails("CHECK: mul\nCHECK: add", OUTPUT, "line 2: CHECK: add: is not found");
        // Two checks do not share a match, but may share a line.
        assert_eq!(run("CHECK: add\nCHECK: b", OUTPUT), Ok(()));
        fails("CHECK: define @g\nCHECK: define", OUTPUT, "is not found");
    }

    #[test]
    fn next_and_same() {
        assert_eq!(run("CHECK: add\nCHECK-SAME: a, b\nCHECK-NEXT: store", OUTPUT), Ok(()));
        fails("CHECK: add\nCHECK-NEXT: end", OUTPUT, "is not in the next line");
        fails("CHECK: add\nCHECK-SAME: store", OUTPUT, "is not in the rest of the line");
        fails("CHECK: a, b\nCHECK-SAME: add", OUTPUT, "is not in the rest");
        fails("CHECK-NEXT: define", OUTPUT, "a match must precede it");
        fails("CHECK-SAME: define", OUTPUT, "a match must precede it");
        fails("CHECK: mul\nCHECK: end\nCHECK-NEXT: x", OUTPUT, "(end of the output)");
    }

    #[test]
    fn absence_is_between_matches() {
        assert_eq!(run("CHECK: define @f\nCHECK-NOT: mul\nCHECK: define @g\nCHECK: mul", OUTPUT), Ok(()));
        fails("CHECK: define @f\nCHECK-NOT: store\nCHECK: define @g", OUTPUT, "CHECK-NOT: store: is found");
        fails("CHECK-NOT: define\nCHECK: store", OUTPUT, "is found");
        fails("CHECK: store\nCHECK-NOT: mul", OUTPUT, "is found");
        assert_eq!(run("CHECK: mul\nCHECK-NOT: store", OUTPUT), Ok(()));
        fails("CHECK-NOT: mul", OUTPUT, "is found");
        // The lines of both matches take part, without the matches themselves.
        fails("CHECK: %1\nCHECK-NOT: add\nCHECK: store", OUTPUT, "is found");
        fails("CHECK: define @f\nCHECK-NOT: add\nCHECK: a, b", OUTPUT, "is found");
        assert_eq!(run("CHECK: add\nCHECK-NOT: %1\nCHECK-SAME: a, b", OUTPUT), Ok(()));
    }

    #[test]
    fn labels_divide() {
        assert_eq!(run("CHECK-LABEL: @f\nCHECK: add\nCHECK-LABEL: @g\nCHECK: mul", OUTPUT), Ok(()));
        fails("CHECK-LABEL: @f\nCHECK: mul\nCHECK-LABEL: @g", OUTPUT, "line 2: CHECK: mul: is not found");
        fails("CHECK-LABEL: @f\nCHECK-NOT: add\nCHECK-LABEL: @g", OUTPUT, "is found");
        assert_eq!(run("CHECK-LABEL: @f\nCHECK-NOT: mul\nCHECK-LABEL: @g\nCHECK-NEXT: mul", OUTPUT), Ok(()));
        fails("CHECK-LABEL: @h", OUTPUT, "is not found");
        fails("CHECK-LABEL: @g\nCHECK-LABEL: @f", OUTPUT, "@f: is not found");
    }

    #[test]
    fn counts() {
        assert_eq!(run("CHECK-COUNT-2: define", OUTPUT), Ok(()));
        fails("CHECK-COUNT-3: define", OUTPUT, "is found 2 times");
        assert_eq!(
            (Kind::parse("-COUNT-0"), Kind::parse("-COUNT-x"), Kind::parse("-FOO")),
            (None, None, None)
        );
    }

    #[test]
    fn variables_carry_from_line_to_line() {
        assert_eq!(run("CHECK: [[sum:%[0-9]+]] = add\nCHECK: store [[sum]]", OUTPUT), Ok(()));
        fails("CHECK: [[sum:%[0-9]+]] = mul\nCHECK: store [[sum]]", OUTPUT, "with sum = %2");
        fails("CHECK: [[other]]", OUTPUT, "has no value");
    }
}

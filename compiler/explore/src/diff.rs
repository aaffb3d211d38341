//! Differences between the texts of two states of one shader.
//!
//! Values and blocks are numbered in the order of the text, so that a removed instruction renumbers all that follow. Lines are
//! therefore compared by their text with the keys of values and blocks, which passes keep, in place of their numbers.

use airfoil::Shader;
use airfoil::ir::text::{Numbering, print};
use airfoil::ir::{BlockId, InstrId};
use rustc_hash::FxHashMap;
use similar::{Algorithm, ChangeTag, capture_diff_slices};

/// A line of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// In both; the text is that of the second shader.
    Same(&'a str),
    /// In the first only.
    Removed(&'a str),
    /// In the second only.
    Added(&'a str),
}

/// The text of a shader, with the keys that its lines are compared by.
#[derive(Clone, Debug)]
pub struct Printed {
    /// The text.
    pub text: String,
    keys: Vec<String>,
}

/// The inverse of the indices of a function.
#[derive(Default)]
struct Names {
    values: FxHashMap<u32, InstrId>,
    blocks: FxHashMap<u32, BlockId>,
}

impl Printed {
    /// Prints a shader.
    pub fn new(shader: &Shader) -> Printed {
        let text = print(shader);
        let mut functions = shader.functions.values();
        let mut names = Names::default();
        let mut keys = Vec::new();
        for line in text.lines() {
            let declares = |start: &str| line.strip_prefix("  ").is_some_and(|l| l.starts_with(start));
            if declares("fn ") || declares("entry fn ") {
                names = Names::default();
                if let Some(function) = functions.next() {
                    let numbers = Numbering::new(&function.body);
                    let value = |id| Some((numbers.value(id)?, id));
                    let block = |id| Some((numbers.block(id)?, id));
                    names.values = function.body.all_instrs().filter_map(value).collect();
                    names.blocks = function.body.blocks().filter_map(block).collect();
                }
            }
            keys.push(names.key(line));
        }
        Printed { text, keys }
    }

    /// The lines of this text and of a later one.
    pub fn diff<'a>(&'a self, later: &'a Printed) -> Vec<Line<'a>> {
        let (old, new): (Vec<&str>, Vec<&str>) = (self.text.lines().collect(), later.text.lines().collect());
        let mut lines = Vec::with_capacity(new.len());
        for op in capture_diff_slices(Algorithm::Myers, &self.keys, &later.keys) {
            for change in op.iter_changes(&self.keys, &later.keys) {
                let at = |index: Option<usize>, list: &[&'a str]| index.and_then(|n| list.get(n).copied());
                lines.extend(match change.tag() {
                    ChangeTag::Equal => at(change.new_index(), &new).map(Line::Same),
                    ChangeTag::Delete => at(change.old_index(), &old).map(Line::Removed),
                    ChangeTag::Insert => at(change.new_index(), &new).map(Line::Added),
                });
            }
        }
        lines
    }
}

impl Names {
    /// A line with keys in place of numbers, without the indentation and the location in the source.
    fn key(&self, line: &str) -> String {
        let line = line.trim_start();
        let mut out = String::with_capacity(line.len() + 8);
        let mut rest = line;
        let mut word = false;
        while let Some(c) = rest.chars().next() {
            let digits = |text: &str| {
                text[1..].len() - text[1..].trim_start_matches(|c: char| c.is_ascii_digit()).len()
            };
            let names = c == '%' || c == 'b' && !word;
            let n = if names { digits(rest) } else { 0 };
            let number = rest[c.len_utf8()..][..n].parse::<u32>();
            let after = rest[c.len_utf8() + n..].chars().next();
            let found = match (c, number) {
                ('%', Ok(n)) => self.values.get(&n).map(|id| format!("{id:?}")),
                ('b', Ok(n)) if !after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') => {
                    self.blocks.get(&n).map(|id| format!("{id:?}"))
                }
                _ => None,
            };
            if let Some(key) = found {
                out.push(c);
                out.push_str(&key);
                rest = &rest[1 + n..];
                word = true;
                continue;
            }
            word = c.is_ascii_alphanumeric() || c == '_';
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
        out
    }
}

/// A difference as text: changed lines after `+` and `-`, with some equal lines around them; `...` where lines are left out.
pub fn hunks(lines: &[Line<'_>], context: usize) -> String {
    let changed: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| !matches!(line, Line::Same(_))).map(|(n, _)| n).collect();
    let mut out = String::new();
    let (mut next, mut end) = (0, 0);
    for at in changed {
        let start = at.saturating_sub(context).max(next);
        if start > end {
            out.push_str("...\n");
        }
        end = (at + context + 1).min(lines.len());
        for line in &lines[start.min(end)..end] {
            let (mark, text) = match line {
                Line::Same(text) => (' ', text),
                Line::Removed(text) => ('-', text),
                Line::Added(text) => ('+', text),
            };
            out.push(mark);
            out.push_str(text);
            out.push('\n');
        }
        next = end;
    }
    if end < lines.len() && end > 0 {
        out.push_str("...\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil::passes::{Manager, Pipeline};

    const SHADER: &str = "foil 1\nshader vertex \"t\" {\n  form slots\n  fn main {\n  b0:\n    32x1 %0 = const 0\n    \
                          32x1 %1 = load_vertex_id\n    32x1 %2 = iadd %1, %1\n    32x1 %3 = imul %1, %1\n    \
                          store_output %3, %0 io=0 mask=x\n  }\n}\n";

    #[test]
    fn renumbered_lines_are_equal() {
        let before = airfoil::steps::read_foil(SHADER).expect("parses");
        let mut after = before.clone();
        let pipeline = Pipeline::parse("dce").expect("parses");
        assert!(Manager::default().run(&pipeline, &mut after).is_ok_and(|c| c.is_progress()));
        let (before, after) = (Printed::new(&before), Printed::new(&after));
        let changed: Vec<Line<'_>> =
            before.diff(&after).into_iter().filter(|l| !matches!(l, Line::Same(_))).collect();
        assert_eq!(changed, [Line::Removed("    32x1 %2 = iadd %1, %1")]);
        assert!(before.diff(&after).contains(&Line::Same("    32x1 %2 = imul %1, %1")));
    }

    #[test]
    fn hunks_leave_out_what_is_far_from_changes() {
        let same: Vec<String> = (0..12).map(|n| n.to_string()).collect();
        let mut lines: Vec<Line<'_>> = same.iter().map(|text| Line::Same(text)).collect();
        assert_eq!(hunks(&lines, 2), "");
        lines[3] = Line::Removed("old");
        lines[4] = Line::Added("new");
        lines[10] = Line::Added("more");
        assert_eq!(hunks(&lines, 1), "...\n 2\n-old\n+new\n 5\n...\n 9\n+more\n 11\n");
    }
}

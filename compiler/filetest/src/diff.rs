//! Differences of texts, line by line.

/// Colours of a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Escape sequences are written.
    pub color: bool,
}

/// Unchanged lines shown around a difference.
const CONTEXT: usize = 3;
/// Largest table of the search for common lines; larger texts are compared without their common first and last lines only.
const CELLS: usize = 4 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit<'a> {
    Keep(&'a str),
    Remove(&'a str),
    Add(&'a str),
}

/// The lines that differ, with some around them: `-` expected, `+` found.
pub fn difference(expected: &str, found: &str, style: Style) -> String {
    let edits = edits(&expected.lines().collect::<Vec<_>>(), &found.lines().collect::<Vec<_>>());
    let changed: Vec<usize> =
        edits.iter().enumerate().filter(|(_, edit)| !matches!(edit, Edit::Keep(_))).map(|(i, _)| i).collect();
    let mut out = String::new();
    let mut last = None;
    for (index, edit) in edits.iter().enumerate() {
        let next = changed.partition_point(|at| at + CONTEXT < index);
        if changed.get(next).is_none_or(|at| index + CONTEXT < *at) {
            continue;
        }
        if last.map_or(index > 0, |last| last + 1 < index) {
            out += &paint("  ...", "36", style);
        }
        last = Some(index);
        out += &match edit {
            Edit::Keep(line) => format!("  {line}\n"),
            Edit::Remove(line) => paint(&format!("- {line}"), "31", style),
            Edit::Add(line) => paint(&format!("+ {line}"), "32", style),
        };
    }
    out
}

fn paint(line: &str, code: &str, style: Style) -> String {
    if style.color { format!("\x1b[{code}m{line}\x1b[0m\n") } else { format!("{line}\n") }
}

/// The fewest removals and additions, by the longest common subsequence.
fn edits<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<Edit<'a>> {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let (x, y) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let mut edits: Vec<Edit<'a>> = a[..head].iter().map(|line| Edit::Keep(line)).collect();
    let width = y.len() + 1;
    let cells = (x.len() + 1) * width;
    // `length[i * width + j]`: common lines of `x[i..]` and `y[j..]`.
    let mut length = vec![0u32; if cells <= CELLS { cells } else { 0 }];
    if cells <= CELLS {
        for i in (0..x.len()).rev() {
            for j in (0..y.len()).rev() {
                length[i * width + j] = match x[i] == y[j] {
                    true => length[(i + 1) * width + j + 1] + 1,
                    false => length[(i + 1) * width + j].max(length[i * width + j + 1]),
                };
            }
        }
    }
    let common = |i: usize, j: usize| length.get(i * width + j).copied().unwrap_or(0);
    let (mut i, mut j) = (0, 0);
    while i < x.len() || j < y.len() {
        if i < x.len() && j < y.len() && x[i] == y[j] {
            edits.push(Edit::Keep(x[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < x.len() && (j == y.len() || common(i + 1, j) >= common(i, j + 1)) {
            edits.push(Edit::Remove(x[i]));
            i += 1;
        } else {
            edits.push(Edit::Add(y[j]));
            j += 1;
        }
    }
    edits.extend(a[a.len() - tail..].iter().map(|line| Edit::Keep(line)));
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_lines_around_each_change() {
        let a = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let b = "1\n2\n3\n4\nfive\n6\n7\n8\n9\nten\n";
        let plain = "  ...\n  2\n  3\n  4\n- 5\n+ five\n  6\n  7\n  8\n  9\n+ ten\n";
        assert_eq!(difference(a, b, Style::default()), plain);
        assert_eq!(difference(a, a, Style::default()), "");
        let colored = difference("a", "b", Style { color: true });
        assert_eq!(colored, "\x1b[31m- a\x1b[0m\n\x1b[32m+ b\x1b[0m\n");
    }

    #[test]
    fn common_lines_stay() {
        let text = difference("a\nb\nc\n", "b\nx\nc\n", Style::default());
        assert_eq!(text, "- a\n  b\n+ x\n  c\n");
        let long: String = (0..3000).map(|n| format!("{n}\n")).collect();
        let other: String = (0..3000).map(|n| format!("{}\n", n + 5000)).collect();
        assert_eq!(difference(&long, &other, Style::default()).lines().count(), 6000);
    }
}

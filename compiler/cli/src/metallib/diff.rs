//! `airfoil metallib diff`: two libraries function by function.

use crate::Failure;
use crate::modules::{self, File, Part};
use crate::report::Console;
use airfoil::air::ll;
use airfoil::air::metallib::{Function, Library, Tag, TagName};
use clap::Args;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args, Debug)]
pub struct DiffArgs {
    /// The old .metallib, .air or .bc file
    pub left: PathBuf,
    /// The new one
    pub right: PathBuf,
}

/// Lines around a difference.
const CONTEXT: usize = 3;

/// Runs the command: exit status 1 if something differs.
pub fn run(args: &DiffArgs, console: Console) -> Result<ExitCode, Failure> {
    let (left, right) = (File::read(&args.left, console)?, File::read(&args.right, console)?);
    let (a, b) = (left.libraries()?, right.libraries()?);
    let mut out = String::new();
    if left.bytes != right.bytes {
        libraries(&mut out, &a, &b);
        let (ours, theirs) = (left.parts(&a), right.parts(&b));
        let single = ours.len() == 1 && theirs.len() == 1;
        let same = |x: &Part<'_>, y: &Part<'_>| {
            x.slice == y.slice
                && (x.function == y.function || single && (x.function.is_empty() || y.function.is_empty()))
        };
        for part in &ours {
            match theirs.iter().find(|other| same(part, other)) {
                Some(other) if part.blob == other.blob => {}
                Some(other) => {
                    let texts = [ll::print(&left.module(part)?), ll::print(&right.module(other)?)];
                    function(&mut out, name(part), &texts);
                }
                None => _ = writeln!(out, "function {}: only in {}", name(part), left.name),
            }
        }
        for other in theirs.iter().filter(|other| !ours.iter().any(|part| same(part, other))) {
            let _ = writeln!(out, "function {}: only in {}", name(other), right.name);
        }
        if out.is_empty() {
            out += "the files differ, but the functions and their metadata are equal\n";
        }
    }
    modules::print(&out)?;
    Ok(if out.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn name(part: &Part<'_>) -> String {
    let slice = part.slice.map_or_else(String::new, |slice| format!(" of slice {slice}"));
    match part.function {
        "" => format!("of the module{slice}"),
        name => format!("{}{slice}", name.escape_debug()),
    }
}

/// Headers and tags. Offsets and the like follow from the contents, so they are not compared.
fn libraries(out: &mut String, a: &[(usize, Library<'_>)], b: &[(usize, Library<'_>)]) {
    if a.len() != b.len() {
        let _ = writeln!(out, "{} libraries, {} libraries", a.len(), b.len());
    }
    for ((_, left), (_, right)) in a.iter().zip(b) {
        if left.header != right.header {
            let _ = writeln!(out, "header:\n- {:?}\n+ {:?}", left.header, right.header);
        }
        let none = Vec::new();
        tags(
            out,
            "header extension",
            left.extension.as_ref().unwrap_or(&none),
            right.extension.as_ref().unwrap_or(&none),
        );
        for function in &left.functions {
            if let Some(other) = right.functions.iter().find(|f| f.entry.name == function.entry.name) {
                function_tags(out, function, other);
            }
        }
    }
}

fn function_tags(out: &mut String, a: &Function<'_>, b: &Function<'_>) {
    let name = a.entry.name.escape_debug();
    tags(out, &format!("entry of {name}"), &a.tags, &b.tags);
    tags(out, &format!("public record of {name}"), &a.public_tags, &b.public_tags);
    tags(out, &format!("private record of {name}"), &a.private_tags, &b.private_tags);
}

fn tags(out: &mut String, what: &str, a: &[Tag<'_>], b: &[Tag<'_>]) {
    /// Tags that hold positions in the file.
    const PLACES: [TagName; 9] = [
        TagName::OFFT,
        TagName::SOFF,
        TagName::RFLT,
        TagName::HDYN,
        TagName::VLST,
        TagName::ILST,
        TagName::RLST,
        TagName::SLST,
        TagName::HSRD,
    ];
    for tag in a {
        match b.iter().find(|other| other.name == tag.name) {
            Some(other) if other.payload == tag.payload || PLACES.contains(&tag.name) => {}
            Some(other) => {
                let _ = writeln!(out, "{what}, {}:\n- {}\n+ {}", tag.name, payload(tag), payload(other));
            }
            None => _ = writeln!(out, "{what}, {}: only in the first", tag.name),
        }
    }
    for tag in b.iter().filter(|tag| !a.iter().any(|other| other.name == tag.name)) {
        let _ = writeln!(out, "{what}, {}: only in the second", tag.name);
    }
}

/// Characters where there are only such, else hexadecimal digits.
fn payload(tag: &Tag<'_>) -> String {
    // A string ends with a zero.
    let text = tag.payload.strip_suffix(&[0]).unwrap_or(tag.payload);
    if !text.is_empty() && text.iter().all(|b| b.is_ascii_graphic() || *b == b' ') {
        return text.escape_ascii().to_string();
    }
    tag.payload.iter().map(|b| format!("{b:02x}")).collect()
}

/// The lines that differ, with some around them.
fn function(out: &mut String, name: String, texts: &[String; 2]) {
    let [a, b] = [&texts[0], &texts[1]].map(|text| text.lines().collect::<Vec<_>>());
    if a == b {
        let _ = writeln!(out, "function {name}: the same text, other bytes");
        return;
    }
    let _ = writeln!(out, "function {name}:");
    let lines = compare(&a, &b);
    let mut near: VecDeque<&str> = VecDeque::new();
    let (mut after, mut skipped) = (0, false);
    for (sign, line) in lines {
        if sign != ' ' {
            if std::mem::take(&mut skipped) {
                let _ = writeln!(out, "  ...");
            }
            near.drain(..).for_each(|line| _ = writeln!(out, "  {line}"));
            let _ = writeln!(out, "{sign} {line}");
            after = CONTEXT;
        } else if after > 0 {
            let _ = writeln!(out, "  {line}");
            after -= 1;
        } else {
            near.push_back(line);
            if near.len() > CONTEXT {
                near.pop_front();
                skipped = true;
            }
        }
    }
}

/// All lines of both with a sign: `-` and `+` for those of one only, a space for those of both.
fn compare<'t>(a: &[&'t str], b: &[&'t str]) -> Vec<(char, &'t str)> {
    /// Largest table of common lengths; beyond it, all between the equal ends counts as changed.
    const MOST: usize = 1 << 24;
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let (old, new) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let mut lines: Vec<(char, &str)> = a[..head].iter().map(|&line| (' ', line)).collect();
    let (rows, columns) = (old.len(), new.len() + 1);
    let (mut i, mut j) = (0, 0);
    if (rows + 1).saturating_mul(columns) <= MOST {
        // Length of the longest common subsequence of the remaining lines from each position on.
        let mut common = vec![0u32; (rows + 1) * columns];
        for (x, line) in old.iter().enumerate().rev() {
            for (y, other) in new.iter().enumerate().rev() {
                common[x * columns + y] = if line == other {
                    common[(x + 1) * columns + y + 1] + 1
                } else {
                    common[(x + 1) * columns + y].max(common[x * columns + y + 1])
                };
            }
        }
        while i < rows && j < new.len() {
            if old[i] == new[j] {
                lines.push((' ', old[i]));
                (i, j) = (i + 1, j + 1);
            } else if common[(i + 1) * columns + j] >= common[i * columns + j + 1] {
                lines.push(('-', old[i]));
                i += 1;
            } else {
                lines.push(('+', new[j]));
                j += 1;
            }
        }
    }
    lines.extend(old[i..].iter().map(|&line| ('-', line)));
    lines.extend(new[j..].iter().map(|&line| ('+', line)));
    lines.extend(a[a.len() - tail..].iter().map(|&line| (' ', line)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_compared() {
        let found = compare(&["a", "b", "c", "d"], &["a", "x", "c", "e", "d"]);
        assert_eq!(found, [(' ', "a"), ('-', "b"), ('+', "x"), (' ', "c"), ('+', "e"), (' ', "d")]);
        assert_eq!(compare(&[], &["a"]), [('+', "a")]);
        assert_eq!(compare(&["a", "a"], &["a"]), [(' ', "a"), ('-', "a")]);
    }
}

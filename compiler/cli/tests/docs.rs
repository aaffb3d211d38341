//! README, CONTRIBUTING and the book: links lead somewhere, the book lists every page, and quoted commands exist with
//! the options that they have.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Markdown files for human readers, with their text.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = Vec::new();
    for folder in [".", "docs", "examples"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "md") {
                let text = fs::read_to_string(&path).unwrap();
                pages.push((path, text));
            }
        }
    }
    assert!(pages.len() > 15, "{} pages", pages.len());
    pages.sort();
    pages
}

/// Lines that are prose or tables, without blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The anchors that a page's headings have on GitHub and in mdBook.
fn anchors(text: &str) -> BTreeSet<String> {
    let heading = |line: &str| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    prose(text).filter(|l| l.starts_with('#')).map(heading).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut wrong = Vec::new();
    for (path, text) in pages() {
        for line in prose(&text) {
            for target in line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(t, _)| t) {
                if target.contains("://") {
                    continue;
                }
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                let file = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
                // Images have no headings.
                if file.extension().is_some_and(|e| e == "png") && file.is_file() {
                    continue;
                }
                let Ok(there) = fs::read_to_string(&file) else {
                    wrong.push(format!("{}: {target} does not exist", path.display()));
                    continue;
                };
                if !anchor.is_empty() && !anchors(&there).contains(anchor) {
                    wrong.push(format!("{}: {target} has no such heading", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_book_lists_every_page() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") && name != "SUMMARY.md" {
            assert!(summary.contains(&format!("({name})")), "docs/SUMMARY.md does not list {name}");
        }
    }
}

#[test]
fn named_files_exist() {
    let folders =
        ["backends/", "compiler/", "docs/", "examples/", "frontends/", "passes/", "tests/", "tools/"];
    let mut wrong = Vec::new();
    for (path, text) in pages().into_iter().filter(|(path, _)| !path.ends_with("CHANGELOG.md")) {
        for name in text.split('`').skip(1).step_by(2) {
            let is_path = folders.iter().any(|f| name.starts_with(f)) && !name.contains(char::is_whitespace);
            // Names in capitals are placeholders.
            let part = name.split(['*', '{']).next().unwrap();
            let part = match part.find(|c: char| c.is_ascii_uppercase()) {
                Some(at) if !part.ends_with(".md") => &part[..at],
                _ => part,
            };
            if is_path && !root().join(part).exists() {
                wrong.push(format!("{}: {name} does not exist", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Words of a shell command up to a comment, a pipe or a redirection.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in command.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => word.push(c),
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c.is_whitespace() => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            None if matches!(c, '#' | '>' | '&' | ';') || c == '|' && word.is_empty() => break,
            None => word.push(c),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// Commands of a page: lines of blocks that start with `airfoil`, and inline code that does.
fn commands(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().map(|l| l.trim_start().trim_start_matches("$ "));
    let blocks = lines.filter(|l| l.starts_with("airfoil ")).map(words);
    let inline = text.split("`airfoil ").skip(1).filter_map(|rest| rest.split_once('`'));
    blocks.chain(inline.map(|(c, _)| words(&format!("airfoil {c}")))).collect()
}

#[test]
fn quoted_commands_exist() {
    let mut helps: BTreeMap<Vec<String>, Option<String>> = BTreeMap::new();
    let mut help = |command: &[String]| {
        let run = || {
            let done =
                Command::new(env!("CARGO_BIN_EXE_airfoil")).args(command).arg("--help").output().unwrap();
            done.status.success().then(|| String::from_utf8(done.stdout).unwrap())
        };
        helps.entry(command.to_vec()).or_insert_with(run).clone()
    };
    let is_name = |w: &str| w.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') && !w.starts_with('-');
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for (path, text) in pages().into_iter().filter(|(path, _)| !path.ends_with("CHANGELOG.md")) {
        for command in commands(&text) {
            let Some(name) = command.get(1).filter(|w| is_name(w)) else { continue };
            let Some(mut known) = help(std::slice::from_ref(name)) else {
                wrong.push(format!("{}: `airfoil {name}` does not exist", path.display()));
                continue;
            };
            if matches!(&**name, "metallib" | "rules") && command.get(2).is_some_and(|w| is_name(w)) {
                known += &help(&command[1..3]).unwrap_or_default();
            }
            checked += 1;
            for option in command.iter().filter(|w| w.starts_with("--") && w.len() > 2) {
                let option = option.split(['=', '[']).next().unwrap();
                let exists = known.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(|w| w == option);
                if !exists {
                    wrong.push(format!("{}: `airfoil {name}` has no {option}", path.display()));
                }
            }
        }
    }
    assert!(checked > 50, "{checked} commands");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! Runs tests.

use crate::check;
use crate::command::Commands;
use crate::diff::{Style, difference};
use crate::execute::{Missing, Runner};
use crate::parse::{Expectation, Test, expect_line, is_code, leader};
use airfoil_ir::{Diagnostic, Shader, text};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// How tests are run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Expected outputs are replaced by those found.
    pub bless: bool,
    /// How differences are written.
    pub style: Style,
}

/// The result of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The output is as expected.
    Passed,
    /// The expected output was written.
    Blessed,
    /// Something that the test needs is missing.
    Skipped(String),
    /// The output differs, or the file is not a valid test.
    Failed(String),
}

/// Runs the test of a file.
pub fn run_file(path: &Path, runner: &dyn Runner, options: Options) -> Outcome {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) => return Outcome::Failed(format!("cannot read: {e}")),
    };
    let result = Test::parse(path, &text)
        .map_err(Stop::Failed)
        .and_then(|test| run(path, &text, &test, runner, options));
    match result {
        Ok(outcome) => outcome,
        Err(Stop::Failed(message)) => Outcome::Failed(message),
        Err(Stop::Missing(Missing(reason))) => Outcome::Skipped(reason),
    }
}

/// Runs tests on several threads and reports each in order.
pub fn run_all(
    files: &[PathBuf],
    runner: &dyn Runner,
    options: Options,
    jobs: NonZeroUsize,
    mut report: impl FnMut(&Path, Outcome),
) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs.get().min(files.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some((index, path)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    files.get(index).map(|path| (index, path))
                } {
                    if sender.send((index, run_file(path, runner, options))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: BTreeMap<usize, Outcome> = BTreeMap::new();
        let mut reported = 0;
        for (index, outcome) in results {
            waiting.insert(index, outcome);
            while let Some(outcome) = waiting.remove(&reported) {
                report(&files[reported], outcome);
                reported += 1;
            }
        }
    });
}

/// Why a test ends before its output is compared.
enum Stop {
    Failed(String),
    Missing(Missing),
}

impl From<String> for Stop {
    fn from(message: String) -> Stop {
        Stop::Failed(message)
    }
}

/// A folder that is removed with this value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Folder> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("airfoil-test-{}-{number}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The reason to skip the test of a file, found without running a command. Files that are not valid tests have none.
pub fn missing(path: &Path, runner: &dyn Runner) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let test = Test::parse(path, &text).ok()?;
    match substituted(path, &test).and_then(|commands| available(&commands, runner)) {
        Err(Stop::Missing(Missing(reason))) => Some(reason),
        _ => None,
    }
}

fn available(commands: &[Commands], runner: &dyn Runner) -> Result<(), Stop> {
    let mut words = commands.iter().flat_map(|commands| &commands.pipe);
    words.try_for_each(|words| runner.available(words)).map_err(Stop::Missing)
}

fn run(
    path: &Path,
    source: &str,
    test: &Test,
    runner: &dyn Runner,
    options: Options,
) -> Result<Outcome, Stop> {
    let commands = substituted(path, test)?;
    available(&commands, runner)?;
    let folder = Folder::new().map_err(|e| format!("cannot create a temporary folder: {e}"))?;
    for part in &test.parts {
        fs::write(folder.0.join(&part.name), &part.text)
            .map_err(|e| format!("cannot write {}: {e}", part.name))?;
    }
    let mut outputs: BTreeMap<&str, String> = BTreeMap::new();
    let mut error = None;
    for (index, commands) in commands.iter().enumerate() {
        let last = index + 1 == test.commands.len();
        let may_fail = last && matches!(test.expected, Expectation::Error { .. } | Expectation::Missing);
        let (output, messages, failed) = pipe(commands, &folder.0, runner)?;
        match (failed, commands.fails) {
            (true, false) if may_fail => error = Some(messages),
            (true, false) => return Err(Stop::Failed(format!("{} fails:\n{messages}", shown(commands)))),
            (false, true) => return Err(Stop::Failed(format!("{} succeeds", shown(commands)))),
            _ => {}
        }
        outputs.entry(commands.prefix.as_str()).or_default().push_str(&output);
    }
    let output = outputs.values().map(String::as_str).collect::<String>();
    let bless = |tail: &str| match options.bless {
        true => write_expected(path, source, tail).map(|()| Outcome::Blessed).map_err(Stop::Failed),
        false => Err(Stop::Failed(match test.expected {
            Expectation::Missing => {
                "the file has neither `CHECK` lines nor `EXPECT`; --bless adds the output".into()
            }
            _ => String::new(),
        })),
    };
    let (found, replacement) = match (&test.expected, &error) {
        (Expectation::Checks(checks), _) => {
            for (prefix, checks) in checks {
                check::check(checks, outputs.get(prefix.as_str()).map_or("", String::as_str))?;
            }
            return Ok(Outcome::Passed);
        }
        (Expectation::Output(expected), _) => match compare(expected, &output, options.style) {
            Ok(()) => return Ok(Outcome::Passed),
            Err(difference) => (difference, expected_output(path, &output)),
        },
        (Expectation::Error { code, words }, Some(messages)) => {
            if !codes(messages).any(|found| found == code) {
                let found = codes(messages).next().unwrap_or_default();
                let tail = format!("{} EXPECT ERROR {found}\n", leader(path));
                (format!("expected error {code}, found:\n{messages}"), tail)
            } else if messages.contains(words.as_str()) {
                return Ok(Outcome::Passed);
            } else {
                let tail = format!("{} EXPECT ERROR {code}\n", leader(path));
                (format!("expected an error that contains `{words}`, found:\n{messages}"), tail)
            }
        }
        (Expectation::Error { code, .. }, None) => {
            return Err(Stop::Failed(format!("expected error {code}, but the last command succeeds")));
        }
        (Expectation::Missing, None) => return bless(&expected_output(path, &output)),
        (Expectation::Missing, Some(messages)) => match codes(messages).next() {
            Some(code) => return bless(&format!("{} EXPECT ERROR {code}\n", leader(path))),
            None => return Err(Stop::Failed(messages.clone())),
        },
    };
    bless(&replacement).map_err(|stop| match stop {
        Stop::Failed(message) => Stop::Failed(if message.is_empty() { found } else { message }),
        stop => stop,
    })
}

/// The commands of a pipe: the output of the last, all messages, and whether the last failed.
fn pipe(commands: &Commands, folder: &Path, runner: &dyn Runner) -> Result<(String, String, bool), Stop> {
    let mut input = Vec::new();
    let mut messages = String::new();
    for (index, words) in commands.pipe.iter().enumerate() {
        let done = runner.run(words, folder, &input);
        messages += &done.errors;
        let last = index + 1 == commands.pipe.len();
        match done.code {
            Some(0) if !last => input = done.output,
            Some(code) if last && code != 101 => {
                let mut output = String::from_utf8_lossy(&done.output).into_owned();
                if commands.errors {
                    output += &done.errors;
                }
                return Ok((output, messages, code != 0));
            }
            Some(101) => return Err(Stop::Failed(format!("{} panics:\n{messages}", words.join(" ")))),
            Some(_) => return Err(Stop::Failed(format!("{} fails:\n{messages}", words.join(" ")))),
            None => {
                return Err(Stop::Failed(format!("{} did not end by itself:\n{messages}", words.join(" "))));
            }
        }
    }
    Err(Stop::Failed("a command is empty".to_string()))
}

fn shown(commands: &Commands) -> String {
    let pipe: Vec<String> = commands.pipe.iter().map(|words| words.join(" ")).collect();
    format!("line {}: {}", commands.line, pipe.join(" | "))
}

/// The commands with the names of files in place of `%s` and its kin.
fn substituted(path: &Path, test: &Test) -> Result<Vec<Commands>, Stop> {
    let names: Vec<String> = test.parts.iter().map(|part| part.name.clone()).collect();
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let here = parent.canonicalize().map_err(|e| format!("{}: {e}", parent.display()))?;
    let here = here.to_string_lossy();
    let corpus = std::env::var("AIRFOIL_CORPUS").ok();
    let mut all = test.commands.clone();
    let words = |commands: &Commands| commands.pipe.iter().flatten().any(|word| word.contains("%s"));
    if !all.iter().any(words)
        && let Some(first) = all.first_mut().and_then(|commands| commands.pipe.first_mut())
    {
        first.push("%s".to_string());
    }
    for words in all.iter_mut().flat_map(|commands| &mut commands.pipe) {
        let mut list = Vec::with_capacity(words.len());
        for word in words.iter() {
            if word == "%s" {
                list.extend(names.iter().cloned());
                continue;
            }
            let mut word = word.replace("%s", &names[0]).replace("%S", &here);
            if word.contains("%corpus") {
                let corpus =
                    corpus.as_deref().ok_or_else(|| skip("AIRFOIL_CORPUS is not set".to_string()))?;
                word = word.replace("%corpus", corpus);
                if !Path::new(&word).exists() {
                    return Err(skip(format!("{word} does not exist")));
                }
            }
            list.push(word);
        }
        *words = list;
    }
    Ok(all)
}

fn skip(reason: String) -> Stop {
    Stop::Missing(Missing(reason))
}

/// The codes of diagnostics in messages: `error[E0504]`.
fn codes(messages: &str) -> impl Iterator<Item = &str> {
    messages
        .match_indices('[')
        .filter_map(|(at, _)| messages.get(at + 1..at + 6))
        .filter(|code| is_code(code))
}

/// Compares outputs; shaders are compared as shaders.
fn compare(expected: &str, found: &str, style: Style) -> Result<(), String> {
    if !found.trim_start().starts_with("foil ") {
        return match expected == found {
            true => Ok(()),
            false => Err(format!(
                "the output differs (- expected, + found):\n{}",
                difference(expected, found, style)
            )),
        };
    }
    let parse = |text: &str| -> Result<Vec<Shader>, Vec<Diagnostic>> {
        split_shaders(text).iter().map(|text| text::parse(text)).collect()
    };
    let join = |faults: Vec<Diagnostic>| faults.iter().map(|d| format!("{d}\n")).collect::<String>();
    let got = parse(found).map_err(|e| format!("the output does not parse:\n{}", join(e)))?;
    let want = parse(expected).map_err(|e| format!("the expected output does not parse:\n{}", join(e)))?;
    if want.len() == got.len() && want.iter().zip(&got).all(|(a, b)| a.same_as(b)) {
        return Ok(());
    }
    let print = |shaders: &[Shader]| shaders.iter().map(text::print).collect::<String>();
    Err(format!(
        "the output differs (- expected, + found):\n{}",
        difference(&print(&want), &print(&got), style)
    ))
}

/// The shaders of a text, each of which starts with a line `foil VERSION`; empty lines keep the line numbers.
pub fn split_shaders(text: &str) -> Vec<String> {
    let mut shaders: Vec<String> = Vec::new();
    let mut seen = false;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let starts = line.starts_with("foil ");
        if shaders.is_empty() || starts && seen {
            shaders.push("\n".repeat(index));
        }
        seen |= starts;
        if let Some(last) = shaders.last_mut() {
            last.push_str(line);
        }
    }
    shaders
}

/// `EXPECT` with an output.
fn expected_output(path: &Path, output: &str) -> String {
    let leader = leader(path);
    let mut tail = format!("{leader} EXPECT\n");
    for line in output.lines() {
        // Writing to a string cannot fail.
        let _ = match (leader, line.is_empty()) {
            ("//", false) => writeln!(tail, "// {line}"),
            ("//", true) => writeln!(tail, "//"),
            _ => writeln!(tail, "{line}"),
        };
    }
    tail
}

/// Replaces a file from its line `EXPECT` on.
fn write_expected(path: &Path, source: &str, tail: &str) -> Result<(), String> {
    let at = expect_line(source, leader(path)).map_or(source.len(), |(at, _)| at);
    let head = &source[..at];
    let end = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    fs::write(path, format!("{head}{end}{tail}")).map_err(|e| format!("cannot write: {e}"))
}

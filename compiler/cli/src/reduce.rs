//! `airfoil reduce`: a smaller shader with the same fault.

use crate::Failure;
use crate::args::{OrderArgs, ReadArgs};
use crate::batch::{self, Log};
use crate::bisect::one_input;
use crate::compile::write;
use crate::load::load;
use crate::output::{Sink, words};
use crate::plan::usage;
use crate::report::Console;
use crate::run_passes::Order;
use crate::source::Input;
use airfoil::ir::text;
use airfoil::passes::registry::Registry;
use airfoil::{Diagnostic, Shader};
use airfoil_check::{Limits, Reduced, State, find, reduce};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

#[derive(Args, Debug)]
#[command(after_help = "\
With --check, CMD is run for each smaller shader with the name of its file (.foil) as last argument;
exit status 0 means that the fault is still there, as with llvm-reduce and creduce. CMD is split into
words at blanks; quotes keep blanks. No shell is involved.

Examples:
  airfoil reduce wrong.frag.spv --mismatch -o small.foil
  airfoil reduce wrong.foil --mismatch --passes 'vars_to_ssa, cse' -o small.foil
  airfoil reduce crash.spv --check ./crashes.sh --time 60 -o small.foil
  airfoil reduce slow.foil --check 'python3 slow.py --limit 5'")]
pub struct ReduceArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// Keep shaders for which this command succeeds
    #[arg(long, value_name = "CMD", required_unless_present = "mismatch", conflicts_with = "mismatch")]
    pub check: Option<String>,
    /// Keep shaders for which a pass changes the result, breaks the shader or panics
    #[arg(long)]
    pub mismatch: bool,
    #[command(flatten)]
    pub order: OrderArgs,
    /// Longest time, in seconds [default: none]
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    pub time: Option<u64>,
    /// Most shaders that are tried
    #[arg(long, value_name = "N", default_value_t = Limits::default().tries, help_heading = "Limits")]
    pub tries: u64,
    /// Longest time of one run of the command, in seconds; it fails then
    #[arg(long, value_name = "SECONDS", default_value_t = 10, help_heading = "Limits")]
    pub timeout: u64,
    /// Where the smaller shader goes [default: the standard output]
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true,
        help_heading = "Output"
    )]
    pub output: PathBuf,
}

impl ReduceArgs {
    /// When to stop.
    pub fn limits(&self) -> Limits {
        Limits { tries: self.tries, time: self.time.map(Duration::from_secs) }
    }
}

/// Runs the command.
pub fn run(args: &ReduceArgs, registry: &Registry, console: Console) -> Result<ExitCode, Failure> {
    let input = one_input(&args.read)?;
    let order = Order::new(args.order.level, args.order.passes.as_deref(), registry, console)?;
    let command = args.check.as_deref().map(split).transpose()?;
    let runs = args.order.runs();
    let work = |input: &Input, log: &mut Log| {
        let loaded = load(std::slice::from_ref(input), &args.read, log)?;
        let shader = &loaded.shaders[0];
        airfoil::steps::validate(shader).map_err(|faults| loaded.refuse(log, &faults))?;
        let bar = Bar::new(console);
        let mut progress = |state| bar.show(state);
        let reduced = match &command {
            Some(command) => {
                let mut judge = Judge::new(command, Duration::from_secs(args.timeout))
                    .map_err(|e| loaded.refuse(log, &[cannot("make a temporary folder", &e)]))?;
                let result = reduce(shader, args.limits(), &mut |s| judge.accepts(s), &mut progress);
                if let Some(e) = &judge.failure {
                    return Err(loaded.refuse(log, &[cannot(&format!("run `{}`", command[0]), e)]));
                }
                result.ok_or_else(|| {
                    Diagnostic::error("E0818", "the command fails for the input as it is")
                        .help("it has to end with exit status 0 while the fault is there")
                })
            }
            None => {
                let pipeline = &*order.pipeline(std::slice::from_ref(shader));
                let wrong = find(shader, pipeline, &runs).pass().map(str::to_owned);
                let mut same =
                    |s: &Shader| wrong.is_some() && find(s, pipeline, &runs).pass() == wrong.as_deref();
                reduce(shader, args.limits(), &mut same, &mut progress).ok_or_else(|| {
                    Diagnostic::error("E0818", "no pass changes the results of the shader")
                        .help("see `airfoil bisect` for the comparison")
                })
            }
        };
        drop(bar);
        let reduced = reduced.map_err(|fault| loaded.refuse(log, &[fault]))?;
        if !console.quiet {
            log.text(&summary(shader, &reduced));
        }
        write(&[(Sink::of(&args.output), text::print(&reduced.shader).into_bytes())], &loaded, log)
    };
    let (tally, _) = batch::run(&[input], Input::name, NonZeroUsize::new(1), console, "reduced", work);
    Ok(tally.exit_code())
}

fn cannot(what: &str, error: &io::Error) -> Diagnostic {
    Diagnostic::error("E0819", format!("cannot {what}: {}", words(error)))
}

fn summary(shader: &Shader, reduced: &Reduced) -> String {
    let State { tries, instrs, .. } = reduced.state;
    let end = if reduced.stopped { "; stopped by a limit" } else { "" };
    format!("{} -> {instrs} instructions, {tries} shaders tried{end}\n", shader.num_instrs())
}

/// The words of a command: blanks separate, quotes keep them.
fn split(command: &str) -> Result<Vec<String>, Failure> {
    let (mut list, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in command.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => list.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    list.extend(word);
    if quote.is_some() {
        return Err(usage(format!("`{command}` has a quote that does not end"), "close it"));
    }
    if list.is_empty() {
        return Err(usage("the command is empty", "name a program, such as `--check ./crashes.sh`"));
    }
    Ok(list)
}

/// Asks a command about shaders.
struct Judge<'a> {
    command: &'a [String],
    timeout: Duration,
    folder: Folder,
    /// The reason why the candidate cannot be tested.
    failure: Option<io::Error>,
}

/// A folder that is removed when it is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // Errors of the cleanup are ignored.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Judge<'_> {
    fn new(command: &[String], timeout: Duration) -> io::Result<Judge<'_>> {
        let path = std::env::temp_dir().join(format!("airfoil-reduce-{}", process::id()));
        fs::create_dir_all(&path)?;
        Ok(Judge { command, timeout, folder: Folder(path), failure: None })
    }

    fn accepts(&mut self, shader: &Shader) -> bool {
        if self.failure.is_some() {
            return false;
        }
        let file = self.folder.0.join("shader.foil");
        let result = fs::write(&file, text::print(shader)).and_then(|()| self.ask(&file));
        result.unwrap_or_else(|e| {
            self.failure = Some(e);
            false
        })
    }

    fn ask(&self, file: &Path) -> io::Result<bool> {
        let mut child = Command::new(&self.command[0])
            .args(&self.command[1..])
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.success());
            }
            if start.elapsed() >= self.timeout {
                child.kill()?;
                child.wait()?;
                return Ok(false);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

/// How far it is, on a terminal.
struct Bar(ProgressBar);

const TEMPLATE: &str = "{spinner} {msg} {elapsed}";

impl Bar {
    fn new(console: Console) -> Bar {
        let bar = if console.shows_progress() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        // The template is a constant, and its test makes sure that it parses.
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        Bar(bar)
    }

    fn show(&self, state: State) {
        if !self.0.is_hidden() {
            self.0.set_message(format!("{} instructions, {} shaders tried", state.instrs, state.tries));
            self.0.tick();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_into_words() {
        let words = |text| split(text).map_err(|_| ());
        assert_eq!(
            words("a  'b c' d\"e f\"g ''"),
            Ok(vec!["a".into(), "b c".into(), "de fg".into(), String::new()])
        );
        assert!(words("  ").is_err() && words("a 'b").is_err());
    }

    #[test]
    fn the_template_of_the_bar_parses() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}

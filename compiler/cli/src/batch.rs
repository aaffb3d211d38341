//! Processes many inputs on worker threads. Messages appear in input order; a panic in one does not stop the others.

use crate::report::{Console, MessageFormat};
use airfoil::Diagnostic;
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Stack of a worker. Front ends and passes recurse over nested control flow to a bounded depth, for which this is plenty.
pub const STACK: usize = 16 << 20;

/// Messages about one input. They survive a panic of the work.
#[derive(Debug)]
pub struct Log {
    /// How messages are written.
    pub console: Console,
    text: String,
}

impl Log {
    /// Adds diagnostics of the input `name`, whose text is `source`.
    pub fn diagnostics(&mut self, diagnostics: &[Diagnostic], name: &str, source: Option<&str>) {
        self.text += &self.console.render(diagnostics, name, source);
    }

    /// The text so far.
    pub fn so_far(&self) -> &str {
        &self.text
    }

    /// Adds text: dumps, tables.
    pub fn text(&mut self, text: &str) {
        self.text += text;
    }
}

/// The input is rejected; the log contains the reasons.
#[derive(Debug)]
pub struct Refused;

/// Result of the work on one input.
#[derive(Debug, PartialEq, Eq)]
enum Ending<R> {
    Done(R),
    Refused,
    /// It panicked: a bug.
    Bug,
}

/// Number of inputs by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    done: usize,
    refused: usize,
    bugs: usize,
}

impl Tally {
    /// Exit status of the process.
    pub fn exit_code(self) -> ExitCode {
        match self {
            Tally { bugs: 1.., .. } => ExitCode::from(101),
            Tally { refused: 1.., .. } => ExitCode::from(1),
            _ => ExitCode::SUCCESS,
        }
    }
}

thread_local! {
    /// Location and message of the panic of this worker; `None` outside of work.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Makes panics of workers silent: they are reported with their input.
pub fn catch_panics() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let caught = PANIC.with_borrow_mut(|slot| match slot {
            Some(text) => {
                let payload = info.payload();
                let formatted = payload.downcast_ref::<String>().map(String::as_str);
                let message = formatted.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
                *text = match info.location() {
                    Some(at) => format!("{message} ({}:{}:{})", at.file(), at.line(), at.column()),
                    None => message.to_string(),
                };
                true
            }
            None => false,
        });
        if !caught {
            print(info);
        }
    }));
}

/// Does `work` on every item with at most `jobs` threads and writes the messages of each, in input order.
/// Returns the results of those that succeed, in the same order.
///
/// `done` is the word of the summary: "12 of 14 inputs compiled".
pub fn run<T: Sync, R: Send>(
    items: &[T],
    name: impl Fn(&T) -> String + Sync,
    jobs: Option<NonZeroUsize>,
    console: Console,
    done: &str,
    work: impl Fn(&T, &mut Log) -> Result<R, Refused> + Sync,
) -> (Tally, Vec<R>) {
    let jobs = jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let next = AtomicUsize::new(0);
    let worker = |results: mpsc::Sender<(usize, Ending<R>, String)>| {
        while let Some((index, item)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, item))
        } {
            let (ending, text) = one(item, &name, console, &work);
            if results.send((index, ending, text)).is_err() {
                return;
            }
        }
    };

    let many = items.len() > 1;
    let bar = if many && console.shows_progress() { progress(items.len()) } else { ProgressBar::hidden() };
    let mut tally = Tally::default();
    let values = thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs.min(items.len()) {
            let sender = sender.clone();
            let worker = &worker;
            let started =
                thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || worker(sender));
            // Fewer threads than requested are sufficient, no threads are not.
            if let Err(e) = started {
                console.write(&format!("warning: cannot start a thread: {e}\n"));
                break;
            }
        }
        drop(sender);
        // Messages that wait for those of earlier inputs.
        let mut waiting: Vec<Option<String>> = vec![None; items.len()];
        let mut values: Vec<Option<R>> = items.iter().map(|_| None).collect();
        let mut written = 0;
        for (index, ending, text) in results {
            match ending {
                Ending::Done(value) => {
                    tally.done += 1;
                    values[index] = Some(value);
                }
                Ending::Refused => tally.refused += 1,
                Ending::Bug => tally.bugs += 1,
            }
            waiting[index] = Some(text);
            bar.inc(1);
            while let Some(text) = waiting.get_mut(written).and_then(Option::take) {
                if !text.is_empty() {
                    bar.suspend(|| console.write(&text));
                }
                written += 1;
            }
        }
        values
    });
    bar.finish_and_clear();
    tally.refused += items.len() - (tally.done + tally.refused + tally.bugs);
    if many && !console.quiet {
        console.write(&summary(tally, items.len(), console, done));
    }
    (tally, values.into_iter().flatten().collect())
}

fn one<T, R>(
    item: &T,
    name: impl Fn(&T) -> String,
    console: Console,
    work: impl Fn(&T, &mut Log) -> Result<R, Refused>,
) -> (Ending<R>, String) {
    let mut log = Log { console, text: String::new() };
    PANIC.set(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(|| work(item, &mut log)));
    let panicked = PANIC.take().unwrap_or_default();
    let ending = match result {
        Ok(Ok(value)) => Ending::Done(value),
        Ok(Err(Refused)) => Ending::Refused,
        Err(_) => {
            let bug = Diagnostic::error("E0000", format!("internal error: {panicked}"))
                .help("this is a bug in Airfoil, not in the input; please report it and attach the input");
            log.diagnostics(&[bug], &name(item), None);
            Ending::Bug
        }
    };
    (ending, log.text)
}

fn progress(len: usize) -> ProgressBar {
    let bar = ProgressBar::new(len as u64);
    // The template is a constant, and its test makes sure that it parses.
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

const TEMPLATE: &str = "{bar:40} {pos}/{len} {elapsed}";

fn summary(tally: Tally, len: usize, console: Console, done: &str) -> String {
    let Tally { done: good, refused, bugs } = tally;
    if console.format == MessageFormat::Json {
        let line = serde_json::json!({
            "$message_type": "summary", "inputs": len, "done": good, "failed": refused, "internal_errors": bugs,
        });
        return format!("{line}\n");
    }
    let mut text = format!("{good} of {len} inputs {done}");
    for (count, what) in [(refused, "failed"), (bugs, "internal errors")] {
        if count > 0 {
            text += &format!(", {count} {what}");
        }
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ColorChoice;

    fn console() -> Console {
        Console::new(MessageFormat::Human, ColorChoice::Never, true)
    }

    #[test]
    fn endings_are_counted() {
        catch_panics();
        let work = |item: &u32, _: &mut Log| match item {
            0 => Ok("done"),
            1 => Err(Refused),
            _ => panic!("on purpose"),
        };
        let items = [0, 1, 0, 2, 0];
        let (tally, values) = run(&items, u32::to_string, NonZeroUsize::new(3), console(), "tried", work);
        assert_eq!((tally, values), (Tally { done: 3, refused: 1, bugs: 1 }, vec!["done"; 3]));
        assert_eq!(
            summary(tally, 5, console(), "tried"),
            "3 of 5 inputs tried, 1 failed, 1 internal errors\n"
        );
    }

    #[test]
    fn a_panic_keeps_what_was_said_before() {
        catch_panics();
        let work = |_: &(), log: &mut Log| -> Result<(), Refused> {
            log.text("before\n");
            panic!("on {}", "purpose")
        };
        let (ending, text) = one(&(), |()| "x.spv".to_string(), console(), work);
        assert_eq!(ending, Ending::Bug);
        assert!(text.starts_with("before\nerror[E0000]: internal error: on purpose (compiler"), "{text}");
        assert!(text.contains("--> x.spv"), "{text}");
    }

    #[test]
    fn the_template_of_the_bar_parses() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}

//! `airfoil test`: tests that are text files.

use crate::Failure;
use crate::args::JobArgs;
use crate::output::words;
use crate::plan::usage;
use crate::report::{Console, MessageFormat};
use airfoil_filetest::{Options, Outcome, Processes, Style, find, run_all};
use clap::Args;
use serde_json::json;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

#[derive(Args, Debug)]
#[command(after_help = "\
A test is a shader with directives in its comments (`;` in .foil and .spvasm, `//` in GLSL, `#` in .vp and .fp):

  ; RUN: airfoil opt %s --passes cse     the command; `|` pipes, `2>&1` adds messages, `not` requires failure
  ; CHECK: [[v:%[0-9]+]] = iadd {{.*}}   a line of the output, with variables and regular expressions
  ; CHECK-NEXT: store_output [[v]]       also CHECK-SAME, CHECK-NOT, CHECK-LABEL, CHECK-COUNT-2
  ; RUN[LL]: airfoil compile %s --to ll  checked by LL:, LL-NEXT: and so on
  ; EXPECT                               or: the whole output follows; shaders are compared as shaders
  ; EXPECT ERROR E0504 WORDS             or: the command fails with this code
  ; --- NAME                             starts a part that becomes a file of its own; %s names all parts

Commands run in an empty folder. %S is the folder of the test, %corpus that of AIRFOIL_CORPUS. Passes run
by `airfoil opt` are validated. In folders, files with the extension of a shader are tests, except below
folders called `inputs`. A test is skipped if a tool, the corpus or the AIR engine is not available.

Examples:
  airfoil test tests/filetests
  airfoil test tests/filetests/passes --filter cse
  airfoil test mine.foil --bless               write the output found as the one expected

Exit status: 0 no test failed, 1 a test failed, 2 wrong usage, such as a folder without tests.")]
pub struct TestArgs {
    /// Test files, or folders of them
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub paths: Vec<PathBuf>,
    /// Replace expected outputs (after EXPECT) by the outputs found
    #[arg(long)]
    pub bless: bool,
    /// Run only tests whose path contains this word
    #[arg(long, value_name = "WORD")]
    pub filter: Option<String>,
    #[command(flatten)]
    pub jobs: JobArgs,
}

/// Runs the command.
pub fn run(args: &TestArgs, console: Console) -> Result<ExitCode, Failure> {
    let mut files =
        find(&args.paths).map_err(|e| usage(e.to_string(), "name test files, or folders of them"))?;
    if let Some(word) = &args.filter {
        files.retain(|file| file.to_string_lossy().contains(word.as_str()));
    }
    if files.is_empty() {
        return Err(usage("there are no tests", "tests are shaders with a `RUN` line in a comment"));
    }
    let airfoil = std::env::current_exe()
        .map_err(|e| Failure::Reported(1, format!("error: cannot find this executable: {}\n", words(&e))))?;
    let air_engine = cfg!(any(feature = "llvm14", feature = "llvm19"));
    let runner = Processes { airfoil, air_engine };
    let options = Options { bless: args.bless, style: Style { color: console.color } };
    let jobs = args.jobs.jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let mut tally = Tally::default();
    run_all(&files, &runner, options, jobs, |path, outcome| {
        tally.add(&outcome);
        console.write(&report(path, &outcome, console));
    });
    if !console.quiet {
        console.write(&tally.summary(console));
    }
    Ok(if tally.failed > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The message about a test; tests that pass have none.
fn report(path: &Path, outcome: &Outcome, console: Console) -> String {
    let (word, text) = match outcome {
        Outcome::Passed => ("passed", ""),
        Outcome::Blessed => ("blessed", ""),
        Outcome::Skipped(reason) => ("skipped", reason.as_str()),
        Outcome::Failed(message) => ("failed", message.as_str()),
    };
    let path = path.display();
    if console.format == MessageFormat::Json {
        let line =
            json!({ "$message_type": "test", "file": path.to_string(), "result": word, "message": text });
        return format!("{line}\n");
    }
    match outcome {
        Outcome::Passed => String::new(),
        _ if console.quiet && !matches!(outcome, Outcome::Failed(_)) => String::new(),
        Outcome::Failed(message) => format!("failed: {path}\n{}\n\n", message.trim_end()),
        Outcome::Blessed => format!("blessed: {path}\n"),
        Outcome::Skipped(reason) => format!("skipped: {path}: {reason}\n"),
    }
}

/// How many tests ended how.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    passed: usize,
    blessed: usize,
    skipped: usize,
    failed: usize,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Blessed => self.blessed += 1,
            Outcome::Skipped(_) => self.skipped += 1,
            Outcome::Failed(_) => self.failed += 1,
        }
    }

    fn summary(self, console: Console) -> String {
        let Tally { passed, blessed, skipped, failed } = self;
        if console.format == MessageFormat::Json {
            let line = json!({
                "$message_type": "summary", "passed": passed, "blessed": blessed, "skipped": skipped, "failed": failed,
            });
            return format!("{line}\n");
        }
        let mut text = format!("{passed} passed");
        for (count, word) in [(failed, "failed"), (skipped, "skipped"), (blessed, "blessed")] {
            if count > 0 {
                text += &format!(", {count} {word}");
            }
        }
        text + "\n"
    }
}

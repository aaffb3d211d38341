//! How commands are executed.

use std::fmt;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// Executes the commands of tests.
pub trait Runner: Sync {
    /// Whether a command can be run here; tests with commands that cannot are skipped.
    ///
    /// # Errors
    /// The reason why it cannot.
    fn available(&self, words: &[String]) -> Result<(), Missing>;

    /// Runs one command in a folder; `input` is its standard input.
    fn run(&self, words: &[String], folder: &Path, input: &[u8]) -> Finished;
}

/// A command that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// Exit status; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The standard output.
    pub output: Vec<u8>,
    /// The standard error stream.
    pub errors: String,
}

/// Why a command cannot be run here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing(pub String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs each command as a process.
#[derive(Clone, Debug)]
pub struct Processes {
    /// The executable that runs `airfoil`.
    pub airfoil: PathBuf,
    /// `airfoil run --engine air` is available in it.
    pub air_engine: bool,
}

impl Runner for Processes {
    fn available(&self, words: &[String]) -> Result<(), Missing> {
        match words.split_first() {
            Some((program, arguments)) if program == "airfoil" => match uses_air_engine(arguments) {
                true if !self.air_engine => {
                    Err(Missing("this build cannot execute AIR (feature llvm14 or llvm19)".to_string()))
                }
                _ => Ok(()),
            },
            Some((program, _)) if !is_installed(program) => {
                Err(Missing(format!("`{program}` is not installed")))
            }
            _ => Ok(()),
        }
    }

    fn run(&self, words: &[String], folder: &Path, input: &[u8]) -> Finished {
        let Some((program, arguments)) = words.split_first() else { return Finished::default() };
        let own = program == "airfoil";
        let mut command = if own { Command::new(&self.airfoil) } else { Command::new(program) };
        command.args(arguments);
        // Passes under test run with all checks of the manager.
        if own && arguments.first().is_some_and(|name| name == "opt") {
            command.arg("--validate-each");
        }
        command.current_dir(folder).env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        run(&mut command, input).unwrap_or_else(|e| Finished {
            code: None,
            output: Vec::new(),
            errors: format!("cannot run `{program}`: {e}\n"),
        })
    }
}

/// A program of this name is in one of the folders of `PATH`.
fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&paths).any(|folder| folder.join(&name).is_file())
}

fn uses_air_engine(arguments: &[String]) -> bool {
    arguments.iter().any(|word| word == "--engine=air")
        || arguments.windows(2).any(|pair| pair[0] == "--engine" && pair[1] == "air")
}

fn run(command: &mut Command, input: &[u8]) -> io::Result<Finished> {
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    let done = thread::scope(|scope| {
        // A command need not read its input.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        child.wait_with_output()
    })?;
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    Ok(Finished { code: done.status.code(), output: done.stdout, errors })
}

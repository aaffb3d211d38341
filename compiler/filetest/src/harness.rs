//! Rust tests that need tools or a corpus: where those are missing, tests are reported as ignored, never as passed.
//!
//! A test file without the standard harness (`harness = false`) lists its tests with [`harness!`](crate::harness).

use libtest_mimic::{Arguments, Trial};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// Something that a test needs and a machine may lack.
#[derive(Clone, Debug)]
pub enum Need {
    /// A program that supports `--version`.
    Tool(&'static str),
    /// A file or folder of the corpus.
    Corpus(&'static str),
    /// A file beside the corpus, such as `tools/oldread.py`; the variable, if it is set, names the file itself.
    Shared(&'static str, &'static str),
}

impl Need {
    fn is_met(&self) -> bool {
        match self {
            Need::Tool(name) => {
                let silent =
                    Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
                silent.is_ok()
            }
            Need::Corpus(path) => corpus().is_some_and(|folder| folder.join(path).exists()),
            Need::Shared(path, variable) => shared_file(path, variable).is_some(),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Need::Tool(name) | Need::Corpus(name) | Need::Shared(name, _) => name,
        }
    }
}

/// The folder of shared test data: `$AIRFOIL_SHARED`, or `../shared` beside the workspace.
pub fn shared() -> Option<PathBuf> {
    let folder = match std::env::var_os("AIRFOIL_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => {
            let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
            package.ancestors().find(|folder| folder.join("Cargo.lock").exists())?.join("../shared")
        }
    };
    folder.is_dir().then_some(folder)
}

/// The corpus: `$AIRFOIL_CORPUS`, or the one of the shared test data.
pub fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("AIRFOIL_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => shared()?.join("corpus"),
    };
    folder.is_dir().then_some(folder)
}

/// A file that a variable names, or one of the shared test data.
pub fn shared_file(path: &str, variable: &str) -> Option<PathBuf> {
    let file = std::env::var_os(variable).map(PathBuf::from).or_else(|| Some(shared()?.join(path)))?;
    file.exists().then_some(file)
}

/// A test, ignored if a need is not met; its name then lists the missing tools and files.
pub fn test(name: &str, needs: &[Need], run: fn()) -> Trial {
    let missing: Vec<&str> = needs.iter().filter(|need| !need.is_met()).map(Need::name).collect();
    let name = match missing.is_empty() {
        true => name.to_string(),
        false => format!("{name} (skipped: no {})", missing.join(", ")),
    };
    let trial = Trial::test(name, move || {
        run();
        Ok(())
    });
    trial.with_ignored_flag(!missing.is_empty())
}

/// A test that this build leaves out.
pub fn skipped(name: &str, reason: &str) -> Trial {
    Trial::test(format!("{name} (skipped: {reason})"), || Ok(())).with_ignored_flag(true)
}

/// Runs tests as the arguments of the process select them.
pub fn run(tests: Vec<Trial>) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// Declares `main` of a test file: each test by the name of its function, followed by its needs in parentheses.
///
/// ```ignore
/// airfoil_filetest::harness! {
///     modules_come_back;
///     modules_are_the_same_to_llvm needs(Tool("llvm-as-14"), Corpus("apple-air"));
/// }
/// ```
#[macro_export]
macro_rules! harness {
    ($($test:ident $(needs($($need:expr),* $(,)?))?;)*) => {
        /// Runs the tests.
        pub fn main() -> ::std::process::ExitCode {
            #[allow(unused_imports)]
            use $crate::harness::Need::{Corpus, Shared, Tool};
            $crate::harness::run(vec![$(
                $crate::harness::test(stringify!($test), &[$($($need),*)?], $test)
            ),*])
        }
    };
}

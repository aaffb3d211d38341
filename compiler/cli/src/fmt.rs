//! `airfoil fmt`: formats the text form of the IR.

mod layout;

use crate::Failure;
use crate::output::{self, Sink, words};
use crate::plan::usage;
use crate::report::Console;
use crate::source::{Input, Source};
use airfoil::Diagnostic;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
Sets the indentation, the blanks between words and the empty lines of each shader as `airfoil opt` prints
them. Comments, directives of tests and names of values stay; the order of lines does not change, and lines
are neither joined nor split. The shader that a test expects is formatted too; other expected outputs stay.
A file that does not parse is reported and left as it is.

Examples:
  airfoil fmt fade.foil
  airfoil fmt tests/filetests/passes/cse/*.foil --check
  airfoil fmt - < fade.foil")]
pub struct FmtArgs {
    /// Files in text form; - formats the standard input to the standard output
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write nothing; exit status 1 if a file is not formatted
    #[arg(long)]
    pub check: bool,
}

/// Runs the command.
pub fn run(args: &FmtArgs, console: Console) -> Result<ExitCode, Failure> {
    if args.files.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(usage("the standard input is named twice", "it can be read only once"));
    }
    let mut good = true;
    for path in &args.files {
        let name = Input { path: path.clone(), kind: None, stage: None }.name();
        if let Err((faults, text)) = file(path, args.check) {
            good = false;
            console.write(&console.render(&faults, &name, text.as_deref()));
        }
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Diagnostics, and the text that they are about.
type Faults = (Vec<Diagnostic>, Option<String>);

fn file(path: &Path, check: bool) -> Result<(), Faults> {
    let input = Input { path: path.to_path_buf(), kind: Some(crate::kinds::InputKind::Foil), stage: None };
    let Source::Foil(text) = input.read().map_err(|fault| (vec![*fault], None))? else {
        // A text input is never read as anything else.
        return Err((vec![Diagnostic::error("E0004", "expected the text form of a shader")], None));
    };
    let formatted = match layout::format(&text) {
        Ok(formatted) => formatted,
        Err(faults) => return Err((faults, Some(text))),
    };
    if check {
        return match formatted == text {
            true => Ok(()),
            false => Err((vec![Diagnostic::error("E0017", "the file is not formatted")], None)),
        };
    }
    if formatted == text && !input.is_stdin() {
        return Ok(());
    }
    output::write_all(&[(Sink::of(path), formatted.into_bytes())])
        .map_err(|(_, e)| (vec![Diagnostic::error("E0005", format!("cannot write: {}", words(&e)))], None))
}

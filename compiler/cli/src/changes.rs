//! `--print-changed` and `--dump-dir`: the IR after each pass that changed it.

use crate::output::words;
use airfoil::passes::manager::Event;
use airfoil::{Diagnostic, Shader};
use airfoil_explore::diff::{Printed, hunks};
use clap::ValueEnum;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

/// The output of `--print-changed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The whole shader
    Full,
    /// The lines that differ, with three lines around them
    Diff,
}

/// Equal lines around those that differ.
const CONTEXT: usize = 3;

/// The changes of one job.
#[derive(Debug)]
pub struct Changes {
    print: Option<Form>,
    folder: Option<PathBuf>,
    /// The last state of each shader.
    last: Vec<Printed>,
    /// The files so far of each shader.
    files: Vec<u32>,
    stems: Vec<String>,
    fault: Option<Diagnostic>,
}

impl Changes {
    /// Starts with the shaders as they were read from the input `name`.
    pub fn new(print: Option<Form>, folder: Option<PathBuf>, shaders: &[Shader], name: &str) -> Changes {
        let plain = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
        let name: String = name.trim_start_matches(['.', '/']).chars().map(plain).collect();
        let stem = |s: &Shader| if shaders.len() > 1 { format!("{name}.{}", s.stage) } else { name.clone() };
        let mut changes = Changes {
            print,
            folder,
            last: shaders.iter().map(Printed::new).collect(),
            files: vec![0; shaders.len()],
            stems: shaders.iter().map(stem).collect(),
            fault: None,
        };
        (0..shaders.len()).for_each(|n| changes.write_file(n, "as-read"));
        changes
    }

    /// Prints the shaders as they were read.
    pub fn start(&self, shaders: &[Shader], out: &mut dyn Write) {
        if self.print.is_none() {
            return;
        }
        for (shader, printed) in shaders.iter().zip(&self.last) {
            // The log takes everything.
            let _ = write!(out, "; *** IR Dump At Start on {} ***\n{}\n", shader.name, printed.text);
        }
    }

    /// Takes a step of the run.
    pub fn follow(&mut self, event: &Event<'_>, out: &mut dyn Write) {
        let Event::Ran { step, shader, changes, after, .. } = event else { return };
        if !changes.is_progress() {
            if self.print.is_some() {
                let _ = writeln!(out, "; *** IR Dump After {} omitted because no change ***", step.text());
            }
            return;
        }
        let Some(last) = self.last.get_mut(*shader) else { return };
        let printed = Printed::new(after);
        let text = match self.print {
            None => None,
            Some(Form::Full) => Some(printed.text.clone()),
            Some(Form::Diff) => Some(hunks(&last.diff(&printed), CONTEXT)),
        };
        if let Some(text) = text {
            let _ = write!(out, "; *** IR Dump After {} on {} ***\n{text}\n", step.text(), after.name);
        }
        *last = printed;
        self.write_file(*shader, &step.pass().info().name);
    }

    /// The first file that could not be written.
    pub fn fault(self) -> Option<Diagnostic> {
        self.fault
    }

    fn write_file(&mut self, shader: usize, step: &str) {
        let Some(folder) = self.folder.as_ref().filter(|_| self.fault.is_none()) else { return };
        let folder = folder.join(&self.stems[shader]);
        let path = folder.join(format!("{:03}-{step}.foil", self.files[shader]));
        let written: io::Result<()> =
            fs::create_dir_all(&folder).and_then(|()| fs::write(&path, &self.last[shader].text));
        if let Err(e) = written {
            let message = format!("cannot write {}: {}", path.display(), words(&e));
            self.fault = Some(Diagnostic::error("E0005", message));
        }
        self.files[shader] += 1;
    }
}

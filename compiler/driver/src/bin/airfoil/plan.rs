//! What to make of what: inputs and outputs of the command line, checked before any work starts.

use crate::Failure;
use crate::args::{OutArgs, ReadArgs};
use crate::kinds::{InputKind, OutputKind, input_kind, output_kind, output_name};
use crate::output::{Sink, stdout_is_terminal};
use crate::source::Input;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// One input and what is made of it.
#[derive(Debug)]
pub struct Job {
    /// What is read.
    pub input: Input,
    /// What is written.
    pub outputs: Vec<(OutputKind, Sink)>,
}

/// The inputs with their kinds.
pub fn inputs(args: &ReadArgs) -> Result<Vec<Input>, Failure> {
    let streams = args.inputs.iter().filter(|path| path.as_os_str() == "-").count();
    if streams > 1 {
        return Err(usage("the standard input is named twice", "it can be read only once"));
    }
    args.inputs.iter().map(|path| input(path, args.from)).collect()
}

fn input(path: &Path, from: Option<InputKind>) -> Result<Input, Failure> {
    let kind = match from {
        Some(kind) => Some(kind),
        None if path.as_os_str() == "-" => None,
        // What is no file at all is told by the reader in better words than its ending.
        None if !path.is_file() => input_kind(path).ok(),
        None => Some(input_kind(path).map_err(|(fault, advice)| Failure::Usage(fault, advice))?),
    };
    Ok(Input { path: path.to_path_buf(), kind })
}

/// The jobs of a command. `to` are the kinds asked for, `standard` is the kind if nothing tells.
pub fn jobs(
    read: &ReadArgs,
    out: &OutArgs,
    to: &[OutputKind],
    standard: OutputKind,
) -> Result<Vec<Job>, Failure> {
    let inputs = inputs(read)?;
    if let Some(dir) = &out.out_dir {
        let only = [standard];
        return jobs_in_folder(inputs, dir, if to.is_empty() { &only } else { to });
    }
    let Ok([input]) = <[Input; 1]>::try_from(inputs) else {
        return Err(usage("several inputs need a folder for their outputs", "name it with `--out-dir DIR`"));
    };
    let stdout = ["-".into()];
    let paths = if out.output.is_empty() { &stdout[..] } else { &out.output };
    if !to.is_empty() && to.len() != paths.len() {
        let fault = format!("{} kinds are asked for, but there are {} outputs", to.len(), paths.len());
        return Err(usage(fault, "give one `--to KIND` for each `-o FILE`, in the same order, or none"));
    }
    let mut outputs: Vec<(OutputKind, Sink)> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let sink = Sink::of(path);
        let kind = match to.get(index) {
            Some(kind) => *kind,
            None if sink == Sink::Stdout => standard,
            None => output_kind(path).map_err(|(fault, advice)| Failure::Usage(fault, advice))?,
        };
        if sink == Sink::Stdout && kind.is_binary() && stdout_is_terminal() {
            let fault = format!("a .{} file is binary; it is not written to a terminal", kind.ending());
            return Err(usage(fault, "name a file with `-o FILE`, or choose a text with `--to ll`"));
        }
        if outputs.iter().any(|(_, other)| *other == sink) {
            return Err(usage(
                format!("the output `{}` is named twice", path.display()),
                "each needs a name of its own",
            ));
        }
        outputs.push((kind, sink));
    }
    Ok(vec![Job { input, outputs }])
}

fn jobs_in_folder(inputs: Vec<Input>, dir: &Path, kinds: &[OutputKind]) -> Result<Vec<Job>, Failure> {
    let read: HashSet<&Path> = inputs.iter().map(|i| i.path.as_path()).collect();
    let mut makers: HashMap<String, usize> = HashMap::new();
    let mut jobs: Vec<Job> = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        let mut outputs = Vec::with_capacity(kinds.len());
        for &kind in kinds {
            let name = if input.is_stdin() {
                format!("stdin.{}", kind.ending())
            } else {
                output_name(&input.path, kind)
            };
            let path = dir.join(&name);
            if let Some(other) = makers.insert(name, index) {
                let fault = match other == index {
                    true => format!("the kind `{}` is asked for twice", kind.ending()),
                    false => format!(
                        "`{}` and `{}` would both become `{}`",
                        inputs[other].name(),
                        input.name(),
                        path.display()
                    ),
                };
                return Err(usage(fault, "nothing is written; compile them to different folders"));
            }
            if read.contains(path.as_path()) {
                let fault = format!("`{}` is an input and would be overwritten", path.display());
                return Err(usage(fault, "choose another folder"));
            }
            outputs.push((kind, Sink::File(path)));
        }
        jobs.push(Job { input: input.clone(), outputs });
    }
    Ok(jobs)
}

/// Wrong usage: what is wrong and what to do about it.
pub fn usage(fault: impl Into<String>, advice: &str) -> Failure {
    Failure::Usage(fault.into(), advice.to_string())
}

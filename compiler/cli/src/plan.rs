//! Jobs: inputs and outputs of the command line, checked before any work starts.

use crate::Failure;
use crate::args::{OutArgs, ReadArgs};
use crate::kinds::{InputKind, OutputKind, input_kind, output_kind, output_name, stage_of};
use crate::output::{Sink, stdout_is_terminal};
use crate::source::Input;
use airfoil::Stage;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// Inputs that are compiled together, and their outputs.
#[derive(Debug)]
pub struct Job {
    /// One input of any type, or the GLSL sources or SPIR-V modules of a program.
    pub inputs: Vec<Input>,
    /// Outputs.
    pub outputs: Vec<Output>,
}

/// Something to write.
#[derive(Debug)]
pub struct Output {
    /// Type.
    pub kind: OutputKind,
    /// Destination.
    pub sink: Sink,
    /// The stage that it holds, if not all of them.
    pub stage: Option<Stage>,
}

impl Job {
    /// Name in messages.
    pub fn name(&self) -> String {
        name(&self.inputs)
    }
}

/// Name of some inputs in messages.
pub fn name(inputs: &[Input]) -> String {
    inputs.iter().map(Input::name).collect::<Vec<_>>().join(", ")
}

/// Whether inputs are the stages of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Inputs are never linked.
    Never,
    /// Several GLSL sources or SPIR-V modules are a program, unless there is a folder for the output of each.
    Several,
    /// They are.
    Always,
}

/// The inputs with their kinds.
pub fn inputs(args: &ReadArgs) -> Result<Vec<Input>, Failure> {
    let streams = args.inputs.iter().filter(|path| path.as_os_str() == "-").count();
    if streams > 1 {
        return Err(usage("the standard input is named twice", "it can be read once"));
    }
    args.inputs.iter().map(|path| input(path, args)).collect()
}

/// The input at a path, with its kind and stage.
pub fn input(path: &Path, args: &ReadArgs) -> Result<Input, Failure> {
    let kind = match args.from {
        Some(kind) => Some(kind),
        None if path.as_os_str() == "-" => None,
        // Missing files are reported when they are opened; that message is better than one about the extension.
        None if !path.is_file() => input_kind(path).ok(),
        None => Some(input_kind(path).map_err(|(fault, advice)| Failure::Usage(fault, advice))?),
    };
    let stage = if kind == Some(InputKind::Glsl) { Some(stage(path, args)?) } else { None };
    Ok(Input { path: path.to_path_buf(), kind, stage })
}

/// The stage of a GLSL source: by its name, or else `--stage`; `--stage` takes precedence if `--from` is used.
fn stage(path: &Path, args: &ReadArgs) -> Result<Stage, Failure> {
    let named = stage_of(path);
    let known = if args.from.is_some() { args.stage.or(named) } else { named.or(args.stage) };
    let Some(stage) = known else {
        let shown = path.display();
        let fault = format!("`{shown}`: the stage of this GLSL source is unknown");
        return Err(usage(fault, "name it NAME.frag or NAME.frag.glsl, or use `--stage frag`"));
    };
    if let Some(asked) = args.stage.filter(|asked| *asked != stage && args.inputs.len() == 1) {
        let fault = format!("`{}` is a {stage} shader by its name, not {asked}", path.display());
        return Err(usage(fault, "`--from glsl` ignores the name"));
    }
    Ok(stage)
}

/// The inputs of the jobs of a command that writes nothing.
pub fn groups(args: &ReadArgs, link: bool) -> Result<Vec<Vec<Input>>, Failure> {
    let inputs = inputs(args)?;
    if link {
        all_glsl(&inputs)?;
        return Ok(vec![inputs]);
    }
    Ok(inputs.into_iter().map(|input| vec![input]).collect())
}

/// Only GLSL can be linked.
fn all_glsl(inputs: &[Input]) -> Result<(), Failure> {
    match inputs.iter().find(|input| !input.is_glsl()) {
        None => Ok(()),
        Some(other) => Err(usage(
            format!("`{}` is not GLSL and cannot be linked", other.name()),
            "compile stages of other types separately",
        )),
    }
}

/// Whether the inputs can be the stages of one program: GLSL, SPIR-V, or assembly programs of OpenGL.
fn are_linkable(inputs: &[Input]) -> bool {
    [Input::is_glsl, Input::is_spirv, Input::is_arb].iter().any(|of_kind| inputs.iter().all(of_kind))
}

/// The jobs of a command. `to` are the requested types, `standard` is the default.
pub fn jobs(
    read: &ReadArgs,
    out: &OutArgs,
    to: &[OutputKind],
    standard: OutputKind,
    link: Link,
) -> Result<Vec<Job>, Failure> {
    let inputs = inputs(read)?;
    if link == Link::Always && !are_linkable(&inputs) {
        let other = inputs.iter().find(|input| !input.is_glsl()).unwrap_or(&inputs[0]);
        return Err(usage(
            format!("`{}` cannot be linked with the other inputs", other.name()),
            "the stages of a program are all GLSL, all SPIR-V or all assembly programs",
        ));
    }
    if let Some(dir) = &out.out_dir {
        let only = [standard];
        let kinds = if to.is_empty() { &only } else { to };
        return match link {
            Link::Always if !inputs.iter().all(Input::is_glsl) => {
                Err(usage("stages that are not GLSL become one output", "name it with `-o FILE`"))
            }
            Link::Always => Ok(vec![program_in_folder(inputs, dir, kinds)?]),
            _ => jobs_in_folder(inputs, dir, kinds),
        };
    }
    let program = link != Link::Never && are_linkable(&inputs);
    if inputs.len() > 1 && !program {
        return Err(usage("several inputs need a folder for their outputs", "name it with `--out-dir DIR`"));
    }
    let outputs = outputs(out, to, standard)?;
    let several = by_stage(&inputs).len() > 1;
    if let Some(output) = outputs.iter().find(|output| several && output.kind.is_one_stage()) {
        let fault = format!("a .{} file holds one stage, but the program has several", output.kind.ending());
        return Err(usage(fault, "`--link --out-dir DIR` writes one for each stage"));
    }
    Ok(vec![Job { inputs, outputs }])
}

/// The outputs that `-o` names, or else the standard output.
fn outputs(out: &OutArgs, to: &[OutputKind], standard: OutputKind) -> Result<Vec<Output>, Failure> {
    let stdout = ["-".into()];
    let paths = if out.output.is_empty() { &stdout[..] } else { &out.output };
    if !to.is_empty() && to.len() != paths.len() {
        let fault = format!("{} types are requested for {} outputs", to.len(), paths.len());
        return Err(usage(fault, "use one `--to KIND` per `-o FILE`, in the same order, or none"));
    }
    let mut outputs: Vec<Output> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let sink = Sink::of(path);
        let kind = match to.get(index) {
            Some(kind) => *kind,
            None if sink == Sink::Stdout => standard,
            None => output_kind(path).map_err(|(fault, advice)| Failure::Usage(fault, advice))?,
        };
        if sink == Sink::Stdout && kind.is_binary() && stdout_is_terminal() {
            let fault = format!("a .{} file is binary and is not written to a terminal", kind.ending());
            return Err(usage(fault, "use `-o FILE`, or a text format such as `--to ll`"));
        }
        if outputs.iter().any(|other| other.sink == sink) {
            return Err(usage(
                format!("the output `{}` is named twice", path.display()),
                "use different names",
            ));
        }
        outputs.push(Output { kind, sink, stage: None });
    }
    Ok(outputs)
}

fn jobs_in_folder(inputs: Vec<Input>, dir: &Path, kinds: &[OutputKind]) -> Result<Vec<Job>, Failure> {
    let mut names = Names::new(dir, &inputs);
    let mut jobs: Vec<Job> = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        let output = |&kind| Ok(Output { kind, sink: names.of_input(index, kind)?, stage: None });
        let outputs = kinds.iter().map(output).collect::<Result<_, Failure>>()?;
        jobs.push(Job { inputs: vec![input.clone()], outputs });
    }
    Ok(jobs)
}

/// A linked program: the outputs of each stage have the name of its first source, the reflection of all is `program.json`.
fn program_in_folder(inputs: Vec<Input>, dir: &Path, kinds: &[OutputKind]) -> Result<Job, Failure> {
    let mut names = Names::new(dir, &inputs);
    let mut outputs = Vec::new();
    for (stage, index) in by_stage(&inputs) {
        for &kind in kinds {
            outputs.push(Output { kind, sink: names.of_input(index, kind)?, stage: Some(stage) });
        }
    }
    let sink = names.take("program.json".to_string(), OutputKind::Json, 0)?;
    outputs.push(Output { kind: OutputKind::Json, sink, stage: None });
    Ok(Job { inputs, outputs })
}

/// The stages of GLSL inputs in order of the pipeline, with the first input of each.
fn by_stage(inputs: &[Input]) -> BTreeMap<Stage, usize> {
    let mut stages = BTreeMap::new();
    for (index, input) in inputs.iter().enumerate() {
        if let Some(stage) = input.stage {
            stages.entry(stage).or_insert(index);
        }
    }
    stages
}

/// Names of outputs in a folder: unique, and none equal to that of an input.
struct Names<'a> {
    dir: &'a Path,
    inputs: &'a [Input],
    read: HashSet<&'a Path>,
    makers: HashMap<String, usize>,
}

impl<'a> Names<'a> {
    fn new(dir: &'a Path, inputs: &'a [Input]) -> Names<'a> {
        let read = inputs.iter().map(|i| i.path.as_path()).collect();
        Names { dir, inputs, read, makers: HashMap::new() }
    }

    /// The output of an input.
    fn of_input(&mut self, index: usize, kind: OutputKind) -> Result<Sink, Failure> {
        let input = &self.inputs[index];
        let name = match input.is_stdin() {
            true => format!("stdin.{}", kind.ending()),
            false => output_name(&input.path, kind),
        };
        self.take(name, kind, index)
    }

    fn take(&mut self, name: String, kind: OutputKind, index: usize) -> Result<Sink, Failure> {
        let path = self.dir.join(&name);
        if let Some(other) = self.makers.insert(name, index) {
            let fault = match other == index {
                true => format!("the type `{}` is requested twice", kind.ending()),
                false => format!(
                    "`{}` and `{}` would both become `{}`",
                    self.inputs[other].name(),
                    self.inputs[index].name(),
                    path.display()
                ),
            };
            return Err(usage(fault, "nothing was written; use different folders"));
        }
        if self.read.contains(path.as_path()) {
            let fault = format!("`{}` is an input and would be overwritten", path.display());
            return Err(usage(fault, "choose another folder"));
        }
        Ok(Sink::File(path))
    }
}

/// Wrong usage: a message and advice.
pub fn usage(fault: impl Into<String>, advice: &str) -> Failure {
    Failure::Usage(fault.into(), advice.to_string())
}

//! `airfoil lower-distances`: clip and cull distances of a pipeline for devices that have none.

use crate::any_target::AnyTarget;
use crate::args::{JobArgs, ReadArgs};
use crate::batch::{self, Log};
use crate::compile::{make_folder, write};
use crate::kinds::{OutputKind, output_kind, output_name};
use crate::load::{load_all, rename};
use crate::opt::OptKind;
use crate::output::{Sink, stdout_is_terminal};
use crate::plan::{self, Output, usage};
use crate::report::Console;
use crate::source::Input;
use crate::{Failure, spirv};
use airfoil::distances::{DistanceForm, DistanceOptions, lower_distances};
use airfoil::passes::manager::Statistics;
use airfoil::{Diagnostic, SpirvOptions, Stage};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
The inputs are the stages of one pipeline, as SPIR-V, GLSL or text form. The outputs have neither the built-ins nor their
capabilities, and the interfaces of all stages still agree.

The form `exact` (the default) passes clip distances to the fragment shader, which discards what they clip. The form
`position` moves vertices instead, and requires `--mode`: `points` is exact for points; `whole-primitive` is APPROXIMATE for
lines and triangles: those that straddle a clip plane have wrong shapes. Cull distances become flags and a discard in both
forms, except in the mode `points`.

Examples:
  airfoil lower-distances water.vert.spv water.frag.spv --out-dir lowered
  airfoil lower-distances water.vert.spv water.frag.spv -o v.spv -o f.spv
  airfoil lower-distances water.vert water.frag --vulkan -o water.spv        GLSL; one module for both stages
  airfoil lower-distances water.vert.spv water.frag.spv --per-sample=4 --out-dir lowered    attachments with 4 samples
  airfoil lower-distances water.vert.spv water.frag.spv --enable 0x3 --out-dir lowered      only distances 0 and 1 clip
  airfoil lower-distances water.vert.spv water.frag.spv --enable-uniform 1,0 --out-dir lowered
  airfoil lower-distances stars.vert.spv --form position --mode points -o stars.spv
  airfoil lower-distances water.vert.spv --location 8 -o v.spv               the stages one by one
  airfoil lower-distances water.frag.spv --location 8 --previous 2,0 -o f.spv")]
pub struct DistancesArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// How clip distances are emulated
    #[arg(long, value_enum, value_name = "FORM", default_value_t, help_heading = "Distances")]
    pub form: Form,
    /// For which primitives `--form position` changes the position; required by it, since one mode is approximate
    #[arg(long, value_enum, value_name = "MODE", help_heading = "Distances")]
    pub mode: Option<Mode>,
    /// Mask of the clip distances that clip [default: all]
    #[arg(long, value_name = "MASK", value_parser = mask, help_heading = "Distances")]
    pub enable: Option<u32>,
    /// Uniform block of one word, a mask of the clip distances that clip
    #[arg(long, value_name = "SET,BINDING", value_parser = pair, conflicts_with = "enable", help_heading = "Distances")]
    pub enable_uniform: Option<(u32, u32)>,
    /// Test the distances at each sample of a pixel instead of once, for attachments of at most this many samples
    #[arg(long, value_name = "SAMPLES", num_args = 0..=1, require_equals = true, default_missing_value = "16",
          value_parser = clap::value_parser!(u32).range(1..=32), help_heading = "Distances")]
    pub per_sample: Option<u32>,
    /// First location of added varyings, if only one side of the interface to the fragment shader is given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..96), help_heading = "Distances")]
    pub location: Option<u32>,
    /// Clip and cull distances of the previous stage, for a fragment shader that is given alone
    #[arg(long, value_name = "CLIP,CULL", value_parser = pair, requires = "location", help_heading = "Distances")]
    pub previous: Option<(u32, u32)>,
    /// API of SPIR-V outputs: vulkan1.0 to vulkan1.3, opengl4.5, opengl4.6
    #[arg(long, value_name = "TARGET", help_heading = "Target")]
    pub target: Option<AnyTarget>,
    /// The file to write for all stages, or one per input in the same order; `-` for the standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir", help_heading = "Output")]
    pub output: Vec<PathBuf>,
    /// Write one file per input to this folder, which is created if necessary
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out_dir: Option<PathBuf>,
    /// Output type, for `-`, folders and other names [default: by extension, or that of the inputs]
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Output")]
    pub to: Option<OptKind>,
    #[command(flatten)]
    pub jobs: JobArgs,
}

/// How clip distances are emulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A discard in the fragment shader
    #[default]
    Exact,
    /// Positions outside of the view volume
    Position,
}

/// For which primitives positions change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Points: exact
    Points,
    /// Lines and triangles: approximate
    WholePrimitive,
}

fn mask(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed
        .ok()
        .filter(|&mask| mask < 256)
        .ok_or_else(|| format!("`{text}` is not a mask of 8 clip distances"))
}

fn pair(text: &str) -> Result<(u32, u32), String> {
    let parsed =
        text.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    parsed.ok_or_else(|| format!("`{text}` is not a pair of numbers such as `1,0`"))
}

impl DistancesArgs {
    fn options(&self) -> Result<DistanceOptions, Failure> {
        let form = match (self.form, self.mode) {
            (Form::Exact, None) => DistanceForm::Exact,
            (Form::Position, Some(Mode::Points)) => DistanceForm::Points,
            (Form::Position, Some(Mode::WholePrimitive)) => DistanceForm::WholePrimitive,
            (Form::Position, None) => {
                let advice =
                    "`points` is exact for points, `whole-primitive` is approximate for lines and triangles";
                return Err(usage("`--form position` requires `--mode`", advice));
            }
            (Form::Exact, Some(_)) => {
                return Err(usage("`--mode` requires `--form position`", "the form `exact` has no modes"));
            }
        };
        Ok(DistanceOptions::default()
            .form(form)
            .enabled(self.enable.unwrap_or(0xff))
            .uniform(self.enable_uniform)
            .samples(self.per_sample.unwrap_or(0))
            .location(self.location)
            .previous(self.previous.unwrap_or((0, 0))))
    }

    /// The outputs: one for all inputs, or one per input.
    fn outputs(&self, inputs: &[Input]) -> Result<Vec<Output>, Failure> {
        let ir = inputs.iter().all(|input| !input.is_glsl() && !input.is_spirv());
        let standard = if ir { OutputKind::Foil } else { OutputKind::Spv };
        let to = self.to.map(OptKind::output);
        if let Some(dir) = &self.out_dir {
            let kind = to.unwrap_or(standard);
            let output = |input: &Input| {
                let path = dir.join(output_name(&input.path, kind));
                if inputs.iter().any(|input| input.path == path) {
                    let fault = format!("`{}` is an input and would be overwritten", path.display());
                    return Err(usage(fault, "choose another folder"));
                }
                Ok(Output { kind, sink: Sink::File(path), stage: None })
            };
            return inputs.iter().map(output).collect();
        }
        let stdout = ["-".into()];
        let paths = if self.output.is_empty() { &stdout[..] } else { &self.output };
        if paths.len() != 1 && paths.len() != inputs.len() {
            let fault = format!("{} outputs are named for {} inputs", paths.len(), inputs.len());
            return Err(usage(fault, "use `-o FILE` once, or once per input in the same order"));
        }
        let output = |path: &PathBuf| {
            let sink = Sink::of(path);
            let kind = match to {
                Some(kind) => kind,
                None if sink == Sink::Stdout && ir => OutputKind::Foil,
                None if sink == Sink::Stdout => OutputKind::Spvasm,
                None => output_kind(path).map_err(|(fault, advice)| Failure::Usage(fault, advice))?,
            };
            if !kind.is_ir() && !kind.is_spirv() {
                let fault = format!("`{}`: only .spv, .spvasm, .foil and .foilb are written", path.display());
                return Err(usage(fault, "`airfoil compile` writes the others"));
            }
            if sink == Sink::Stdout && kind.is_binary() && stdout_is_terminal() {
                let fault = format!("a .{} file is binary and is not written to a terminal", kind.ending());
                return Err(usage(fault, "use `-o FILE`, or `--to spvasm`"));
            }
            Ok(Output { kind, sink, stage: None })
        };
        paths.iter().map(output).collect()
    }
}

/// Runs the command.
pub fn run(args: &DistancesArgs, console: Console) -> Result<ExitCode, Failure> {
    let options = args.options()?;
    let inputs = plan::inputs(&args.read)?;
    let outputs = args.outputs(&inputs)?;
    make_folder(args.out_dir.as_ref(), console)?;
    let glsl = inputs.iter().all(Input::is_glsl);
    // Open constants stay open.
    let read = ReadArgs { function_constants: true, workgroup_constants: true, ..args.read.clone() };
    let work = |inputs: &Vec<Input>, log: &mut Log| {
        let mut loaded = load_all(inputs, &read, log)?;
        let mut captures = loaded.captures(&read).map_err(|faults| loaded.refuse(log, &faults))?;
        let invalid = loaded.shaders.iter().filter_map(|s| airfoil::steps::validate(s).err());
        let invalid: Vec<Diagnostic> = invalid.flatten().collect();
        if !invalid.is_empty() {
            return Err(loaded.refuse(log, &invalid));
        }
        if glsl {
            // Entry points of several stages can have one name in SPIR-V.
            loaded.shaders.iter_mut().for_each(|shader| rename(shader, "main"));
        }
        let mut shaders = std::mem::take(&mut loaded.shaders);
        let lowered = lower_distances(&mut shaders, &mut captures, &options);
        loaded.shaders = shaders;
        lowered.map_err(|faults| loaded.refuse(log, &faults.into_iter().collect::<Vec<_>>()))?;
        let stages: Vec<Stage> = match glsl {
            true => inputs.iter().filter_map(|input| input.stage).collect(),
            false => loaded.shaders.iter().map(|shader| shader.stage).collect(),
        };
        if outputs.len() > 1 && stages.len() != outputs.len() {
            let message = format!("{} outputs for {} shaders", outputs.len(), stages.len());
            let fault = Diagnostic::error("E0016", message)
                .help("an input with several entry points requires one `-o FILE`");
            return Err(loaded.refuse(log, &[fault]));
        }
        let several = outputs.len() > 1;
        let staged = |(n, output): (usize, &Output)| Output {
            kind: output.kind,
            sink: output.sink.clone(),
            stage: stages.get(n).copied().filter(|_| several),
        };
        let outputs: Vec<Output> = outputs.iter().enumerate().map(staged).collect();
        let target = spirv::target_of(args.target.unwrap_or_default(), inputs, &args.read);
        let options = SpirvOptions { target, captures, ..SpirvOptions::default() };
        let products = spirv::products(&loaded, &outputs, &options, log)?;
        write(&products, &loaded, log).map(|()| Statistics::default())
    };
    let name = |inputs: &Vec<Input>| plan::name(inputs);
    let (tally, _) = batch::run(&[inputs], name, args.jobs.jobs, console, "lowered", work);
    Ok(tally.exit_code())
}

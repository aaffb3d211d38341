//! `airfoil graph`: graphs of a shader for Graphviz.

use crate::Failure;
use crate::args::{OptimizeArgs, ReadArgs};
use crate::batch::{self, Log};
use crate::compile::write;
use crate::load::load;
use crate::output::{Sink, words};
use crate::plan::{self, usage};
use crate::report::Console;
use crate::run_passes::{Order, PassRun};
use crate::source::Input;
use airfoil::Diagnostic;
use airfoil::passes::Pipeline;
use airfoil::passes::registry::Registry;
use airfoil_explore::graph::{self, View};
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

#[derive(Args, Debug)]
#[command(after_help = "\
The graph is in DOT, the language of Graphviz. An output that ends in .svg is drawn by its program `dot`.

Examples:
  airfoil graph sea.frag                                       control flow as read
  airfoil graph sea.frag --view dom --passes front -o dom.dot
  airfoil graph sea.frag --view divergence --passes O2 -o sea.svg
  airfoil graph sea.frag --view plan -O0                       the compile plan")]
pub struct GraphArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// Contents of the graph
    #[arg(long, value_enum, value_name = "VIEW", default_value = "cfg")]
    pub view: ViewArg,
    /// Passes or presets to run before; the view `plan` shows them
    #[arg(long, value_name = "PIPELINE", help_heading = "Passes", conflicts_with = "opt_level")]
    pub passes: Option<String>,
    #[command(flatten)]
    pub optimize: OptimizeArgs,
    /// Output: a .dot or .svg file; - is the standard output
    #[arg(short, long, value_name = "FILE", default_value = "-", help_heading = "Output")]
    pub output: PathBuf,
}

/// The contents of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewArg {
    /// Blocks with their instructions, and edges
    Cfg,
    /// The tree of dominators
    Dom,
    /// The nest of loops
    Loops,
    /// Values that are live where blocks start and end
    Liveness,
    /// Blocks that not all invocations reach together, and divergent values
    Divergence,
    /// Instructions and the values that they use
    Uses,
    /// The passes of the compile plan
    Plan,
}

impl ViewArg {
    fn view(self) -> Option<View> {
        Some(match self {
            ViewArg::Cfg => View::Cfg,
            ViewArg::Dom => View::Dom,
            ViewArg::Loops => View::Loops,
            ViewArg::Liveness => View::Liveness,
            ViewArg::Divergence => View::Divergence,
            ViewArg::Uses => View::Uses,
            ViewArg::Plan => return None,
        })
    }
}

/// Runs the command.
pub fn run(args: &GraphArgs, registry: &Registry, console: Console) -> Result<ExitCode, Failure> {
    let svg = args.output.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg"));
    let inputs = plan::inputs(&args.read)?;
    if inputs.len() != 1 {
        return Err(usage("a graph is of one input", "run the command for each"));
    }
    let order = Order::new(args.optimize.level, args.passes.as_deref(), registry, console)?;
    // Without passes, the shader is shown as it was read.
    let before = match args.passes.as_deref() {
        None => Order::Given(Pipeline::default()),
        text => Order::new(args.optimize.level, text, registry, console)?,
    };
    let passes = PassRun::new(&args.optimize, before, registry)?;
    let work = |inputs: &Vec<Input>, log: &mut Log| {
        let mut loaded = load(inputs, &args.read, log)?;
        let graph = match args.view.view() {
            None => Ok(graph::of_pipeline(&order.pipeline(&loaded.shaders))),
            Some(view) => {
                let _ = passes.run(&mut loaded, log)?;
                match loaded.shaders.as_slice() {
                    [shader] => {
                        graph::of_shader(shader, view).map_err(|message| Diagnostic::error("E0018", message))
                    }
                    list => {
                        let message = format!("a graph shows one shader, but the input has {}", list.len());
                        Err(Diagnostic::error("E0016", message).help("`--stage STAGE` chooses one"))
                    }
                }
            }
        };
        let made = graph.and_then(|graph| match (graph::dot(&graph), svg) {
            (text, true) => drawn(&text).map_err(|message| Diagnostic::error("E0005", message)),
            (text, false) => Ok(text.into_bytes()),
        });
        let bytes = made.map_err(|fault| loaded.refuse(log, &[fault]))?;
        write(&[(sink(&args.output), bytes)], &loaded, log)
    };
    let (tally, _) = batch::run(&[inputs], |inputs| plan::name(inputs), None, console, "drawn", work);
    Ok(tally.exit_code())
}

fn sink(path: &Path) -> Sink {
    if path.as_os_str() == "-" { Sink::Stdout } else { Sink::File(path.to_path_buf()) }
}

/// The graph as SVG, by Graphviz.
fn drawn(dot: &str) -> Result<Vec<u8>, String> {
    let start = Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = start
        .map_err(|e| format!("cannot start `dot` of Graphviz, which draws .svg files: {}", words(&e)))?;
    let stdin = child.stdin.take();
    let text = dot.to_string();
    let writer = std::thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(text.as_bytes())));
    let output = child.wait_with_output().map_err(|e| format!("`dot` failed: {e}"))?;
    let _ = writer.join();
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("`dot` failed: {}", output.status)),
    }
}

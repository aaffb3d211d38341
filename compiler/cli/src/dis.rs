//! `airfoil dis`: modules as LLVM assembly.

use crate::Failure;
use crate::modules::{self, File};
use crate::report::Console;
use airfoil::Diagnostic;
use airfoil::air::functions::{AirFunction, CallEffect};
use airfoil::air::ll;
use airfoil::air::module::Module;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil dis fade.metallib
  airfoil dis fade.metallib --function main_0
  airfoil dis fade.air | less
  airfoil dis fade.metallib --functions            effect and signatures of each air.* function")]
pub struct DisArgs {
    /// A .metallib (or an archive of several), .air or .bc file; - is the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Only this function's module
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Describe the `air.*` functions that are declared, in comments: memory effect, first AIR
    /// version and the signatures by AIR version
    #[arg(long)]
    pub functions: bool,
}

/// The `air.*` functions that a module declares, as comments of assembly.
fn describe(module: &Module) -> String {
    let mut text = String::new();
    for function in module.functions().iter().filter(|f| f.body.is_none()) {
        let name = module.text(function.name);
        if !name.starts_with("air.") {
            continue;
        }
        let found = AirFunction::parse(name);
        let about = match found.as_ref().map(|f| f.base.info()) {
            Some(info) => {
                let effect = match info.effect {
                    CallEffect::Pure => "computes from its operands",
                    CallEffect::Group => "computes from operands of several invocations",
                    CallEffect::Reads => "reads through its arguments",
                    CallEffect::ReadsQuad => "reads through its arguments, with the whole quad",
                    CallEffect::Writes => "reads and writes through its arguments",
                    CallEffect::Waits => "waits for other invocations",
                    CallEffect::Any => "may read and write any memory",
                };
                format!("{effect}; AIR {} or later", info.since)
            }
            None => "unknown".to_owned(),
        };
        text += "; @";
        text.extend(name.escape_debug());
        text += &format!(": {about}\n");
        for (since, signature) in found.iter().flat_map(AirFunction::signatures) {
            text += &format!(";   AIR {since}: {signature}\n");
        }
    }
    text
}

/// Runs the command.
pub fn run(args: &DisArgs, console: Console) -> Result<ExitCode, Failure> {
    let file = File::read(&args.file, console)?;
    let libraries = file.libraries()?;
    let mut text = String::new();
    let (mut found, mut names) = (false, Vec::new());
    for part in file.parts(&libraries) {
        names.push(part.function);
        if args.function.as_deref().is_some_and(|f| f != part.function && !part.function.is_empty()) {
            continue;
        }
        let module = file.module(&part)?;
        if let Some(name) = &args.function
            && module.symbol(name).and_then(|f| module.function(f)).is_none_or(|f| f.body.is_none())
        {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        if !part.function.is_empty() {
            text += "; function ";
            text.extend(part.function.escape_debug());
            text += &part.slice.map_or_else(String::new, |slice| format!(" of slice {slice}"));
            text.push('\n');
        }
        text += &ll::print(&module);
        if args.functions {
            text += &describe(&module);
        }
        found = true;
    }
    if let (false, Some(name)) = (found, &args.function) {
        let there = names.into_iter().filter(|n| !n.is_empty()).collect::<Vec<_>>().join(", ");
        let fault = Diagnostic::error("E0013", format!("there is no function `{name}`"));
        return Err(file.refuse(if there.is_empty() {
            fault
        } else {
            fault.help(format!("there is: {there}"))
        }));
    }
    modules::print(&text)
}

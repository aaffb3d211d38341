//! `airfoil rules mine`: rules for the expressions of shaders.

use crate::Failure;
use crate::args::{JobArgs, ReadArgs};
use crate::batch::{self, Log, Refused};
use crate::load::load;
use crate::output::{self, words};
use crate::report::Console;
use crate::source::Input;
use crate::stats;
use airfoil::Shader;
use airfoil::passes::manager::Options;
use airfoil::passes::presets::PRESETS;
use airfoil::passes::{Manager, Pipeline, rules};
use airfoil_rules::Rule;
use airfoil_rules::mine::{Corpus, Limits, Mined, covers, mine};
use clap::Args;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `airfoil rules mine`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil rules mine shaders > mined.rules
  airfoil rules mine shaders --forget 30 --seed 1    whether it finds rules again that are known")]
pub struct MineArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// Leave out so many of the rules that fire on the shaders, chosen at random, and report which are found again
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub forget: Option<usize>,
    /// Seed of the choice of `--forget`
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Search")]
    pub seed: u64,
    /// The search stops after so many seconds
    #[arg(long, value_name = "S", default_value_t = 1800, help_heading = "Search")]
    pub time: u64,
    #[command(flatten)]
    pub jobs: JobArgs,
}

/// Runs the command.
pub fn run(args: &MineArgs, console: Console) -> Result<ExitCode, Failure> {
    let inputs = stats::inputs(&args.read, console)?;
    let (forgotten, corpus) = {
        let fired = match args.forget {
            Some(_) => fired(args, &inputs, console)?,
            None => Vec::new(),
        };
        let forgotten = choose(&fired, args.forget.unwrap_or(0), args.seed);
        let text = pipeline(&forgotten);
        let (_, shaders) = shaders(args, &inputs, console, &text)?;
        let mut corpus = Corpus::default();
        shaders.iter().for_each(|shader| corpus.add(shader));
        (forgotten, corpus)
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.jobs.jobs.map_or(threads, usize::from);
    let mined = mine(&corpus, Limits { time: Duration::from_secs(args.time), threads });
    print(&text(&mined))?;
    if args.forget.is_none() {
        return Ok(ExitCode::SUCCESS);
    }
    let (again, found) = report(&forgotten, &mined);
    print(&again)?;
    // Two of three are expected.
    Ok(if found * 3 >= forgotten.len() * 2 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The clean-ups without some rules.
fn pipeline(without: &[String]) -> String {
    let preset = |name: &str| PRESETS.iter().find(|p| p.name == name).map_or("", |p| p.text);
    let simplify = match without {
        [] => "simplify".to_string(),
        _ => format!("simplify{{without={}}}", without.join("+")),
    };
    let values = preset("values").replace("simplify,", &format!("{simplify},"));
    preset("O2_derefs").replace("(values,", &format!("({values},"))
}

/// The shaders after a pipeline, and the rules that fired.
fn shaders(
    args: &MineArgs,
    inputs: &[Input],
    console: Console,
    text: &str,
) -> Result<(BTreeMap<String, u64>, Vec<Shader>), Failure> {
    let fail = |fault| Failure::Reported(1, console.render(&[fault], "rules mine", Some(text)));
    let pipeline = Pipeline::parse(text).map_err(fail)?;
    let work = |input: &Input, log: &mut Log| -> Result<_, Refused> {
        let mut loaded = load(std::slice::from_ref(input), &args.read, log)?;
        let mut manager = Manager::new(Options { statistics: true, ..Options::default() });
        if let Err(faults) = manager.run_program(&pipeline, &mut loaded.shaders) {
            return Err(loaded.refuse(log, &faults));
        }
        let fired: Vec<(String, u64)> =
            manager.statistics().rules().into_iter().map(|(name, n)| (name.to_string(), n)).collect();
        Ok((fired, loaded.shaders))
    };
    let (_, results) = batch::run(inputs, Input::name, args.jobs.jobs, console, "read", work);
    let (mut fired, mut shaders) = (BTreeMap::new(), Vec::new());
    for (rules, some) in results {
        rules.into_iter().for_each(|(name, n)| *fired.entry(name).or_default() += n);
        shaders.extend(some);
    }
    Ok((fired, shaders))
}

/// The rules that fire on the shaders.
fn fired(args: &MineArgs, inputs: &[Input], console: Console) -> Result<Vec<String>, Failure> {
    Ok(shaders(args, inputs, console, "O2_derefs")?.0.into_keys().collect())
}

/// Some of the names, by a shuffle.
fn choose(names: &[String], count: usize, seed: u64) -> Vec<String> {
    let mut names = names.to_vec();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for i in (1..names.len()).rev() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let random = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        names.swap(i, random as usize % (i + 1));
    }
    names.truncate(count);
    names.sort();
    names
}

/// The rules as a file of rules.
fn text(mined: &[Mined]) -> String {
    let mut out = String::from("group: Mined\nsource: `airfoil rules mine`\n");
    for m in mined {
        let flags = m.rule.flags.text();
        let flags = if flags.is_empty() { flags } else { format!(" [{flags}]") };
        let _ = writeln!(out, "\n# {} lanes, saves {} of each; {}", m.count, m.saves, m.proof);
        let _ = writeln!(out, "{}{flags}: {}", m.rule.name, m.rule.text);
    }
    out
}

/// Which rules were found again: one of the mined rules is the same, an instance of it, or more general.
fn report(forgotten: &[String], mined: &[Mined]) -> (String, usize) {
    let all = rules::all();
    let mut out = String::from("\n");
    let mut found = 0;
    for name in forgotten {
        let Some(rule) = all.iter().find(|r| r.name == *name) else { continue };
        let again = |other: &Rule| covers(rule, other) || covers(other, rule);
        match mined.iter().find(|m| again(&m.rule)) {
            Some(m) => {
                found += 1;
                let _ = writeln!(out, "# {name}: found as {}", m.rule.name);
            }
            None => {
                let _ = writeln!(out, "# {name}: not found: {}", rule.text);
            }
        }
    }
    let _ = writeln!(out, "# {found} of {} rules found again", forgotten.len());
    (out, found)
}

fn print(text: &str) -> Result<(), Failure> {
    output::print(text.as_bytes())
        .map_err(|e| Failure::Reported(1, format!("error: cannot print: {}\n", words(&e))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_without_some_rules_are_valid() {
        let names: Vec<String> = rules::all().iter().take(2).map(|rule| rule.name.clone()).collect();
        for count in 0..=names.len() {
            let text = pipeline(&names[..count]);
            assert!(Pipeline::parse(&text).is_ok(), "{text}");
            assert_eq!(text.contains("without"), count > 0, "{text}");
        }
    }
}

//! `airfoil rules`: the algebraic rules of the pass `algebraic`.

use crate::Failure;
use crate::mine::{self, MineArgs};
use crate::output;
use crate::report::Console;
use airfoil::ir::diag::nearest;
use airfoil::passes::rules;
use airfoil_rules::Rule;
use airfoil_rules::prove::{Cache, Effort, Verdict, prove};
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil rules list
  airfoil rules explain fmul_one
  airfoil rules test fmul_one fadd_zero
  airfoil rules test --file new.rules
  airfoil rules mine shaders
  airfoil opt fade.foil --passes 'algebraic{without=fadd_factor}' --stats    the rules that fire

Exit status: 0 success, 1 a rule is wrong or could not be proved, 2 wrong usage.")]
pub struct RulesArgs {
    #[command(subcommand)]
    pub command: RulesCommand,
}

/// The commands of `airfoil rules`.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List the rules by group
    List,
    /// Explain a rule: pattern, replacement, flags, source, proof
    #[command(after_help = "\
Examples:
  airfoil rules explain fmul_one")]
    Explain {
        /// Name of the rule
        name: String,
    },
    /// Prove rules again with the solver z3 and by evaluation, and print counterexamples
    #[command(after_help = "\
Examples:
  airfoil rules test fmul_one
  airfoil rules test --samples 100000")]
    Test(TestArgs),
    /// Find rules for the expressions that occur in shaders: cheaper forms, proved, those that save most first
    Mine(MineArgs),
}

/// Arguments of `airfoil rules test`.
#[derive(Args, Debug)]
pub struct TestArgs {
    /// Names of the rules [default: all that are not recorded as proved]
    pub names: Vec<String>,
    /// Prove all rules again
    #[arg(long)]
    pub all: bool,
    /// Rules of this file instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Values of operands to evaluate at 32 bits
    #[arg(long, value_name = "COUNT", default_value_t = Effort::default().samples)]
    pub samples: u64,
    /// Time for one query of the solver
    #[arg(long, value_name = "MS", default_value_t = Effort::default().timeout_ms)]
    pub timeout: u32,
    /// Record the proved rules in this file
    #[arg(long, value_name = "FILE")]
    pub bless: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &RulesArgs, console: Console) -> Result<ExitCode, Failure> {
    match &args.command {
        RulesCommand::List => print(&list(&rules::all())),
        RulesCommand::Explain { name } => {
            let all = rules::all();
            let rule = find(&all, name)?;
            print(&explain(rule))
        }
        RulesCommand::Test(args) => test(args),
        RulesCommand::Mine(args) => mine::run(args, console),
    }
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    match output::print(text.as_bytes()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(e) => Err(Failure::Reported(1, format!("error: cannot print: {}\n", output::words(&e)))),
    }
}

fn find<'a>(all: &'a [Rule], name: &str) -> Result<&'a Rule, Failure> {
    all.iter().find(|r| r.name == name).ok_or_else(|| {
        let near = nearest(name, all.iter().map(|r| r.name.as_str()));
        let advice = near.map_or("`airfoil rules list` lists all".into(), |n| format!("did you mean `{n}`?"));
        Failure::Usage(format!("unknown rule `{name}`"), advice)
    })
}

/// Name and flags of a rule, as its file has them.
fn head(rule: &Rule) -> String {
    match rule.flags.text() {
        flags if flags.is_empty() => rule.name.clone(),
        flags => format!("{} [{flags}]", rule.name),
    }
}

fn list(all: &[Rule]) -> String {
    let mut out = String::new();
    let mut group = "";
    for rule in all {
        if rule.group != group {
            group = &rule.group;
            let count = all.iter().filter(|r| r.group == group).count();
            let _ = writeln!(out, "{}{group} ({count})", if out.is_empty() { "" } else { "\n" });
        }
        let _ = writeln!(out, "  {}: {}", head(rule), rule.text);
    }
    let _ = writeln!(out, "\n{} rules", all.len());
    out
}

fn explain(rule: &Rule) -> String {
    let mut out = format!("{}\n\n  {}\n\n", head(rule), rule.text);
    if !rule.doc.is_empty() {
        let _ = writeln!(out, "{}", rule.doc);
    }
    let _ =
        writeln!(out, "Group: {}\nSource: {}\nFile: {}:{}", rule.group, rule.source, rule.file, rule.line);
    let proof = Cache::parse(rules::PROOFS);
    let proof = proof.get(rule).and_then(|text| text.split_once(' ')).map(|(_, how)| how);
    let _ = writeln!(out, "Proof: {}", proof.unwrap_or("none is recorded; `airfoil rules test` proves it"));
    for (name, meaning) in [
        ("nsz", "the sign of a zero may change"),
        ("nnan", "operands and results are not NaN"),
        ("ninf", "operands and results are not infinite"),
        ("round", "results may be rounded differently"),
        ("fast", "only with `algebraic{fast=true}`"),
    ] {
        if rule.flags.text().split(' ').any(|flag| flag == name) {
            let _ = writeln!(out, "  {name}: {meaning}");
        }
    }
    out
}

/// Proves rules on all processors and gives the verdicts to `each` in the order of the rules.
fn for_each_proved(
    rules: &[&Rule],
    effort: &Effort,
    mut each: impl FnMut(&Rule, Verdict) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(rules.len());
    let next = AtomicUsize::new(0);
    let (send, verdicts) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                // The receiver is gone if the output cannot be written.
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(rule) = rules.get(index) else { break };
                    if send.send((index, prove(rule, effort))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut early = BTreeMap::new();
        let mut due = 0;
        // Consumed, so that threads stop if this function returns early.
        for (index, verdict) in verdicts {
            early.insert(index, verdict);
            while let Some(verdict) = early.remove(&due) {
                each(rules[due], verdict)?;
                due += 1;
            }
        }
        Ok(())
    })
}

fn test(args: &TestArgs) -> Result<ExitCode, Failure> {
    let failed = |message: String| Failure::Reported(1, format!("error: {message}\n"));
    let all = match &args.file {
        None => rules::all(),
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|e| failed(format!("{}: {}", file.display(), output::words(&e))))?;
            airfoil_rules::parse(&file.display().to_string(), &text).map_err(|e| failed(e.to_string()))?
        }
    };
    let mut cache = Cache::parse(rules::PROOFS);
    let chosen: Vec<&Rule> = if args.names.is_empty() {
        all.iter().filter(|r| args.all || args.file.is_some() || cache.get(r).is_none()).collect()
    } else {
        args.names.iter().map(|name| find(&all, name)).collect::<Result<_, _>>()?
    };
    let effort = Effort { samples: args.samples, timeout_ms: args.timeout };
    let mut bad = 0;
    for_each_proved(&chosen, &effort, |rule, verdict| {
        match &verdict {
            Verdict::Proved(how) => cache.add(rule, how),
            _ => bad += 1,
        }
        print(&format!("{}: {verdict}\n", rule.name)).map(|_| ())
    })?;
    let recorded = all.len() - chosen.len();
    let recorded =
        if args.names.is_empty() { format!(", {recorded} recorded as proved") } else { String::new() };
    print(&format!("{} proved, {bad} not{recorded}\n", chosen.len() - bad))?;
    if let Some(file) = &args.bless {
        std::fs::write(file, cache.text(&all))
            .map_err(|e| failed(format!("{}: {}", file.display(), output::words(&e))))?;
    }
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

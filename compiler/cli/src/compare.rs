//! `airfoil compare`: the shaders of a file after two pipelines, side by side.

use crate::Failure;
use crate::args::ReadArgs;
use crate::batch::{self, Log};
use crate::load::load;
use crate::output::{self, words};
use crate::plan::{self, usage};
use crate::report::Console;
use crate::source::Input;
use crate::stats::diff::percent;
use crate::stats::row::{Check, Row, names, show};
use crate::stats::table::align;
use crate::stats::{Measures, pipeline};
use crate::sweep::evaluate::{File, evaluate};
use crate::sweep::pipelines::Named;
use airfoil::Shader;
use airfoil::check::{Outcome, Runs};
use airfoil::passes::Manager;
use airfoil::passes::registry::Registry;
use airfoil_explore::diff::{Line, Printed};
use clap::Args;
use std::num::NonZeroUsize;
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
Prints the sizes of both results, whether the shaders do the same afterwards, and both texts side by side: `<` marks a line that
only the first pipeline leaves, `>` one of the second, `|` lines in the same position that differ. Instructions are the same if the
pipelines leave the same instruction of the input, whatever its name.

Examples:
  airfoil compare sea.frag --pipeline O0 --pipeline O2
  airfoil compare sea.frag --pipeline nir-radv --pipeline O2 --context 2
  airfoil compare sea.frag --pipeline O2 --pipeline 'O2_front, outputs, locals, slots, io, loop(values)' --sizes")]
pub struct CompareArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// Passes or a preset; given twice
    #[arg(long, value_name = "PIPELINE", required = true, help_heading = "Passes")]
    pub pipeline: Vec<String>,
    /// Do not check by execution that the results of the shaders stay
    #[arg(long, help_heading = "Comparison")]
    pub no_check: bool,
    /// Measure the time of the passes: the least of this many repetitions
    #[arg(long, value_name = "N", help_heading = "Comparison")]
    pub time: Option<NonZeroUsize>,
    /// Measure the bitcode that is selected after the rest of the lowering
    #[arg(long, help_heading = "Comparison")]
    pub bytes: bool,
    /// Only the sizes
    #[arg(long, help_heading = "Output")]
    pub sizes: bool,
    /// Only lines that differ, with this many lines around them
    #[arg(long, value_name = "LINES", conflicts_with = "sizes", help_heading = "Output")]
    pub context: Option<usize>,
    /// Characters of a line of both texts
    #[arg(long, value_name = "N", default_value_t = 160, help_heading = "Output",
          value_parser = clap::value_parser!(u16).range(20..))]
    pub width: u16,
}

/// Runs the command.
pub fn run(args: &CompareArgs, registry: &Registry, console: Console) -> Result<ExitCode, Failure> {
    let [first, second] = args.pipeline.as_slice() else {
        let message = format!("expected two pipelines, found {}", args.pipeline.len());
        return Err(usage(message, "airfoil compare FILE --pipeline A --pipeline B"));
    };
    let [path] = args.read.inputs.as_slice() else {
        let message = format!("expected one input, found {}", args.read.inputs.len());
        return Err(usage(message, "`airfoil stats` compares pipelines over many files"));
    };
    let named =
        |text: &String| Ok(Named { name: text.clone(), pipeline: pipeline(text, registry, console)? });
    let pipelines = [named(first)?, named(second)?];
    let input = plan::input(path, &args.read)?;
    let work = |input: &Input, log: &mut Log| {
        let loaded = load(std::slice::from_ref(input), &args.read, log)?;
        Ok(compare(&File::new(input.name(), loaded.shaders), &pipelines, args, log))
    };
    let (tally, results) = batch::run(&[input], Input::name, None, console, "compared", work);
    let Some((text, agrees)) = results.into_iter().next() else { return Ok(tally.exit_code()) };
    output::print(text.as_bytes())
        .map_err(|e| Failure::Reported(1, format!("error: cannot print: {}\n", words(&e))))?;
    Ok(if agrees { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The comparison as text, and whether both pipelines accept the shaders and keep their results.
fn compare(file: &File, pipelines: &[Named; 2], args: &CompareArgs, log: &mut Log) -> (String, bool) {
    let measures = Measures { time: args.time, bytes: args.bytes };
    let runs = (!args.no_check).then(Runs::default);
    let rows = pipelines.each_ref().map(|named| evaluate(file, named, measures, runs.as_ref(), log));
    let mut text = sizes(&rows);
    let is_refused = rows.iter().any(|row| row.check == Some(Check::Refused));
    if !args.sizes && !is_refused {
        let [left, right] = pipelines.each_ref().map(|named| after(&file.shaders, named));
        for (left, right) in left.iter().zip(&right) {
            text.push('\n');
            text += &side_by_side(left, right, usize::from(args.width), args.context);
        }
    }
    let differs = rows.iter().any(|row| row.check == Some(Check::Ran(Outcome::Differs)));
    (text, !is_refused && !differs)
}

/// The texts after a pipeline that accepts the shaders.
fn after(shaders: &[Shader], named: &Named) -> Vec<Printed> {
    let mut shaders = shaders.to_vec();
    let _ = Manager::default().run_program(&named.pipeline, &mut shaders);
    shaders.iter().map(Printed::new).collect()
}

/// The sizes of both, and the checks.
fn sizes([first, second]: &[Row; 2]) -> String {
    let mut lines =
        vec![vec!["size".to_string(), first.pipeline.clone(), second.pipeline.clone(), "change".to_string()]];
    for (size, name) in names().into_iter().enumerate() {
        let (Some(a), Some(b)) = (first.sizes[size], second.sizes[size]) else { continue };
        if (a, b) != (0.0, 0.0) {
            lines.push(vec![name.to_string(), show(size, a), show(size, b), percent(a, b)]);
        }
    }
    if let (Some(a), Some(b)) = (first.check, second.check) {
        lines.push(vec!["check".to_string(), a.name().to_string(), b.name().to_string()]);
    }
    align(&lines, 1)
}

/// A line of each text, either of which may be missing, and the mark between them.
type Pair<'a> = (Option<&'a str>, char, Option<&'a str>);

/// Both texts in two columns.
fn side_by_side(left: &Printed, right: &Printed, width: usize, context: Option<usize>) -> String {
    let pairs = pairs(left, right);
    let column = (width - 3) / 2;
    let cut = |line: &str| match line.char_indices().nth(column) {
        None => line.to_string(),
        Some(_) => line.chars().take(column - 1).chain(['~']).collect(),
    };
    let is_shown = |n: usize| {
        let Some(lines) = context else { return true };
        let near = &pairs[n.saturating_sub(lines)..(n + lines + 1).min(pairs.len())];
        near.iter().any(|pair| pair.1 != ' ')
    };
    let (mut out, mut left_out) = (String::new(), false);
    for (n, (a, mark, b)) in pairs.iter().enumerate() {
        if !is_shown(n) {
            left_out = true;
            continue;
        }
        if std::mem::take(&mut left_out) {
            out += "...\n";
        }
        let (a, b) = (cut(a.unwrap_or_default()), cut(b.unwrap_or_default()));
        out += format!("{a:column$} {mark} {b}").trim_end();
        out.push('\n');
    }
    if left_out {
        out += "...\n";
    }
    out
}

/// The lines of both texts beside each other.
fn pairs<'a>(left: &'a Printed, right: &'a Printed) -> Vec<Pair<'a>> {
    let mut left_lines = left.text.lines();
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    let flush = |pairs: &mut Vec<Pair<'a>>, removed: &mut Vec<&'a str>, added: &mut Vec<&'a str>| {
        for n in 0..removed.len().max(added.len()) {
            let (a, b) = (removed.get(n).copied(), added.get(n).copied());
            let mark = match (a, b) {
                (_, None) => '<',
                (None, _) => '>',
                _ => '|',
            };
            pairs.push((a, mark, b));
        }
        removed.clear();
        added.clear();
    };
    for line in left.diff(right) {
        match line {
            Line::Removed(text) => {
                left_lines.next();
                removed.push(text);
            }
            Line::Added(text) => added.push(text),
            Line::Same(text) => {
                flush(&mut pairs, &mut removed, &mut added);
                pairs.push((left_lines.next(), ' ', Some(text)));
            }
        }
    }
    flush(&mut pairs, &mut removed, &mut added);
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil::ir::text;
    use airfoil::passes::Pipeline;

    /// Only the removed sum is on one side; its readers differ, and all other lines are the same.
    #[test]
    fn lines_are_paired_by_instruction() {
        let source = "foil 1\nshader vertex \"t\" {\n  form slots\n  fn main {\n    32x1 %0 = load_vertex_id\n    \
                      32x1 %1 = const 0\n    32x1 %2 = iadd %0, %1\n    32x1 %3 = imul %2, %0\n    \
                      store_output %3, %1 io=0 mask=x\n  }\n}\n";
        let before = text::parse(source).unwrap();
        let mut after = before.clone();
        let pipeline = Pipeline::parse("simplify").unwrap();
        let _ = Manager::default().run(&pipeline, &mut after).unwrap();
        let (left, right) = (Printed::new(&before), Printed::new(&after));
        let marks: Vec<(String, char)> = pairs(&left, &right)
            .iter()
            .filter(|pair| pair.1 != ' ')
            .map(|pair| (pair.0.unwrap_or_default().trim().to_string(), pair.1))
            .collect();
        let expected = [("32x1 %2 = iadd %0, %1", '|'), ("32x1 %3 = imul %2, %0", '<')];
        assert_eq!(marks, expected.map(|(text, mark)| (text.to_string(), mark)));
        assert_eq!(side_by_side(&left, &left, 101, Some(1)), "...\n");
        let narrow = side_by_side(&left, &left, 40, None);
        assert!(narrow.contains('~') && narrow.lines().all(|line| line.chars().count() <= 40), "{narrow}");
    }
}

//! `airfoil passes` and `airfoil explain`: the passes, presets and diagnostic codes.

use crate::Failure;
use crate::output;
use airfoil::air::rules::Rule;
use airfoil::ir::diag::codes::{self, CodeInfo};
use airfoil::passes::presets;
use airfoil::passes::registry::{Entry, Registry};
use airfoil::passes::{OptionInfo, Pipeline};
use clap::Args;
use serde_json::json;
use std::fmt::Write as _;
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil passes
  airfoil passes --options
  airfoil passes --json | jq -r '.passes[].name'")]
pub struct PassesArgs {
    /// Show the options of each pass with their defaults
    #[arg(long)]
    pub options: bool,
    /// Write JSON
    #[arg(long, conflicts_with = "options")]
    pub json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil explain dce
  airfoil explain O2
  airfoil explain E0504
  airfoil explain M0401    a rule of `airfoil metallib verify`")]
pub struct ExplainArgs {
    /// Name of a pass or preset, a diagnostic code, or a rule of Metal
    #[arg(value_name = "NAME")]
    pub name: String,
}

/// Runs `airfoil passes`.
pub fn passes(args: &PassesArgs, registry: &Registry) -> Result<ExitCode, Failure> {
    let text = if args.json { json_list(registry) } else { list(registry, args.options) };
    print(&text)
}

/// Runs `airfoil explain`.
pub fn explain(args: &ExplainArgs, registry: &Registry) -> Result<ExitCode, Failure> {
    let name = args.name.as_str();
    if let Some(entry) = registry.find(name) {
        return print(&explain_pass(entry));
    }
    if let Some(preset) = registry.find_preset(name) {
        return print(&format!("{}: {}\n\n  {}\n", preset.name, preset.summary, preset.text));
    }
    if let Some(row) = codes::find(&name.to_ascii_uppercase()) {
        return print(&explain_code(row));
    }
    if let Some(rule) = Rule::find(&name.to_ascii_uppercase()) {
        return print(&explain_rule(rule));
    }
    let (fault, advice) = match name.as_bytes() {
        [b'E' | b'W' | b'e' | b'w', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => {
            (format!("unknown diagnostic code `{name}`"), "docs/diagnostics.md lists all".to_string())
        }
        [b'M' | b'm', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => {
            (format!("unknown rule `{name}`"), "docs/metal-rules.md lists all".to_string())
        }
        _ => unknown_pass(name, registry),
    };
    Err(Failure::Usage(fault, advice))
}

fn explain_rule(rule: Rule) -> String {
    let info = rule.info();
    let kind = if info.warning { " (warning)" } else { "" };
    format!(
        "{}{kind}: {}\n\nEffect:  {}\nApplies: {}\nSource:  {}\n",
        info.id, info.summary, info.consequence, info.since, info.source
    )
}

fn explain_code(row: &CodeInfo) -> String {
    let mut out = format!("{}: {}\n", row.code, row.meaning);
    if let Some(section) = row.section {
        out.push_str(&format!("Specification: {section}\n"));
    }
    out.push_str("\nExample:\n");
    for line in row.example.lines() {
        out.push_str(&format!("  {line}\n"));
    }
    out
}

/// Words about a name that is neither a pass nor a preset.
pub fn unknown_pass(name: &str, registry: &Registry) -> (String, String) {
    // The parser of pipelines suggests a similar name; for it `loop` is one, too.
    let near = Pipeline::parse_with(name, registry).err().and_then(|fault| fault.help);
    let advice = near.filter(|help| !help.contains("`loop`"));
    let advice = advice.unwrap_or_else(|| "`airfoil passes` lists all".to_string());
    (format!("there is no pass `{name}`"), advice)
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    match output::print(text.as_bytes()) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(e) => Err(Failure::Reported(1, format!("error: cannot print: {}\n", output::words(&e)))),
    }
}

fn list(registry: &Registry, with_options: bool) -> String {
    let passes = registry.iter().map(Entry::name);
    let names = passes.chain(registry.presets().iter().map(|p| p.name));
    let width = names.map(str::len).max().unwrap_or(0);
    let mut out = String::new();
    // Writing to a string cannot fail.
    for group in registry.groups() {
        let _ = writeln!(out, "{}: {}", group.name, group.summary);
        for entry in &group.passes {
            let _ = writeln!(out, "  {:width$}  {}", entry.name(), entry.info().summary);
            if with_options {
                for o in entry.options() {
                    let _ = writeln!(out, "  {:width$}    {}={}: {}", "", o.name, (o.default)(), o.summary);
                }
            }
        }
        out.push('\n');
    }
    out += "Presets:\n";
    for preset in registry.presets() {
        let _ = writeln!(out, "  {:width$}  {}", preset.name, preset.summary);
    }
    out
}

fn json_list(registry: &Registry) -> String {
    let option = |o: &OptionInfo| json!({ "name": o.name, "default": (o.default)(), "summary": o.summary });
    let pass = |group: &str, e: &Entry| {
        let info = e.info();
        json!({
            "name": info.name,
            "group": group,
            "summary": info.summary,
            "takes": info.takes.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "leaves": info.leaves.map(|form| form.to_string()),
            "options": e.options().iter().map(option).collect::<Vec<_>>(),
        })
    };
    let preset = |p: &presets::Preset| json!({ "name": p.name, "summary": p.summary, "pipeline": p.text });
    let value = json!({
        "passes": registry
            .groups()
            .iter()
            .flat_map(|group| group.passes.iter().map(|e| pass(&group.name, e)))
            .collect::<Vec<_>>(),
        "presets": registry.presets().iter().copied().map(preset).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn explain_pass(entry: &Entry) -> String {
    let info = entry.info();
    let mut out = format!("{}: {}\n\n", info.name, info.summary);
    let forms =
        |forms: &[airfoil::Form]| forms.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let produces = info.leaves.map_or("the required form".to_string(), |form| form.to_string());
    let _ = writeln!(out, "  requires  {}\n  produces  {produces}", forms(info.takes));
    if !entry.options().is_empty() {
        out += "\nOptions:\n";
        for o in entry.options() {
            let _ = writeln!(out, "  {}={}  {}", o.name, (o.default)(), o.summary);
        }
    }
    out.push('\n');
    for line in documentation(&info.doc) {
        let _ = writeln!(out, "{line}");
    }
    out
}

/// The module's documentation from the source text of a pass.
fn documentation(source: &str) -> impl Iterator<Item = &str> {
    source
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil::air::plan::registry;

    #[test]
    fn every_pass_is_listed_and_explained() {
        let (all, json) = (list(registry(), true), json_list(registry()));
        assert!(!registry().is_empty());
        for entry in registry().iter() {
            let text = explain_pass(entry);
            assert!(text.contains(&*entry.info().summary) && text.lines().count() > 5, "{text}");
            assert!(all.contains(&format!("  {} ", entry.name())) && json.contains(entry.name()));
        }
        // The groups are those of the manual.
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/passes.md");
        let manual = std::fs::read_to_string(path).expect("the manual");
        for group in registry().groups() {
            assert!(all.contains(&format!("{}: {}\n", group.name, group.summary)), "{all}");
            assert!(manual.contains(&format!("## {}\n\n{}\n", group.name, group.summary)), "{}", group.name);
        }
    }

    #[test]
    fn unknown_names_are_reported_by_kind() {
        let fault = |name: &str| match explain(&ExplainArgs { name: name.to_string() }, registry()) {
            Err(Failure::Usage(fault, _)) => fault,
            _ => String::new(),
        };
        assert_eq!(fault("e9999"), "unknown diagnostic code `e9999`");
        assert_eq!(fault("m9999"), "unknown rule `m9999`");
        assert_eq!(fault("emulate"), "there is no pass `emulate`");
    }

    #[test]
    fn documentation_ends_with_the_comment() {
        let lines: Vec<&str> = documentation("//! a\n//!\n//!  b\nuse x;\n//! c\n").collect();
        assert_eq!(lines, ["a", "", " b"]);
    }
}

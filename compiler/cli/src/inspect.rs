//! `airfoil inspect`: entry points with their stage, versions, arguments and resources.

use crate::Failure;
use crate::modules::{self, File};
use crate::report::Console;
use airfoil::air::inspect::{self, Entry, Inspection, Item};
use clap::Args;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  airfoil inspect fade.metallib
  airfoil inspect fade.air --json | jq '.modules[].functions[].inputs'")]
pub struct InspectArgs {
    /// A .metallib (or an archive of several), .air or .bc file; - is the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &InspectArgs, console: Console) -> Result<ExitCode, Failure> {
    let file = File::read(&args.file, console)?;
    let libraries = file.libraries()?;
    let mut found: Vec<(Option<usize>, Inspection)> = Vec::new();
    for part in file.parts(&libraries) {
        found.push((part.slice, inspect::inspect(&file.module(&part)?)));
    }
    if args.json {
        let modules: Vec<Value> = found.iter().map(|(slice, i)| module_json(*slice, i)).collect();
        return modules::print(&format!("{:#}\n", json!({ "modules": modules })));
    }
    let mut text = String::new();
    for (at, (slice, inspection)) in found.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        module_text(&mut text, *slice, inspection);
    }
    modules::print(&text)
}

// Writing to a string cannot fail.
fn module_text(out: &mut String, slice: Option<usize>, i: &Inspection) {
    for entry in &i.entries {
        let _ = writeln!(out, "{} {}", entry.stage, entry.name.escape_debug());
        if let Some(slice) = slice {
            let _ = writeln!(out, "  slice       {slice}");
        }
        let _ = writeln!(out, "  target      {}", i.triple.escape_debug());
        let _ = writeln!(out, "  versions    AIR {}, {}", i.air, i.language.escape_debug());
        let _ = writeln!(out, "  compiler    {}", i.compiler.escape_debug());
        if !i.options.is_empty() {
            let _ = writeln!(out, "  options     {}", i.options.join(", ").escape_debug());
        }
        if let Some((line, path)) = &entry.debug {
            let _ = writeln!(out, "  source      {}:{line}", path.escape_debug());
        }
        for note in &entry.notes {
            let _ = writeln!(out, "  note        {}", note.escape_debug());
        }
        for (title, items) in
            [("inputs", &entry.inputs), ("outputs", &entry.outputs), ("constants", &i.constants)]
        {
            items_text(out, title, items);
        }
        if !i.samplers.is_empty() {
            let _ = writeln!(out, "  samplers    {}", i.samplers.join(", ").escape_debug());
        }
    }
    if i.entries.is_empty() {
        let _ = writeln!(out, "module without entry points\n  target      {}", i.triple.escape_debug());
    }
}

fn items_text(out: &mut String, title: &str, items: &[Item]) {
    for (at, item) in items.iter().enumerate() {
        let head = if at == 0 { title } else { "" };
        let _ = writeln!(out, "  {head:<10}  {}", item_text(item));
        members_text(out, &item.members, 16);
    }
}

fn members_text(out: &mut String, members: &[Item], indent: usize) {
    for member in members {
        let _ = writeln!(out, "{:indent$}{}", "", item_text(member));
        members_text(out, &member.members, indent + 2);
    }
}

fn item_text(item: &Item) -> String {
    let mut words: Vec<String> = Vec::new();
    let number = |name: &str, value: Option<i64>| value.map(|v| format!("{name} {v}"));
    words.extend(item.index.map(|i| format!("{i:>2}")));
    words.extend(number("+", item.offset));
    words.push(item.kind.clone());
    if let Some((first, count)) = item.location {
        words.push(if count == 1 {
            format!("[{first}]")
        } else {
            format!("[{first}..{}]", first.saturating_add(count))
        });
    }
    words.push(item.ty.clone());
    words.push(item.name.clone());
    words.extend(item.elements.map(|n| format!("x{n}")));
    words.push(item.access.clone());
    words.extend(number("space", item.space));
    words.extend(number("size", item.size));
    words.extend(number("align", item.align));
    words.extend(number("bound size", item.buffer_size));
    words.extend(item.notes.iter().map(|n| n.strip_prefix("air.").unwrap_or(n).to_owned()));
    if item.unused {
        words.push("(unused)".to_owned());
    }
    words.retain(|w| !w.is_empty());
    words.join("  ").escape_debug().to_string()
}

fn module_json(slice: Option<usize>, i: &Inspection) -> Value {
    json!({
        "slice": slice,
        "target": i.triple,
        "source": i.source,
        "air": i.air,
        "language": i.language,
        "compiler": i.compiler,
        "options": i.options,
        "functions": i.entries.iter().map(entry_json).collect::<Vec<_>>(),
        "constants": i.constants.iter().map(item_json).collect::<Vec<_>>(),
        "samplers": i.samplers,
    })
}

fn entry_json(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "stage": entry.stage,
        "notes": entry.notes,
        "inputs": entry.inputs.iter().map(item_json).collect::<Vec<_>>(),
        "outputs": entry.outputs.iter().map(item_json).collect::<Vec<_>>(),
        "source": entry.debug.as_ref().map(|(line, path)| json!({ "path": path, "line": line })),
    })
}

/// Absent metadata has no key.
fn item_json(item: &Item) -> Value {
    let mut map = Map::new();
    let texts = [
        ("kind", &item.kind),
        ("name", &item.name),
        ("type", &item.ty),
        ("llvm_type", &item.llvm),
        ("access", &item.access),
    ];
    for (key, text) in texts {
        if !text.is_empty() {
            map.insert(key.to_owned(), json!(text));
        }
    }
    let numbers = [
        ("index", item.index),
        ("location", item.location.map(|l| l.0)),
        ("count", item.location.map(|l| l.1)),
        ("address_space", item.space),
        ("offset", item.offset),
        ("size", item.size),
        ("align", item.align),
        ("elements", item.elements),
        ("buffer_size", item.buffer_size),
    ];
    for (key, number) in numbers {
        if let Some(number) = number {
            map.insert(key.to_owned(), json!(number));
        }
    }
    if item.unused {
        map.insert("unused".to_owned(), json!(true));
    }
    if !item.notes.is_empty() {
        map.insert("notes".to_owned(), json!(item.notes));
    }
    if !item.members.is_empty() {
        map.insert("members".to_owned(), item.members.iter().map(item_json).collect());
    }
    Value::Object(map)
}

//! Files of pipelines: one in a line, as `NAME = PIPELINE` or without name.

use crate::Failure;
use crate::output::words;
use crate::report::Console;
use airfoil::passes::Pipeline;
use airfoil::passes::registry::Registry;
use airfoil::{Diagnostic, Place};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A pipeline with its name.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name; the text of a pipeline that has none.
    pub name: String,
    /// The pipeline.
    pub pipeline: Pipeline,
}

/// Reads a file of pipelines.
///
/// # Errors
/// The file cannot be read, or the errors of all its lines.
pub fn read(path: &Path, registry: &Registry, console: Console) -> Result<Vec<Named>, Failure> {
    let name = path.display().to_string();
    let fail = |faults: &[Diagnostic], text| Failure::Reported(1, console.render(faults, &name, text));
    let text = fs::read_to_string(path).map_err(|e| fail(&[Diagnostic::error("E0001", words(&e))], None))?;
    parse(&text, registry).map_err(|faults| fail(&faults, Some(&text)))
}

fn parse(text: &str, registry: &Registry) -> Result<Vec<Named>, Vec<Diagnostic>> {
    let (mut list, mut faults, mut names) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (n, line) in (1..).zip(text.lines()) {
        let code = line.split('#').next().unwrap_or_default();
        if code.trim().is_empty() {
            continue;
        }
        let (name, order) = split(code);
        let start = line[..line.len().min(code.len() - order.len())].chars().count() as u32;
        let place = |column: u32| Place::Text { file: "".into(), line: n, column };
        if !names.insert(name) {
            faults.push(Diagnostic::error("E0801", format!("two pipelines are named `{name}`")).at(place(1)));
        }
        match Pipeline::parse_with(order, registry) {
            Ok(pipeline) => list.push(Named { name: name.to_string(), pipeline }),
            Err(fault) => {
                let column = if let Place::Text { column, .. } = fault.place { column } else { 1 };
                faults.push(fault.at(place(start + column)));
            }
        }
    }
    if list.is_empty() && faults.is_empty() {
        faults.push(Diagnostic::error("E0801", "expected a pipeline, found none"));
    }
    if faults.is_empty() { Ok(list) } else { Err(faults) }
}

/// Name and pipeline of a line. No pipeline begins with a word and `=`.
fn split(line: &str) -> (&str, &str) {
    let word =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    match line.split_once('=') {
        Some((name, order)) if word(name.trim()) => (name.trim(), order),
        _ => (line.trim(), line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil::air::plan::registry;

    fn errors(text: &str) -> Vec<String> {
        parse(text, registry()).map(|_| ()).unwrap_err().iter().map(Diagnostic::to_string).collect()
    }

    #[test]
    fn lines_have_names_or_are_names() {
        let text = "# orders\n\nshort = dce # one\n loop(cse, dce)\npeephole_select{limit=3}, dce\n";
        let list = parse(text, registry()).unwrap();
        let names: Vec<&str> = list.iter().map(|named| &*named.name).collect();
        assert_eq!(names, ["short", "loop(cse, dce)", "peephole_select{limit=3}, dce"]);
        assert_eq!(list[0].pipeline.to_string(), "dce");
    }

    #[test]
    fn errors_have_lines_and_columns() {
        let found = errors("a = dce\na = dce, ces\n");
        assert_eq!(found[0], "2:1: error[E0801]: two pipelines are named `a`");
        assert!(found[1].starts_with("2:10: error[E0802]: there is no pass `ces`"), "{found:?}");
        assert!(errors("  dce cse")[0].starts_with("1:7: error[E0801]"));
        assert_eq!(errors("# nothing\n"), ["error[E0801]: expected a pipeline, found none"]);
    }
}

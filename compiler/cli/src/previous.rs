//! The reflection of the stage before, for `--previous`.

use crate::Failure;
use crate::output::words;
use crate::report::Console;
use airfoil::{Diagnostic, Previous, Reflection};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Reads a reflection: that of a function, or of the last stage before the fragment stage of several.
pub fn read(path: &Path, console: Console) -> Result<Previous, Failure> {
    let name = path.display().to_string();
    let failed =
        |fault: &Diagnostic| Failure::Reported(1, console.render(std::slice::from_ref(fault), &name, None));
    let text = fs::read_to_string(path)
        .map_err(|e| failed(&Diagnostic::error("E0001", format!("cannot read {name}: {}", words(&e)))))?;
    let broken = |e: serde_json::Error| {
        failed(&Diagnostic::error("E0004", format!("not the reflection of a shader: {e}")))
    };
    let value: Value = serde_json::from_str(&text).map_err(broken)?;
    let stages = match value.get("stages").and_then(Value::as_array) {
        Some(list) => list.clone(),
        None => vec![value],
    };
    let fragment = |stage: &&Value| stage.get("stage").and_then(Value::as_str) == Some("fragment");
    let last = stages.iter().rfind(|stage| !fragment(stage)).or(stages.last());
    let last = last.cloned().unwrap_or_default();
    let reflection: Reflection = serde_json::from_value(last).map_err(broken)?;
    Previous::new(&reflection).map_err(|fault| failed(&fault))
}

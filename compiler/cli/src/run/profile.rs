//! `--profile`: how often the instructions of each source line are executed.

use crate::load::Loaded;
use crate::report::clean_line;
use airfoil::ir::{FuncId, InstrId, Named};
use airfoil_interp::{Executed, Observer};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Counts that several stages share.
pub type Shared = Arc<Mutex<Counts>>;

/// A stage, a function, a file and a line; line 0 is code without a location.
type Site = (&'static str, String, String, u32);

/// Instructions that were executed, each as often as invocations executed it.
#[derive(Debug, Default)]
pub struct Counts(BTreeMap<Site, u64>);

/// Counts the instructions of one stage.
#[derive(Debug)]
pub struct Profiler {
    shared: Shared,
    counts: FxHashMap<(FuncId, InstrId), (Site, u64)>,
}

impl Profiler {
    /// A profiler that adds its counts to others when it is dropped.
    pub fn new(shared: &Shared) -> Profiler {
        Profiler { shared: shared.clone(), counts: FxHashMap::default() }
    }
}

impl Observer for Profiler {
    fn executed(&mut self, e: &Executed<'_>) {
        let (_, count) = self.counts.entry((e.function, e.instr)).or_insert_with(|| {
            let function = e.shader.functions.get(e.function).map_or("", |f| &f.name);
            let loc = e.loc();
            let file = loc.file().and_then(|f| e.shader.files.get(f as usize)).map_or("", |file| file);
            let line = if loc.is_none() { 0 } else { loc.line() };
            ((e.shader.stage.name(), function.to_string(), file.to_string(), line), 0)
        });
        *count += u64::from(e.active.count_ones());
    }
}

impl Drop for Profiler {
    fn drop(&mut self) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        for (site, count) in std::mem::take(&mut self.counts).into_values() {
            *shared.0.entry(site).or_insert(0) += count;
        }
    }
}

impl Counts {
    /// The profile: stacks for flame graphs if the file ends in `.folded`, else the annotated source.
    pub fn text(&self, path: &Path, loaded: &Loaded) -> String {
        match path.extension().is_some_and(|e| e.eq_ignore_ascii_case("folded")) {
            true => self.folded(),
            false => self.annotated(loaded.glsl_texts()),
        }
    }

    /// A line for each location, as `flamegraph.pl` and its successors read them: `stage;function;file:line count`.
    fn folded(&self) -> String {
        let mut text = String::new();
        for ((stage, function, file, line), count) in &self.0 {
            // A semicolon separates frames, a blank the count.
            let frame = |name: &str| name.replace([';', ' '], "_");
            let (function, location) = (frame(function), frame(&location(file, *line)));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{stage};{function};{location} {count}");
        }
        text
    }

    /// Each source with the counts of its lines, or the lines alone if the source is not available.
    fn annotated<'a>(&self, texts: impl Iterator<Item = (&'a str, &'a str)>) -> String {
        let total: u64 = self.0.values().sum();
        let mut lines: BTreeMap<(&str, u32), u64> = BTreeMap::new();
        for ((_, _, file, line), count) in &self.0 {
            *lines.entry((file, *line)).or_insert(0) += count;
        }
        let percent = |count: u64| count as f64 * 100.0 / total.max(1) as f64;
        let mut text = format!("{total} instructions, each counted for every invocation that executed it\n");
        for (name, source) in texts {
            let _ = writeln!(text, "\n{name}");
            for (line, words) in (1..).zip(source.lines()) {
                let words = clean_line(words);
                let _ = match lines.remove(&(name, line)) {
                    Some(count) => {
                        writeln!(text, "{count:>12} {:>5.1} % {line:>5} | {words}", percent(count))
                    }
                    None => writeln!(text, "{:>20} {line:>5} | {words}", ""),
                };
            }
        }
        if !lines.is_empty() {
            text.push('\n');
        }
        for ((file, line), count) in lines {
            let _ = writeln!(text, "{count:>12} {:>5.1} % {}", percent(count), location(file, line));
        }
        text
    }
}

fn location(file: &str, line: u32) -> String {
    match (file, line) {
        (_, 0) => "no_line".to_string(),
        ("", line) => format!("line_{line}"),
        (file, line) => format!("{file}:{line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms() {
        let site =
            |function: &str, file: &str, line| ("fragment", function.to_string(), file.to_string(), line);
        let counts =
            [(site("main", "a b.frag", 2), 30), (site("f;g", "a b.frag", 1), 10), (site("main", "", 0), 60)];
        let counts = Counts(counts.into());
        assert_eq!(
            counts.folded(),
            "fragment;f_g;a_b.frag:1 10\nfragment;main;no_line 60\nfragment;main;a_b.frag:2 30\n"
        );
        let expected = "\
100 instructions, each counted for every invocation that executed it

a b.frag
          10  10.0 %     1 | float f;
          30  30.0 %     2 | f = 1.0;
                         3 | }

          60  60.0 % no_line
";
        assert_eq!(counts.annotated([("a b.frag", "float f;\nf = 1.0;\n}\n")].into_iter()), expected);
    }
}

//! The report about a kit: `report.json` for tools and `report.md` for human readers.

use crate::judge::{Device, Judged, Verdict, judge, read_json};
use crate::levels::TITLES;
use crate::schema::{Case, Expect, Kind, SCHEMA};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Most cases of a kit.
const MAX_CASES: usize = 10_000;

/// A report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Version of the format.
    pub schema: u32,
    /// Version of the kit.
    pub kit: String,
    /// One line to paste.
    pub summary: String,
    /// `paravirtual` or `native`.
    pub evidence: String,
    /// The device.
    pub device: Device,
    /// Judged cases.
    pub cases: Vec<Judged>,
    /// Constructs of the cases that ran with the expected results.
    pub constructs: Vec<String>,
}

/// The version of the kit: that of the crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Report {
    /// How many cases have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|c| c.verdict == verdict).count()
    }

    /// As JSON text.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// As Markdown text.
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# Airfoil on Metal\n\n    {}\n\n", self.summary);
        let _ = writeln!(out, "| level | cases | ok | fail | skip | other |\n|---|---|---|---|---|---|");
        for (level, title) in (0u32..).zip(TITLES) {
            let cases: Vec<_> = self.cases.iter().filter(|c| c.level == level).collect();
            let count = |v| cases.iter().filter(|c| c.verdict == v).count();
            let (ok, fail, skip) = (count(Verdict::Ok), count(Verdict::Fail), count(Verdict::Skip));
            let other = cases.len() - ok - fail - skip;
            let _ =
                writeln!(out, "| L{level}: {title} | {} | {ok} | {fail} | {skip} | {other} |", cases.len());
        }
        for (verdict, title) in [
            (Verdict::Fail, "Failures"),
            (Verdict::Answer, "Answers to open questions"),
            (Verdict::Device, "Cases whose control fails"),
            (Verdict::Missing, "Cases without result"),
            (Verdict::Skip, "Skipped"),
        ] {
            let cases: Vec<_> = self.cases.iter().filter(|c| c.verdict == verdict).collect();
            if cases.is_empty() {
                continue;
            }
            let _ = writeln!(out, "\n## {title}\n\n| case | subject | reason |\n|---|---|---|");
            for c in cases {
                let _ = writeln!(out, "| {} | {} | {} |", cell(&c.name), cell(&c.title), cell(&c.reason));
            }
        }
        self.write_tools(&mut out);
        let noted: Vec<_> = self.cases.iter().filter(|c| !c.notes.is_empty()).collect();
        if !noted.is_empty() {
            let _ = writeln!(out, "\n## Notes\n");
            for c in noted {
                let notes: BTreeSet<_> = c.notes.iter().collect();
                notes.iter().for_each(|n| {
                    let _ = writeln!(out, "* {}: {}", cell(&c.name), cell(n));
                });
            }
        }
        out
    }

    /// The columns of Apple's tools: counts, and the rejected cases.
    fn write_tools(&self, out: &mut String) {
        let answers = || self.cases.iter().flat_map(|c| c.tools.iter().map(move |t| (c, t)));
        let names: BTreeSet<&str> = answers().map(|(_, t)| t.tool.as_str()).collect();
        if names.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n## Apple's tools\n\n| tool | accepted | rejected |\n|---|---|---|");
        for name in names {
            let count = |accepted: bool| {
                answers().filter(|(_, t)| t.tool == name && (t.status == 0) == accepted).count()
            };
            let _ = writeln!(out, "| {} | {} | {} |", cell(name), count(true), count(false));
        }
        let rejected: Vec<_> = answers().filter(|(_, t)| t.status != 0).collect();
        if !rejected.is_empty() {
            let _ = writeln!(out, "\n| case | tool | text |\n|---|---|---|");
            for (case, t) in rejected {
                let _ = writeln!(out, "| {} | {} | {} |", cell(&case.name), cell(&t.tool), cell(&t.text));
            }
        }
    }
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

/// Judges the results in a folder with a kit: `cases` and `results`.
///
/// # Errors
/// The folder has no cases, or the runner left no description of the device.
pub fn report(folder: &Path) -> Result<Report, String> {
    let cases = folder.join("cases");
    let list = fs::read_dir(&cases).map_err(|e| format!("cannot read {}: {e}", cases.display()))?;
    let mut names: Vec<String> =
        list.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).take(MAX_CASES).collect();
    names.sort();
    let results = folder.join("results");
    let device: Device = read_json(&results.join("device.json"))?;
    let mut report = Report {
        schema: SCHEMA,
        kit: VERSION.to_owned(),
        evidence: device.evidence().to_owned(),
        device,
        ..Report::default()
    };
    let mut constructs = BTreeSet::new();
    for name in names {
        let path = cases.join(&name);
        let judged = match read_json::<Case>(&path.join("case.json")) {
            Ok(case) if case.schema == SCHEMA => {
                // The name of the folder counts: that in the file may be anything.
                let case = Case { name: name.clone(), ..case };
                let judged = judge(&case, &path, &results.join(&name), &report.device);
                if judged.verdict == Verdict::Ok && case.kind == Kind::Run && case.expect == Expect::Ok {
                    constructs.extend(case.constructs);
                }
                judged
            }
            Ok(case) => damaged(name, format!("case.json has version {}, expected {SCHEMA}", case.schema)),
            Err(reason) => damaged(name, reason),
        };
        report.cases.push(judged);
    }
    if report.cases.is_empty() {
        return Err(format!("{}: there are no cases", cases.display()));
    }
    report.constructs = constructs.into_iter().collect();
    report.summary = summary(&report);
    Ok(report)
}

fn damaged(name: String, reason: String) -> Judged {
    Judged {
        name,
        level: 0,
        title: String::new(),
        verdict: Verdict::Missing,
        reason,
        notes: Vec::new(),
        tools: Vec::new(),
        doubt: None,
    }
}

/// The line to paste.
fn summary(report: &Report) -> String {
    let (ok, fail, skip) = (Verdict::Ok, Verdict::Fail, Verdict::Skip);
    let [ok, fail, skip] = [ok, fail, skip].map(|v| report.count(v));
    let mut line = format!("airfoil-kit {VERSION}: {ok} ok, {fail} fail, {skip} skip");
    for verdict in [Verdict::Answer, Verdict::Device, Verdict::Missing] {
        let count = report.count(verdict);
        if count > 0 {
            let _ = write!(line, ", {count} {}", verdict.name());
        }
    }
    let Device { device, macos, build, .. } = &report.device;
    let plain = |s: &str| s.chars().filter(|c| !c.is_control()).take(60).collect::<String>();
    let _ = write!(line, "; {}, macOS {} {}, {}", plain(device), plain(macos), plain(build), report.evidence);
    line
}

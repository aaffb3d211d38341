//! Results of a suite: counts, a table by folder, and JSON.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// The verdict on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As expected.
    Passed,
    /// Not as expected, with the reason.
    Failed(String),
    /// Not tried, with the reason.
    Skipped(String),
    /// The process that worked on it died or did not answer, with the reason.
    Crashed(String),
}

/// A case of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// Name: the path below the folder, and a suffix that distinguishes cases of one file.
    pub name: String,
    /// Group that it is counted with, besides its folder; empty for none.
    pub group: &'static str,
}

/// The result of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Details for readers; may be empty.
    pub log: String,
}

impl Answer {
    /// A verdict that speaks for itself.
    pub fn plain(verdict: Verdict) -> Answer {
        Answer { verdict, log: String::new() }
    }
}

/// Results of a suite, in the order of the cases.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Each case and its answer.
    pub results: Vec<(Case, Answer)>,
}

/// Number of results of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// As expected.
    pub passed: usize,
    /// Not as expected.
    pub failed: usize,
    /// Not tried.
    pub skipped: usize,
    /// Died or hung.
    pub crashed: usize,
}

impl Counts {
    fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
            Verdict::Skipped(_) => self.skipped += 1,
            Verdict::Crashed(_) => self.crashed += 1,
        }
    }

    /// Passed ones among those that were tried, in percent; 100 if none was.
    pub fn percent(&self) -> f64 {
        let tried = self.passed + self.failed + self.crashed;
        if tried == 0 { 100.0 } else { 100.0 * self.passed as f64 / tried as f64 }
    }

    /// Skipped ones among all, in percent; 0 without any.
    pub fn skipped_percent(&self) -> f64 {
        let all = self.passed + self.failed + self.crashed + self.skipped;
        100.0 * self.skipped as f64 / all.max(1) as f64
    }

    fn to_json(self) -> Value {
        json!({
            "passed": self.passed,
            "failed": self.failed,
            "skipped": self.skipped,
            "crashed": self.crashed,
            "percent": self.percent(),
            "skipped_percent": self.skipped_percent(),
        })
    }
}

impl Report {
    /// Counts over all files.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.results.iter().for_each(|(_, answer)| counts.add(&answer.verdict));
        counts
    }

    /// Counts of each group.
    pub fn groups(&self) -> BTreeMap<&'static str, Counts> {
        let mut groups: BTreeMap<&str, Counts> = BTreeMap::new();
        for (case, answer) in self.results.iter().filter(|(case, _)| !case.group.is_empty()) {
            groups.entry(case.group).or_default().add(&answer.verdict);
        }
        groups
    }

    /// Failed and crashed cases: name, kind, reason.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &'static str, &str)> {
        self.results.iter().filter_map(|(case, answer)| match &answer.verdict {
            Verdict::Failed(r) => Some((case.name.as_str(), "failed", r.as_str())),
            Verdict::Crashed(r) => Some((case.name.as_str(), "crashed", r.as_str())),
            Verdict::Passed | Verdict::Skipped(_) => None,
        })
    }

    /// The counts, of groups too, and every failure with its reason.
    pub fn to_json(&self) -> Value {
        let counts = self.counts();
        let failures: Vec<Value> = self
            .failures()
            .map(|(name, kind, reason)| json!({ "name": name, "kind": kind, "reason": reason }))
            .collect();
        let groups: serde_json::Map<String, Value> =
            self.groups().into_iter().map(|(name, counts)| (name.into(), counts.to_json())).collect();
        let mut all = counts.to_json();
        all["groups"] = groups.into();
        all["failures"] = failures.into();
        all
    }

    /// Reasons of failures and skipped cases, the most frequent first. Numbers and names in quotes are folded, so that
    /// like reasons are counted together.
    pub fn reasons(&self) -> Vec<(usize, String)> {
        let mut by_reason: BTreeMap<String, usize> = BTreeMap::new();
        for (_, answer) in &self.results {
            match &answer.verdict {
                Verdict::Failed(r) | Verdict::Crashed(r) => *by_reason.entry(fold(r)).or_default() += 1,
                Verdict::Skipped(r) => *by_reason.entry(format!("skipped: {}", fold(r))).or_default() += 1,
                Verdict::Passed => {}
            }
        }
        let mut list: Vec<(usize, String)> = by_reason.into_iter().map(|(r, n)| (n, r)).collect();
        list.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        list
    }
}

/// The message without its location, digits replaced by `#`.
fn fold(reason: &str) -> String {
    let from = reason.find("error[").unwrap_or(0);
    let mut folded = String::new();
    for c in reason[from..].chars().take(160) {
        match c {
            '0'..='9' if folded.ends_with('#') => {}
            '0'..='9' => folded.push('#'),
            c => folded.push(c),
        }
    }
    folded
}

impl fmt::Display for Report {
    /// A table with one line per folder and one per group.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut folders: BTreeMap<&str, Counts> = BTreeMap::new();
        for (case, answer) in &self.results {
            let folder = case.name.rsplit_once('/').map_or(".", |(folder, _)| folder);
            folders.entry(folder).or_default().add(&answer.verdict);
        }
        writeln!(
            f,
            "{:>7} {:>7} {:>7} {:>7}  {:>7}  folder",
            "passed", "failed", "skipped", "crashed", "percent"
        )?;
        let mut line = |name: &str, c: Counts| {
            let Counts { passed, failed, skipped, crashed } = c;
            writeln!(f, "{passed:>7} {failed:>7} {skipped:>7} {crashed:>7}  {:>6.2}%  {name}", c.percent())
        };
        for (folder, counts) in &folders {
            line(folder, *counts)?;
        }
        for (group, counts) in self.groups() {
            line(&format!("[{group}]"), counts)?;
        }
        line("total", self.counts())?;
        writeln!(f, "{:.2}% of all skipped", self.counts().skipped_percent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_reasons() {
        let result = |name: &str, group, verdict| (Case { name: name.into(), group }, Answer::plain(verdict));
        let fail = |r: &str| Verdict::Failed(r.into());
        let report = Report {
            results: vec![
                result("a/x", "good", Verdict::Passed),
                result("a/y", "good", fail("word 12: error[E1]: no 34")),
                result("b/z", "", fail("word 7: error[E1]: no 5")),
                result("b/w", "odd", Verdict::Skipped("off".into())),
            ],
        };
        assert_eq!(report.counts(), Counts { passed: 1, failed: 2, skipped: 1, crashed: 0 });
        assert_eq!(report.reasons(), [(2, "error[E#]: no #".to_string()), (1, "skipped: off".to_string())]);
        let json = report.to_json();
        assert_eq!(json["failures"].as_array().map(Vec::len), Some(2));
        assert_eq!(json["failures"][1]["name"], "b/z");
        assert_eq!(json["groups"]["good"]["percent"], 50.0);
        assert_eq!(json["skipped_percent"], 25.0);
        let table = report.to_string();
        assert!(table.contains("33.33%  total") && table.contains("50.00%  [good]"));
        assert_eq!(report.groups().len(), 2);
    }
}

//! Results of a suite: counts, a table by folder, and JSON.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// What became of one file.
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

/// Results of a suite, in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Name of each case and what became of it.
    pub results: Vec<(String, Verdict)>,
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
}

impl Report {
    /// Counts over all files.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.results.iter().for_each(|(_, v)| counts.add(v));
        counts
    }

    /// The counts, and every result that is not `Passed`, with its reason.
    pub fn to_json(&self) -> Value {
        let counts = self.counts();
        let failures: Vec<Value> = self
            .results
            .iter()
            .filter_map(|(name, verdict)| {
                let (kind, reason) = match verdict {
                    Verdict::Failed(r) => ("failed", r),
                    Verdict::Crashed(r) => ("crashed", r),
                    Verdict::Passed | Verdict::Skipped(_) => return None,
                };
                Some(json!({ "name": name, "kind": kind, "reason": reason }))
            })
            .collect();
        json!({
            "passed": counts.passed,
            "failed": counts.failed,
            "skipped": counts.skipped,
            "crashed": counts.crashed,
            "failures": failures,
        })
    }

    /// Reasons of failures and of what was skipped, the most frequent first. Numbers and names in quotes are folded, so that
    /// like reasons meet.
    pub fn reasons(&self) -> Vec<(usize, String)> {
        let mut by_reason: BTreeMap<String, usize> = BTreeMap::new();
        for (_, verdict) in &self.results {
            match verdict {
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

/// The message without its place, digits replaced by `#`.
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
    /// A table with a line a folder.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut folders: BTreeMap<&str, Counts> = BTreeMap::new();
        for (name, verdict) in &self.results {
            let folder = name.rsplit_once('/').map_or(".", |(folder, _)| folder);
            folders.entry(folder).or_default().add(verdict);
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
        line("total", self.counts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_reasons() {
        let fail = |r: &str| Verdict::Failed(r.into());
        let report = Report {
            results: vec![
                ("a/x".into(), Verdict::Passed),
                ("a/y".into(), fail("word 12: error[E1]: no 34")),
                ("b/z".into(), fail("word 7: error[E1]: no 5")),
                ("b/w".into(), Verdict::Skipped("off".into())),
            ],
        };
        assert_eq!(report.counts(), Counts { passed: 1, failed: 2, skipped: 1, crashed: 0 });
        assert_eq!(report.reasons(), [(2, "error[E#]: no #".to_string()), (1, "skipped: off".to_string())]);
        assert_eq!(report.to_json()["failures"].as_array().map(Vec::len), Some(2));
        assert!(report.to_string().contains("33.33%  total"));
    }
}

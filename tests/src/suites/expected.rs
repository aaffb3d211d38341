//! Lists of cases that are known to fail, each with its reason. They only shrink: a case of the list that passes is a fault
//! of the list.

use crate::report::{Report, Verdict};
use std::collections::BTreeMap;

/// Differences from the list, one line each.
pub fn judge(list: &str, report: &Report) -> Vec<String> {
    let mut known: BTreeMap<&str, bool> = BTreeMap::new();
    let mut faults = Vec::new();
    for (number, line) in (1..).zip(list.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // Names may have colons, but no spaces after them.
        match line.split_once(": ") {
            Some((name, reason)) if !reason.trim().is_empty() => {
                if known.insert(name.trim(), false).is_some() {
                    faults.push(format!("line {number} of the list: {name} is there twice"));
                }
            }
            _ => faults.push(format!("line {number} of the list has no reason")),
        }
    }
    for (case, answer) in &report.results {
        let (fails, reason) = match &answer.verdict {
            Verdict::Failed(r) | Verdict::Crashed(r) => (true, r.as_str()),
            Verdict::Passed | Verdict::Skipped(_) => (false, ""),
        };
        match (known.get_mut(case.name.as_str()), fails) {
            (Some(met), true) => *met = true,
            (Some(met), false) => {
                *met = true;
                faults.push(format!("{} does not fail any more: take it off the list", case.name));
            }
            (None, true) => faults.push(format!("{} fails: {reason}", case.name)),
            (None, false) => {}
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Answer, Case};

    fn report(verdicts: &[(&str, Verdict)]) -> Report {
        let result = |(name, verdict): &(&str, Verdict)| {
            (Case { name: (*name).into(), ..Case::default() }, Answer::plain(verdict.clone()))
        };
        Report { results: verdicts.iter().map(result).collect() }
    }

    #[test]
    fn lists_shrink() {
        let failed = || Verdict::Failed("no".into());
        let results = report(&[("a.test:x", failed()), ("b", Verdict::Passed), ("c", failed())]);
        assert!(judge("# known\na.test:x: rounds\nc: cannot\n", &results).is_empty());
        assert_eq!(judge("a.test:x: rounds\n", &results), ["c fails: no"]);
        let all = judge("a.test:x: r\nb: r\nc: r\n", &results);
        assert_eq!(all, ["b does not fail any more: take it off the list"]);
        assert_eq!(judge("a.test:x: r\nc: r\nd\n", &results).len(), 1);
        assert_eq!(judge("a.test:x: r\na.test:x: r\nc: r\n", &results).len(), 1);
    }
}

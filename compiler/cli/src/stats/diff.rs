//! The difference of two runs: totals of all sizes, statistics of the shaders that changed, and the best and worst of them.
//! The report has the content of that of Mesa's shader-db.

use super::row::{Row, names, show};
use super::table::align;
use std::collections::BTreeMap;

/// How many of the best and worst shaders are listed.
const LISTED: usize = 10;

/// A file of both runs.
struct Pair<'a> {
    before: &'a Row,
    after: &'a Row,
}

impl Pair<'_> {
    /// A size in both runs.
    fn size(&self, size: usize) -> Option<(f64, f64)> {
        Some((self.before.sizes[size]?, self.after.sizes[size]?))
    }
}

/// Compares two runs; `by` is the size that orders shaders.
pub fn report(before: &[Row], after: &[Row], by: usize) -> String {
    let old: BTreeMap<&str, &Row> = before.iter().map(|r| (&*r.file, r)).collect();
    let new: BTreeMap<&str, &Row> = after.iter().map(|r| (&*r.file, r)).collect();
    let pairs: Vec<Pair<'_>> =
        old.iter().filter_map(|(file, before)| Some(Pair { before, after: new.get(file)? })).collect();
    let mut out = format!("{} shaders in both runs\n", pairs.len());
    for (rows, other, which) in [(&old, &new, "first"), (&new, &old, "second")] {
        let only: Vec<&str> = rows.keys().filter(|file| !other.contains_key(*file)).copied().collect();
        if !only.is_empty() {
            out += &format!("only in the {which} run: {}\n", only.join(", "));
        }
    }
    let mut lines = vec![vec!["size".to_string(), "before".into(), "after".into(), "change".into()]];
    lines[0].extend(["in changed shaders", "better", "worse"].map(String::from));
    for (size, name) in names().into_iter().enumerate() {
        let both: Vec<(f64, f64)> = pairs.iter().filter_map(|p| p.size(size)).collect();
        if both.is_empty() {
            continue;
        }
        let sum = |list: &[(f64, f64)]| list.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0, s.1 + p.1));
        let changed: Vec<(f64, f64)> = both.iter().copied().filter(|(a, b)| a != b).collect();
        let (all, affected) = (sum(&both), sum(&changed));
        let better = changed.iter().filter(|(a, b)| b < a).count();
        lines.push(vec![
            name.to_string(),
            show(size, all.0),
            show(size, all.1),
            percent(all.0, all.1),
            percent(affected.0, affected.1),
            better.to_string(),
            (changed.len() - better).to_string(),
        ]);
    }
    out += &align(&lines, 1);
    out += &extremes(&pairs, by);
    out
}

/// The change in percent.
pub fn percent(before: f64, after: f64) -> String {
    match before {
        _ if before == after => "-".to_string(),
        0.0 => "new".to_string(),
        _ => format!("{:+.2} %", 100.0 * (after - before) / before),
    }
}

/// The shaders that gain and lose most, by the absolute change.
fn extremes(pairs: &[Pair<'_>], by: usize) -> String {
    let mut changed: Vec<(f64, &Pair<'_>)> = pairs
        .iter()
        .filter_map(|p| p.size(by).map(|(a, b)| (b - a, p)))
        .filter(|(change, _)| *change != 0.0)
        .collect();
    // A stable sort keeps equal shaders in the order of their names.
    changed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut out = String::new();
    let best: Vec<_> = changed.iter().filter(|c| c.0 < 0.0).take(LISTED).collect();
    let worst: Vec<_> = changed.iter().rev().filter(|c| c.0 > 0.0).take(LISTED).collect();
    for (title, list) in [("best", best), ("worst", worst)] {
        if list.is_empty() {
            continue;
        }
        out += &format!("\n{title} by {}\n", names()[by]);
        let line = |(_, pair): &&(f64, &Pair<'_>)| {
            let (a, b) = pair.size(by).unwrap_or_default();
            vec![format!("{} -> {}", show(by, a), show(by, b)), percent(a, b), pair.after.file.clone()]
        };
        let lines: Vec<Vec<String>> = list.iter().map(line).collect();
        out += &align(&lines, 3);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::row::metric;
    use super::*;
    use airfoil::ir::analysis::Counts;

    fn run(lanes: &[(&str, u64)]) -> Vec<Row> {
        let row = |&(file, lanes): &(&str, u64)| {
            let counts = Counts { instrs: 10, lanes, ..Counts::default() };
            Row::new(file.into(), "O2", &[counts], None, None)
        };
        lanes.iter().map(row).collect()
    }

    #[test]
    fn best_and_worst_shaders_are_listed() {
        let (before, after) = (
            run(&[("a", 10), ("b", 20), ("c", 30), ("gone", 1)]),
            run(&[("a", 5), ("b", 22), ("c", 30), ("new", 1)]),
        );
        let text = report(&before, &after, metric("lanes").unwrap());
        assert!(text.starts_with("3 shaders in both runs\nonly in the first run: gone\n"), "{text}");
        let lanes: Vec<&str> =
            text.lines().find(|l| l.starts_with("lanes")).unwrap().split_whitespace().collect();
        assert_eq!(lanes, ["lanes", "60", "57", "-5.00", "%", "-10.00", "%", "1", "1"]);
        assert!(
            text.ends_with("best by lanes\n10 -> 5  -50.00 %  a\n\nworst by lanes\n20 -> 22  +10.00 %  b\n"),
            "{text}"
        );
    }

    #[test]
    fn at_most_ten_are_listed() {
        let names: Vec<String> = (0..30).map(|i| format!("s{i:02}")).collect();
        let run_of = |f: fn(u64) -> u64| {
            let list: Vec<(&str, u64)> = names.iter().zip(0..).map(|(n, i)| (&**n, f(i))).collect();
            run(&list)
        };
        let text = report(&run_of(|i| 100 + i), &run_of(|_| 100), metric("lanes").unwrap());
        let listed: Vec<&str> = text.lines().filter(|l| l.contains(" -> ")).collect();
        assert_eq!(listed.len(), 10);
        assert!(listed[0].ends_with("s29") && listed[9].ends_with("s20"), "{text}");
    }
}

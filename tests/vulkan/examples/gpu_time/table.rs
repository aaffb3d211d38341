//! The results as CSV and as Markdown.

use crate::VERSIONS;
use airfoil_ir::Stage;
use airfoil_vulkan::Device;
use airfoil_vulkan::judge::Judgement;
use std::fmt::Write;

/// A slow-down above this is listed.
const SLOWER: f64 = 1.03;

/// A shader.
pub struct Row {
    name: String,
    stage: Stage,
    /// Pixels along each side of the target.
    size: u32,
    /// One per version; the first compares the original with itself.
    judgements: Vec<Judgement>,
    /// Median in nanoseconds, one per version.
    medians: Vec<f64>,
    /// Largest deviation from the median, relative to it, of any version.
    spread: f64,
    skipped: Option<String>,
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

impl Row {
    pub fn new(name: &str, stage: Stage, size: u32, judgements: Vec<Judgement>, times: Vec<Vec<f64>>) -> Row {
        let medians: Vec<f64> = times.iter().map(|t| median(t)).collect();
        let spread =
            times.iter().zip(&medians).flat_map(|(times, m)| times.iter().map(move |t| (t - m).abs() / m));
        let spread = spread.fold(0.0, f64::max);
        Row { name: name.into(), stage, size, judgements, medians, spread, skipped: None }
    }

    pub fn skipped(name: &str, stage: Stage, reason: String) -> Row {
        let (judgements, medians) = (Vec::new(), Vec::new());
        Row { name: name.into(), stage, size: 0, judgements, medians, spread: 0.0, skipped: Some(reason) }
    }

    /// Whether a version gives other results than the original, which is equal to itself.
    pub fn is_wrong(&self) -> bool {
        self.judgements.first().is_some_and(Judgement::is_right)
            && self.judgements.iter().any(|j| !j.is_right())
    }

    /// The name, with the size of the target if it is another one.
    fn label(&self, size: u32) -> String {
        match self.size == size {
            true => format!("`{}`", self.name),
            false => format!("`{}` ({} x {})", self.name, self.size, self.size),
        }
    }

    fn ratio(&self, version: usize) -> f64 {
        self.medians[version] / self.medians[0]
    }
}

/// All results.
pub struct Table {
    head: String,
    size: u32,
    pub rows: Vec<Row>,
}

impl Table {
    pub fn new(device: &Device, count: u32, rounds: usize, size: u32) -> Table {
        let head = format!(
            "{}, {}: {count} draws of {size} x {size} pixels or {count} dispatches, median of {rounds}",
            device.name(),
            device.driver()
        );
        Table { head, size, rows: Vec::new() }
    }

    pub fn csv(&self) -> String {
        let mut out = String::from("shader,stage,size");
        VERSIONS.iter().for_each(|v| out.push_str(&format!(",{v} ns")));
        out.push_str(",O2/original,spread,original again");
        VERSIONS[1..].iter().for_each(|v| out.push_str(&format!(",{v} results")));
        out.push_str(",values,skipped\n");
        for row in &self.rows {
            let _ = write!(out, "{},{},{}", row.name, row.stage, row.size);
            if let Some(reason) = &row.skipped {
                let _ = writeln!(
                    out,
                    "{}{}",
                    ",".repeat(2 * VERSIONS.len() + 4),
                    reason.replace([',', '\n'], ";")
                );
                continue;
            }
            row.medians.iter().for_each(|m| out.push_str(&format!(",{m:.0}")));
            let _ = write!(out, ",{:.4},{:.4}", row.ratio(3), row.spread);
            row.judgements
                .iter()
                .for_each(|j| out.push_str(&format!(",{}", j.to_string().replace(',', ";"))));
            let _ = writeln!(out, ",{},", row.judgements[0].values);
        }
        out
    }

    pub fn markdown(&self) -> String {
        let mut out = format!("{}\n\n", self.head);
        let measured: Vec<&Row> = self.rows.iter().filter(|r| r.skipped.is_none()).collect();
        for stage in [Stage::Fragment, Stage::Compute] {
            let rows: Vec<&&Row> = measured.iter().filter(|r| r.stage == stage).collect();
            if rows.is_empty() {
                continue;
            }
            let _ = writeln!(
                out,
                "| {stage} shader | {} | O2 / original | spread | results of {} |",
                VERSIONS.map(|v| format!("{v}, us")).join(" | "),
                VERSIONS[1..].join(", ")
            );
            let _ = writeln!(out, "|---{}|", "|---".repeat(VERSIONS.len() + 3));
            let mut totals = vec![0.0; VERSIONS.len()];
            for row in &rows {
                let times: Vec<String> = row.medians.iter().map(|m| format!("{:.1}", m / 1000.0)).collect();
                let mut results: Vec<String> = row.judgements[1..].iter().map(ToString::to_string).collect();
                results.dedup();
                if !row.judgements[0].is_right() {
                    results = vec!["the original differs from itself".into()];
                }
                let _ = writeln!(
                    out,
                    "| {} | {} | {:.3} | {:.1} % | {} |",
                    row.label(self.size),
                    times.join(" | "),
                    row.ratio(3),
                    row.spread * 100.0,
                    results.join(", ")
                );
                totals.iter_mut().zip(&row.medians).for_each(|(t, m)| *t += m);
            }
            let times: Vec<String> = totals.iter().map(|m| format!("{:.1}", m / 1000.0)).collect();
            let _ = writeln!(
                out,
                "| **total of {}** | {} | {:.3} | | |\n",
                rows.len(),
                times.join(" | "),
                totals[3] / totals[0]
            );
        }
        let slower: Vec<&&Row> = measured.iter().filter(|r| r.ratio(3) > SLOWER).collect();
        let _ = writeln!(out, "O2 is slower than the original by more than 3 %: {}", slower.len());
        for row in slower {
            let others: Vec<String> =
                (1..VERSIONS.len()).map(|v| format!("{} {:.3}", VERSIONS[v], row.ratio(v))).collect();
            let _ = writeln!(
                out,
                "* `{}`: {} times the original (spread {:.1} %)",
                row.name,
                others.join(", "),
                row.spread * 100.0
            );
        }
        let wrong = self.rows.iter().filter(|r| r.is_wrong()).count();
        let _ = writeln!(out, "\nOther results than the original: {wrong}");
        for row in self.rows.iter().filter(|r| r.is_wrong()) {
            let all: Vec<String> =
                (1..VERSIONS.len()).map(|v| format!("{}: {}", VERSIONS[v], row.judgements[v])).collect();
            let _ = writeln!(out, "* `{}`: {}", row.name, all.join("; "));
        }
        let skipped: Vec<&Row> = self.rows.iter().filter(|r| r.skipped.is_some()).collect();
        let _ = writeln!(out, "\nSkipped: {}", skipped.len());
        for row in skipped {
            let _ = writeln!(out, "* `{}`: {}", row.name, row.skipped.as_deref().unwrap_or_default());
        }
        out
    }
}

//! The cost that a search makes small.

use crate::stats::Measures;
use crate::stats::row::{Check, Row, metric, names};
use airfoil_check::Outcome;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// Sizes with weights, such as `lanes + 0.1*bytes`.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Weight and index of each size.
    terms: Vec<(f64, usize)>,
}

impl Cost {
    /// The sizes to measure.
    pub fn measures(&self, other: Measures) -> Measures {
        let has = |name| self.terms.iter().any(|term| metric(name) == Some(term.1));
        let time = other.time.or_else(|| has("us").then_some(NonZeroUsize::MIN));
        Measures { time, bytes: other.bytes || has("bytes") }
    }

    /// The cost of all files; `None` if a pass refused a file or changed its results.
    pub fn of(&self, rows: &[Row], files: usize) -> Option<f64> {
        let bad = |row: &Row| matches!(row.check, Some(Check::Ran(Outcome::Differs) | Check::Refused));
        if rows.len() < files || rows.iter().any(bad) {
            return None;
        }
        let term =
            |row: &Row| self.terms.iter().map(|&(w, size)| w * row.sizes[size].unwrap_or(0.0)).sum::<f64>();
        Some(rows.iter().map(term).sum())
    }
}

impl FromStr for Cost {
    type Err = String;

    fn from_str(text: &str) -> Result<Cost, String> {
        let term = |part: &str| {
            let (weight, name) = match part.split_once('*') {
                Some((weight, name)) => (weight.trim().parse().ok(), name),
                None => (Some(1.0), part),
            };
            let weight: f64 = weight
                .filter(|w: &f64| w.is_finite())
                .ok_or_else(|| format!("expected a weight before `*` in `{}`", part.trim()))?;
            let size = metric(name.trim()).ok_or_else(|| {
                format!("expected a size ({}), found `{}`", names().join(", "), name.trim())
            })?;
            Ok((weight, size))
        };
        Ok(Cost { terms: text.split('+').map(term).collect::<Result<_, String>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(lanes: f64, bytes: Option<f64>, check: Option<Check>) -> Row {
        let mut row = Row { check, ..Row::empty("a".into(), "p") };
        row.sizes[metric("lanes").unwrap()] = Some(lanes);
        row.sizes[metric("bytes").unwrap()] = bytes;
        row
    }

    #[test]
    fn weighted_sizes_are_added() {
        let cost: Cost = "lanes + 0.5*bytes".parse().unwrap();
        assert!(
            cost.measures(Measures::default()).bytes && cost.measures(Measures::default()).time.is_none()
        );
        let rows = [row(3.0, Some(10.0), Some(Check::Ran(Outcome::Same))), row(1.0, Some(2.0), None)];
        assert_eq!(cost.of(&rows, 2), Some(10.0));
        // A file is missing, or its results changed.
        assert_eq!(cost.of(&rows[..1], 2), None);
        assert_eq!(cost.of(&[row(1.0, None, Some(Check::Ran(Outcome::Differs)))], 1), None);
    }

    #[test]
    fn wrong_costs_are_refused() {
        for (text, message) in [
            ("size", "expected a size (instrs, "),
            ("x*lanes", "expected a weight before `*` in `x*lanes`"),
            ("lanes +", "expected a size"),
            ("inf*lanes", "expected a weight"),
        ] {
            let error = text.parse::<Cost>().unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }
}

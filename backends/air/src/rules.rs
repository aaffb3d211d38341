//! Metal's rules for libraries: one row per rule, shared by the validator, the linter, `airfoil explain` and `docs/metal-rules.md`.
//!
//! Apple documents none of them. A row names the error that a violation causes, where loaders and the compiler service report one,
//! the readers that it applies to, and the public source of the fact. Sources that are files are those of
//! `shared/reference/air`; the rest of a source is the project or thread that the file cites.

mod table;

pub use table::{RULES, Rule};

use crate::target::AirVersion;
use std::fmt;

/// The readers that a rule applies to, by the AIR version of the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Since {
    /// All known versions.
    Always,
    /// Modules of AIR before 2.6, which readers based on LLVM 5 load: macOS 13, iOS 16 and before.
    Old,
    /// Modules from this version on.
    From(AirVersion),
}

/// The first AIR version whose readers know the IR of LLVM 14.
pub const MODERN: AirVersion = AirVersion::new(2, 6);

impl Since {
    /// Whether a rule applies to modules of a version.
    pub fn includes(self, air: AirVersion) -> bool {
        match self {
            Since::Always => true,
            Since::Old => air < MODERN,
            Since::From(first) => air >= first,
        }
    }
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let release = |air: AirVersion| crate::target::RELEASES.iter().find(|r| r.air == air);
        match self {
            Since::Always => f.write_str("all versions"),
            Since::Old => f.write_str("AIR before 2.6 (macOS 13, iOS 16 and before)"),
            Since::From(air) => {
                write!(f, "AIR {air} and later")?;
                let macos = release(*air).and_then(|r| r.first_version(crate::target::Os::MacOs));
                macos.map_or(Ok(()), |version| write!(f, " (macOS {version:#})"))
            }
        }
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct RuleInfo {
    /// Stable identifier, such as `M0301`. Identifiers are never reused.
    pub id: &'static str,
    /// The rule.
    pub summary: &'static str,
    /// The effect of a violation: the error text of Metal where it has one.
    pub consequence: &'static str,
    /// The readers that it applies to.
    pub since: Since,
    /// Where the fact is from.
    pub source: &'static str,
    /// A violation is reported as a warning: the library loads and is correct, or only other tools complain.
    pub warning: bool,
}

/// A group of rules.
#[derive(Debug)]
pub struct Group {
    /// Title.
    pub title: &'static str,
    /// Rules in the order of their identifiers.
    pub rules: &'static [Rule],
}

impl Rule {
    /// The rule with an identifier.
    pub fn find(id: &str) -> Option<Rule> {
        RULES.iter().flat_map(|group| group.rules).copied().find(|rule| rule.info().id == id)
    }

    /// All rules, in the order of their identifiers.
    pub fn all() -> impl Iterator<Item = Rule> {
        RULES.iter().flat_map(|group| group.rules).copied()
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info().id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_sorted_and_rows_are_complete() {
        let ids: Vec<&str> = Rule::all().map(|rule| rule.info().id).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
        for rule in Rule::all() {
            let info = rule.info();
            assert!(info.id.len() == 5 && info.id.starts_with('M'), "{}", info.id);
            let ends = |text: &str| text.trim_end_matches('`').ends_with('.');
            assert!(ends(info.summary) && ends(info.consequence), "{}", info.id);
            assert!(!info.source.is_empty(), "{}", info.id);
            assert_eq!(Rule::find(info.id), Some(rule));
        }
        assert_eq!(Rule::find("M9999"), None);
    }

    #[test]
    fn readers_are_selected_by_version() {
        let (old, new) = (AirVersion::new(2, 5), AirVersion::new(2, 8));
        assert!(Since::Old.includes(old) && !Since::Old.includes(new));
        assert!(!Since::From(MODERN).includes(old) && Since::From(MODERN).includes(new));
        assert_eq!(Since::From(MODERN).to_string(), "AIR 2.6 and later (macOS 14)");
    }
}

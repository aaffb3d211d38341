//! Text forms of targets and language versions.

use super::table::{OSES, RELEASES, language_versions};
use super::{ArchSpelling, LanguageVersion, OsVersion, Target, TargetError, arch_number, error};
use std::fmt;
use std::str::FromStr;

impl FromStr for LanguageVersion {
    type Err = TargetError;

    /// Reads `3.1`, `metal3.1` or `Metal 3.1`; only versions that exist.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        let lower = text.trim().to_ascii_lowercase();
        let number = lower.strip_prefix("metal").unwrap_or(&lower).trim_start();
        language_versions().find(|v| v.to_string() == number).ok_or_else(|| {
            error(format!("unknown Metal language version `{text}`; accepted: {}", list(language_versions())))
        })
    }
}

/// The short form, such as `macos13.3` or `ios17-simulator`; it parses back to the same OS and version.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spelling = self.os.spelling();
        write!(f, "{}{:#}{}", spelling.name, self.version, spelling.suffix)
    }
}

impl FromStr for Target {
    type Err = TargetError;

    /// Reads the short form (`macos14`, `macos13.3`, `ios17-simulator`, `ios17-macabi`) or a triple
    /// (`air64-apple-macosx14.0.0`, `air64_v26-apple-ios17.0.0`), which also sets the spelling of the architecture.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        let Some((arch, rest)) = text.split_once("-apple-") else {
            return parse_os_and_version(text, text);
        };
        let target = parse_os_and_version(rest, text)?;
        let versioned = arch_number(target.air);
        match arch.strip_prefix("air64") {
            Some("") => Ok(target),
            Some(v) if v.strip_prefix("_v").and_then(|n| n.parse().ok()) == Some(versioned) => {
                Ok(target.with_arch(ArchSpelling::Versioned))
            }
            _ => Err(error(format!(
                "architecture `{arch}` does not fit {} {:#}; accepted: air64, air64_v{versioned}",
                target.os.title(),
                target.version
            ))),
        }
    }
}

/// Parses `<os><version>[suffix]` with the OS names of both forms; `whole` is for messages.
fn parse_os_and_version(text: &str, whole: &str) -> Result<Target, TargetError> {
    let unknown = || {
        let mut forms: Vec<String> = Vec::new();
        for s in OSES {
            forms.push(format!("{}VERSION{}", s.name, s.suffix));
        }
        error(format!(
            "unknown target `{whole}`; accepted: {} (for example macos14, ios17.2-simulator) or a triple such as \
             air64-apple-macosx14.0.0",
            list(forms.iter())
        ))
    };
    let digits = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let (name, rest) = text.split_at(digits);
    let end = rest.find('-').unwrap_or(rest.len());
    let (number, suffix) = rest.split_at(end);
    let spelling = OSES
        .iter()
        .find(|s| (name == s.name || name == s.triple) && suffix == s.suffix)
        .ok_or_else(unknown)?;
    if number.is_empty() {
        let newest = RELEASES.iter().rev().find_map(|r| r.first_version(spelling.os));
        let newest = newest.map(|v| format!("{v:#}")).unwrap_or_default();
        return Err(error(format!(
            "target `{whole}` has no version; write one, such as {}{newest}{}",
            spelling.name, spelling.suffix
        )));
    }
    let version = parse_version(number).ok_or_else(|| {
        error(format!(
            "`{number}` in target `{whole}` is not a version; accepted: one to three numbers with dots between \
             them, the second and third at most 255"
        ))
    })?;
    Target::new(spelling.os, version)
}

fn parse_version(text: &str) -> Option<OsVersion> {
    let mut parts = text.split('.');
    let major = number(parts.next()?)?;
    let minor = parts.next().map_or(Some(0), number)?;
    let patch = parts.next().map_or(Some(0), number)?;
    parts.next().is_none().then_some(OsVersion::new(major, minor, patch))
}

/// Digits only: `u16::from_str` would take a plus sign too.
fn number<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

pub(super) fn list<T: fmt::Display>(items: impl Iterator<Item = T>) -> String {
    items.map(|v| v.to_string()).collect::<Vec<_>>().join(", ")
}

pub(super) fn list_short(items: impl Iterator<Item = OsVersion>) -> String {
    items.map(|v| format!("{v:#}")).collect::<Vec<_>>().join(", ")
}

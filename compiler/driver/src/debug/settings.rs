//! The words of `AIRFOIL_DEBUG`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Name of the variable.
const VARIABLE: &str = "AIRFOIL_DEBUG";

/// The words and their meanings, in the order of the documentation.
pub const WORDS: &[(&str, &str)] = &[
    ("help", "list these words"),
    ("list", "list shaders as they are compiled: key, stage, name"),
    ("dump=FOLDER", "write shaders to a folder: sources, IR after linking, IR and AIR of functions"),
    ("glsl", "write sources only (with `dump`; `ir` and `air` can be added)"),
    ("ir", "write IR only"),
    ("air", "write AIR only"),
    (
        "replace=FOLDER",
        "compile KEY.glsl, KEY.spv or KEY.foil of a folder instead of the shader with this key, and use KEY.HASH.bc instead of the AIR of a function",
    ),
    ("match=PATTERN", "only shaders whose key, stage or name match; `*` and `?` are wildcards"),
    ("plan", "print the passes of each link and variant"),
    ("validate", "check the rules of the IR after each pass"),
    ("time", "print the time of each step, and that of the slowest passes"),
];

/// The requests of the variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub list: bool,
    pub dump: Option<PathBuf>,
    pub glsl: bool,
    pub ir: bool,
    pub air: bool,
    pub replace: Option<PathBuf>,
    pub pattern: Option<String>,
    pub plan: bool,
    pub validate: bool,
    pub time: bool,
}

/// The settings of the process; `None` if the variable is not set.
pub fn settings() -> Option<&'static Settings> {
    static SETTINGS: OnceLock<Option<Settings>> = OnceLock::new();
    SETTINGS.get_or_init(of_process).as_ref()
}

fn of_process() -> Option<Settings> {
    let value = std::env::var_os(VARIABLE).filter(|v| !v.is_empty())?;
    if is_privileged() {
        return None;
    }
    let mut messages = Vec::new();
    let settings = match value.to_str() {
        Some(value) => parse(value, &mut messages),
        None => {
            messages.push("it is not UTF-8".to_owned());
            None
        }
    };
    for message in messages {
        print(&format!("{VARIABLE}: {message}"));
    }
    settings
}

/// Whether the process has rights that its user does not have: the variable could make it write files of others.
fn is_privileged() -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{getegid, geteuid, getgid, getuid};
        getuid() != geteuid() || getgid() != getegid()
    }
    #[cfg(not(unix))]
    false
}

/// Prints a line to the standard error stream.
pub fn print(line: &str) {
    // Errors are ignored: a closed stream leaves no way to report them.
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn parse(value: &str, messages: &mut Vec<String>) -> Option<Settings> {
    let mut settings = Settings::default();
    for word in value.split(',').map(str::trim).filter(|w| !w.is_empty()) {
        let (name, given) = match word.split_once('=') {
            Some((name, given)) => (name, Some(given).filter(|g| !g.is_empty())),
            None => (word, None),
        };
        match (name, given) {
            ("help", None) => messages.extend(WORDS.iter().map(|(w, m)| format!("{w}: {m}"))),
            ("list", None) => settings.list = true,
            ("dump", Some(folder)) => settings.dump = Some(folder.into()),
            ("glsl", None) => settings.glsl = true,
            ("ir", None) => settings.ir = true,
            ("air", None) => settings.air = true,
            ("replace", Some(folder)) => settings.replace = Some(folder.into()),
            ("match", Some(pattern)) => settings.pattern = Some(pattern.to_owned()),
            ("plan", None) => settings.plan = true,
            ("validate", None) => settings.validate = true,
            ("time", None) => settings.time = true,
            ("dump" | "replace" | "match", None) => {
                messages.push(format!("expected `{name}=...`, found `{word}`"))
            }
            _ => {
                let known: Vec<&str> = WORDS.iter().map(|(w, _)| *w).collect();
                messages.push(format!("unknown word `{word}`; the words are {}", known.join(", ")));
            }
        }
    }
    if !(settings.glsl || settings.ir || settings.air) {
        (settings.glsl, settings.ir, settings.air) = (true, true, true);
    } else if settings.dump.is_none() {
        messages.push("`glsl`, `ir` and `air` require `dump=FOLDER`".to_owned());
    }
    let is_used = settings.list
        || settings.dump.is_some()
        || settings.replace.is_some()
        || settings.plan
        || settings.validate
        || settings.time;
    is_used.then_some(settings)
}

/// Whether a text matches a pattern, in which `*` is any text and `?` any character.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where to continue if the rest does not match: after the last `*`, with one more character in it.
    let mut retry = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p + 1, t));
                p += 1;
            }
            Some(&c) if c == '?' || c == text[t] => (p, t) = (p + 1, t + 1),
            _ => {
                let Some((after, start)) = retry else { return false };
                (p, t) = (after, start + 1);
                retry = Some((after, start + 1));
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_settings() {
        let parse = |value: &str| {
            let mut messages = Vec::new();
            (parse(value, &mut messages), messages)
        };
        let (settings, messages) = parse("list, dump=x,ir,match=frag*,time");
        let expected = Settings {
            list: true,
            dump: Some("x".into()),
            ir: true,
            pattern: Some("frag*".to_owned()),
            time: true,
            ..Settings::default()
        };
        assert_eq!((settings, messages.len()), (Some(expected), 0));
        let (settings, messages) = parse("dump, lits");
        assert_eq!(settings, None);
        assert!(
            messages[0].contains("dump=...") && messages[1].contains("unknown word `lits`"),
            "{messages:?}"
        );
        assert_eq!(parse("help").1.len(), WORDS.len());
        assert_eq!(parse("").0, None);
        assert!(parse("ir,list").1[0].contains("require"));
        for (word, _) in WORDS {
            let (word, value) = word.split_once('=').unwrap_or((word, ""));
            let word = if value.is_empty() { word.to_owned() } else { format!("{word}=x") };
            assert!(parse(&word).1.iter().all(|m| !m.contains("unknown")), "{word}");
        }
    }

    #[test]
    fn words_are_documented() {
        let page = include_str!("../../../../docs/environment.md");
        for (word, meaning) in WORDS {
            assert!(
                page.contains(&format!("| `{word}` | {meaning} |")),
                "docs/environment.md lacks `{word}`: {meaning}"
            );
        }
    }

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("frag*", "fragment-12", true),
            ("*ab", "aab", true),
            ("*a*b*", "xxaxxbxx", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*x", "abc", false),
            ("a*", "ba", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
